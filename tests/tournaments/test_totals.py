"""How many games a tournament will have, told from the first of them on."""

from pathlib import Path

import pytest

from support.coordinated import coordinate, definition

NAMES = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("tournament", "total"),
    [
        ("groups = 3", 36),
        ('format = "gauntlet"\nseeds = ["a"]\ngroups = 2', 12),
        ('format = "swiss"', None),
        ('format = "knockout"', None),
    ],
)
def test_a_total_is_known_from_the_beginning_unless_it_depends_on_results(
    tournament: str, total: int | None, tmp_path: Path
) -> None:
    totals: list[int | None] = []
    rows = coordinate(
        tmp_path, definition(NAMES, tournament), told_of=lambda now: totals.append(now.total)
    )

    assert set(totals) == {total}
    assert total in (None, len(rows))


def test_a_resumed_tournament_counts_what_was_played_before(tmp_path: Path) -> None:
    totals: list[int | None] = []
    file = definition(NAMES, "groups = 2")
    coordinate(tmp_path, file, stop_after=5)
    coordinate(tmp_path, file, told_of=lambda now: totals.append(now.total))

    assert set(totals) == {24}


def test_a_tournament_without_an_end_has_no_total(tmp_path: Path) -> None:
    totals: list[int | None] = []
    file = definition(["a", "b"], "[sprt]\nelo1 = 50")
    coordinate(tmp_path, file, stop_after=4, told_of=lambda now: totals.append(now.total))

    assert set(totals) == {None}
