"""Seats that leave: the match goes on without them, and they rank below all others."""

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.game import AnyState, ForfeitReason
from support import faults
from support.cases import Case, all_cases
from support.checks import (
    assert_forfeit_works,
    assert_offers_are_legal,
    assert_outcome_is_consistent,
    assert_same_cards,
    assert_views_work,
)
from support.play import walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)
REASONS = tuple(ForfeitReason)


def play_with_forfeits(case: Case, number: int) -> tuple[AnyState, list[tuple[int, ForfeitReason]]]:
    """Play a match in which seats leave at random moments; return its end and who left."""
    state, rng = case.start(number), case.rng(f"forfeits {number}")
    leave_after = 1 + rng.below(25)
    left: list[tuple[int, ForfeitReason]] = []
    while state.to_move is not None:
        if rng.below(leave_after) == 0:
            playing = [s for s in range(case.seats) if s not in dict(left)]
            seat, reason = rng.choice(playing), rng.choice(REASONS)
            assert_forfeit_works(case, state, seat, reason)
            left.append((seat, reason))
            assert_offers_are_legal(case, state)
            assert_views_work(case, state)
        else:
            state.apply(state.sample_move(rng))
            assert state.to_move not in dict(left)
    return state, left


@pytest.mark.parametrize("number", matches(4, 60))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_match_with_forfeits_ends_with_a_consistent_outcome(case: Case, number: int) -> None:
    end, left = play_with_forfeits(case, number)
    assert_outcome_is_consistent(case, end, left)
    assert_views_work(case, end)
    assert_offers_are_legal(case, end)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_all_seats_but_one_may_leave_at_once(case: Case) -> None:
    for stays in range(case.seats):
        state = walk(case).some(3)[1].state.clone()
        leaving = [
            (seat, ForfeitReason.DISCONNECTED) for seat in range(case.seats) if seat != stays
        ]
        for seat, reason in leaving:
            assert state.to_move is not None
            assert_forfeit_works(case, state, seat, reason)
        assert_outcome_is_consistent(case, state, leaving)
        outcome = state.outcome()
        assert outcome is not None
        assert outcome.placements[stays] == 1
        assert outcome.reason == "last_seat"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_forfeit_loses_and_makes_no_card(case: Case) -> None:
    for position in walk(case).some(8):
        state = position.state.clone()
        state.forfeit(case.seats - 1, ForfeitReason.TIMEOUT)
        if state.to_move is not None:
            assert_same_cards(case, [position.state, state])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_after_the_end_nobody_can_forfeit(case: Case) -> None:
    end = walk(case).end.clone()
    before = end.fingerprint()
    with pytest.raises(ValueError, match=r"\w"):
        end.forfeit(0, ForfeitReason.TIMEOUT)
    assert end.fingerprint() == before


def test_a_forfeit_that_is_placed_first_is_noticed() -> None:
    state = walk(FAULTY).some(3)[1].state.clone()
    state.forfeit(0, ForfeitReason.RESIGNED)
    left = [(0, ForfeitReason.RESIGNED)]
    assert_outcome_is_consistent(FAULTY, faults.Faulty(state, FAULTY), left)
    with pytest.raises(AssertionError, match="placed too well"):
        assert_outcome_is_consistent(FAULTY, faults.ForgivesForfeits(state, FAULTY), left)
    with pytest.raises(AssertionError):
        assert_outcome_is_consistent(FAULTY, state, [(0, ForfeitReason.TIMEOUT)])
