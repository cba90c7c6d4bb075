"""What the tests of launching share: a mark on all their processes, and planted faults."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from harbourmaster_server.launching import LaunchedBot, LaunchSpec, launcher
from harbourmaster_server.launching.spec import Limits
from support.patience import PATIENCE


class Processes:
    """The processes of one test, known by a mark in their environment, not by any list of ours."""

    def __init__(self) -> None:
        self.environment = {"HARBOURMASTER_TEST": uuid.uuid4().hex}
        self._mark = "=".join(*self.environment.items()).encode()

    def alive(self) -> list[int]:
        """Those that run now; zombies have no environment any more."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self._has(name)]

    def alive_after(self, seconds: float) -> list[int]:
        """Those that still run after *seconds*; returns sooner when there are none."""
        deadline = time.monotonic() + seconds
        while (found := self.alive()) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found

    def kill_all(self) -> None:
        while found := self.alive():
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)

    async def printed(self, bot: LaunchedBot, text: str) -> None:
        """Wait until the bot has printed *text*."""
        assert bot.spec.stderr_file is not None
        async with asyncio.timeout(PATIENCE):
            while text not in bot.spec.stderr_file.read_text(errors="replace"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    def _has(self, name: str) -> bool:
        try:
            return self._mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
        except OSError:
            return False


@pytest.fixture
def processes() -> Iterator[Processes]:
    """The processes of this test; all are dead after it, also when it fails."""
    found = Processes()
    yield found
    found.kill_all()


@pytest.fixture(autouse=True)
def fresh_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the fresh folders of bots are made, so that planted faults litter nothing else."""
    folder = tmp_path / "fresh"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


SpecOf = Callable[..., LaunchSpec]


@pytest.fixture
def spec_of(processes: Processes, tmp_path: Path) -> SpecOf:
    """Make the spec of a Python bot from its source; its output goes to a file of its own."""
    numbers = iter(range(1000))

    def make(source: str, *, limits: Limits | None = None, shutdown: float = 2.0) -> LaunchSpec:
        return LaunchSpec(
            name="Ada",
            command=[sys.executable, "-u", "-c", source],
            environment=processes.environment,
            stderr_file=tmp_path / "bots" / f"{next(numbers)}.log",
            limits=limits or Limits(),
            shutdown_seconds=shutdown,
        )

    return make


@pytest.fixture
def shell(spec_of: SpecOf) -> SpecOf:
    """Make the spec of a bot from a line of shell, which starts faster."""

    def make(line: str, *, limits: Limits | None = None, shutdown: float = 2.0) -> LaunchSpec:
        spec = spec_of("", limits=limits, shutdown=shutdown)
        return replace(spec, command=["/bin/sh", "-c", line])

    return make


Plant = Callable[..., Path]


@pytest.fixture
def plant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plant:
    """Let wardens run with a planted fault: pieces of their source replaced by others."""

    def do(*changes: tuple[str, str]) -> Path:
        source = launcher.WARDEN.read_text()
        for sound, faulty in changes:
            assert source.count(sound) == 1, f"nothing to plant the fault in: {sound!r}"
            source = source.replace(sound, faulty)
        path = tmp_path / "faulty_warden.py"
        path.write_text(source)
        monkeypatch.setattr(launcher, "WARDEN", path)
        return path

    return do
