"""Owning a ledger: at most one coordinator at a time, whatever becomes of the one before.

SQLite: an operating system's lock on a file beside the database, which ends with the process that
holds it. PostgreSQL: an advisory lock of the session that writes, which ends with its connection.
"""

import fcntl
import os
from pathlib import Path
from typing import Self

from sqlalchemy import Connection, text

from harbourmaster_tournaments.ledger.errors import LedgerOwned, LedgerUnavailable


class FileLock:
    """An exclusive lock on `<database>.lock`, held until `release` or the process's end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, database: Path) -> Self:
        """Lock the ledger in the file *database*.

        Raises `LedgerOwned` if somebody else has it and `LedgerUnavailable` if the lock's file
        cannot be written.
        """
        path = database.with_name(f"{database.name}.lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise LedgerUnavailable(
                f"the ledger's lock {path} cannot be opened ({error.strerror}): check that its "
                f"folder exists and is writable"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            owner = os.pread(descriptor, 20, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise LedgerOwned(
                f"the ledger {database} is in use by another coordinator (process {owner or '?'}): "
                f"stop it first, or choose another directory"
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        return cls(descriptor)

    def release(self) -> None:
        """Let somebody else have the ledger. A second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


_ADVISORY = "SELECT pg_try_advisory_lock(hashtextextended('harbourmaster ' || current_schema(), 0))"


def take_session_lock(connection: Connection, place: str) -> None:
    """Lock the ledger for this PostgreSQL session; raise `LedgerOwned` if another one has it."""
    if not connection.execute(text(_ADVISORY)).scalar_one():
        raise LedgerOwned(
            f"the ledger {place} is in use by another coordinator: stop it first, or choose "
            f"another database"
        )
