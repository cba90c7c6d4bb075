"""Seats for given tables, so that everybody sits in each seat equally often.

Tables and entrants are the two sides of a bipartite graph, and a seat is a colour of its edges. An
entrant that sits at more tables than there are seats is counted as several, so that no vertex has
more edges than there are colours; then the edges can be coloured so that no two at a vertex have
the same (D. König, Mathematische Annalen 77 (1916)): every table has each seat once, and every
entrant has each seat equally often (±1).
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

Vertex: TypeAlias = tuple[int, ...]
"""A table, as (index,), or a part of an entrant, as (entrant, part)."""


def seat_evenly(tables: Sequence[Sequence[int]], seats: int) -> list[tuple[int, ...]]:
    """Return *tables*, each reordered, so that everybody has each of the *seats* equally often."""
    at: dict[Vertex, dict[int, Vertex]] = {}
    met: Counter[int] = Counter()
    for index, table in enumerate(tables):
        for entrant in table:
            part = (entrant, met[entrant] // seats)
            met[entrant] += 1
            _colour(at, (index,), part, seats)
    return [tuple(at[(index,)][seat][0] for seat in range(seats)) for index in range(len(tables))]


def _colour(at: dict[Vertex, dict[int, Vertex]], table: Vertex, part: Vertex, seats: int) -> None:
    """Give the edge of *table* and *part* a seat, exchanging two along a path if need be."""
    mine, theirs = at.setdefault(table, {}), at.setdefault(part, {})
    free = next(seat for seat in range(seats) if seat not in mine)
    wanted = next(seat for seat in range(seats) if seat not in theirs)
    if free in theirs:
        _swap(at, part, free, wanted)
    mine[free], theirs[free] = part, table


def _swap(at: dict[Vertex, dict[int, Vertex]], start: Vertex, free: int, wanted: int) -> None:
    """Exchange the seats *free* and *wanted* along the path from *start* that alternates them."""
    path = [start]
    seat = free
    while (following := at[path[-1]].get(seat)) is not None:
        path.append(following)
        seat = wanted if seat == free else free
    for vertex in path:
        edges = at[vertex]
        pair = edges.pop(free, None), edges.pop(wanted, None)
        for seat, other in zip((wanted, free), pair, strict=True):
            if other is not None:
                edges[seat] = other
