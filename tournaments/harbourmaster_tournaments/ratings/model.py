"""The likelihood of a pool's results and its maximum.

A result is read as a chain of choices (Plackett, *The Analysis of Permutations*, 1975; Luce,
*Individual Choice Behavior*, 1959): among those still unplaced, an entrant is next with
probability proportional to exp(strength). With two seats this is Bradley and Terry's model
(*Rank Analysis of Incomplete Block Designs*, 1952).

**Ties** stand for every order among the tied, in equal shares, as each would be a win and a loss
with two seats: *averaged orders*. The alternative, the Davidson-Luce model (Firth, Kosmidis and
Turner, arXiv:1909.07123), explains how often ties happen with a parameter for each size of tie.
Averaged orders were taken because they are the same thing as "a draw is half a win" with two
seats, because they need no parameter that ten games cannot feed, and because the fitted strengths
reproduce exactly the placements and points that people add up. Their price: ties hold more
information than the Hessian thinks, so the model's intervals are a little wide where ties abound.

A weak Gaussian prior on every strength keeps everything finite and the maximum unique.
"""

import math
from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.observations import (
    UNIT,
    Floats,
    Ints,
    Observations,
    rotation_is_complete,
    stages,
    total_by,
    unique_rows,
)
from harbourmaster_tournaments.ratings.terms import Terms

ELO = 400 / math.log(10)
"""Elo points in one unit of log strength: 400 points are ten to one."""

MOST_STEPS = 200
LEAST_GAIN = 1e-12


@dataclass(frozen=True, slots=True)
class Choices:
    """All choices among equally many seats."""

    entrants: Ints
    """(choices, size): among whom."""
    seats: Ints
    """(choices, size): where each of them sat; zero if seats have no effect."""
    weights: Floats
    """(choices,): how often."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A pool reduced to what the likelihood needs; its size does not grow with repeated games."""

    entrants: int
    seats: int
    """The number of seat effects: the pool's seats, or 0 where rotation is complete."""
    chosen: Floats
    """(entrants + seats,): how often each was chosen, ties in shares."""
    choices: tuple[Choices, ...]
    precision: Floats
    """(entrants + seats,): one over the prior's variance."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The maximum of a `Problem`, in units of log strength."""

    strengths: Floats
    """(entrants + seats,): first the entrants, then the seat effects."""
    hessian: Floats
    """Minus the second derivative at the maximum, the prior included."""
    steps: int
    """Newton steps taken."""


def problem_of(seen: Observations, terms: Terms) -> Problem:
    """Return the likelihood of *seen* under *terms*."""
    wanted = terms.seat_effect
    fitted = not rotation_is_complete(seen) if wanted is None else wanted
    entrants, seats = len(seen.entrants), seen.seats
    chosen = np.zeros(entrants + seats, dtype=np.int64)
    gathered: dict[int, list[tuple[Ints, Ints]]] = {}
    for ranks, rows in plays_by_ranks(seen):
        members, counts = seen.members[rows], seen.counts[rows]
        wins, choices = stages(ranks)
        for seat, share in enumerate(wins):
            chosen[:entrants] += total_by(members[:, seat], share * counts, entrants)
            chosen[entrants + seat] += share * int(counts.sum())
        for among, share in choices:
            items = members[:, among] * seats + (np.array(among) if fitted else 0)
            gathered.setdefault(len(among), []).append((items, share * counts))
    size = entrants + (seats if fitted else 0)
    spread = np.repeat((terms.prior_elo, terms.seat_prior_elo), (entrants, size - entrants))
    return Problem(
        entrants=entrants,
        seats=seats if fitted else 0,
        chosen=chosen[:size] / UNIT,
        choices=tuple(_merge(gathered[k], seats, entrants) for k in sorted(gathered)),
        precision=(ELO / spread) ** 2,
    )


