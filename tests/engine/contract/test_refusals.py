"""Legality is total: whatever is asked is answered, and a refused move changes nothing."""

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from support import faults
from support.cases import Case, all_cases
from support.checks import assert_check_agrees_with_apply
from support.mutate import JUNK, wrong_moves
from support.play import walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)


@pytest.mark.parametrize("number", matches(1, 25))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_check_agrees_with_apply_on_mutated_moves(case: Case, number: int) -> None:
    match, rng = walk(case, number), case.rng(f"mutate {number}")
    made = [position.move for position in match.some(200)]
    tried = refused = 0
    for position in match.some(20):
        near = [*position.state.legal_moves().moves[:10], position.move]
        for move in [*wrong_moves(near, rng, 15), *wrong_moves(made, rng, 5), *made[::20]]:
            tried += 1
            refused += not assert_check_agrees_with_apply(case, position.state, move)
    assert refused > tried // 2, "hardly any mutated move was wrong"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_check_agrees_with_apply_on_played_moves(case: Case) -> None:
    for position in walk(case).some(60):
        assert assert_check_agrees_with_apply(case, position.state, position.move)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_that_are_no_move_are_refused(case: Case) -> None:
    match = walk(case)
    for state in (case.start(), match.some(3)[1].state, match.end):
        for value in JUNK:
            assert not assert_check_agrees_with_apply(case, state, value)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_after_the_end_every_move_is_refused(case: Case) -> None:
    match = walk(case)
    for position in match.some(50):
        assert not assert_check_agrees_with_apply(case, match.end, position.move)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (faults.ChecksTooLittle, "check allows"),
        (faults.ChecksTooMuch, "check refuses"),
        (faults.ChangesWhenAsked, "check changed the state"),
        (faults.ChangesWhenRefusing, "a refused move changed the state"),
        (faults.InventsCodes, "not a documented code"),
    ],
)
def test_a_wrong_answer_to_a_move_is_noticed(fault: type[faults.Faulty], message: str) -> None:
    def try_all(kind: type[faults.Faulty]) -> None:
        state = kind(FAULTY.start(), FAULTY)
        for move in [*FAULTY.start().legal_moves().moves, "no move"]:
            assert_check_agrees_with_apply(FAULTY, state, move)

    try_all(faults.Faulty)
    with pytest.raises(AssertionError, match=message):
        try_all(fault)
