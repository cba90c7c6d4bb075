"""A launched bot ends in a way that is told: code or signal, tail, reason, and the time it had."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harbourmaster_server.launching import (
    BotCommandError,
    BotExit,
    Cause,
    LaunchedBot,
    Launcher,
    LaunchError,
    LaunchSpec,
    Limits,
)
from harbourmaster_server.launching.ending import how
from support.patience import PATIENCE

if TYPE_CHECKING:
    from tests.server.launching.conftest import Plant, Processes, SpecOf


def run(spec: LaunchSpec) -> BotExit:
    """Launch a bot and wait for its own end."""

    async def launch() -> BotExit:
        async with Launcher() as bots:
            return await (await bots.launch(spec)).wait()

    return asyncio.run(launch())


def stopped(spec: LaunchSpec, processes: Processes, seconds: float | None = None) -> BotExit:
    """Launch a bot, stop it once it has printed "ready", and return its ending."""

    async def launch() -> BotExit:
        async with Launcher() as bots:
            bot = await bots.launch(spec)
            await processes.printed(bot, "ready")
            return await bot.stop(seconds)

    return asyncio.run(launch())


def test_an_exit_code_is_reported_with_the_tail_of_what_was_printed(shell: SpecOf) -> None:
    spec = shell("echo to stdout; echo to stderr >&2; exit 3")
    ending = run(spec)

    assert (ending.exit_code, ending.signal, ending.cause) == (3, None, Cause.ENDED)
    assert ending.reason == "it ended by itself with exit code 3"
    assert ending.stderr_tail == "to stdout\nto stderr\n"
    assert ending.stderr_file is not None
    assert ending.stderr_file.read_text() == ending.stderr_tail


def test_a_crash_is_reported_with_its_signal(shell: SpecOf) -> None:
    ending = run(shell("kill -SEGV $$"))

    assert (ending.exit_code, ending.signal) == (None, signal.SIGSEGV)
    assert ending.reason == "it ended by itself by signal 11 (SIGSEGV)"


def test_a_kill_from_outside_is_told_from_a_crash(shell: SpecOf) -> None:
    ending = run(shell("kill -KILL $$"))

    assert ending.signal == signal.SIGKILL
    assert "from outside" in ending.reason


def test_a_signal_without_a_name_has_its_number() -> None:
    assert how(-40) == "by signal 40"
    assert how(None) == "in a manner that is not known"


TIDY = """
import signal, sys, time
def tidy(*_):
    time.sleep(1.0)
    print("saved")
    sys.exit(7)
