"""The greedy strategy for Claim: what it does in a position, and that it is strong."""

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harbourmaster.bots.greedy_claim import choose_claim
from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim import GAME, ClaimMove
from harbourmaster_engine.game import AnyState
from harbourmaster_server.codec import codec_for
from support.claim_boards import board, do, move

CODEC = codec_for("claim")


def choice(state: AnyState) -> ClaimMove:
    """Return the strategy's move, chosen from what goes over the wire alone."""
    assert state.to_move is not None
    view = pb.View()
    CODEC.write_view(state.view(state.to_move), view)
    moves = state.legal_moves().moves
    offered = [CODEC.move(each).claim for each in moves]
    decision: Any = SimpleNamespace(view=view.claim, offered=offered)
    chosen: ClaimMove = moves[cast(int, choose_claim(decision))]
    return chosen


@pytest.mark.parametrize(
    ("table", "hand", "wanted"),
    [
        ("1: 5S\n2: 5D", "6S", "play 6S right 1"),
        ("1: JK/1 7C/1", "6H 3D", "replace 1 0 6H"),
        ("1: 5S\n2: 6S", "", "merge 1 2"),
        ("1: 5S", "JK", "play JK left 1"),
        ("1: 5S/1 6S/1 7C/1", "7S", "replace 1 2 7S"),
        ("1: 9D", "5S 6S KH", "play 5S"),
        ("", "JK", "end"),
        ("1: JK/0 7C/0", "", "end"),
    ],
)
def test_the_action_that_gains_most_is_chosen(table: str, hand: str, wanted: str) -> None:
    assert choice(board(table, hands=[hand, "2C"])) == move(wanted)


def test_a_joker_goes_where_no_card_out_of_sight_can_replace_it() -> None:
    state = board("1: 5S\n2: 9D\n3: 10C\n4: 10D\n5: 10S", hands=["JK 10H", "2C"])
    do(state, "play 10H")

    assert choice(state) == move("play JK right 2")


@pytest.mark.parametrize(("seats", "least"), [(2, 20), (3, 16), (4, 12)])
def test_of_24_matches_it_wins_most_against_players_that_pick_at_random(
    seats: int, least: int
) -> None:
    first, games = 0, 24
    for number in range(games):
        seed = hashlib.sha256(bytes([seats, number // seats])).digest()
        state, rng, own = GAME.start(seed, seats), Stream(seed), number % seats
        while state.to_move is not None:
            state.apply(choice(state) if state.to_move == own else state.sample_move(rng))
        outcome = state.outcome()
        assert outcome is not None
        first += outcome.placements[own] == 1

    assert first >= least
