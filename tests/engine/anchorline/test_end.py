"""Anchorline: how a match ends."""

import pytest

from harbourmaster_engine.anchorline import GAME, Place, ReturnCoin
from harbourmaster_engine.game import ForfeitReason, LegalMoves, Outcome, SeatForfeited
from support.anchorline import board, shows

SEALS = ("S4", "S3", "S2")
GULLS = ("G4", "G3", "G2", "G1")


def test_five_points_win_by_default_and_two_hundred_turns_are_the_limit() -> None:
    values = GAME.resolve(2, {})
    assert values["target_score"] == 5
    assert values["max_turns"] == 200


def test_a_seat_that_reaches_the_target_wins() -> None:
    state = board("S1 ##* .", (SEALS, GULLS), scores=[4, 4])
    state.apply(Place((1, 0)))
    assert state.outcome() == Outcome((5, 4), (1, 2), "target", (None, None))


def test_the_target_is_an_option() -> None:
    state = board("S1 ##* .", (SEALS, GULLS), {"target_score": 7}, scores=[5, 6])
    state.apply(Place((1, 0)))
    assert state.outcome() is None
    nearly = board("S1 ##* .", (SEALS, GULLS), {"target_score": 7}, scores=[6, 6])
    nearly.apply(Place((1, 0)))
    assert nearly.outcome() == Outcome((7, 6), (1, 2), "target", (None, None))


def test_a_line_of_five_wins_whatever_the_target_and_the_scores() -> None:
    state = board("S4 S1 ##* . S2", (("S3",), GULLS), {"target_score": 100}, scores=[0, 9])
    state.apply(Place((1, 0)))
    assert state.outcome() == Outcome((5, 9), (1, 2), "five", (None, None))


def test_a_line_of_five_that_reaches_the_target_ends_by_the_target() -> None:
    state = board("S4 S1 ##* . S2", (("S3",), GULLS))
    state.apply(Place((1, 0)))
    assert state.outcome() == Outcome((5, 0), (1, 2), "target", (None, None))


def test_the_turn_that_wins_is_finished_first() -> None:
    state = board(". . G1\nS1 ##* .", (SEALS, GULLS[:3]), scores=[4, 0])
    state.apply(Place((1, 0)))
    assert shows(state, ". G1\n##* .")
    assert state.view(0).coin == (0, 0)
    assert state.view(0).stack_counts[0] == 4
    assert state.turns == 1


def test_a_returned_coin_can_give_the_last_point() -> None:
    state = board("##*", (SEALS, GULLS), {"anchor_arrows": []}, scores=[0, 4])
    state.apply(ReturnCoin())
    assert state.outcome() == Outcome((0, 5), (2, 1), "target", (None, None))


@pytest.mark.parametrize(
    ("scores", "places"), [([3, 2], (1, 2)), ([2, 3], (2, 1)), ([2, 2], (1, 1))]
)
def test_after_max_turns_the_higher_score_wins_or_it_is_a_draw(
    scores: list[int], places: tuple[int, int]
) -> None:
    state = board("##*", (SEALS, GULLS), {"max_turns": 10}, scores=scores, turns=9)
    state.apply(Place((1, 0)))
    assert state.outcome() == Outcome((scores[0], scores[1]), places, "max_turns", (None, None))


def test_max_turns_is_looked_at_last() -> None:
    options = {"max_turns": 10}
    state = board("S1 ##* .", (SEALS, GULLS), options, scores=[4, 0], turns=9)
    state.apply(Place((1, 0)))
    assert state.outcome() == Outcome((5, 0), (1, 2), "target", (None, None))
    five = board("S4 S1 ##* . S2", (("S3",), GULLS), options | {"target_score": 100}, turns=9)
    five.apply(Place((1, 0)))
    assert five.outcome() == Outcome((5, 0), (1, 2), "five", (None, None))


def test_before_max_turns_the_match_goes_on() -> None:
    state = board("##*", (SEALS, GULLS), {"max_turns": 10}, turns=8)
    state.apply(Place((1, 0)))
    assert state.outcome() is None
    assert state.to_move == 1


def test_every_match_ends_within_max_turns() -> None:
    state = GAME.start(bytes(32), 2, {"target_score": 1000, "max_turns": 37})
    while state.to_move is not None:
        state.apply(state.default_move())
    assert state.turns <= 37


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seat_that_forfeits_loses_at_once_whatever_the_scores(seat: int) -> None:
    state = board("##*", (SEALS, GULLS), scores=[3, 3])
    events = state.forfeit(seat, ForfeitReason.TIMEOUT)
    assert events == (SeatForfeited(seat, ForfeitReason.TIMEOUT),)
    forfeits = tuple(ForfeitReason.TIMEOUT if s == seat else None for s in (0, 1))
    assert state.outcome() == Outcome(
        (3, 3), (2, 1) if seat == 0 else (1, 2), "last_seat", forfeits
    )


def test_after_the_end_nothing_is_offered_and_every_move_is_refused() -> None:
    state = board("S1 ##* .", (SEALS, GULLS), scores=[4, 0])
    state.apply(Place((1, 0)))
    assert state.to_move is None
    assert state.legal_moves() == LegalMoves((), True)
    refusal = state.check(Place((1, 0)))
    assert refusal is not None
    assert refusal.code == "over"
