"""Clones are independent: playing on from one leaves every other as it was."""

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from support import faults
from support.cases import Case, all_cases
from support.checks import assert_clones_are_independent, assert_forfeit_stays_in_a_clone
from support.play import Position, walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)
LENGTH = 250
"""How many moves of a match are played from clone to clone."""


@pytest.mark.parametrize("number", matches(1, 20))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_e16_a_match_played_from_clone_to_clone_changes_no_ancestor(
    case: Case, number: int
) -> None:
    match = walk(case, number)
    start = case.rng(f"clones {number}").below(max(1, len(match.positions) - LENGTH))
    positions = [*match.positions, Position(match.end, None, ())]
    end = positions[start + LENGTH].state if start + LENGTH < len(positions) else match.end
    assert_clones_are_independent(match.positions[start : start + LENGTH], end)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_seat_that_leaves_a_clone_leaves_no_other_state(case: Case) -> None:
    for position in walk(case).some(5):
        assert_forfeit_stays_in_a_clone(position.state.clone())


def test_a_forfeit_that_reaches_the_original_is_noticed() -> None:
    assert_forfeit_stays_in_a_clone(faults.Faulty(FAULTY.start(), FAULTY))
    with pytest.raises(AssertionError, match="and the original with it"):
        assert_forfeit_stays_in_a_clone(faults.SharesItself(FAULTY.start(), FAULTY))


@pytest.mark.parametrize("fault", [faults.SharesItself, faults.SharesItsChance])
def test_a_clone_that_shares_is_noticed(fault: type[faults.Faulty]) -> None:
    match = walk(FAULTY)

    def positions(kind: type[faults.Faulty]) -> list[Position]:
        first = match.positions[0]
        return [first._replace(state=kind(first.state.clone(), FAULTY)), *match.positions[1:]]

    assert_clones_are_independent(positions(faults.Faulty), match.end)
    with pytest.raises(AssertionError):
        assert_clones_are_independent(positions(fault), match.end)
