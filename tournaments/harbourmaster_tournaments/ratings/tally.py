"""Counting games: everything the tables need, in integers, whatever order the games come in."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Self

from harbourmaster_tournaments.ratings.games import RatedGame
from harbourmaster_tournaments.ratings.think import ThinkTime

Play = tuple[tuple[str, ...], tuple[int, ...]]
"""Entrants by seat and their placements: all that the fit reads of a game."""


@dataclass(slots=True)
class ThinkSum:
    """The running sum of many think times."""

    total: int = 0
    count: int = 0
    buckets: dict[int, int] = field(default_factory=dict)

    def add(self, think: ThinkTime) -> None:
        """Take *think* in."""
        self.total += think.total
        self.count += think.count
        buckets = self.buckets
        for bucket, decisions in think.histogram:
            buckets[bucket] = buckets.get(bucket, 0) + decisions

    def value(self) -> ThinkTime:
        """Return the sum."""
        return ThinkTime.from_buckets(self.total, self.count, self.buckets)


class PoolTally:
    """The counts of one pool. The pool's size in memory grows with distinct plays and groups."""

    __slots__ = (
        "counts",
        "forfeits",
        "forsaken",
        "groups",
        "ids",
        "margins",
        "seats",
        "think",
        "walkovers",
    )

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.ids: dict[Play, int] = {}
        """A number for each distinct play of a played game."""
        self.counts: list[int] = []
        """How often each of them happened."""
        self.groups: dict[str, tuple[int, ...]] = {}
        """The plays of each rotation group."""
        self.walkovers: Counter[Play] = Counter()
        """The unplayed games: they score and are not fitted."""
        self.forsaken: Counter[tuple[str, ...]] = Counter()
        """The games that every entrant forfeited: nobody scores, and nobody drew."""
        self.margins: dict[str, int] = {}
        """Own score minus each opponent's, summed over opponents and games."""
        self.forfeits: dict[str, Counter[str]] = {}
        """Forfeits of each entrant by reason."""
        self.think: dict[str, ThinkSum] = {}
        """Think time of each entrant."""

    def add(self, game: RatedGame) -> None:
        """Count *game*."""
        play = (game.entrants, game.placements)
        if all(game.forfeits):
            self.forsaken[game.entrants] += 1
        elif game.played:
            self._count(play, game.group)
        else:
            self.walkovers[play] += 1
        total, margins = sum(game.scores), self.margins
        for entrant, score in zip(game.entrants, game.scores, strict=True):
            margins[entrant] = margins.get(entrant, 0) + self.seats * score - total
        if any(game.forfeits):
            self._count_forfeits(game)
        if game.think:
            for entrant, think in zip(game.entrants, game.think, strict=True):
                self.think.setdefault(entrant, ThinkSum()).add(think)

    def _count(self, play: Play, group: str) -> None:
        number = self.ids.get(play)
        if number is None:
            number = self.ids[play] = len(self.counts)
            self.counts.append(0)
        self.counts[number] += 1
        self.groups[group] = (*self.groups.get(group, ()), number)

    def _count_forfeits(self, game: RatedGame) -> None:
        for entrant, reason in zip(game.entrants, game.forfeits, strict=True):
            if reason:
                self.forfeits.setdefault(entrant, Counter())[reason] += 1

    def plays(self) -> list[tuple[Play, int]]:
        """Return every distinct play, walkovers too, with how often it happened."""
        played = [(play, self.counts[number]) for play, number in self.ids.items()]
        return played + list(self.walkovers.items())


class Tally:
    """The counts of a whole tournament, one `PoolTally` for each pool.

    Adding a game takes a few microseconds; what is computed from a tally depends only on which
    games it has seen, never on their order.
    """

    def __init__(self) -> None:
        self.pools: dict[str, PoolTally] = {}
        self._numbers: set[int] = set()

    @classmethod
    def of(cls, games: Iterable[RatedGame]) -> Self:
        """Return the tally of *games*."""
        tally = cls()
        for game in games:
            tally.add(game)
        return tally

    def add(self, game: RatedGame) -> None:
        """Count *game*; raise `ValueError` if its number was counted before."""
        if game.number in self._numbers:
            raise ValueError(f"game {game.number} was counted already; count each game once")
        pool = self.pools.get(game.pool)
        if pool is None:
            pool = self.pools[game.pool] = PoolTally(len(game.entrants))
        if pool.seats != len(game.entrants):
            raise ValueError(
                f"game {game.number} has {len(game.entrants)} seats but its pool "
                f"{game.pool!r} has {pool.seats}; name the number of seats in the pool"
            )
        self._numbers.add(game.number)
        pool.add(game)
