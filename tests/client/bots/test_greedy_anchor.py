"""The greedy strategy for Anchor: what it does in a position, and that it is strong."""

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harbourmaster.bots.greedy_anchor import choose_anchor, value_of
from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.anchor import GAME, AnchorMove, AnchorPlay, Play
from harbourmaster_engine.chance import Stream
from harbourmaster_server.codec import codec_for
from support.anchor_boards import move, position

CODEC = codec_for("anchor")


def choice(state: Any, offered: tuple[AnchorMove, ...] = ()) -> AnchorMove:
    """Return the strategy's move, chosen from what goes over the wire alone."""
    view = pb.View()
    CODEC.write_view(state.view(state.to_move), view)
    moves = offered or state.legal_moves().moves
    messages = tuple(CODEC.move(each).anchor for each in moves)
    decision: Any = SimpleNamespace(view=view.anchor, offered=messages)
    return moves[cast(int, choose_anchor(decision))]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("play 7,11 > 8H 9H", "play 7,11 > 8H"),
        ("play 7,11 > 8H", "play 6,9 > 6S"),
        ("play 7,11 > 8H", "cycle 6S"),
        ("cycle 6S", "play 6,9 > 6S"),
        ("cycle KS", "cycle 9H"),
        ("pick 10H for KS", "pick 2C for KS"),
        ("pick 10H for KS", "pick 10H for 9H"),
        ("anchor 1,1 > AD 8H 9H JK", "play 7,11 > 8H"),
    ],
)
def test_of_two_moves_it_takes_the_better_one(better: str, worse: str) -> None:
    state = position("7,7: [AS] 5H 6H 7H\n0: 8H 9H 6S KS AD JK\npile: 3C 4C\ndiscards: 2C 10H")

    assert choice(state, (move(worse), move(better))) == move(better)
    assert choice(state, (move(better), move(worse))) == move(better)


def test_its_count_of_points_is_the_rules() -> None:
    rng = Stream(b"points")
    seen = 0
    for number in range(3):
        state = GAME.start(bytes([number]) * 32, 2, {"loose_multiplier": 1, "target_score": 900})
        while state.to_move is not None:
            view = pb.View()
            CODEC.write_view(state.view(state.to_move), view)
            for each in state.legal_moves(12).moves:
                if isinstance(each, Play | AnchorPlay):
                    twin = state.clone()
                    twin.apply(each)
                    points = twin.scores[state.to_move] - state.scores[state.to_move]
                    value = value_of(view.anchor, CODEC.move(each).anchor)
                    assert round(value / 100) == points
                    seen += 1
            state.apply(state.sample_move(rng))
    assert seen > 200


@pytest.mark.parametrize(("seats", "least"), [(2, 11), (4, 9)])
def test_of_12_matches_it_wins_most_against_players_that_pick_at_random(
    seats: int, least: int
) -> None:
    first = 0
    for number in range(12):
        seed = hashlib.sha256(bytes([seats, number // seats])).digest()
        state, mine, rng = GAME.start(seed, seats), number % seats, Stream(seed)
        while state.to_move is not None:
            state.apply(choice(state) if state.to_move == mine else state.sample_move(rng))
        found = state.outcome()
        assert found is not None
        first += found.placements[mine] == 1

    assert first >= least
