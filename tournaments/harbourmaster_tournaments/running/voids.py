"""Void games: whose side caused them, and how often a rotation group may be played again.

All of it is a function of the ledger's rows. A bot's quota counts by rotation group, whose attempts
come one after the other: so the order in which the games of others finish cannot matter, and what
one bot causes touches the one pairing in which it happened.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from harbourmaster_tournaments.ledger.rows import CAUSED_VOID, STALE, GameRow
from harbourmaster_tournaments.running.rows import VOID_QUOTA

MOST_UNCAUSED: Final = 3
"""A rotation group that was void so often through no bot's side waits for the organiser."""


class Voids:
    """The void attempts of a tournament's rotation groups, in whatever order they are taken."""

    def __init__(self, quota: int) -> None:
        """Allow each bot to make a rotation group void *quota* times."""
        self._quota = quota
        self._attempts: dict[tuple[str, str | None], set[int]] = defaultdict(set)
        """For each rotation group and bot (`None` for nobody), the attempts that it made void."""

    def take(self, row: GameRow) -> None:
        """Take note of a row of the ledger."""
        if row.void_cause is not None and row.void_cause != STALE:
            self._attempts[row.group, cause_of(row)].add(row.attempt)

    def over_quota(self, row: GameRow) -> bool:
        """Return whether *row*, void by a bot's own side, is one more than that bot may cause."""
        cause = cause_of(row)
        if row.void_cause is None or cause is None:
            return False
        before = [a for a in self._attempts[row.group, cause] if a < row.attempt]
        return len(before) >= self._quota

    def needs_organiser(self, row: GameRow) -> bool:
        """Return whether the group of *row* was void too often through nobody's side."""
        return cause_of(row) is None and len(self._attempts[row.group, None]) >= MOST_UNCAUSED


def cause_of(row: GameRow) -> str | None:
    """Return the bot whose own side made the game of *row* void, or `None`."""
    seats = zip(row.entrants, row.forfeits, strict=True)
    return next((name for name, why in seats if why == CAUSED_VOID), None)


@dataclass(slots=True)
class VoidCount:
    """What void games a bot had a part in."""

    involved: int = 0
    """Void games in which it sat, whoever caused them."""
    caused: int = 0
    """Those of them that its own side caused."""
    forfeited: int = 0
    """Games that it forfeited because its quota of voids was used up."""


def count_voids(rows: Iterable[GameRow]) -> dict[str, VoidCount]:
    """Return the voids of every bot that has any, by name; stale results are none."""
    counts: dict[str, VoidCount] = defaultdict(VoidCount)
    for row in rows:
        void = row.void_cause is not None and row.void_cause != STALE
        for name, why in zip(row.entrants, row.forfeits, strict=True):
            if void:
                counts[name].involved += 1
                counts[name].caused += why == CAUSED_VOID
            elif why == VOID_QUOTA and row.void_cause is None:
                counts[name].forfeited += 1
    return dict(sorted(counts.items()))
