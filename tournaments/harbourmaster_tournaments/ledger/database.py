"""One connection to the ledger's database: patient, safe among threads, with its own rights."""

import enum
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from harbourmaster_tournaments.ledger.errors import (
    LedgerBusy,
    LedgerError,
    LedgerMissing,
    LedgerUnavailable,
)
from harbourmaster_tournaments.ledger.owner import FileLock, take_session_lock

T = TypeVar("T")

FIRST_DELAY: Final = 0.05
"""Seconds before the first retry of a locked database; every next delay is twice as long."""
LONGEST_DELAY: Final = 2.0
"""The longest delay between two retries, in seconds."""
DRIVER_SECONDS: Final = 0.2
"""How long SQLite itself waits for a lock; it cannot be interrupted meanwhile."""
CONNECT_SECONDS: Final = 5
"""How long a PostgreSQL server may take to answer, if the URL has no `connect_timeout`.

A signal waits as long, for nothing can interrupt it.
"""

_LOCK_NOT_AVAILABLE: Final = "55P03"
"""The SQLSTATE of a statement that waited too long for a lock."""

_SQLITE_TROUBLE: Final = {
    "SQLITE_FULL": "the disk is full: make room and resume",
    "SQLITE_IOERR": "the disk failed to read or write: check it and resume",
    "SQLITE_READONLY": "it may not be written: check the permissions of the file and its folder",
    "SQLITE_CANTOPEN": "it cannot be opened: check that its folder exists and is readable",
    "SQLITE_CORRUPT": "it is damaged: restore a copy, or export what can still be read",
    "SQLITE_NOTADB": "it is not a database: name the ledger's own file",
}


class Access(enum.Enum):
    """What a connection may do."""

    READ = "reading"
    """Read alone."""
    RULE = "rulings"
    """Add rulings, beside the owner."""
    OWN = "everything"
    """Everything; at most one connection at a time."""

    @property
    def writes(self) -> bool:
        """Whether anything may be written."""
        return self is not Access.READ


class Database:
    """A connection that retries what is locked and turns every failure into a `LedgerError`."""

    def __init__(self, url: URL, *, access: Access, patience: float, durable: bool) -> None:
        self.place = str(url.database if url.get_backend_name() == "sqlite" else url)
        self._access = access
        self._patience = patience
        self._mutex = threading.RLock()
        self._hurried = threading.Event()
        self._given_up = False
        """Whether it was found locked when there was no time to wait any more."""
        self._file_lock: FileLock | None = None
        self._connection: Connection | None = None
        self._opened = False
        if url.get_backend_name() == "sqlite":
            self._open_file(Path(url.database or ""))
        try:
            self._engine = _engine(url, access=access, patience=patience, durable=durable)
            self._run(lambda connection: None)
        except BaseException:
            self.close()
            raise

    def run(self, work: Callable[[Connection], T]) -> T:
        """Call *work* in one transaction, again if the database was locked, and return its result.

        Raises `LedgerBusy` when it stayed locked and `LedgerUnavailable` when the disk or the
        server failed. Nothing is written unless all is.
        """
        with self._mutex:
            return self._run(work)

    def hurry(self) -> None:
        """Wait for locks no longer, not even where a thread waits for one now."""
        self._hurried.set()

    def close(self) -> None:
        """Close the connection and let somebody else own the ledger."""
        with self._mutex:
            self._disconnect()
            if self._file_lock is not None:
                self._file_lock.release()

    def _open_file(self, path: Path) -> None:
        if self._access is Access.OWN:
            self._file_lock = FileLock.take(path)
        elif not path.exists():
            raise LedgerMissing(f"there is no ledger at {path}: name a tournament that has begun")

    def _run(self, work: Callable[[Connection], T]) -> T:
        deadline = time.monotonic() + self._patience
        delay = FIRST_DELAY
        if self._given_up:
            raise self._busy()
        while True:
            try:
                connection = self._connected()
                with connection.begin():
                    return work(connection)
            except DBAPIError as error:
                trouble = self._trouble(error)
                passing = _locked(error) or error.connection_invalidated or self._lost()
                if error.connection_invalidated:
                    self._disconnect()
                self._given_up = passing and self._hurried.is_set()
                if not passing or self._given_up or time.monotonic() + delay > deadline:
                    raise trouble from error
            self._hurried.wait(delay)
            delay = min(2 * delay, LONGEST_DELAY)

    def _connected(self) -> Connection:
        if self._connection is None:
            connection = self._engine.connect()
            if connection.dialect.name == "postgresql":
                self._prepare_session(connection)
            self._connection = connection
            self._opened = True
        return self._connection

    def _prepare_session(self, connection: Connection) -> None:
        if not self._access.writes:
            connection.execution_options(postgresql_readonly=True)
        if self._access is not Access.OWN:
            return
        try:
            with connection.begin():
                take_session_lock(connection, self.place)
        except BaseException:
            connection.close()
            raise

    def _lost(self) -> bool:
        return self._opened and self._connection is None

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _trouble(self, error: DBAPIError) -> LedgerError:
        if _locked(error):
            return self._busy()
        name = str(getattr(error.orig, "sqlite_errorname", ""))
        for prefix, sentence in _SQLITE_TROUBLE.items():
            if name.startswith(prefix):
                return LedgerUnavailable(f"the ledger {self.place} fails: {sentence}")
        said = str(error.orig).strip().partition("\n")[0]
        return LedgerUnavailable(f"the ledger {self.place} fails: {said}")

    def _busy(self) -> LedgerBusy:
        how = "is locked"
        if not self._hurried.is_set():
            how = f"stayed locked for {self._patience:g} s"
        return LedgerBusy(
            f"the ledger {self.place} {how}: close the program that holds it and resume"
        )


