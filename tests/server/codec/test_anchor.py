"""Anchor's values survive the wire."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.anchor import GAME
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import ForfeitReason, Refusal
from harbourmaster_server.codec import codec_for
from support.anchor_boards import move, position

CODEC = codec_for("anchor")
COMMANDS = (
    "play 7,11 > 8H 9H + 6,9 v 6S",
    "anchor 1,1 > AD 2D 3D 4D",
    "cycle 5H 6H",
    "pick 2H for 5H",
    "exchange AD",
    "pass",
)


def sent(view: Any) -> Any:
    """Return *view* after a journey over the wire."""
    wire = pb.View()
    CODEC.write_view(view, wire)
    return CODEC.read_view(pb.View.FromString(wire.SerializeToString()))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_views_moves_and_events_of_a_whole_match_come_back_as_they_were(seats: int) -> None:
    seed = hashlib.sha256(bytes([seats])).digest()
    state = GAME.start(seed, seats, {"target_score": 2000, "no_play_rounds": 9})
    rng = Stream(b"moves")
    while state.to_move is not None:
        for seat in (-1, state.to_move):
            assert sent(state.view(seat)) == state.view(seat)
        for each in state.legal_moves(12).moves:
            assert CODEC.read_move(CODEC.move(each)) == each
        events = state.apply(state.sample_move(rng))
        if seats > 2 and state.turns == 30:
            events += state.forfeit(0, ForfeitReason.TIMEOUT)
        assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)
    assert sent(state.view(0)) == state.view(0)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_kind_of_move_comes_back(command: str) -> None:
    assert CODEC.read_move(CODEC.move(move(command))) == move(command)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"target_score": 3, "aces_meld": False},
        {"card_values": {"A": 15, "K": 0}, "loose_multiplier": 1, "open_meld_limit": 0},
    ],
)
def test_options_come_back_and_absent_ones_stay_absent(given: dict[str, Any]) -> None:
    options = GAME.resolve(4, given)

    assert CODEC.read_options(CODEC.options(options)) == options
    assert CODEC.read_options(pb.GameOptions()) == {}
    message = json_format.ParseDict({"anchor": {"targetScore": 2}}, pb.GameOptions())
    assert CODEC.read_options(message) == {"target_score": 2}


def test_a_wrong_number_of_card_values_is_refused() -> None:
    message = json_format.ParseDict({"anchor": {"cardValues": [1, 2]}}, pb.GameOptions())

    with pytest.raises(ValueError, match="it takes 13"):
        CODEC.read_options(message)


def test_every_refusal_code_has_a_number_of_its_own() -> None:
    numbers = {CODEC.refusal(Refusal(code, "text")).anchor for code in GAME.codes}

    assert len(numbers) == len(GAME.codes)
    assert 0 not in numbers


def test_an_empty_move_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="the move is empty"):
        CODEC.read_move(json_format.ParseDict({"anchor": {}}, pb.Move()))


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"play": {}}, "group_count"),
        ({"play": {"groups": [{}]}}, "empty_group"),
        ({"play": {"groups": [{"cells": [225], "cards": ["CARD_8H"]}]}}, "off_board"),
        ({"play": {"groups": [{"cells": [4294967295], "cards": ["CARD_8H"]}]}}, "off_board"),
        ({"play": {"groups": [{"cells": [116], "cards": ["CARD_UNSPECIFIED"]}]}}, "malformed"),
        ({"play": {"groups": [{"cells": [116], "cards": [54]}]}}, "malformed"),
        ({"play": {"groups": [{"cells": [116], "cards": [-5]}]}}, "malformed"),
        ({"play": {"groups": [{"cells": [116, 117], "cards": ["CARD_8H"]}]}}, "malformed"),
        ({"anchorPlay": {}}, "count"),
        ({"cycle": {}}, "count"),
        ({"pick": {}}, "count"),
        ({"exchange": {}}, "count"),
        ({"pass": {}}, "may_not_pass"),
    ],
)
def test_what_a_move_lacks_is_left_to_the_rules_which_refuse_it(fields: Any, code: str) -> None:
    state = position("7,7: [AS] 5H 6H 7H\n0: 8H\n1: 2C")
    refusal = state.check(CODEC.read_move(json_format.ParseDict({"anchor": fields}, pb.Move())))

    assert refusal is not None
    assert refusal.code == code


def test_the_board_is_packed_as_one_byte_a_cell() -> None:
    state = GAME.start(bytes(32), 2)
    wire = pb.View()
    CODEC.write_view(state.view(0), wire)

    assert state.view(0).board in wire.SerializeToString()


def test_the_documentation_shows_what_the_codec_writes() -> None:
    text = (Path(__file__).parents[3] / "docs" / "games" / "anchor.md").read_text("utf-8")
    view_example, move_examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    state = position("7,7: [AS] 5H 6H 7H\n0: 8H 9H 6S\n1: 2C 3C\npile: 4C\ndiscards: 2H", turns=0)
    wire = pb.View()
    CODEC.write_view(state.view(0), wire)
    shown = json_format.MessageToDict(wire)
    board = shown["anchor"].pop("board")

    assert [(n, card) for n, card in enumerate(board) if card != "CARD_UNSPECIFIED"] == [
        (112, "CARD_AS"),
        (113, "CARD_5H"),
        (114, "CARD_6H"),
        (115, "CARD_7H"),
    ]
    example = json.loads(view_example)
    assert example["anchor"].pop("board")
    assert example == shown
    for line, command in zip(move_examples.splitlines(), COMMANDS, strict=True):
        assert json.loads(line) == json_format.MessageToDict(CODEC.move(move(command)))
    for code, meaning in GAME.codes.items():
        assert f"| `{code}` | {meaning} |" in text
