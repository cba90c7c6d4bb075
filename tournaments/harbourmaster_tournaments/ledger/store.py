"""The ledger itself: what a coordinator writes, an organiser rules and everybody reads.

All calls block; a coordinator makes them in a thread. One `Ledger` may be used by several threads.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import Connection

from harbourmaster_tournaments.ledger import reading, tables, writing
from harbourmaster_tournaments.ledger.database import Access, Database, ledger_url
from harbourmaster_tournaments.ledger.effective import effective, gone
from harbourmaster_tournaments.ledger.errors import LedgerMissing, SchemaMismatch, TermsChanged
from harbourmaster_tournaments.ledger.rows import (
    Entrant,
    GameRow,
    Receipt,
    Ruling,
    RulingKind,
    ToPlay,
)
from harbourmaster_tournaments.ledger.terms import bot_differences, differences, refusal
from harbourmaster_tournaments.schedules.planned import PlannedGame, Progress

T = TypeVar("T")


class Ledger:
    """An append-only book of one tournament. Also a context manager, which closes it."""

    def __init__(self, database: Database, access: Access) -> None:
        self._database = database
        self._access = access

    @classmethod
    def open(
        cls, place: str | Path, *, own: bool = True, patience: float = 30.0, durable: bool = False
    ) -> Self:
        """Open the ledger in the file or at the PostgreSQL URL *place*.

        Its owner (*own*) may write and makes the tables if need be; others only read. A locked
        database is tried for *patience* seconds. *durable* makes every entry survive a loss of
        power, not only the end of the process (PostgreSQL always does).

        Raises `LedgerOwned` if another process or object owns it, `SchemaMismatch`,
        `LedgerMissing` (when only reading), `LedgerBusy` or `LedgerUnavailable`.
        """
        access = Access.OWN if own else Access.READ
        return cls._open(place, access, patience=patience, durable=durable)

    @classmethod
    def open_to_rule(cls, place: str | Path, *, patience: float = 30.0) -> Self:
        """Open the ledger at *place* for rulings (`rule`) and for reading, owned by another or not.

        A ruling is one transaction, and survives a loss of power. Whoever owns the ledger sees it
        from then on; to heed it, a coordinator asks `rulings_after`. Raises what `open` does, but
        never `LedgerOwned`.
        """
        return cls._open(place, Access.RULE, patience=patience, durable=True)

    @classmethod
    def _open(cls, place: str | Path, access: Access, *, patience: float, durable: bool) -> Self:
        database = Database(ledger_url(place), access=access, patience=patience, durable=durable)
        ledger = cls(database, access)
        try:
            database.run(ledger._check_schema)
        except BaseException:
            database.close()
            raise
        return ledger

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def hurry(self) -> None:
        """Wait for a locked database no longer: calls fail with `LedgerBusy`, also waiting ones.

        For the end of the process: a result that is not in the ledger is still in its record.
        """
        self._database.hurry()

    def close(self) -> None:
        """Close the ledger and give up owning it."""
        self._database.close()

    # Writing.

    def begin(
        self,
        tournament: str,
        terms: Mapping[str, Any],
        entrants: Sequence[Entrant],
        *,
        who: str = "organiser",
        force: str | None = None,
    ) -> list[str]:
        """Begin the tournament, or go on with it, and return the changes that were recorded.

        *terms* is everything but the bots that decides results, as JSON values. Raises
        `TermsChanged`, with the differences, if the ledger was begun with other terms or bots. With
        *force*, the reason for the change, it is recorded instead: other terms and definitions
        as new rows, new bots as late joiners, missing ones as withdrawn.
        """

        def work(connection: Connection) -> list[str]:
            before = reading.meta(connection)
            if before is None:
                writing.meta(connection, tournament, terms, _now(), who, "begun")
                writing.entrants(connection, entrants, _now(), who, "begun")
                return []
            known = reading.entrants(connection)
            found = differences({"tournament": before.tournament}, {"tournament": tournament})
            changed = found + differences(before.terms, terms)
            bots = bot_differences(_expected(connection, known, entrants), entrants)
            if found or ((changed or bots) and force is None):
                raise TermsChanged(refusal(self.place, changed + bots))
            if force is not None and changed:
                writing.meta(connection, tournament, terms, _now(), who, force)
            if force is not None and bots:
                _change_bots(connection, known, entrants, who, force)
            return changed + bots

        return self._write(work)

    def join(self, entrant: Entrant, *, who: str = "organiser", why: str = "joined late") -> None:
        """Let a new bot in from now on; raise `TermsChanged` if its name is taken."""

        def work(connection: Connection) -> None:
            if entrant.name in {other.name for other in reading.entrants(connection)}:
                raise TermsChanged(f"there is a bot {entrant.name} already: give it another name")
            late = Entrant(
                entrant.name, entrant.owner, entrant.definition, reading.issued(connection)
            )
            writing.entrants(connection, [late], _now(), who, why)

        self._write(work)

    def issue(self, batch: Sequence[PlannedGame]) -> list[ToPlay]:
        """Fix the games of *batch* for good, all or none, and return them as to be played.

        Raises `NotPlanned` unless they follow on the games issued before.
        """
        if batch:
            self._write(lambda connection: writing.issue(connection, batch, _now()))
        return [ToPlay(game) for game in batch]

    def record(self, row: GameRow) -> Receipt:
        """Write down a finished game, once, and return what became of it.

        A void one has its cause in `void_cause`; ask `outstanding` what is to be played again.
        Raises `NotPlanned` if it is no game that was issued.
        """
        return self._write(lambda connection: writing.record(connection, row))

    def record_all(self, rows: Sequence[GameRow]) -> list[Receipt]:
        """Write down several finished games in one transaction: all or, on an error, none."""
        return self._write(lambda connection: [writing.record(connection, row) for row in rows])

    def rule(
        self,
        kind: RulingKind,
        *,
        who: str,
        why: str,
        number: int | None = None,
        entrant: str | None = None,
        change: Mapping[str, Any] | None = None,
    ) -> Ruling:
        """Write down a ruling on a game (void, correct) or an entrant (disqualify, withdraw).

        Raises `BadRuling` if there is nothing that it could rule on.
        """
        ruling = Ruling(
            kind, who, why, number=number, entrant=entrant, change=change or {}, at=_now()
        )
        allowed = (Access.OWN, Access.RULE)
        return self._write(lambda connection: writing.rule(connection, ruling), allowed)

    def restore(self, games: Sequence[GameRow], rulings: Sequence[Ruling] = ()) -> None:
        """Fill an empty ledger with what another one had; raise `BadImport` if it is not empty."""
        self._write(lambda connection: writing.restore(connection, games, rulings, _now()))

    # Reading.

    @property
    def place(self) -> str:
        """Where the ledger is, for messages."""
        return self._database.place

    def tournament(self) -> str | None:
        """Return the tournament's id, or `None` if none has begun."""
        before = self._database.run(reading.meta)
        return None if before is None else before.tournament

    def terms(self) -> Mapping[str, Any]:
        """Return the terms now in force; empty if no tournament has begun."""
        before = self._database.run(reading.meta)
        return {} if before is None else before.terms

    def entrants(self) -> list[Entrant]:
        """Return the bots as they now are, in the order in which they came."""
        return self._database.run(reading.entrants)

    def planned(self) -> list[PlannedGame]:
        """Return the issued games by number."""
        return self._database.run(lambda connection: list(reading.planned(connection)))

    def games(self) -> list[GameRow]:
        """Return every game row, void ones too, in the order in which they were written."""
        return self._database.run(reading.games)[0]

    def games_after(self, row: int) -> tuple[list[GameRow], int]:
        """Return the game rows written after row *row* (0 for all), and the last row's number.

        So a table of a running tournament need not read everything again.
        """
        return self._database.run(lambda connection: reading.games(connection, row))

    def rulings(self) -> list[Ruling]:
        """Return all rulings in the order in which they were made."""
        return self.rulings_after(0)[0]

    def rulings_after(self, row: int) -> tuple[list[Ruling], int]:
        """Return the rulings written after row *row* (0 for all), and the last row's number."""
        return self._database.run(lambda connection: reading.rulings_after(connection, row))

    def results(self) -> list[GameRow]:
        """Return the results that count, under all rulings, by number."""
        return self._database.run(
            lambda connection: effective(reading.games(connection)[0], reading.rulings(connection))
        )

    def outstanding(self) -> list[ToPlay]:
        """Return the issued games that are still to be played, by number, with their attempts."""
        return self._database.run(reading.outstanding)

    def progress(self, *, with_games: bool = False) -> Progress:
        """Return how far the tournament has come; *with_games* is for adaptive schedules."""
        return self._database.run(lambda connection: reading.progress(connection, with_games))

    def _write(
        self, work: Callable[[Connection], T], allowed: Sequence[Access] = (Access.OWN,)
    ) -> T:
        """Call *work* in a transaction that no other writer's overlaps."""
        if self._access not in allowed:
            raise RuntimeError(f"this ledger was opened for {self._access.value} only")

        def locked(connection: Connection) -> T:
            writing.keep_others_out(connection)
            return work(connection)

        return self._database.run(locked)

    def _check_schema(self, connection: Connection) -> None:
        version = reading.schema_version(connection)
        if version is None and self._access is Access.OWN:
            tables.metadata.create_all(connection)
        elif version is None:
            raise LedgerMissing(f"{self.place} is empty: no tournament has begun there")
        elif version == 0:
            raise SchemaMismatch(f"{self.place} holds something that is no ledger: name another")
        elif version != tables.SCHEMA_VERSION:
            raise SchemaMismatch(
                f"the ledger {self.place} has schema version {version}, and this program writes "
                f"version {tables.SCHEMA_VERSION}: use the program that began the tournament"
            )


def _now() -> int:
    return time.time_ns() // 1000


def _expected(
    connection: Connection, known: Sequence[Entrant], wanted: Sequence[Entrant]
) -> list[Entrant]:
    """Return the bots that must be named again: those that have left may be, or not."""
    optional = gone(reading.rulings(connection)).keys() - {entrant.name for entrant in wanted}
    return [entrant for entrant in known if entrant.name not in optional]


def _change_bots(
    connection: Connection, known: Sequence[Entrant], wanted: Sequence[Entrant], who: str, why: str
) -> None:
    old = {entrant.name: entrant for entrant in known}
    issued = reading.issued(connection)
    for entrant in wanted:
        before = old.get(entrant.name)
        joined = issued if before is None else before.joined
        new = Entrant(entrant.name, entrant.owner, entrant.definition, joined)
        if new != before:
            writing.entrants(connection, [new], _now(), who, why)
    for entrant in _expected(connection, known, wanted):
        if entrant.name not in {other.name for other in wanted}:
            ruling = Ruling(RulingKind.WITHDRAW, who, why, entrant=entrant.name, at=_now())
            writing.rule(connection, ruling)
