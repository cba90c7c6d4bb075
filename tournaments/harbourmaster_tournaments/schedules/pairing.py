"""Who plays whom in a round of a Swiss tournament.

Rules, the earlier ones first:

1. Entrants that may not meet (one owner) do not.
2. As many as possible play. Who does not has a bye.
3. Nobody meets an opponent for the n-th time while the round can be paired without that.
4. The bye goes to one of those with the fewest byes that rules 1 to 3 allow, the last in the
   standings first.
5. From the top of the standings down, each is paired within its own points where rule 3 allows
   it, the upper half against the lower half; else with the next below.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from harbourmaster_tournaments.schedules.matching import NONE, augment, largest_matching
from harbourmaster_tournaments.schedules.standings import Standing


@dataclass(frozen=True, slots=True)
class Round:
    """The pairs of one round, best first, and who has a bye."""

    pairs: tuple[tuple[str, str], ...]
    byes: tuple[str, ...] = field(default=())


def pair_round(
    rows: Sequence[Standing],
    met: Mapping[frozenset[str], int],
    may_meet: Callable[[tuple[str, str]], bool],
) -> Round:
    """Return the next round for *rows*, in the order of the standings.

    *met* counts the rounds in which two played each other.
    """
    names = [row.name for row in rows]
    times = {
        (a, b): met.get(frozenset((names[a], names[b])), 0)
        for a in range(len(names))
        for b in range(len(names))
        if a != b and may_meet((names[a], names[b]))
    }
    level, most = _least_level(len(rows), times)
    friends = _friends(len(rows), times, level)
    byes = _choose_byes(rows, friends, len(rows) - 2 * most)
    playing = [vertex for vertex in range(len(rows)) if vertex not in byes]
    pairs = _pair_downwards(playing, [row.points for row in rows], friends)
    return Round(
        tuple((names[a], names[b]) for a, b in pairs), tuple(names[bye] for bye in sorted(byes))
    )


def _friends(size: int, times: Mapping[tuple[int, int], int], level: int) -> list[list[int]]:
    friends: list[list[int]] = [[] for _ in range(size)]
    for (a, b), met in times.items():
        if met <= level:
            friends[a].append(b)
    return friends


def _least_level(size: int, times: Mapping[tuple[int, int], int]) -> tuple[int, int]:
    """Return how often a pair may have met for a largest round, and its number of pairs."""
    levels = sorted(set(times.values()))
    most = _pairs(_friends(size, times, levels[-1])) if levels else 0
    for level in levels:
        if _pairs(_friends(size, times, level)) == most:
            return level, most
    return 0, most


def _pairs(friends: Sequence[Sequence[int]]) -> int:
    return sum(partner != NONE for partner in largest_matching(friends)) // 2


def _choose_byes(
    rows: Sequence[Standing], friends: Sequence[Sequence[int]], count: int
) -> set[int]:
    byes: set[int] = set()
    most = (len(rows) - count) // 2
    for vertex in sorted(range(len(rows)), key=lambda v: (rows[v].byes, -v)):
        if len(byes) < count and _pairs(_without(friends, byes | {vertex})) == most:
            byes.add(vertex)
    return byes


def _without(friends: Sequence[Sequence[int]], gone: set[int]) -> list[list[int]]:
    return [
        [] if vertex in gone else [other for other in others if other not in gone]
        for vertex, others in enumerate(friends)
    ]


def _pair_downwards(
    playing: Sequence[int], points: Sequence[int], friends: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Pair all of *playing*, the best first, each with the one it prefers of those that can be."""
    left = list(playing)
    mate = largest_matching(_without(friends, set(range(len(points))) - set(left)))
    pairs = []
    while left:
        vertex = left[0]
        for other in _preferred(left, points):
            trial = _paired(vertex, other, mate, friends, left)
            if trial is not None:
                mate = trial
                left = [v for v in left if v not in (vertex, other)]
                pairs.append((vertex, other))
                break
    return pairs


def _preferred(left: Sequence[int], points: Sequence[int]) -> list[int]:
    """Return the partners for the first of *left*, the best one first."""
    level = sum(points[vertex] == points[left[0]] for vertex in left)
    middle = level // 2 if level > 1 else 1
    within = sorted(range(1, level), key=lambda place: (abs(place - middle), place))
    return [left[place] for place in (*within, *range(max(1, level), len(left)))]


def _paired(
    vertex: int,
    other: int,
    mate: Sequence[int],
    friends: Sequence[Sequence[int]],
    left: Sequence[int],
) -> list[int] | None:
    """Return a full matching of *left* that pairs *vertex* with *other*, or `None`."""
    if other not in friends[vertex]:
        return None
    trial = list(mate)
    if trial[vertex] == other:
        return trial
    one, two = trial[vertex], trial[other]
    trial[vertex], trial[other], trial[one], trial[two] = other, vertex, NONE, NONE
    if two in friends[one]:
        trial[one], trial[two] = two, one
        return trial
    gone = set(range(len(friends))) - set(left) | {vertex, other}
    return trial if augment(_without(friends, gone), trial, one) else None
