"""The command line with one fault planted in the referee, to show that a safety test would see it.

Run as `python -m support.planted FAULT ARGUMENTS…`, where a sound run has no FAULT but `none`.
"""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from harbourmaster_server import logs, timekeeping
from harbourmaster_server.clock import Clock
from harbourmaster_server.identity import RIGHTS, Gatekeeper, Identity
from harbourmaster_server.matches import deadline
from harbourmaster_server.matches.match import Match
from harbourmaster_server.records.journal import Journal
from harbourmaster_server.referee import Referee
from harbourmaster_server.sessions.session import Session
from harbourmaster_tournaments.cli.main import main
from harbourmaster_tournaments.ledger import Ledger
from harbourmaster_tournaments.ledger.errors import LedgerUnavailable


def journal_unwritten() -> None:
    """What the journal should write stays in memory."""

    def flush(journal: Journal) -> None:
        journal._pending.clear()

    setattr(Journal, "flush", flush)  # noqa: B010


def bots_first() -> None:
    """Matches are not stopped before their bots are ended."""
    setattr(Referee, "halt", Referee.drain)  # noqa: B010
    setattr(Referee, "stop_match", lambda *_: None)  # noqa: B010


def read_later() -> None:
    """A reply is dated when it is read, so that the referee's own stalls are charged."""
    setattr(timekeeping.LoopTime, "arrival", lambda time, _=None: time.now())  # noqa: B010
    setattr(timekeeping.LoopTime, "stall", lambda _: timekeeping.Stall())  # noqa: B010


def ledger_gone() -> None:
    """The disk of the ledger fails at the first result."""

    def record(ledger: Ledger, row: object) -> None:
        raise LedgerUnavailable(f"the ledger {ledger.place} fails: the disk is full: make room")

    setattr(Ledger, "record", record)  # noqa: B010


def restless() -> None:
    """The referee's loop never sleeps."""
    setattr(timekeeping, "HEARTBEAT_SECONDS", 0.0)  # noqa: B010


def ledger_waits_long() -> None:
    """A locked ledger is waited for much longer than a test waits: no fault, but a setting."""
    sound = Ledger.open

    def open_patiently(cls: type[Ledger], /, place: str | Path, **more: Any) -> Ledger:
        return sound(place, **({"patience": 1000.0} | more))

    setattr(Ledger, "open", classmethod(open_patiently))  # noqa: B010


def ledger_patient() -> None:
    """Who waits for a locked ledger goes on waiting when the process is to end."""
    ledger_waits_long()
    setattr(Ledger, "hurry", lambda _: None)  # noqa: B010


def log_waits() -> None:
    """Whoever logs waits for the reader of standard error."""
    setattr(logs, "standard_error", lambda: sys.stderr)  # noqa: B010


def anybody() -> None:
    """Who calls without a token may do everything."""

    def identify(keeper: Gatekeeper, metadata: object, name: str = "") -> Identity:
        return Identity(name, rights=RIGHTS)

    setattr(Gatekeeper, "identify", identify)  # noqa: B010


def memory_kept() -> None:
    """Something of every session and of every match is never given back."""
    kept: list[bytes] = []

    def keep(place: Any, size: int) -> None:
        sound = place.__init__

        def init(made: Any, *given: Any, **more: Any) -> None:
            kept.append(b"x" * size)
            sound(made, *given, **more)

        setattr(place, "__init__", init)  # noqa: B010

    keep(Session, 200_000)
    keep(Match, 2_000_000)


def never_flag() -> None:
    """Nobody runs out of time."""

    def charge(clock: Clock, taken: int) -> tuple[int, Clock]:
        return taken, clock._replace(left=max(0, (clock.left or 0) - taken))

    setattr(Clock, "charge", charge)  # noqa: B010
    setattr(deadline, "SETTLE_NANOS", 10**12)  # noqa: B010


def overcharge() -> None:
    """A second more than it took is charged for every answer."""
    sound = Clock.charge
    setattr(Clock, "charge", lambda clock, taken: sound(clock, taken + 1_000_000))  # noqa: B010


FAULTS: Final[Mapping[str, Callable[[], None]]] = {
    "none": lambda: None,
    "journal-unwritten": journal_unwritten,
    "bots-first": bots_first,
    "read-later": read_later,
    "ledger-gone": ledger_gone,
    "restless": restless,
    "ledger-waits-long": ledger_waits_long,
    "ledger-patient": ledger_patient,
    "log-waits": log_waits,
    "anybody": anybody,
    "memory-kept": memory_kept,
    "never-flag": never_flag,
    "overcharge": overcharge,
}

if __name__ == "__main__":
    FAULTS[sys.argv[1]]()
    main(sys.argv[2:])
