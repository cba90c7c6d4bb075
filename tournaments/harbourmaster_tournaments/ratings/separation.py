"""Likelihoods of superiority where one side never lost a point to the other.

There the strengths have no finite maximum but for the prior, the likelihood is far from a parabola,
and a difference divided by its standard error stays small however many games are won (Hauck and
Donner, *Journal of the American Statistical Association* 72, 1977). What does grow with the games
is the fall of the likelihood when both entrants are made equal. Its signed root r is corrected for
small samples by the usual statistic q: r + log(q / r) / r (Barndorff-Nielsen, *Biometrika* 73,
1986).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from harbourmaster_tournaments.ratings.model import Choices, Problem, chances, worth_of
from harbourmaster_tournaments.ratings.observations import Floats, Ints, Observations, components

CLEAR = 3.5
"""Pairs whose usual statistic is this large are told apart already and are left alone."""
MOST_STEPS = 30
ENOUGH = 1e-6
"""Steps in strength this small end the search for a common one."""
CHUNK = 2000
"""Pairs worked on at once: bounds the memory, not the result."""


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
    first, second = np.nonzero(np.triu(alike & separated(seen) & (np.abs(z) < CLEAR), 1))
    pairs: Ints = np.stack((first, second), axis=1)
    better = z.copy()
    for start in range(0, len(pairs), CHUNK):
        some = pairs[start : start + CHUNK]
        i, j = some.T
        roots = np.sqrt(np.maximum(2 * _falls(problem, strengths, some), 0.0))
        usual = np.abs(z[i, j])
        sharper = (roots > usual) & (usual > 0)
        i, j, roots, usual = i[sharper], j[sharper], roots[sharper], usual[sharper]
        better[i, j] = np.copysign(roots + np.log(usual / roots) / roots, z[i, j])
        better[j, i] = -better[i, j]
    return better


@dataclass(frozen=True, slots=True)
class _Part:
    """For each of many pairs the choices of one size with i or j, one below the other."""

    pair: Ints
    """(rows,): whose choice it is."""
    weights: Floats
    worth: Floats
    """(rows, size): as fitted."""
    own: Floats
    """(rows, size): the fitted strength where i or j sits, else 0."""
    mask: Floats
    """(rows, size): 1 where i or j sits, else 0."""

    def at(self, levels: Floats) -> Floats:
        """Return the worths with both strengths of each pair at its level."""
        moved: Floats = self.worth - self.own + self.mask * levels[self.pair, None]
        return moved

    def logs(self, worth: Floats) -> Floats:
        """Return each row's share of minus the log-likelihood."""
        top = worth.max(axis=1)
        logs: Floats = self.weights * (top + np.log(np.exp(worth - top[:, None]).sum(axis=1)))
        return logs


def _falls(problem: Problem, strengths: Floats, pairs: Ints) -> Floats:
    """Return how far the log-likelihood falls when *pairs* share the best common strength.

    All other strengths stay: a little more than the fall of a whole new fit.
    """
    count = len(pairs)
    parts = [_part(problem, choice, strengths, pairs) for choice in problem.choices]
    chosen, precision, before = problem.chosen[pairs], problem.precision[pairs], strengths[pairs]
    levels = before.mean(axis=1)
    for _ in range(MOST_STEPS):
        slope = chosen.sum(axis=1) - precision.sum(axis=1) * levels
        curve = precision.sum(axis=1)
        for part in parts:
            share = (chances(part.at(levels)) * part.mask).sum(axis=1)
            slope -= np.bincount(part.pair, part.weights * share, minlength=count)
            bend = part.weights * share * (1 - share)
            curve += np.bincount(part.pair, bend, minlength=count)
        step = np.clip(slope / curve, -1.0, 1.0)
        levels = levels + step
        if np.abs(step).max() < ENOUGH:
            break
    falls = (chosen * (before - levels[:, None])).sum(axis=1)
    falls -= (precision * (before**2 - levels[:, None] ** 2)).sum(axis=1) / 2
    for part in parts:
        change = part.logs(part.at(levels)) - part.logs(part.worth)
        falls += np.bincount(part.pair, change, minlength=count)
    return np.asarray(falls, dtype=np.float64)


def _part(problem: Problem, choice: Choices, strengths: Floats, pairs: Ints) -> _Part:
    rows_i, pair_i = _rows_with(choice, pairs[:, 0], problem.entrants)
    rows_j, pair_j = _rows_with(choice, pairs[:, 1], problem.entrants)
    only_j = (choice.entrants[rows_j] != pairs[pair_j, :1]).all(axis=1)
    rows = np.concatenate((rows_i, rows_j[only_j]))
    pair = np.concatenate((pair_i, pair_j[only_j]))
    some = Choices(choice.entrants[rows], choice.seats[rows], choice.weights[rows])
    mask = (some.entrants == pairs[pair, :1]) | (some.entrants == pairs[pair, 1:])
    return _Part(
        pair=pair,
        weights=some.weights,
        worth=worth_of(problem, some, strengths),
        own=mask * strengths[some.entrants],
        mask=mask.astype(np.float64),
    )


def _rows_with(choice: Choices, wanted: Ints, entrants: int) -> tuple[Ints, Ints]:
    """Return all (row, position in *wanted*) where the wanted entrant takes part in the row."""
    order = np.argsort(choice.entrants, axis=None, kind="stable")
    starts = np.searchsorted(choice.entrants.ravel()[order], np.arange(entrants + 1))
    lengths = (starts[1:] - starts[:-1])[wanted]
    which = np.repeat(np.arange(len(wanted)), lengths)
    within = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return order[starts[wanted][which] + within] // choice.entrants.shape[1], which
