"""Wild Rummy's values survive the wire."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import ForfeitReason, Refusal
from harbourmaster_engine.wild_rummy import GAME, AddCard, BuyWild, Draw, End, LayMeld, Source
from harbourmaster_server.codec import codec_for
from support.wild_rummy_boards import do, move, position

CODEC = codec_for("wild_rummy")


def sent(view: Any) -> Any:
    """Return *view* after a journey over the wire."""
    wire = pb.View()
    CODEC.write_view(view, wire)
    return CODEC.read_view(pb.View.FromString(wire.SerializeToString()))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_views_moves_and_events_of_a_whole_match_come_back_as_they_were(seats: int) -> None:
    state = GAME.start(hashlib.sha256(bytes([seats])).digest(), seats, {"rounds": 4})
    rng = Stream(b"moves")
    step = 0
    while state.to_move is not None:
        for seat in (-1, state.to_move):
            assert sent(state.view(seat)) == state.view(seat)
        for each in state.legal_moves().moves:
            assert CODEC.read_move(CODEC.move(each)) == each
        events = state.apply(state.sample_move(rng))
        step += 1
        if seats > 2 and step == 100:
            events += state.forfeit(0, ForfeitReason.TIMEOUT)
        assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)
    assert sent(state.view(0)) == state.view(0)


@pytest.mark.parametrize(
    "made",
    [
        Draw(Source.DISCARD),
        LayMeld((0, 13, 51)),
        AddCard(3, 0),
        AddCard(1, 51, End.HIGH),
        AddCard(1, 51, End.LOW),
        BuyWild(2, 0, 7),
    ],
)
def test_every_kind_of_move_comes_back(made: object) -> None:
    assert CODEC.read_move(CODEC.move(made)) == made


@pytest.mark.parametrize("text", ["", "rounds", "all"])
def test_options_come_back_and_absent_ones_stay_absent(text: str) -> None:
    given: dict[str, Any] = {
        "": {},
        "rounds": {"rounds": 3},
        "all": {"rounds": 1, "return_taken_discard": True, "max_turns_per_round": 7},
    }[text]
    options = GAME.resolve(2, given)

    assert CODEC.read_options(CODEC.options(options)) == options
    assert CODEC.read_options(pb.GameOptions()) == {}
    message = json_format.ParseDict({"wildRummy": {"rounds": 2}}, pb.GameOptions())
    assert CODEC.read_options(message) == {"rounds": 2}


def test_every_refusal_code_has_a_number_of_its_own() -> None:
    numbers = {CODEC.refusal(Refusal(code, "text")).wild_rummy for code in GAME.codes}

    assert len(numbers) == len(GAME.codes)
    assert 0 not in numbers


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "the move is empty"),
        ({"draw": {}}, "no source"),
        ({"draw": {"source": 9}}, "no source"),
        ({"add": {"meld": 1}}, "the addition has no card"),
        ({"add": {"meld": 1, "card": "CARD_5H", "end": 7}}, "unknown end"),
        ({"buy": {"meld": 1, "card": "CARD_5H"}}, "no index"),
        ({"buy": {"meld": 1, "index": 0}}, "the purchase has no card"),
        ({"discard": {}}, "the discard has no card"),
    ],
)
def test_a_move_that_lacks_a_part_is_refused_in_words(fields: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CODEC.read_move(json_format.ParseDict({"wildRummy": fields}, pb.Move()))


@pytest.mark.parametrize("card", ["CARD_JK", 54, 2**31 - 1, -5])
def test_a_card_that_is_none_of_the_game_is_left_to_the_rules_which_refuse_it(card: Any) -> None:
    state = GAME.start(bytes(32), 2)
    message = json_format.ParseDict({"wildRummy": {"discard": {"card": card}}}, pb.Move())
    refusal = state.check(CODEC.read_move(message))

    assert refusal is not None
    assert refusal.code == "malformed"


def test_a_card_is_packed_as_one_byte() -> None:
    state = GAME.start(bytes(32), 2)
    wire = pb.View()
    CODEC.write_view(state.view(0), wire)

    assert len(state.view(0).hand) == 8
    assert bytes([8, *[card + 1 for card in state.view(0).hand]]) in wire.SerializeToString()


def test_the_documentation_shows_what_the_codec_writes() -> None:
    text = (Path(__file__).parents[3] / "docs" / "games" / "wild_rummy.md").read_text("utf-8")
    view_example, move_examples = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    state = position(
        "stock: 2C 3C JC 10D\ndiscards: 8D 9D\nmeld: 4C 5D 6C\n0*: 5C 9C JH QH\n1: 2D 7S",
        phase="draw",
        scores=[12, 0],
        round_turns=6,
    )
    do(state, "draw discard")
    wire = pb.View()
    CODEC.write_view(state.view(0), wire)

    assert json.loads(view_example) == json_format.MessageToDict(wire)
    commands = ("draw stock", "meld 3H 4H 5C", "add 7C 1 high", "buy 5C 1[1]", "discard QH")
    for line, command in zip(move_examples.splitlines(), commands, strict=True):
        assert json.loads(line) == json_format.MessageToDict(CODEC.move(move(command)))
    for code, meaning in GAME.codes.items():
        assert f"| `{code}` | {meaning} |" in text
