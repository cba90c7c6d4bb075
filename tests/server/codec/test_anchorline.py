"""Anchorline's values survive the wire."""

import hashlib

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.anchorline import GAME, Place, ReturnCoin, Shift
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import Refusal
from harbourmaster_server.codec import codec_for

CODEC = codec_for("anchorline")


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
