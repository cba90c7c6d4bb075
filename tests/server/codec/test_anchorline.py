"""Anchorline's values survive the wire."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.anchorline import GAME, Place, ReturnCoin, Shift
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import Refusal
from harbourmaster_server.codec import codec_for

CODEC = codec_for("anchorline")
PAGE = Path(__file__).parents[3] / "docs" / "games" / "anchorline.md"


@pytest.mark.parametrize("number", range(5))
def test_views_moves_and_events_of_a_whole_match_come_back_as_they_were(number: int) -> None:
    state = GAME.start(hashlib.sha256(bytes([number])).digest(), 2)
    rng = Stream(b"moves")
    while state.to_move is not None:
        wire = pb.View()
        CODEC.write_view(state.view(state.to_move), wire)
        assert CODEC.read_view(pb.View.FromString(wire.SerializeToString())) == state.view(0)
        for each in state.legal_moves().moves:
            assert CODEC.read_move(CODEC.move(each)) == each
        events = state.apply(state.sample_move(rng))
        assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)


@pytest.mark.parametrize("move", [Place((-3, 7)), Shift((0, -1), (2, 2)), ReturnCoin()])
def test_every_kind_of_move_comes_back(move: object) -> None:
    assert CODEC.read_move(CODEC.move(move)) == move


def test_options_come_back_and_absent_ones_stay_absent() -> None:
    options = GAME.resolve(2, {"target_score": 7, "card_arrows": [["N"], ["E"], ["S"], ["W"]]})

    assert CODEC.read_options(CODEC.options(options)) == options
    assert CODEC.read_options(pb.GameOptions()) == {}


def test_every_refusal_code_has_a_number_of_its_own() -> None:
    numbers = {CODEC.refusal(Refusal(code, "text")).anchorline for code in GAME.codes}

    assert len(numbers) == len(GAME.codes)
    assert 0 not in numbers


def test_a_move_that_lacks_a_part_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="no target"):
        CODEC.read_move(
            json_format.ParseDict({"anchorline": {"shift": {"origin": {"x": 1}}}}, pb.Move())
        )
    with pytest.raises(ValueError, match="holds nothing"):
        CODEC.read_move(pb.Move())
    with pytest.raises(ValueError, match="move of claim"):
        CODEC.read_move(json_format.ParseDict({"claim": {}}, pb.Move()))


def test_the_examples_of_the_documentation_are_what_the_wire_has() -> None:
    *moves, view, event = [
        json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE.read_text(), re.S)
    ]
    kinds = [type(CODEC.read_move(json_format.ParseDict(move, pb.Move()))) for move in moves]
    state = GAME.start(bytes(32), 2)
    for cell in [(1, 1), (0, 1), (-1, 0), (-2, -1), (-3, 0)]:
        events = state.apply(Place(cell))
    written = pb.View()
    CODEC.write_view(state.view(1), written)

    assert kinds == [Place, Shift, ReturnCoin]
    assert json_format.MessageToDict(written) == view
    assert CODEC.read_event(json_format.ParseDict(event, pb.Event())) == events[0]
    assert json_format.ParseDict(moves[0], pb.Move()) in [
        CODEC.move(each) for each in state.legal_moves().moves
    ]


def test_the_documentation_explains_every_refusal_code_option_and_reason() -> None:
    page = PAGE.read_text()

    for word in (*GAME.codes, *(option.name for option in GAME.options), *GAME.reasons):
        assert f"`{word}`" in page


def test_moves_that_come_up_again_are_the_same_objects_for_whoever_keeps_their_bytes() -> None:
    known: dict[object, object] = {}
    again = 0
    for number in range(5):
        state = GAME.start(hashlib.sha256(bytes([number])).digest(), 2)
        rng = Stream(b"moves")
        while state.to_move is not None:
            for move in state.legal_moves().moves:
                again += isinstance(move, Shift) and move in known
                if isinstance(move, Shift):
                    assert known.setdefault(move, move) is move
            state.apply(state.sample_move(rng))

    assert again > 100
