"""Tournaments with bots that nobody launches: they are waited for, and told when it is over."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from harbourmaster_tournaments.ledger import Ledger
from support.certificates import make_certificate
from support.commands import HARBOURMASTER, PATIENT_CLOCK, RANDOM, harbourmaster
from support.patience import PATIENCE, wait_for

TEST = f"""
[tournament]
name = "test"
game = "anchorline"
groups = 4
{PATIENT_CLOCK}
[[bot]]
name = "launched"
command = "{RANDOM}"
[[bot]]
name = "byhand"
"""


class Running:
    """A process whose standard error is read as it comes."""

    def __init__(self, *command: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            command,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def hears(self, words: str) -> str:
        """Wait until a line holds *words*, and return what follows them in it."""
        wait_for(lambda: any(words in line for line in self.said), f"the line {words!r}")
        line = next(line for line in self.said if words in line)
        return line.partition(words)[2].strip()

    def end(self) -> int:
        """Wait for the end and return the exit code."""
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.kill()

    def kill(self) -> None:
        """Let nothing be left."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@contextlib.contextmanager
def running(*command: str, **environment: str) -> Iterator[Running]:
    """Keep a process for the time of a block."""
    started = Running(*command, **environment)
    try:
        yield started
    finally:
        started.kill()


def tournament(what: str, *more: str) -> contextlib.AbstractContextManager[Running]:
    return running(*HARBOURMASTER, "tournament", what, *more)


def by_hand(
    folder: Path, address: str, **environment: str
) -> contextlib.AbstractContextManager[Running]:
    """Start the bot that is not launched, as its author does."""
    token = (folder / "tokens" / "byhand.token").read_text().strip()
    return running(
        *(sys.executable, "-m", "harbourmaster", "bot", "random", "--address", address),
        HARBOURMASTER_TOKEN=token,
        **environment,
    )


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "test.toml"
    path.write_text(TEST)
    return str(path)


def test_p18_a_bot_that_is_not_launched_is_waited_for_and_told_when_it_is_over(
    file: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    quick = TEST.replace("groups", 'process = "per_tournament"\ngroups')
    Path(file).write_text(quick)
    with tournament("run", file, "--into", str(folder), "--json") as run:
        address = run.hears("bots dial")
        with by_hand(folder, address) as bot:
            bot.hears("the tournament test is over")
            assert bot.end() == 0
        assert run.end() == 0
    said = "".join(run.said)

    assert "Traceback" not in said, said
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        rows = ledger.games()
    assert len(rows) == 8
    assert {row.reason for row in rows} <= {"target", "turns", "rules"}


def test_t24_a_bot_that_dials_in_plays_on_when_the_tournament_is_stopped_and_resumed(
    file: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with tournament("run", file, "--into", str(folder)) as run:
        address = run.hears("bots dial")
        with by_hand(folder, address) as bot:
            bot.hears("placed")
            run.process.send_signal(signal.SIGINT)
            run.end()
            bot.hears("connect again")
            port = address.rpartition(":")[2]
            with tournament("resume", str(folder), "--port", port) as resumed:
                bot.hears("the tournament test is over")
                assert bot.end() == 0
                assert resumed.end() == 0

    for stopped in (run, resumed):
        assert "Traceback" not in "".join(stopped.said), stopped.said
    (table,) = json.loads(harbourmaster("tournament", "table", str(folder), "--json").stdout)
    assert table["games"] == 8
    assert [row["forfeits"] for row in table["rows"]] == [{}, {}]


def test_launched_bots_play_on_a_referee_that_listens_to_everybody_with_tls(
    file: str, tmp_path: Path
) -> None:
    certificate, key = make_certificate(tmp_path)
    folder = tmp_path / "run"
    listening = ("--host", "0.0.0.0", "--tls-cert", str(certificate), "--tls-key", str(key))
    with tournament("run", file, "--into", str(folder), *listening) as run:
        port = run.hears("bots dial").rpartition(":")[2]
        with by_hand(folder, f"localhost:{port}", HARBOURMASTER_TLS=str(certificate)) as bot:
            bot.hears("the tournament test is over")
            assert bot.end() == 0
        assert run.end() == 0

    (table,) = json.loads(harbourmaster("tournament", "table", str(folder), "--json").stdout)
    assert table["games"] == 8
    assert [row["forfeits"] for row in table["rows"]] == [{}, {}]
