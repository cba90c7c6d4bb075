"""The order of a Swiss tournament: points, Buchholz and the tie-breaks after them.

Points are counted in halves, so that they are whole numbers. In a rotation group each game is
worth a win (2 halves), a draw (1 each) or a loss; a bye is worth a win in every game of a group.
Equal points are told apart by, in this order:

1. Buchholz: the sum of the points of all opponents, each counted once per group. A bye counts as
   an opponent with as many points as oneself has.
2. Sonneborn-Berger: for each group, the opponent's points times the share of the group's points
   that was won from it. Byes add nothing.
3. Direct encounter: the points won from those that are still level.
4. Seeding: the order in which the entrants were given.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from harbourmaster_tournaments.schedules.planned import Finished


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's place in a Swiss tournament."""

    name: str
    points: int
    """In halves: 2 for a won game."""
    buchholz: int
    sonneborn_berger: Fraction
    byes: int


def halves(placements: Sequence[int]) -> tuple[int, int]:
    """Return what a two-seat game is worth to each seat, in halves of a point."""
    first, second = placements
    if first == second:
        return 1, 1
    return (2, 0) if first < second else (0, 2)


def group_scores(results: Iterable[Finished]) -> dict[str, dict[str, int]]:
    """Return for each rotation group what its entrants won in it, in halves of a point."""
    scores: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for game in results:
        for name, won in zip(game.entrants, halves(game.placements), strict=True):
            scores[game.group][name] += won
    return scores


def standings(
    entrants: Sequence[str], groups: Iterable[Mapping[str, int]], byes: Mapping[str, int], size: int
) -> list[Standing]:
    """Return *entrants* (in the order of seeding) from the best to the last.

    *groups* holds what both entrants won in each group, *byes* how many byes each had, *size* the
    number of games in a group.
    """
    groups = [dict(group) for group in groups]
    points = {name: 2 * size * byes.get(name, 0) for name in entrants}
    for group in groups:
        for name, won in group.items():
            points[name] = points.get(name, 0) + won
    rows = [_standing(name, groups, points, byes.get(name, 0)) for name in entrants]
    rows.sort(key=_level, reverse=True)
    ordered: list[Standing] = []
    while rows:
        level = [row for row in rows if _level(row) == _level(rows[0])]
        rows = rows[len(level) :]
        ordered += _by_encounter(level, groups)
    return ordered


def _standing(
    name: str, groups: Sequence[Mapping[str, int]], points: Mapping[str, int], byes: int
) -> Standing:
    buchholz, berger = byes * points[name], Fraction(0)
    for group in groups:
        if name in group:
            (other,) = group.keys() - {name}
            buchholz += points[other]
            berger += Fraction(points[other] * group[name], max(1, sum(group.values())))
    return Standing(name, points[name], buchholz, berger, byes)


def _level(row: Standing) -> tuple[int, int, Fraction]:
    return row.points, row.buchholz, row.sonneborn_berger


def _by_encounter(level: Sequence[Standing], groups: Sequence[Mapping[str, int]]) -> list[Standing]:
    names = {row.name for row in level}
    won: dict[str, int] = defaultdict(int)
    for group in groups:
        if group.keys() <= names:
            for name, points in group.items():
                won[name] += points
    return sorted(level, key=lambda row: -won[row.name])
