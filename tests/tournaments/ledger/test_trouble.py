"""What goes wrong with databases, each told in a sentence."""

import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError

from harbourmaster_tournaments.ledger import (
    Entrant,
    Ledger,
    LedgerBusy,
    LedgerError,
    LedgerOwned,
    LedgerUnavailable,
    RulingKind,
    SchemaMismatch,
    database,
)
from harbourmaster_tournaments.ledger.database import ledger_url
from harbourmaster_tournaments.schedules import RoundRobin
from support.clusters import new_schema
from support.patience import PATIENCE
from support.tournaments import names, row

GAMES = list(RoundRobin(names(4), 50).games())
TABLES = ("meta", "entrants", "planned", "games", "rulings")


def filled(place: str, patience: float = 0.3) -> Ledger:
    ledger = Ledger.open(place, patience=patience)
    ledger.begin("spring", {}, [Entrant(name) for name in names(4)])
    ledger.issue(GAMES[:2])
    ledger.record(row(GAMES[0]))
    ledger.rule(RulingKind.VOID, who="ann", why="wrong build", number=1)
    return ledger


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("change", ["UPDATE {} SET {} = {}", "DELETE FROM {}"])
def test_the_database_itself_keeps_every_table_append_only(
    place: str, table: str, change: str
) -> None:
    filled(place).close()
    column = {"planned": "number"}.get(table, "seq")
    engine = create_engine(ledger_url(place))
    try:
        with engine.begin() as connection, pytest.raises(DBAPIError, match="append-only"):
            connection.execute(text(change.format(table, column, column)))
    finally:
        engine.dispose()


def test_another_schema_version_is_refused(place: str) -> None:
    filled(place).close()
    engine = create_engine(ledger_url(place))
    with engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO meta (schema_version, tournament_id, terms_hash, terms, at, who, why)"
                " VALUES (7, 'spring', '', '{}', 0, '', '')"
            )
        )
    engine.dispose()

    for own in (True, False):
        with pytest.raises(SchemaMismatch, match="has schema version 7, and this program writes"):
            Ledger.open(place, own=own)


def test_a_database_that_is_no_ledger_is_left_alone(place: str) -> None:
    engine = create_engine(ledger_url(place))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE recipes (name TEXT)"))
    engine.dispose()

    with pytest.raises(SchemaMismatch, match="holds something that is no ledger"):
        Ledger.open(place)


def test_a_locked_ledger_is_tried_again_until_it_is_free(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.sqlite")
    with filled(place, PATIENCE) as ledger:
        other = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.15, other.rollback)
        release.start()
        ledger.issue(GAMES[2:4])
        release.join()
        other.close()

        assert len(ledger.planned()) == 4


def test_one_that_stays_locked_is_given_up_with_a_sentence(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.sqlite")
    with filled(place) as ledger:
        other = sqlite3.connect(place, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LedgerBusy, match=r"stayed locked for 0\.3 s: close the program"):
            ledger.issue(GAMES[2:4])
        other.rollback()
        other.close()

        ledger.issue(GAMES[2:4])
        assert len(ledger.planned()) == 4


def test_whoever_waits_for_a_locked_ledger_is_let_go_when_it_is_hurried(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.sqlite")
    filled(place).close()
    with (
        Ledger.open(place, patience=600) as ledger,
        closing(sqlite3.connect(place, isolation_level=None)) as other,
        ThreadPoolExecutor() as pool,
    ):
        other.execute("BEGIN IMMEDIATE")
        waiting = [pool.submit(ledger.issue, GAMES[2:4]) for _ in range(4)]
        assert not wait(waiting, timeout=0.5).done
        ledger.hurry()
        for each in waiting:
            with pytest.raises(LedgerBusy, match="is locked: close the program that holds it"):
                each.result(timeout=60)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "ledger.sqlite"
    place.write_text("Dear diary, " * 100)

    with pytest.raises(LedgerUnavailable, match="it is not a database"):
        Ledger.open(place)
    assert place.read_text().startswith("Dear diary")


def test_a_damaged_ledger_says_so(tmp_path: Path) -> None:
    place = tmp_path / "ledger.sqlite"
    with filled(str(place)) as ledger:
        ledger.issue(GAMES[2:])
    data = bytearray(place.read_bytes())
    data[4096:] = bytes(b ^ 0x5A for b in data[4096:])
    place.write_bytes(data)

    with pytest.raises(LedgerUnavailable, match="is damaged: restore a copy"):
        Ledger.open(place).outstanding()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match=r"lock .*nowhere.* cannot be opened"):
        Ledger.open(tmp_path / "nowhere" / "ledger.sqlite")


FILL = """
import sys
from harbourmaster_tournaments.ledger import Ledger, LedgerError
from harbourmaster_tournaments.schedules import RoundRobin
from support.clusters import new_schema
from support.tournaments import names
ledger = Ledger.open(sys.argv[1])
try:
    for batch in RoundRobin(names(8), 1000).batches(ledger.progress()):
        ledger.issue(batch)
except LedgerError as error:
    print(type(error).__name__, error)
"""


def test_a_disk_that_is_full_costs_nothing_that_was_written(tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk's end."""
    place = str(tmp_path / "ledger.sqlite")
    support = Path(__file__).parents[2] / "support"

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    done = subprocess.run(
        [sys.executable, "-c", FILL, place],
        env={**os.environ, "PYTHONPATH": str(support)},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )

    assert done.stdout.startswith("LedgerUnavailable the ledger ")
    assert "the disk" in done.stdout
    with Ledger.open(place) as ledger:
        planned = len(ledger.planned())
        assert planned > 0
        assert planned % 2 == 0


def test_other_databases_are_refused() -> None:
    with pytest.raises(LedgerUnavailable, match="cannot be kept in mysql"):
        Ledger.open("mysql://localhost/ledger")


def test_a_server_that_is_not_there_is_an_error_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailable, match=r"the ledger postgresql.*fails: "):
        Ledger.open(f"postgresql:///nothing?host={tmp_path}")


@pytest.mark.parametrize(
    ("seconds", "given_up"),
    [pytest.param(2, True, id="bounded"), pytest.param(1000, False, id="planted fault: no bound")],
)
def test_a_postgresql_that_takes_the_connection_and_says_nothing_is_given_up(
    seconds: int, given_up: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "CONNECT_SECONDS", seconds)
    silent = socket.create_server(("127.0.0.1", 0))
    place = f"postgresql://eve@127.0.0.1:{silent.getsockname()[1]}/nothing"
    with ThreadPoolExecutor(1) as pool:
        opened = pool.submit(Ledger.open, place)
        done, _ = wait([opened], PATIENCE if given_up else 5)
        # The peer is gone with it, so that the thread ends in any case.
        silent.close()
        with pytest.raises(LedgerUnavailable, match="timeout expired" if given_up else "fails"):
            opened.result(PATIENCE)

    assert bool(done) == given_up


def test_a_lost_connection_is_made_again_and_the_ledger_owned_again(
    postgres: str,
) -> None:
    place = new_schema(postgres)
    with filled(place) as ledger:
        engine = create_engine(ledger_url(postgres))
        with engine.connect() as connection:
            connection.execute(
                text(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                )
            )
        engine.dispose()

        ledger.issue(GAMES[2:4])

        assert len(ledger.planned()) == 4
        with pytest.raises(LedgerOwned):
            Ledger.open(place)


def test_all_errors_have_one_base() -> None:
    kinds = (LedgerBusy, LedgerUnavailable, SchemaMismatch)

    assert all(issubclass(kind, LedgerError) for kind in kinds)