signal.signal(signal.SIGTERM, tidy)
print("ready")
time.sleep(1000)
"""


def test_t15_a_bot_that_tidies_up_for_a_second_may_finish(
    spec_of: SpecOf, processes: Processes
) -> None:
    ending = stopped(spec_of(TIDY, shutdown=PATIENCE), processes)

    assert (ending.exit_code, ending.cause) == (7, Cause.STOPPED)
    assert ending.reason == "it was asked to end, and did so with exit code 7"
    assert ending.stderr_tail.endswith("saved\n")


def test_t15_so_may_one_behind_a_shell_that_dies_at_once(
    spec_of: SpecOf, processes: Processes
) -> None:
    inner = spec_of(TIDY, shutdown=PATIENCE)
    line = f"'{sys.executable}' -u -c '{TIDY}'; true"
    spec = replace(inner, command=["/bin/sh", "-c", line])
    ending = stopped(spec, processes)

    assert ending.signal == signal.SIGTERM
    assert ending.stderr_tail.endswith("saved\n")


def test_t15_twin_a_warden_that_does_not_wait_is_seen(
    spec_of: SpecOf, processes: Processes, plant: Plant
) -> None:
    plant(("self.forced = time.monotonic() >= self._stop_at", "self.forced = True"))
    long = TIDY.replace("sleep(1.0)", "sleep(1000)")
    ending = stopped(spec_of(long, shutdown=PATIENCE), processes)

    assert not ending.stderr_tail.endswith("saved\n")


def test_t15_a_bot_that_ignores_the_end_is_killed_at_its_deadline(
    shell: SpecOf, processes: Processes
) -> None:
    line = "trap '' TERM; echo ready; while true; do sleep 1000; done"
    ending = stopped(shell(line, shutdown=PATIENCE), processes, seconds=0.3)

    assert (ending.signal, ending.cause) == (signal.SIGKILL, Cause.FORCED)
    assert ending.reason == "it did not end within 0.3 s of being asked to, and was killed"


def test_descendants_in_sessions_of_their_own_are_asked_too(
    shell: SpecOf, processes: Processes
) -> None:
    line = "setsid sh -c 'echo ready; exec sleep 1000' & exec sleep 1000"
    ending = stopped(shell(line, shutdown=PATIENCE), processes)

    assert (ending.signal, ending.cause) == (signal.SIGTERM, Cause.STOPPED)


def test_stopping_a_dead_bot_returns_how_it_ended(shell: SpecOf) -> None:
    async def launch() -> tuple[BotExit, BotExit, bool]:
        async with Launcher() as bots:
            bot = await bots.launch(shell("exit 4"))
            first = await bot.wait()
            return first, await bot.stop(), bot.running

    first, second, running = asyncio.run(launch())

    assert first is second
    assert not running


def test_a_waiter_that_is_cancelled_does_not_disturb_another(shell: SpecOf, tmp_path: Path) -> None:
    go = tmp_path / "go"

    async def launch() -> int | None:
        async with Launcher() as bots:
            bot = await bots.launch(shell(f"until [ -e {go} ]; do sleep 0.05; done; exit 5"))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await bot.wait()
            go.touch()
            return (await bot.wait()).exit_code

    assert asyncio.run(launch()) == 5


# Commands that cannot run


def refused(spec: LaunchSpec) -> str:
    """Launch what cannot be launched, and return the sentence that says why."""

    async def launch() -> str:
        async with Launcher() as bots:
            with pytest.raises(LaunchError) as caught:
                await bots.launch(spec)
            assert bots.bots == frozenset()
        assert isinstance(caught.value, BotCommandError) is (spec.folder is None)
        return str(caught.value)

    return asyncio.run(launch())


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("harbour-no-such-bot --fast", "cannot run 'harbour-no-such-bot': No such file"),
        ("/nowhere/bot", "cannot run '/nowhere/bot': No such file"),
        ("/dev/null", "cannot run '/dev/null': Permission denied"),
        ("", "its command is empty; give a program to run"),
        ([], "its command is empty; give a program to run"),
        ("python3 'bot.py", "cannot read its command"),
    ],
)
def test_a_command_that_cannot_run_is_refused_in_one_sentence(
    command: str | list[str], sentence: str, fresh_folders: Path
) -> None:
    message = refused(LaunchSpec(name="Ada", command=command))

    assert message.startswith(f"bot 'Ada': {sentence}")
    assert list(fresh_folders.iterdir()) == [], "the fresh folder is left behind"


def test_a_script_without_its_first_line_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "bot"
    script.write_text("print('hello')\n")
    script.chmod(0o755)

    assert "Exec format error" in refused(LaunchSpec(name="Ada", command=[str(script)]))


def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    spec = LaunchSpec(name="Ada", command="true", folder=tmp_path / "none")

    assert f"cannot enter its folder {tmp_path / 'none'}: No such file" in refused(spec)


def test_a_stderr_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    spec = LaunchSpec(name="Ada", command="true", folder=tmp_path, stderr_file=tmp_path)

    assert "cannot set up its output" in refused(spec)


def test_a_limit_that_the_system_does_not_grant_is_refused(tmp_path: Path) -> None:
    limits = Limits(open_files=1 << 40)
    spec = LaunchSpec(name="Ada", command="true", folder=tmp_path, limits=limits)

    assert "cannot set up its limits" in refused(spec)


def test_a_launcher_that_is_not_open_refuses(shell: SpecOf) -> None:
    with pytest.raises(LaunchError, match="the launcher is not open; use `async with`"):
        asyncio.run(Launcher().launch(shell("true")))


def test_sizes_and_times_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="the limit memory must be above 0 or none, not 0"):
        Limits(memory=0)
    with pytest.raises(ValueError, match="stderr_bytes must be at least 4096"):
        LaunchSpec(name="Ada", command="true", stderr_bytes=10)
    with pytest.raises(ValueError, match="shutdown_seconds must be 0 or more"):
        LaunchSpec(name="Ada", command="true", shutdown_seconds=-1.0)


# Growth


def burden() -> tuple[int, int, int]:
    """The referee's own children, threads and file descriptors."""
    children = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            fields = Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children += int(fields[1]) == os.getpid()
    return children, threading.active_count(), len(os.listdir("/proc/self/fd"))


async def churn(bots: Launcher, spec: LaunchSpec, count: int) -> None:
    """Launch *count* bots that hang, four at a time, and stop each by its deadline."""
    for _ in range(count // 4):
        running = await asyncio.gather(*(bots.launch(spec) for _ in range(4)))
        await asyncio.gather(*(bot.stop(0.0) for bot in running))


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.soak)])
def test_t51_bots_that_hang_leave_no_process_thread_or_file(
    shell: SpecOf, processes: Processes, fresh_folders: Path, count: int
) -> None:
    async def launch() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        async with Launcher() as bots:
            await churn(bots, shell("sleep 1000"), 4)
            before = burden()
            await churn(bots, shell("sleep 1000"), count)
            assert bots.bots == frozenset()
            return before, burden()

    before, after = asyncio.run(launch())

    assert after == before
    assert processes.alive() == []
    assert list(fresh_folders.iterdir()) == []


def test_t51_twin_a_launcher_that_keeps_its_sockets_is_seen(
    shell: SpecOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[socket.socket] = []
    begin = LaunchedBot.begin

    def keep(bot: LaunchedBot) -> None:
        begin(bot)
        kept.append(bot._control.dup())

    monkeypatch.setattr(LaunchedBot, "begin", keep)

    async def launch() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        async with Launcher() as bots:
            before = burden()
            await churn(bots, shell("sleep 1000"), 4)
            return before, burden()

    before, after = asyncio.run(launch())
    for control in kept:
        control.close()

    assert after != before
