"""What each entrant has scored in one pool: counts, points, forfeits and think time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.observations import Ints
from harbourmaster_tournaments.ratings.tally import PoolTally
from harbourmaster_tournaments.ratings.think import ThinkTime


@dataclass(frozen=True, slots=True)
class SeatSplit:
    """What an entrant did from one seat."""

    games: int
    points: float


@dataclass(frozen=True, slots=True)
class Standing:
    """One entrant's results in one pool, walkovers included."""

    games: int
    """Games that count for points."""
    unplayed: int
    """Those of them that were walkovers."""
    points: float
    """One for a win, a half for a draw; at larger tables the share of opponents beaten (0 to 1)."""
    wins: int
    """Games won, which at larger tables are those placed first alone."""
    draws: int
    """Games drawn, which at larger tables are those in which first place was shared."""
    losses: int
    """The other games."""
    placement: float | None
    """Mean placement; tied entrants get the mean of the places that they share."""
    score_difference: float
    """Sum over games of the own score minus the mean of the opponents'."""
    seats: tuple[SeatSplit, ...]
    forfeits: tuple[tuple[str, int], ...]
    """(reason, games), by name of the reason."""
    think: ThinkTime


@dataclass(frozen=True, slots=True)
class Results:
    """Every distinct play of a pool as arrays, walkovers included."""

    entrants: tuple[str, ...]
    """Sorted by name."""
    members: Ints
    """(plays, seats): positions in `entrants`."""
    placements: Ints
    counts: Ints

    def among(self, entrants: Iterable[str]) -> int:
        """Return the number of games in which only *entrants* sat."""
        chosen = set(entrants)
        inside = np.array([name in chosen for name in self.entrants], dtype=bool)
        return int(self.counts[inside[self.members].all(axis=1)].sum())

    def pairs(self) -> tuple[Ints, Ints]:
        """Return (n, n): how often the row's entrant finished above, and level with, the column's.

        With two seats these are wins and draws.
        """
        size = len(self.entrants)
        above = np.zeros(size * size, dtype=np.int64)
        level = np.zeros(size * size, dtype=np.int64)
        for a in range(self.members.shape[1]):
            for b in range(self.members.shape[1]):
                if a != b:
                    cells = self.members[:, a] * size + self.members[:, b]
                    mine, theirs = self.placements[:, a], self.placements[:, b]
                    np.add.at(above, cells, self.counts * (mine < theirs))
                    np.add.at(level, cells, self.counts * (mine == theirs))
        return above.reshape(size, size), level.reshape(size, size)


def results_of(tally: PoolTally, entrants: Iterable[str] = ()) -> Results:
    """Return the results in *tally*; *entrants* may name some who have no game yet."""
    plays = tally.plays()
    seen = {name for (members, _), _ in plays for name in members}
    seen.update(name for members in tally.forsaken for name in members)
    names = sorted(seen.union(entrants))
    position = {name: index for index, name in enumerate(names)}
    shape = (len(plays), tally.seats)
    members = [position[name] for (seated, _), _ in plays for name in seated]
    placements = [place for (_, places), _ in plays for place in places]
    return Results(
        entrants=tuple(names),
        members=np.array(members, dtype=np.int64).reshape(shape),
        placements=np.array(placements, dtype=np.int64).reshape(shape),
        counts=np.array([count for _, count in plays], dtype=np.int64),
    )


def standings(tally: PoolTally, results: Results) -> dict[str, Standing]:
    """Return the standing of everybody in *results*."""
    units, games, outcomes = _count(results)
    unplayed = dict.fromkeys(results.entrants, 0)
    for (members, _), count in tally.walkovers.items():
        for name in members:
            unplayed[name] += count
    for members, count in tally.forsaken.items():
        for seat, name in enumerate(members):
            at = results.entrants.index(name)
            unplayed[name] += count
            games[at, seat] += count
            outcomes[at, 2] += count
    return {
        name: _standing(tally, name, units[at], games[at], outcomes[at].tolist(), unplayed[name])
        for at, name in enumerate(results.entrants)
    }


def _count(results: Results) -> tuple[Ints, Ints, Ints]:
    """Return by entrant and seat the half opponents beaten, and the games; and (n, 3) W, D, L."""
    size, seats = len(results.entrants), results.members.shape[1]
    units = np.zeros((size, seats), dtype=np.int64)
    games = np.zeros((size, seats), dtype=np.int64)
    outcomes = np.zeros((size, 3), dtype=np.int64)
    best = results.placements == results.placements.min(axis=1, initial=2**62, keepdims=True)
    shared = best.sum(axis=1) > 1
    for seat in range(seats):
        members, mine = results.members[:, seat], results.placements[:, seat, None]
        beaten = 2 * (mine < results.placements).sum(axis=1)
        beaten += (mine == results.placements).sum(axis=1) - 1
        np.add.at(units[:, seat], members, beaten * results.counts)
        np.add.at(games[:, seat], members, results.counts)
        outcome = np.where(best[:, seat], np.where(shared, 1, 0), 2)
        np.add.at(outcomes, (members, outcome), results.counts)
    return units, games, outcomes


def _standing(
    tally: PoolTally, name: str, units: Ints, games: Ints, outcomes: Sequence[int], unplayed: int
) -> Standing:
    opponents = tally.seats - 1
    total, half_beaten = int(games.sum()), int(units.sum())
    think = tally.think.get(name)
    return Standing(
        games=total,
        unplayed=unplayed,
        points=half_beaten / (2 * opponents),
        wins=outcomes[0],
        draws=outcomes[1],
        losses=outcomes[2],
        placement=tally.seats - half_beaten / 2 / total if total else None,
        score_difference=tally.margins.get(name, 0) / opponents,
        seats=tuple(
            SeatSplit(int(n), int(u) / (2 * opponents)) for n, u in zip(games, units, strict=True)
        ),
        forfeits=tuple(sorted(tally.forfeits.get(name, {}).items())),
        think=think.value() if think else ThinkTime(),
    )