def ledger_url(place: str | Path) -> URL:
    """Return the database that *place* names: a file's path, or a PostgreSQL URL.

    Raises `LedgerUnavailable` for a URL of another kind.
    """
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(place))
    try:
        url = make_url(place)
    except ArgumentError as error:
        raise LedgerUnavailable(f"{place} is no database's URL: {error}") from error
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() != "sqlite":
        raise LedgerUnavailable(
            f"a ledger cannot be kept in {url.get_backend_name()}: give a file's path or a "
            f"postgresql:// URL"
        )
    return url


def _engine(url: URL, *, access: Access, patience: float, durable: bool) -> Engine:
    try:
        if url.get_backend_name() == "postgresql":
            if "connect_timeout" not in url.query:
                url = url.update_query_dict({"connect_timeout": str(CONNECT_SECONDS)})
            engine = create_engine(url, poolclass=NullPool, isolation_level="REPEATABLE READ")
            event.listen(engine, "connect", _postgresql_connect(min(patience, LONGEST_DELAY)))
            return engine
        arguments = {"check_same_thread": False, "timeout": min(patience, DRIVER_SECONDS)}
        engine = create_engine(url, poolclass=NullPool, connect_args=arguments)
    except (ImportError, NoSuchModuleError) as error:
        raise LedgerUnavailable(
            "PostgreSQL needs the psycopg package: pip install 'harbourmaster[postgres]'"
        ) from error
    event.listen(engine, "connect", _sqlite_connect(access, durable))
    # The driver would begin a transaction only at the first write, too late to wait for it.
    begin = "BEGIN IMMEDIATE" if access.writes else "BEGIN"
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


def _postgresql_connect(wait: float) -> Callable[[Any, Any], None]:
    """Return what bounds how long one statement waits for a lock, in seconds."""

    def prepare(connection: Any, _: Any) -> None:
        connection.execute(f"SET lock_timeout = {round(wait * 1000)}")
        connection.commit()

    return prepare


def _sqlite_connect(access: Access, durable: bool) -> Callable[[Any, Any], None]:
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None
        if access.writes:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            connection.execute("PRAGMA foreign_keys = ON")
        else:
            connection.execute("PRAGMA query_only = ON")

    return prepare


def _locked(error: DBAPIError) -> bool:
    name = str(getattr(error.orig, "sqlite_errorname", ""))
    state = getattr(error.orig, "sqlstate", None)
    return name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or state == _LOCK_NOT_AVAILABLE
