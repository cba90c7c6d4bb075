"""How sure the ratings are: covariances, from the model and from the rotation groups.

**The model's** covariance is the inverse Hessian: right if games are independent and the model
holds. **The cluster-robust** one (the sandwich of Liang and Zeger, *Biometrika* 73, 1986) only
takes rotation groups for independent: it sees what games of one deal share. Its middle part is the
sum over groups of the outer product of the group's score g with (1 - hC)⁻¹ g, h being the group's
part of the Hessian and C the inverse Hessian: the small-sample correction of Bell and McCaffrey
(*Survey Methodology* 28, 2002) in the form that needs no matrix root; its expectation under the
model is exactly h, so few groups do not make it small. Shown is the larger of both, since groups
of deterministic bots that all end alike would make the second one zero (`Terms.narrow` apart).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.model import Estimate, Problem, chances, plays_by_ranks
from harbourmaster_tournaments.ratings.observations import (
    UNIT,
    Floats,
    GroupBlock,
    Ints,
    Observations,
    stages,
)

MOST_PLACES = 72
"""Groups with more places (games × seats) than this go without the small-sample correction."""
CHUNK = 1 << 20
"""Entries of the matrices held at once: bounds the memory, not the result."""


def model_covariance(estimate: Estimate) -> Floats:
    """Return the inverse Hessian: entrants first, then seat effects."""
    inverse = np.linalg.inv(estimate.hessian).astype(np.float64)
    return symmetric(inverse)


def cluster_covariance(
    seen: Observations, problem: Problem, estimate: Estimate, model: Floats
) -> Floats | None:
    """Return the sandwich by rotation group, or `None` with fewer than two groups."""
    if seen.groups < 2:
        return None
    size = len(estimate.strengths)
    middle = np.zeros(size * size)
    scores, curves = play_derivatives(seen, problem, estimate)
    for block in seen.blocks:
        if block.plays.shape[1] * seen.seats > MOST_PLACES:
            middle += _outer_of_large(seen, problem, scores, block)
            continue
        for part in _chunks(block, seen.seats):
            groups = _grouped(seen, problem, scores, curves, part.plays)
            corrected = _corrected(groups, model)
            middle += _outer(groups, corrected, part.counts, size)
    sandwich: Floats = model @ symmetric(middle.reshape(size, size)) @ model
    return sandwich


def _outer_of_large(
    seen: Observations, problem: Problem, scores: Floats, block: GroupBlock
) -> Floats:
    """Return the sum over groups of g gᵀ, flat, without matrices of places by places."""
    size = len(problem.chosen)
    total = np.zeros(size * size)
    for plays, count in zip(block.plays, block.counts, strict=True):
        score = np.zeros(size)
        for slot in _slots(seen, problem, plays[None]):
            score += np.bincount(slot[0], scores[plays].ravel(), minlength=size)
        total += count * np.outer(score, score).ravel()
    return total


def symmetric(matrix: Floats) -> Floats:
    """Return the symmetric part of *matrix*."""
    return (matrix + matrix.T) / 2


def play_derivatives(
    seen: Observations, problem: Problem, estimate: Estimate
) -> tuple[Floats, Floats]:
    """Return of each distinct play the score (plays, seats) and Hessian (plays, seats, seats).

    Both are by the worth of each seat, that is strength plus seat effect.
    """
    worth = estimate.strengths[seen.members]
    if problem.seats:
        worth = worth + estimate.strengths[problem.entrants :]
    scores = np.zeros(worth.shape)
    curves = np.zeros((*worth.shape, seen.seats))
    for ranks, rows in plays_by_ranks(seen):
        wins, choices = stages(ranks)
        scores[rows] += np.array(wins) / UNIT
        for among, share in choices:
            seats = np.array(among)
            shares = chances(worth[np.ix_(rows, seats)])
            scores[np.ix_(rows, seats)] -= share / UNIT * shares
            curve = np.eye(len(among)) * shares[:, :, None] - shares[:, :, None] * shares[:, None]
            curves[np.ix_(rows, seats, seats)] += share / UNIT * curve
    return scores, curves


def _chunks(block: GroupBlock, seats: int) -> Iterator[GroupBlock]:
    """Yield *block* in parts whose matrices stay small."""
    step = max(1, CHUNK // (block.plays.shape[1] * seats) ** 2)
    for start in range(0, len(block.plays), step):
        yield GroupBlock(block.plays[start : start + step], block.counts[start : start + step])


def _slots(seen: Observations, problem: Problem, plays: Ints) -> Sequence[Ints]:
    """Return (groups, places) arrays of the parameters that each place's worth adds up."""
    entrants = seen.members[plays].reshape(len(plays), -1)
    if not problem.seats:
        return (entrants,)
    seats = np.tile(np.arange(problem.seats), plays.shape[1])
    return entrants, np.broadcast_to(problem.entrants + seats, entrants.shape)


