"""A ledger's place, once in SQLite and once in PostgreSQL, for the same tests."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.clusters import cluster, new_schema, server_programs


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a running PostgreSQL; the tests are skipped where there is none."""
    programs = server_programs()
    if programs is None:
        message = "PostgreSQL is not installed here: apt-get install postgresql"
        if os.environ.get("HARBOURMASTER_REQUIRE_POSTGRES") == "1":
            pytest.fail(f"{message} (HARBOURMASTER_REQUIRE_POSTGRES is set)")
        pytest.skip(message)
    with cluster(programs) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger.sqlite")
    return new_schema(request.getfixturevalue("postgres"))
