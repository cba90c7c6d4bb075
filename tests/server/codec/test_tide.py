"""Tide's values survive the wire."""

import hashlib

import pytest
from google.protobuf import json_format

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, Refusal
from harbourmaster_engine.tide import FORMATS, GAME, Draw, Pass, Rearrange
from harbourmaster_server.codec import codec_for

CODEC = codec_for("tide")


@pytest.mark.parametrize("game_format", FORMATS)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_views_moves_and_events_of_a_whole_match_come_back_as_they_were(
    game_format: str, seats: int
) -> None:
    seed = hashlib.sha256(game_format.encode()).digest()
    state = GAME.start(seed, seats, {"format": game_format})
    rng = Stream(b"moves")
    while state.to_move is not None:
        for seat in (state.to_move, SPECTATOR):
            wire = pb.View()
            CODEC.write_view(state.view(seat), wire)
            assert CODEC.read_view(pb.View.FromString(wire.SerializeToString())) == state.view(seat)
        for each in state.legal_moves(4).moves:
            assert CODEC.read_move(CODEC.move(each)) == each
        events = state.apply(state.sample_move(rng))
        assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)
    wire = pb.View()
    CODEC.write_view(state.view(0), wire)
    assert CODEC.read_view(wire) == state.view(0)


def test_the_events_of_a_forfeit_come_back() -> None:
    state = GAME.start(bytes(32), 3)
    events = state.forfeit(0, ForfeitReason.TIMEOUT)

    assert [CODEC.read_event(event) for event in CODEC.events(events)] == list(events)


@pytest.mark.parametrize(
    "move",
    [
        Rearrange((0, 1, 2), (52, 5, 6), ((0, 4),)),
        Rearrange((), ()),
        Rearrange((675, 0, 4_000_000_000), (1, 1)),
        Draw(),
        Pass(),
    ],
)
def test_every_kind_of_move_comes_back(move: object) -> None:
    assert CODEC.read_move(CODEC.move(move)) == move


def test_options_come_back_and_absent_ones_stay_absent() -> None:
    options = GAME.resolve(3, {"format": "MELD_SCORE", "opening_minimum": 0})

    assert CODEC.read_options(CODEC.options(options)) == options
    assert CODEC.read_options(pb.GameOptions()) == {}
    assert CODEC.read_options(json_format.ParseDict({"tide": {}}, pb.GameOptions())) == {}


def test_an_unknown_format_is_refused_with_the_good_ones() -> None:
    message = pb.GameOptions()
    message.tide.format = 99  # type: ignore[assignment]

    with pytest.raises(ValueError, match="EMPTY_HAND, CLASSIC, MELD_SCORE"):
        GAME.resolve(2, CODEC.read_options(message))


def test_every_refusal_code_has_a_number_of_its_own() -> None:
    numbers = {CODEC.refusal(Refusal(code, "text")).tide for code in GAME.codes}

    assert len(numbers) == len(GAME.codes)
    assert 0 not in numbers


def test_a_card_that_is_none_is_left_to_the_engine_to_refuse() -> None:
    move = CODEC.read_move(
        json_format.ParseDict(
            {"tide": {"rearrange": {"table": {"cells": [1], "cards": [0]}}}}, pb.Move()
        )
    )
    refusal = GAME.start(bytes(32), 2).check(move)

    assert refusal is not None
    assert refusal.code == "malformed"


def test_a_move_that_lacks_a_part_is_refused_in_words() -> None:
    for move, words in (
        ({"tide": {"rearrange": {}}}, "no table"),
        ({"tide": {"rearrange": {"table": {"joker_cells": [3]}}}}, "1 joker_cells for 0"),
        ({"tide": {}}, "the move is empty"),
        ({"claim": {}}, "move of claim"),
    ):
        with pytest.raises(ValueError, match=words):
            CODEC.read_move(json_format.ParseDict(move, pb.Move()))
