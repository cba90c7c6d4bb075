"""Which results count does not depend on the order in which anything was written."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from harbourmaster_tournaments.ledger import (
    GameRow,
    Ruling,
    RulingKind,
    effective,
    judge,
    read_lines,
    write_lines,
)
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import by_name, names, row

GAMES = list(RoundRobin(names(4)).games())


def history() -> tuple[list[GameRow], list[Ruling]]:
    """A void game whose group was played again, a voided one that was not, a correction."""
    rows = [row(game, by_name(game)) for game in GAMES]
    rows[2] = replace(rows[2], void_cause="the referee was killed")
    rows += [row(game, by_name(game), attempt=2) for game in GAMES[2:4]]
    rulings = [
        Ruling(RulingKind.VOID, "ann", "wrong build", 7, 1, GAMES[6].group),
        Ruling(RulingKind.CORRECT, "ann", "read wrong", 1, 1, change={"placements": [1, 1]}),
    ]
    return rows, rulings


def test_attempts_rulings_and_corrections_decide_what_counts() -> None:
    results = effective(*history())

    assert [(r.number, r.attempt) for r in results] == [
        (1, 1),
        (2, 1),
        (3, 2),
        (4, 2),
        (5, 1),
        (6, 1),
        (9, 1),
        (10, 1),
        (11, 1),
        (12, 1),
    ]
    assert results[0].placements == (1, 1)


def test_every_row_that_does_not_count_says_why() -> None:
    why = {(j.row.number, j.row.attempt): j.void for j in judge(*history()) if j.void}

    assert why == {
        (3, 1): "the referee was killed",
        (4, 1): "stale attempt",
        (7, 1): "voided by ann: wrong build",
        (8, 1): "stale attempt",
    }


@given(st.permutations(history()[0]))
@settings(max_examples=50, deadline=None)
def test_t40_shuffled_rows_give_the_same_results(rows: list[GameRow]) -> None:
    before, rulings = history()

    assert effective(rows, rulings) == effective(before, rulings)
    assert judge(rows, rulings) == judge(before, rulings)


@given(st.permutations(history()[0]))
@settings(max_examples=20, deadline=None)
def test_p49_a_shuffled_file_read_back_gives_the_same_results(rows: list[GameRow]) -> None:
    before, rulings = history()

    games, orders = read_lines(write_lines(rows, rulings))

    assert effective(games, orders) == effective(before, rulings)


def test_p27_a_crash_leaves_the_survivors_placements_alone() -> None:
    crashed = replace(
        row(GAMES[0]),
        entrants=("a", "b", "c", "d"),
        placements=(1, 4, 2, 2),
        scores=(9, 0, 5, 5),
        forfeits=(None, "disconnected", None, None),
    )

    (result,) = effective([crashed])

    assert result.placements == (1, 4, 2, 2)
    assert result.forfeits[1] == "disconnected"