@dataclass(frozen=True, slots=True)
class _Groups:
    """Scores and Hessians of rotation groups by place: a seat of a game, or an entrant."""

    slots: Sequence[Ints]
    """Each (groups, places): the parameters that a place's worth adds up."""
    score: Floats
    """(groups, places)"""
    curves: Floats
    """(groups, games, seats, seats): the Hessian, which has no entry between games."""


def _grouped(
    seen: Observations, problem: Problem, scores: Floats, curves: Floats, plays: Ints
) -> _Groups:
    """Return what is known of groups with these *plays*, by entrant where that is fewer places."""
    order = np.argsort(seen.members[plays], axis=2)
    members = np.take_along_axis(seen.members[plays], order, axis=2)
    if problem.seats or (members != members[:, :1]).any():
        score = scores[plays].reshape(len(plays), -1)
        return _Groups(_slots(seen, problem, plays), score, curves[plays])
    score = np.take_along_axis(scores[plays], order, axis=2).sum(axis=1)
    turned = np.take_along_axis(curves[plays], order[:, :, :, None], axis=2)
    turned = np.take_along_axis(turned, order[:, :, None, :], axis=3)
    return _Groups((members[:, 0],), score, turned.sum(axis=1, keepdims=True))


def _corrected(groups: _Groups, model: Floats) -> Floats:
    """Return (1 - hC)⁻¹ g for each group, place by place."""
    count, places = groups.score.shape
    games, seats = groups.curves.shape[1:3]
    local = np.zeros((count, places, places))
    for a in groups.slots:
        for b in groups.slots:
            local += model[a[:, :, None], b[:, None, :]]
    rows = local.reshape(count, games, seats, places)
    leverage = (groups.curves @ rows).reshape(count, places, places)
    solved = np.linalg.solve(np.eye(places) - leverage, groups.score[:, :, None])
    return solved[:, :, 0].astype(np.float64)


def _outer(groups: _Groups, corrected: Floats, counts: Ints, size: int) -> Floats:
    """Return the sum over groups of g (corrected g)ᵀ as a flat (size × size) matrix."""
    products = groups.score[:, :, None] * corrected[:, None, :] * counts[:, None, None]
    total = np.zeros(size * size)
    for a in groups.slots:
        for b in groups.slots:
            cells = a[:, :, None] * size + b[:, None, :]
            total += np.bincount(cells.ravel(), products.ravel(), minlength=size * size)
    return total


def relative(covariance: Floats, some: Ints, at: int | None) -> Floats:
    """Return the covariance of the strengths of *some*, each minus the one at position *at*.

    Without a position each is taken minus the mean of them all.
    """
    part = covariance[np.ix_(some, some)]
    if at is None:
        zero, variance = part.mean(axis=0), part.mean()
    else:
        zero, variance = part[at], part[at, at]
    moved: Floats = part - zero - zero[:, None] + variance
    return moved


def difference_variances(covariance: Floats) -> Floats:
    """Return the variance of every difference of two strengths."""
    own = np.diag(covariance)
    variances: Floats = np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0)
    return variances


def normal_probability(z: Floats) -> Floats:
    """Return the standard normal distribution function at each *z*."""
    flat = [math.erfc(-value / math.sqrt(2)) / 2 for value in z.ravel().tolist()]
    return np.array(flat, dtype=np.float64).reshape(z.shape)
