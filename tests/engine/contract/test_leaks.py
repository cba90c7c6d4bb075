"""The leak test: nothing that a seat is shown or told depends on what it cannot know."""

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.game import ForfeitReason
from support import faults
from support.cases import Case, all_cases
from support.leaks import Evidence, assert_leaving_tells_nothing, assert_no_leak
from support.mutate import JUNK, wrong_moves
from support.play import Position, walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)


def search(case: Case, positions: list[Position], deals: int = 3) -> Evidence:
    """Look for leaks in all *positions*, as every seat, and return what was seen."""
    evidence, rng = Evidence(), case.rng("leaks")
    made = [position.move for position in positions]
    for position in positions:
        offered = position.state.legal_moves().moves[:10]
        wrong = [*wrong_moves([*offered, *made], rng, 20), *made[:20], *JUNK[:4]]
        for seat in range(case.seats):
            assert_no_leak(case, position, seat, wrong, rng, evidence, deals)
    return evidence


def enough_positions(case: Case, number: int) -> list[Position]:
    """Return positions of the match with *number*, and of more where matches are short."""
    count = 48 // case.seats
    positions = list(walk(case, number).some(count))
    while len(positions) < count:
        number += 1000
        positions += walk(case, number).some(count)
    return positions


@pytest.mark.parametrize("number", matches(1, 12))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_e1_no_seat_can_tell_two_deals_apart(case: Case, number: int) -> None:
    search(case, enough_positions(case, number)).assert_enough()


@pytest.mark.parametrize("case", [case for case in CASES if case.seats > 2], ids=str)
def test_e1_no_seat_can_tell_two_deals_apart_after_a_forfeit(case: Case) -> None:
    left = []
    for number, position in enumerate(walk(case).some(6)):
        state = position.state.clone()
        state.forfeit(number % case.seats, ForfeitReason.RESIGNED)
        if state.to_move is not None:
            left.append(Position(state, None, ()))
    evidence = search(case, left)
    assert evidence.varied
    assert evidence.compared["offered moves"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_seat_that_leaves_takes_its_hand_unseen(case: Case) -> None:
    rng = case.rng("leaving")
    for number, position in enumerate(walk(case).some(12)):
        leaves, seat = number % case.seats, (number + 1) % case.seats
        assert_leaving_tells_nothing(position.state, leaves, seat, rng)


def test_a_hand_that_is_told_when_a_seat_leaves_is_noticed() -> None:
    state = faults.TellsAHandWhenASeatLeaves(FAULTY.start(), FAULTY)
    with pytest.raises(AssertionError, match="seat 1 is told what is hidden"):
        assert_leaving_tells_nothing(state, 0, 1, FAULTY.rng("leaving"))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (faults.OffersInAnOrderThatTells, "by the offered moves"),
        (faults.OffersWhatThePileAllows, "by the offered moves"),
        (faults.DefaultsByHiddenCards, "by the default move"),
        (faults.TellsAHandInARefusal, "by the refusals"),
        (faults.RefusesByHiddenCards, "by the refusals"),
        (faults.ShowsAHandInTheView, "by the view"),
        (faults.TellsADrawnCardInAnEvent, "an event tells seat"),
        (faults.DealsAMoveAhead, "could tell two deals apart"),
        (faults.NeverDealsAgain, "never varied"),
    ],
)
def test_a_leak_is_noticed(fault: type[faults.Faulty], message: str) -> None:
    def positions(kind: type[faults.Faulty]) -> list[Position]:
        found = []
        for state, move, _ in walk(FAULTY).some(24):
            wrapped = kind(state.clone(), FAULTY)
            found.append(Position(wrapped, move, kind(state.clone(), FAULTY).apply(move)))
        return found

    search(FAULTY, positions(faults.Faulty)).assert_enough()
    with pytest.raises(AssertionError, match=message):
        search(FAULTY, positions(fault)).assert_enough()
