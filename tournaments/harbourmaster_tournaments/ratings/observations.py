"""A pool's counts as arrays, in one canonical order, ready to be fitted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from harbourmaster_tournaments.ratings.tally import PoolTally

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

UNIT = 60
"""Weights are whole sixtieths: 60 is divisible by every number of orders' share up to six seats."""


@dataclass(frozen=True, slots=True)
class GroupBlock:
    """Rotation groups with equally many games; equal groups are counted, not repeated."""

    plays: Ints
    """(groups, games): the plays of each group, by rising number."""
    counts: Ints
    """(groups,): how many rotation groups look like this."""


@dataclass(frozen=True, slots=True)
class Observations:
    """The fitted games of one pool. Equal sets of games give equal observations."""

    entrants: tuple[str, ...]
    """Everybody who played, sorted by name; arrays hold positions in this tuple."""
    members: Ints
    """(plays, seats): who sat where in each distinct play."""
    ranks: Ints
    """(plays, seats): placements as dense ranks from 0; ties share one."""
    counts: Ints
    """(plays,): how often each play happened."""
    blocks: tuple[GroupBlock, ...]
    """The rotation groups."""

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.members.shape[1])

    @property
    def groups(self) -> int:
        """The number of rotation groups."""
        return sum(int(block.counts.sum()) for block in self.blocks)


@lru_cache(maxsize=8192)
def stages(
    ranks: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[tuple[tuple[int, ...], int], ...]]:
    """Return the choices that a result with these dense *ranks* is made of, in `UNIT`ths.

    Plackett and Luce read a result as choices: the first out of all seats, the second out of the
    rest, and so on. Tied seats stand for every order among them, each with the same weight.
    Returned are how often each seat was chosen, and (set of seats, weight) of every choice.
    """
    chosen = [0] * len(ranks)
    choices: dict[tuple[int, ...], int] = {}
    for rank in range(max(ranks) + 1):
        tied = [seat for seat, r in enumerate(ranks) if r == rank]
        below = [seat for seat, r in enumerate(ranks) if r > rank]
        for left in range(len(tied), 0, -1):
            if left + len(below) == 1:
                continue
            for some in combinations(tied, left):
                among = tuple(sorted((*some, *below)))
                choices[among] = choices.get(among, 0) + UNIT // comb(len(tied), left)
            for seat in tied:
                chosen[seat] += UNIT // len(tied)
    return tuple(chosen), tuple(sorted(choices.items()))


def unique_rows(rows: Ints, base: int) -> tuple[Ints, Ints]:
    """Return the distinct *rows*, sorted, and for each row the number of its distinct one.

    Entries are from 0 to *base* - 1. Rows that fit are compared as one number, which is faster.
    """
    width = rows.shape[1]
    if base**width >= 2**62:
        distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
        return distinct, inverse.reshape(-1)
    scale = np.array([base**power for power in range(width - 1, -1, -1)], dtype=np.int64)
    _, first, inverse = np.unique(rows @ scale, return_index=True, return_inverse=True)
    return rows[first], inverse.reshape(-1)


def total_by(index: Ints, weights: Ints, length: int) -> Ints:
    """Return the sums of the integer *weights* by *index*, exact."""
    totals = np.zeros(length, dtype=np.int64)
    np.add.at(totals, index, weights)
    return totals


def dense_ranks(placements: Ints) -> Ints:
    """Return *placements* (plays, seats) as ranks from 0 without gaps: (1, 3, 3) is (0, 1, 1)."""
    ranks = np.zeros_like(placements)
    ordered = np.sort(placements, axis=1)
    for step in range(1, placements.shape[1]):
        rises = (ordered[:, step] > ordered[:, step - 1]).astype(np.int64)
        ranks += rises[:, None] * (placements >= ordered[:, step][:, None])
    return ranks


def observe(tally: PoolTally) -> Observations:
    """Return the played games of *tally* as observations."""
    names = sorted({name for entrants, _ in tally.ids for name in entrants})
    position = {name: index for index, name in enumerate(names)}
    shape = (len(tally.ids), tally.seats)
    members = np.array(
        [position[name] for entrants, _ in tally.ids for name in entrants], dtype=np.int64
    ).reshape(shape)
    placements = np.array(
        [place for _, places in tally.ids for place in places], dtype=np.int64
    ).reshape(shape)
    counts = np.array(tally.counts, dtype=np.int64)
    lengths: dict[int, list[tuple[int, ...]]] = {}
    for plays in tally.groups.values():
        lengths.setdefault(len(plays), []).append(plays)
    groups = [np.array(lengths[length], dtype=np.int64) for length in sorted(lengths)]
    return canonical(tuple(names), members, dense_ranks(placements), counts, groups)


def canonical(
    entrants: tuple[str, ...], members: Ints, ranks: Ints, counts: Ints, groups: Sequence[Ints]
) -> Observations:
    """Return observations in canonical order, with equal plays and equal groups merged.

    *groups* holds one array (groups, games) of play numbers for each number of games.
    """
    seats = members.shape[1]
    rows = np.concatenate((members, ranks), axis=1)
    distinct, number = unique_rows(rows, max(len(entrants), seats))
    blocks = []
    for plays in groups:
        sets, which = unique_rows(np.sort(number[plays], axis=1), len(distinct))
        ones = np.ones(len(which), dtype=np.int64)
        blocks.append(GroupBlock(sets, total_by(which, ones, len(sets))))
    return Observations(
        entrants=entrants,
        members=distinct[:, :seats],
        ranks=distinct[:, seats:],
        counts=total_by(number, counts, len(distinct)),
        blocks=tuple(blocks),
    )


def rotation_is_complete(seen: Observations) -> bool:
    """Return whether in every rotation group every entrant sat in every seat equally often."""
    for block in seen.blocks:
        seated = np.sort(seen.members[block.plays], axis=1)
        if (seated != seated[:, :, :1]).any():
            return False
    return True


def components(seen: Observations) -> list[list[int]]:
    """Return the entrants that games connect, directly or through others, by first name.

    Ratings of entrants in different components cannot be compared.
    """
    count = len(seen.entrants)
    label = np.arange(count)
    while True:
        lowest = label[seen.members].min(axis=1)
        after = label.copy()
        for seat in range(seen.seats):
            np.minimum.at(after, seen.members[:, seat], lowest)
        after = after[after]
        if (after == label).all():
            break
        label = after
    return [[int(e) for e in np.flatnonzero(label == root)] for root in np.unique(label)]
