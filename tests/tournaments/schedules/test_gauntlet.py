"""Gauntlet: seeds against the field, in step with each other."""

from collections import Counter
from itertools import product

import pytest

from harbourmaster_tournaments.schedules import Gauntlet, Grouping, ScheduleError
from support.tournaments import Run, games_per_entrant, names, seats_per_entrant, spread

FIELDS = [(1, 7), (2, 5), (2, 6), (3, 9), (4, 6), (6, 4), (3, 28)]


def parts(seeds: int, others: int) -> tuple[list[str], list[str]]:
    return names(seeds + others)[:seeds], names(seeds + others)[seeds:]


@pytest.mark.parametrize(("seeds", "others"), FIELDS)
def test_every_seed_meets_everybody_in_the_field_in_both_seatings(seeds: int, others: int) -> None:
    strong, field = parts(seeds, others)

    seatings = Counter(game.entrants for game in Gauntlet(strong, field, 2).games())

    expected = {seating for a, b in product(strong, field) for seating in ((a, b), (b, a))}
    assert seatings == dict.fromkeys(expected, 2)


@pytest.mark.parametrize(("seeds", "others"), FIELDS)
@pytest.mark.parametrize("groups", [1, 2, 3])
def test_t45_without_rotation_seats_differ_by_at_most_one(
    seeds: int, others: int, groups: int
) -> None:
    strong, field = parts(seeds, others)

    games = list(Gauntlet(strong, field, groups, Grouping(rotation=False)).games())

    seats = seats_per_entrant(games)
    assert all(spread(seats, [(name, 0), (name, 1)]) <= 1 for name in (*strong, *field))


@pytest.mark.parametrize(("seeds", "others"), FIELDS)
def test_t46_seeds_and_field_keep_pace_at_every_moment(seeds: int, others: int) -> None:
    strong, field = parts(seeds, others)
    games = list(Gauntlet(strong, field).games())

    for played in range(0, len(games), 2):
        counts = games_per_entrant(games[:played])
        assert spread(counts, strong) <= 2
        assert spread(counts, field) <= 4


def test_a_late_joiner_plays_the_seeds_only() -> None:
    strong, field = parts(2, 4)
    run = Run(Gauntlet(strong, field, 3))
    run.step(4)
    run.joined["late"] = len(run.planned)
    run.finish()

    pairs = Counter(frozenset(game.entrants) for game in run.planned)
    assert pairs == {frozenset(pair): 6 for pair in product(strong, [*field, "late"])}


def test_a_gauntlet_needs_both_sides() -> None:
    with pytest.raises(ScheduleError, match="at least one seed and one entrant in the field"):
        Gauntlet([], names(3))
