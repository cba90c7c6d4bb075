"""A PostgreSQL cluster in a temporary folder, reached by a socket in it."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

from sqlalchemy import create_engine, make_url, text

from support.patience import PATIENCE

USER = "postgres"
"""Who runs the server when the tests run as root, which PostgreSQL refuses to be run by."""


def server_programs() -> Path | None:
    """Return the folder of the newest `initdb` and `pg_ctl` on this machine, if any."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if on_path := shutil.which("initdb"):
        found.append(Path(on_path).parent)
    return max(found, key=lambda path: path.parent.name, default=None)


_schemas = count(1)


@contextmanager
def cluster(programs: Path) -> Iterator[str]:
    """Run a server without any network port; yield the URL of its `postgres` database."""
    folder = Path(mkdtemp(prefix="hm-pg-"))
    data = folder / "data"
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam(USER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        _run(programs / "initdb", "-D", data, "-U", USER, "-A", "trust", "-N", "-E", "UTF8")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        log = folder / "log"
        _run(programs / "pg_ctl", "-D", data, "-w", "-t", "200", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql://{USER}@/postgres?host={folder}"
        finally:
            _run(programs / "pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def new_schema(server: str) -> str:
    """Make an empty schema in the database at *server* and return its URL."""
    name = f"ledger{next(_schemas)}"
    url = make_url(server)
    engine = create_engine(url.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    own = url.update_query_dict({"options": f"-csearch_path={name}"})
    return own.render_as_string(hide_password=False)


def _run(*command: str | Path) -> None:
    user = USER if os.geteuid() == 0 else None
    done = subprocess.run(
        [str(part) for part in command],
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        # The server keeps what it inherits open, so a pipe would never come to its end.
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=PATIENCE,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed with {done.returncode}")