def plays_by_ranks(seen: Observations) -> list[tuple[tuple[int, ...], Ints]]:
    """Return the plays (as positions) for each result: they share their chain of choices."""
    patterns, which = unique_rows(seen.ranks, seen.seats)
    order = np.argsort(which, kind="stable")
    ends = np.cumsum(np.bincount(which, minlength=len(patterns)))
    split = np.split(order, ends[:-1]) if len(patterns) else []
    return [(tuple(map(int, ranks)), rows) for ranks, rows in zip(patterns, split, strict=True)]


def _merge(parts: list[tuple[Ints, Ints]], seats: int, entrants: int) -> Choices:
    items = np.sort(np.concatenate([items for items, _ in parts]), axis=1)
    distinct, which = unique_rows(items, entrants * seats)
    weights = total_by(which, np.concatenate([w for _, w in parts]), len(distinct))
    return Choices(distinct // seats, distinct % seats, weights / UNIT)


def maximise(problem: Problem) -> Estimate:
    """Return the maximum by Newton's method, halving any step that goes downhill.

    It stops when a whole step would gain less than `LEAST_GAIN` of log-likelihood: by then the
    strengths are within a millionth of their standard error, and that step is still taken.
    """
    strengths = np.zeros(len(problem.chosen))
    value = log_likelihood(problem, strengths)
    for step in range(1, MOST_STEPS + 1):
        gradient, hessian = derivatives(problem, strengths)
        move = np.linalg.solve(hessian, gradient)
        if gradient @ move <= LEAST_GAIN:
            return Estimate(strengths + move, hessian, step)
        rounding = 1e-12 * (1 + abs(value))
        while (higher := log_likelihood(problem, strengths + move)) < value - rounding:
            move = move / 2
        strengths, value = strengths + move, higher
    raise ArithmeticError(
        f"the fit did not settle in {MOST_STEPS} steps; narrow the prior (prior_elo)"
    )


def log_likelihood(problem: Problem, strengths: Floats) -> float:
    """Return the penalised log-likelihood at *strengths*."""
    value = float(problem.chosen @ strengths) - float(problem.precision @ strengths**2) / 2
    for choice in problem.choices:
        worth = worth_of(problem, choice, strengths)
        top = worth.max(axis=1)
        logs = top + np.log(np.exp(worth - top[:, None]).sum(axis=1))
        value -= float(choice.weights @ logs)
    return value


def derivatives(problem: Problem, strengths: Floats) -> tuple[Floats, Floats]:
    """Return the gradient of the penalised log-likelihood, and minus its second derivative."""
    size = len(strengths)
    gradient = problem.chosen - problem.precision * strengths
    hessian = np.diag(problem.precision).reshape(-1)
    for choice in problem.choices:
        shares = chances(worth_of(problem, choice, strengths))
        columns = _columns(problem, choice)
        for a, mine in enumerate(shares.T):
            for parameter in columns[a]:
                gradient -= np.bincount(parameter, choice.weights * mine, minlength=size)
            for b, theirs in enumerate(shares.T):
                curve = choice.weights * mine * ((a == b) - theirs)
                for row in columns[a]:
                    for column in columns[b]:
                        hessian += np.bincount(row * size + column, curve, minlength=size**2)
    return gradient, hessian.reshape(size, size)


def chances(worth: Floats) -> Floats:
    """Return the probability of each choice by its *worth*, along the last axis."""
    powers = np.exp(worth - worth.max(axis=-1, keepdims=True))
    result: Floats = powers / powers.sum(axis=-1, keepdims=True)
    return result


def worth_of(problem: Problem, choice: Choices, strengths: Floats) -> Floats:
    """Return (choices, size): strength plus seat effect of everybody in *choice*."""
    worth: Floats = strengths[choice.entrants]
    if problem.seats:
        worth = worth + strengths[problem.entrants + choice.seats]
    return worth


def _columns(problem: Problem, choice: Choices) -> list[tuple[Ints, ...]]:
    """Return for each place in the choice the parameters that its worth adds up."""
    if not problem.seats:
        return [(entrant,) for entrant in choice.entrants.T]
    return [
        (entrant, problem.entrants + seat)
        for entrant, seat in zip(choice.entrants.T, choice.seats.T, strict=True)
    ]
