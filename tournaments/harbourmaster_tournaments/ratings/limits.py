"""How close any estimate can come: the bound of Cramér and Rao for the simulated tournaments.

The variance of an estimate without bias is at least the inverse of Fisher's information (H. Cramér,
*Mathematical Methods of Statistics*, 1946). Here that of a game of Plackett and Luce's model: for
every set of seats that may be left to choose from, the covariance of who is chosen.
"""

from collections.abc import Iterable

import numpy as np

from harbourmaster_tournaments.ratings.observations import Floats, Ints

LUCKS = 400
"""Deals over which the information is averaged where deals have a luck."""


def information(worths: Floats) -> Floats:
    """Return (seats, seats): the information in the order of one game, by each seat's worth.

    *worths* are in units of log strength.
    """
    seats = len(worths)
    weights = np.exp(worths - worths.max())
    everybody = (1 << seats) - 1
    reached = np.zeros(everybody + 1)
    reached[everybody] = 1.0
    total = np.zeros((seats, seats))
    for left in range(everybody, 0, -1):
        among = np.array([left >> seat & 1 for seat in range(seats)])
        shares = among * weights / float(among @ weights)
        total += reached[left] * (np.diag(shares) - np.outer(shares, shares))
        for seat in np.flatnonzero(among):
            reached[left & ~(1 << int(seat))] += reached[left] * shares[seat]
    return total


def least_rmse(line_ups: Ints, strengths: Floats, luck: float, rng: np.random.Generator) -> float:
    """Return the least root mean square error of strengths, centred, in units of log strength.

    *line_ups* (groups, seats) each play one game for each rotation of the seats. *luck* is the
    standard deviation of what a seat's cards are worth. The estimate is taken to know the luck of
    every deal; one that is told no more than the results cannot be better.
    """
    total = np.zeros((len(strengths), len(strengths)))
    seats = line_ups.shape[1]
    found, counts = np.unique(line_ups, axis=0, return_counts=True)
    for line, count in zip(found, counts, strict=True):
        deals = rng.normal(0.0, luck, (LUCKS if luck else 1, seats))
        total[np.ix_(line, line)] += seats * int(count) * _mean(strengths[line] + deals)
    values = np.linalg.eigvalsh(total)[1:]
    return float(np.sqrt((1 / values).sum() / len(strengths)))


def _mean(worths: Iterable[Floats]) -> Floats:
    mean: Floats = np.mean([information(each) for each in worths], axis=0)
    return mean
