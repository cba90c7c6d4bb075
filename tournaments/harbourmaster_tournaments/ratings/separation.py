"""Likelihoods of superiority where one side never lost a point to the other.

There the strengths have no finite maximum but for the prior, the likelihood is far from a parabola,
and a difference divided by its standard error stays small however many games are won (Hauck and
Donner, *Journal of the American Statistical Association* 72, 1977). What does grow with the games
is the fall of the likelihood when both entrants are made equal. Its signed root r is corrected for
small samples by the usual statistic q: r + log(q / r) / r (Barndorff-Nielsen, *Biometrika* 73,
1986).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harbourmaster_tournaments.ratings.model import Choices, Problem, chances, worth_of
from harbourmaster_tournaments.ratings.observations import Floats, Ints, Observations, components

CLEAR = 3.5
"""Pairs whose usual statistic is this large are told apart already and are left alone."""
NEWTON_STEPS = 30
ENOUGH = 1e-6
"""Steps in strength this small end the search for the common one."""


def separated(seen: Observations) -> NDArray[np.bool_]:
    """Return (n, n): true where no chain of results leads back from the one to the other.

    A result leads from an entrant to each one that finished level with it or behind.
    """
    size = len(seen.entrants)
    reaches = np.eye(size, dtype=np.float32)
    for a in range(seen.seats):
        for b in range(seen.seats):
            rows = seen.ranks[:, a] <= seen.ranks[:, b]
            reaches[seen.members[rows, a], seen.members[rows, b]] = 1
    while True:
        further = np.minimum(reaches @ reaches, 1)
        if (further == reaches).all():
            return np.asarray((reaches == 0) | (reaches.T == 0))
        reaches = further


def sharpen(seen: Observations, problem: Problem, strengths: Floats, z: Floats) -> Floats:
    """Return the statistics *z* (n, n) of all differences, those of separated pairs corrected.

    Entrants that no games connect are left alone.
    """
    alike = np.zeros(z.shape, dtype=bool)
    for part in components(seen):
        alike[np.ix_(part, part)] = True
    pairs = np.argwhere(np.triu(alike & separated(seen) & (np.abs(z) < CLEAR), 1))
    if not len(pairs):
        return z
    better = z.copy()
    index = _Index(problem)
    for i, j in pairs.tolist():
        fall = _fall(problem, index, strengths, i, j)
        root, usual = math.sqrt(max(2 * fall, 0.0)), abs(float(z[i, j]))
        if root > usual > 0:
            better[i, j] = math.copysign(root + math.log(usual / root) / root, z[i, j])
            better[j, i] = -better[i, j]
    return better


class _Index:
    """Finds the choices in which an entrant took part."""

    def __init__(self, problem: Problem) -> None:
        self._sorted = []
        for choice in problem.choices:
            order = np.argsort(choice.entrants, axis=None, kind="stable")
            starts = np.searchsorted(
                choice.entrants.ravel()[order], np.arange(problem.entrants + 1)
            )
            self._sorted.append((order // choice.entrants.shape[1], starts))

    def rows(self, block: int, i: int, j: int) -> Ints:
        """Return the rows of a block of choices in which *i* or *j* took part."""
        rows, starts = self._sorted[block]
        both = np.sort(
            np.concatenate((rows[starts[i] : starts[i + 1]], rows[starts[j] : starts[j + 1]]))
        )
        first = np.ones(len(both), dtype=bool)
        first[1:] = both[1:] != both[:-1]
        return both[first]


@dataclass(frozen=True, slots=True)
class _Part:
    """Choices with i or j, at the fitted strengths."""

    weights: Floats
    worth: Floats
    own: Floats
    """The strength in `worth` where i or j sits, else 0."""
    mask: Floats
    """1 where i or j sits, else 0."""

    def at(self, level: float) -> Floats:
        """Return the worths with both strengths at *level*."""
        return self.worth + self.mask * level - self.own

    def logs(self, worth: Floats) -> float:
        """Return the part's share of minus the log-likelihood."""
        top = worth.max(axis=1)
        return float(self.weights @ (top + np.log(np.exp(worth - top[:, None]).sum(axis=1))))


def _fall(problem: Problem, index: _Index, strengths: Floats, i: int, j: int) -> float:
    """Return how far the log-likelihood falls when *i* and *j* share the best common strength.

    All other strengths stay: a little more than the fall of a whole new fit.
    """
    parts = [
        _part(problem, choice, index.rows(block, i, j), strengths, (i, j))
        for block, choice in enumerate(problem.choices)
    ]
    pair = np.array([i, j])
    chosen, precision = problem.chosen[pair], problem.precision[pair]
    level = float(strengths[pair].mean())
    for _ in range(NEWTON_STEPS):
        slope = float(chosen.sum() - precision.sum() * level)
        curve = float(precision.sum())
        for part in parts:
            share = (chances(part.at(level)) * part.mask).sum(axis=1)
            slope -= float(part.weights @ share)
            curve += float(part.weights @ (share * (1 - share)))
        step = max(-1.0, min(1.0, slope / curve))
        level += step
        if abs(step) < ENOUGH:
            break
    before = strengths[pair]
    fall = float(chosen @ (before - level) - precision @ (before**2 - level**2) / 2)
    return fall + sum(part.logs(part.at(level)) - part.logs(part.worth) for part in parts)


def _part(
    problem: Problem, choice: Choices, rows: Ints, strengths: Floats, pair: tuple[int, int]
) -> _Part:
    entrants = choice.entrants[rows]
    mask = ((entrants == pair[0]) | (entrants == pair[1])).astype(np.float64)
    some = Choices(entrants, choice.seats[rows], choice.weights[rows])
    own = mask * strengths[entrants]
    return _Part(some.weights, worth_of(problem, some, strengths), own, mask)
