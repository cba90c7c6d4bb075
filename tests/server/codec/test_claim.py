"""Claim's values survive the wire."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim import GAME, CardReplaced, EndTurn, Merge, Play, Replace, Side
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, Refusal
from harbourmaster_server.codec import codec_for
from support.claim_boards import board, do

CODEC = codec_for("claim")


def through_the_wire(view: object) -> object:
    wire = pb.View()
    CODEC.write_view(view, wire)
    return CODEC.read_view(pb.View.FromString(wire.SerializeToString()))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_views_moves_and_events_of_a_whole_match_come_back_as_they_were(seats: int) -> None:
    state = GAME.start(hashlib.sha256(bytes([seats])).digest(), seats)
    rng = Stream(b"moves")
    while state.to_move is not None:
        for seat in (*range(seats), SPECTATOR):
            view = state.view(seat)
            assert through_the_wire(view) == view
        for each in state.legal_moves().moves:
            assert CODEC.read_move(CODEC.move(each)) == each
        events = state.apply(state.sample_move(rng))
        assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)
    assert through_the_wire(state.view(0)) == state.view(0)


def test_a_view_with_a_seat_that_forfeited_comes_back() -> None:
    state = GAME.start(bytes(32), 3)
    events = state.forfeit(1, ForfeitReason.TIMEOUT)

    assert through_the_wire(state.view(1)) == state.view(1)
    assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)


@pytest.mark.parametrize(
    "move",
    [
        Play(52),
        Play(0, 1, Side.LEFT),
        Play(51, 7, Side.RIGHT),
        Merge(3, 2),
        Replace(4, 0, 12),
        EndTurn(),
    ],
)
def test_every_kind_of_move_comes_back(move: object) -> None:
    assert CODEC.read_move(CODEC.move(move)) == move


def test_options_come_back_and_absent_ones_stay_absent() -> None:
    options = GAME.resolve(2, {"hand_size": 7})
    some = json_format.ParseDict({"claim": {"idleTurns": 4}}, pb.GameOptions())

    assert CODEC.read_options(CODEC.options(options)) == options
    assert CODEC.read_options(some) == {"idle_turns": 4}
    assert CODEC.read_options(pb.GameOptions()) == {}


def test_every_refusal_code_has_a_number_of_its_own() -> None:
    numbers = {CODEC.refusal(Refusal(code, "text")).claim for code in GAME.codes}

    assert len(numbers) == len(GAME.codes)
    assert 0 not in numbers


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "the move is empty"),
        ({"play": {}}, "the move has no card"),
        ({"play": {"card": "CARD_5S", "item": 1}}, "an item and no side"),
        ({"play": {"card": "CARD_5S", "item": 1, "side": 7}}, "an item and no side"),
        ({"play": {"card": "CARD_5S", "side": "CLAIM_SIDE_LEFT"}}, "a side and no item"),
        ({"replace": {"group": 1, "index": 1}}, "the move has no card"),
    ],
)
def test_a_move_that_lacks_a_part_is_refused_in_words(
    fields: dict[str, object], sentence: str
) -> None:
    message = json_format.ParseDict({"claim": fields}, pb.Move())

    with pytest.raises(ValueError, match=sentence):
        CODEC.read_move(message)


def test_a_card_that_is_none_on_the_wire_is_refused_by_the_engine() -> None:
    message = json_format.ParseDict({"claim": {"play": {"card": 999}}}, pb.Move())
    refusal = GAME.start(bytes(32), 2).check(CODEC.read_move(message))

    assert refusal is not None
    assert refusal.code == "malformed"


def test_the_examples_of_the_documentation_are_what_the_wire_has() -> None:
    page = (Path(__file__).parents[3] / "docs" / "games" / "claim.md").read_text(encoding="utf-8")
    *moves, view, event = [
        json.loads(text) for text in re.findall(r"```json\n(.*?)```", page, re.S)
    ]

    kinds = [type(CODEC.read_move(json_format.ParseDict(move, pb.Move()))) for move in moves]
    assert kinds == [Play, Play, Merge, Replace, EndTurn]
    assert isinstance(CODEC.read_event(json_format.ParseDict(event, pb.Event())), CardReplaced)
    state = board(
        "1: 5S/1 6S/1 7C/1 8H/1\n3: JK",
        hands=["7S 9D KC", "2C 4H"],
        decks=["3D 10H", "QS"],
    )
    do(state, "replace 1 2 7S")
    written = pb.View()
    CODEC.write_view(state.view(0), written)
    assert json_format.MessageToDict(written) == view


def test_the_documentation_explains_every_refusal_code_and_option() -> None:
    page = (Path(__file__).parents[3] / "docs" / "games" / "claim.md").read_text(encoding="utf-8")

    for word in (*GAME.codes, *(option.name for option in GAME.options), *GAME.reasons):
        assert f"`{word}`" in page
