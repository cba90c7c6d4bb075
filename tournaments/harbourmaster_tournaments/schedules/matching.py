"""A largest set of pairs that may play each other: maximum matching in any graph.

J. Edmonds, "Paths, trees, and flowers", Canadian Journal of Mathematics 17 (1965): a matching is
largest when no alternating path leads from one single vertex to another, and odd circles met on
the way are shrunk to their base.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

NONE: Final = -1
"""Stands for no partner."""


def largest_matching(friends: Sequence[Sequence[int]]) -> list[int]:
    """Return the partner of each vertex, or `NONE`; *friends* lists whom each may be paired with.

    Earlier friends are preferred where that costs no pair.
    """
    mate = [NONE] * len(friends)
    for vertex, others in enumerate(friends):
        if mate[vertex] == NONE:
            free = next((other for other in others if mate[other] == NONE), NONE)
            if free != NONE:
                mate[vertex], mate[free] = free, vertex
    for vertex in range(len(friends)):
        if mate[vertex] == NONE:
            augment(friends, mate, vertex)
    return mate


def augment(friends: Sequence[Sequence[int]], mate: list[int], root: int) -> bool:
    """Give the single vertex *root* a partner, re-pairing others; return whether that could be."""
    search = _Search(friends, mate)
    end = search.path_from(root)
    while end != NONE:
        before = search.parent[end]
        following = mate[before]
        mate[end], mate[before] = before, end
        end = following
    return mate[root] != NONE


class _Search:
    """One search for an alternating path, breadth first."""

    def __init__(self, friends: Sequence[Sequence[int]], mate: list[int]) -> None:
        size = len(friends)
        self.parent = [NONE] * size
        self._friends = friends
        self._mate = mate
        self._base = list(range(size))
        self._outer = [False] * size
        self._queue: deque[int] = deque()

    def path_from(self, root: int) -> int:
        """Return the single vertex at the path's other end, or `NONE`; `parent` leads back."""
        self._outer[root] = True
        self._queue.append(root)
        while self._queue:
            vertex = self._queue.popleft()
            for other in self._friends[vertex]:
                if self._base[vertex] == self._base[other] or self._mate[vertex] == other:
                    continue
                partner = self._mate[other]
                if other == root or (partner != NONE and self.parent[partner] != NONE):
                    self._shrink(vertex, other)
                elif self.parent[other] == NONE:
                    self.parent[other] = vertex
                    if partner == NONE:
                        return other
                    self._outer[partner] = True
                    self._queue.append(partner)
        return NONE

    def _shrink(self, one: int, other: int) -> None:
        """Join the odd circle that the edge between *one* and *other* closes into its base."""
        base = self._common_base(one, other)
        circle: set[int] = set()
        self._mark(one, base, other, circle)
        self._mark(other, base, one, circle)
        for vertex in range(len(self._base)):
            if self._base[vertex] in circle:
                self._base[vertex] = base
                if not self._outer[vertex]:
                    self._outer[vertex] = True
                    self._queue.append(vertex)

    def _common_base(self, one: int, other: int) -> int:
        seen = set()
        vertex = one
        while True:
            vertex = self._base[vertex]
            seen.add(vertex)
            if self._mate[vertex] == NONE:
                break
            vertex = self.parent[self._mate[vertex]]
        vertex = self._base[other]
        while vertex not in seen:
            vertex = self._base[self.parent[self._mate[vertex]]]
        return vertex

    def _mark(self, vertex: int, base: int, child: int, circle: set[int]) -> None:
        while self._base[vertex] != base:
            partner = self._mate[vertex]
            circle.update((self._base[vertex], self._base[partner]))
            self.parent[vertex] = child
            child = partner
            vertex = self.parent[partner]
