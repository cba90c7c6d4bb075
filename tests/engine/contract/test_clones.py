"""Clones are independent: playing on from one leaves every other as it was."""

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from support import faults
from support.cases import Case, all_cases
from support.checks import assert_clones_are_independent
from support.play import Position, walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)


@pytest.mark.parametrize("number", matches(1, 20))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_match_played_from_clone_to_clone_changes_no_ancestor(case: Case, number: int) -> None:
    match = walk(case, number)
    assert_clones_are_independent(match.positions, match.end)


@pytest.mark.parametrize("fault", [faults.SharesItself, faults.SharesItsChance])
def test_a_clone_that_shares_is_noticed(fault: type[faults.Faulty]) -> None:
    match = walk(FAULTY)

    def positions(kind: type[faults.Faulty]) -> list[Position]:
        first = match.positions[0]
        return [first._replace(state=kind(first.state.clone(), FAULTY)), *match.positions[1:]]

    assert_clones_are_independent(positions(faults.Faulty), match.end)
    with pytest.raises(AssertionError):
        assert_clones_are_independent(positions(fault), match.end)
