"""Nothing of a launched bot outlives its use; each way is shown once more with a planted fault."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harbourmaster_server.launching import (
    BotExit,
    Cause,
    LaunchedBot,
    Launcher,
    LaunchSpec,
    launcher,
    leftovers,
    warden,
)
from support.patience import PATIENCE, wait_for

if TYPE_CHECKING:
    from tests.server.launching.conftest import Plant, Processes, SpecOf

FAMILY = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        print("grandchild", flush=True)
        time.sleep(1000)
    os._exit(0)
if os.fork() == 0:
    print("child", flush=True)
    time.sleep(1000)
"""
"""A bot with a child, and a grandchild that is twice in a new session; none heeds SIGTERM."""

STAYS = FAMILY + "time.sleep(1000)\n"
LEAVES = FAMILY + "os.wait()\n"
"""It ends as soon as the grandchild lives."""

NO_KILLING = (
    ("    send(pid, signal.SIGKILL)\n", "    pass\n"),
    ("        send(-group, signal.SIGKILL)\n", "        pass\n"),
    ("KILL_PATIENCE = 5.0", "KILL_PATIENCE = 0.2"),
)
ONLY_THE_GROUP = (
    ("            for pid, process in found.items():", "            for pid, process in ():"),
    ("KILL_PATIENCE = 5.0", "KILL_PATIENCE = 0.2"),
)
DEAF_TO_DEATH = (
    ('("orphaned", self.order["shutdown"])\n\n', '("orphaned", 1e9)\n\n'),
    ('os.getppid() != self.order["referee"]', "False"),
)


async def family(bot: LaunchedBot, processes: Processes) -> None:
    """Wait until the whole family lives."""
    await processes.printed(bot, "grandchild")
    await processes.printed(bot, "child\n")


def end_by_itself(spec: LaunchSpec) -> None:
    async def run() -> None:
        async with Launcher() as bots:
            await (await bots.launch(spec)).wait()

    asyncio.run(run())


def stop(spec: LaunchSpec, processes: Processes) -> Cause:
    async def run() -> Cause:
        async with Launcher() as bots:
            bot = await bots.launch(spec)
            await family(bot, processes)
            return (await bot.stop()).cause

    return asyncio.run(run())


def test_p45_grandchildren_are_dead_when_the_bot_ended_by_itself(
    spec_of: SpecOf, processes: Processes
) -> None:
    end_by_itself(spec_of(LEAVES))

    assert processes.alive() == []


@pytest.mark.parametrize("fault", [NO_KILLING, ONLY_THE_GROUP], ids=["no kill", "group only"])
def test_p45_twin_a_warden_that_does_not_kill_them_is_seen(
    spec_of: SpecOf, processes: Processes, plant: Plant, fault: tuple[tuple[str, str], ...]
) -> None:
    plant(*fault)
    end_by_itself(spec_of(LEAVES))

    assert processes.alive() != []


def test_t13_a_stopped_bot_that_ignores_the_end_leaves_nobody(
    spec_of: SpecOf, processes: Processes
) -> None:
    assert stop(spec_of(STAYS, shutdown=0.3), processes) is Cause.FORCED

    assert processes.alive() == []


@pytest.mark.parametrize("fault", [NO_KILLING, ONLY_THE_GROUP], ids=["no kill", "group only"])
def test_t13_twin_a_warden_that_does_not_kill_is_seen_and_reports_survivors(
    spec_of: SpecOf, processes: Processes, plant: Plant, fault: tuple[tuple[str, str], ...]
) -> None:
    plant(*fault)

    async def run() -> tuple[int, ...]:
        async with Launcher() as bots:
            bot = await bots.launch(spec_of(STAYS, shutdown=0.3))
            await family(bot, processes)
            return (await bot.stop()).survivors

    survivors = asyncio.run(run())

    assert processes.alive() != []
    assert set(survivors) >= set(processes.alive())


def test_a_bot_that_forks_without_end_cannot_outrun_its_death(
    spec_of: SpecOf, processes: Processes
) -> None:
    """One process at a time: each forks the next and ends, so every process id is soon stale."""
    source = """
import os, signal, time
print("running", flush=True)
if os.fork() == 0:
    while True:
        if os.fork():
            os._exit(0)
time.sleep(1000)
"""

    async def run() -> None:
        async with Launcher() as bots:
            bot = await bots.launch(spec_of(source, shutdown=0.0))
            await processes.printed(bot, "running")
            await asyncio.sleep(0.1)

    asyncio.run(run())

    assert processes.alive() == []


class Planned(Exception):
    """Raised inside a launcher by a test."""


def test_an_exception_leaves_nobody(spec_of: SpecOf, processes: Processes) -> None:
    async def run() -> None:
        async with Launcher() as bots:
            await family(await bots.launch(spec_of(STAYS, shutdown=0.2)), processes)
            raise Planned

    with pytest.raises(Planned):
        asyncio.run(run())

    assert processes.alive() == []


def test_a_cancellation_leaves_nobody_and_a_second_one_does_not_wait(
    spec_of: SpecOf, processes: Processes
) -> None:
    async def hold(up: asyncio.Event) -> None:
        async with Launcher() as bots:
            await family(await bots.launch(spec_of(STAYS, shutdown=PATIENCE)), processes)
            up.set()
            await asyncio.sleep(1000)

    async def run() -> float:
        up = asyncio.Event()
        holder = asyncio.create_task(hold(up))
        await up.wait()
        began = time.monotonic()
        holder.cancel()
        await asyncio.sleep(0.2)
        assert processes.alive() != []
        holder.cancel()
        with pytest.raises(asyncio.CancelledError):
            await holder
        return time.monotonic() - began

    assert asyncio.run(run()) < PATIENCE / 2
    assert processes.alive() == []


def test_a_launch_that_is_cancelled_midway_leaves_nobody(
    spec_of: SpecOf, processes: Processes
) -> None:
    async def run() -> None:
        async with Launcher() as bots:
            for delay in (0.0, 0.005, 0.02, 0.05):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(delay):
                        await bots.launch(spec_of(STAYS, shutdown=0.2))

    asyncio.run(run())

    assert processes.alive() == []


THINKS = "print('thinking')\nwhile True: pass"


def test_t16_leaving_does_not_wait_for_a_bot_that_thinks(
    spec_of: SpecOf, processes: Processes
) -> None:
    async def run() -> float:
        async with Launcher() as bots:
            bot = await bots.launch(spec_of(THINKS, shutdown=PATIENCE))
            await processes.printed(bot, "thinking")
            began = time.monotonic()
        return time.monotonic() - began

    assert asyncio.run(run()) < PATIENCE / 2
    assert processes.alive() == []


def test_stopping_twenty_bots_takes_one_deadline_not_twenty(
    shell: SpecOf, processes: Processes
) -> None:
    async def run() -> float:
        async with Launcher() as bots:
            line = "trap '' TERM; echo up; while true; do sleep 1000; done"
            running = [await bots.launch(shell(line, shutdown=2.0)) for _ in range(20)]
            for bot in running:
                await processes.printed(bot, "up")
            began = time.monotonic()
            endings = await asyncio.gather(*(bot.stop() for bot in running))
            assert {ending.cause for ending in endings} == {Cause.FORCED}
            return time.monotonic() - began

    # One after the other they would need 40 s.
    assert 2.0 <= asyncio.run(run()) < 30.0
    assert processes.alive() == []


def test_nobody_is_left_when_the_warden_itself_is_killed(
    spec_of: SpecOf, processes: Processes
) -> None:
    ending = asyncio.run(kill_the_warden(spec_of(STAYS), processes))

    assert processes.alive() == []
    assert ending.cause is Cause.WARDEN_LOST
    assert "status -9" in ending.reason


def test_twin_without_the_sweep_the_killed_warden_leaves_survivors(
    spec_of: SpecOf, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "kill_leftovers", lambda launch_id, folder: [])
    asyncio.run(kill_the_warden(spec_of(STAYS), processes))

    assert processes.alive() != []


@pytest.fixture
def adopting() -> Iterator[None]:
    """Let this process adopt orphans, as the first process of a container does."""
    warden.prctl(warden.PR_SET_CHILD_SUBREAPER, 1)
    yield
    warden.prctl(warden.PR_SET_CHILD_SUBREAPER, 0)
    leftovers.collect_orphans()


def dead_children() -> list[int]:
    found = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in found if leftovers._is_dead_child(pid)]


@pytest.mark.usefixtures("adopting")
def test_p55_orphans_that_the_first_process_of_a_container_adopts_are_collected(
    spec_of: SpecOf, processes: Processes
) -> None:
    asyncio.run(kill_the_warden(spec_of(STAYS), processes))

    assert processes.alive() == []
    assert dead_children() == []


@pytest.mark.usefixtures("adopting")
def test_p55_twin_orphans_that_are_not_collected_are_seen(
    spec_of: SpecOf, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "adopts_orphans", lambda: False)
    asyncio.run(kill_the_warden(spec_of(STAYS), processes))

    assert processes.alive() == []
    assert dead_children() != []


async def kill_the_warden(spec: LaunchSpec, processes: Processes) -> BotExit:
    async with Launcher() as bots:
        bot = await bots.launch(spec)
        await family(bot, processes)
        os.kill(parent_of(bot.pid), signal.SIGKILL)
        return await bot.wait()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


REFEREE = textwrap.dedent(
    """
    import asyncio, signal, sys
    from pathlib import Path
    from harbourmaster_server.launching import Launcher, LaunchSpec, launcher

    warden, mark, folder, *sources = sys.argv[1:]

    async def main():
        launcher.WARDEN = Path(warden)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        async with Launcher() as bots:
            for number, source in enumerate(sources):
                await bots.launch(LaunchSpec(
                    name="Ada",
                    command=[sys.executable, "-u", "-c", source],
                    environment={"HARBOURMASTER_TEST": mark},
                    stderr_file=Path(folder) / f"{number}.log",
                    stderr_bytes=100_000,
                    shutdown_seconds=1.0,
                ))
            print("up", flush=True)
            await asyncio.sleep(1000)

    asyncio.run(main())
    """
)
"""A referee with one bot per source given; it takes no notice of Ctrl-C."""


class Referee:
    """A referee in a process and session of its own."""

    def __init__(self, processes: Processes, folder: Path, *sources: str) -> None:
        [mark] = processes.environment.values()
        words = [sys.executable, "-c", REFEREE, str(launcher.WARDEN), mark, str(folder), *sources]
        self.process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env=os.environ | processes.environment,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"up\n"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


def wait_for_text(path: Path, text: str) -> None:
    wait_for(lambda: text in path.read_text(errors="replace"), text)


FLOOD = "import os\nwhile True: os.write(2, b'x' * 65536)\n"
FLOOD_TO_THE_END = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + FLOOD


def test_no_bot_outlives_a_referee_killed_with_9(processes: Processes, tmp_path: Path) -> None:
    """And the flood of one of them stays under its cap although nobody is there to look."""
    referee = Referee(processes, tmp_path, STAYS, FLOOD_TO_THE_END, "import time; time.sleep(1000)")
    wait_for_text(tmp_path / "0.log", "grandchild")
    folders = [Path(f"/proc/{pid}/cwd").readlink() for pid in processes.alive()]
    referee.kill()

    assert processes.alive_after(PATIENCE) == []
    assert (tmp_path / "1.log").stat().st_size <= 100_000
    fresh = {folder for folder in folders if folder.name.startswith("harbourmaster-bot-")}
    assert len(fresh) == 3
    wait_for(lambda: not any(folder.exists() for folder in fresh), "the folders to go")


@pytest.mark.parametrize("fault", [DEAF_TO_DEATH, NO_KILLING], ids=["deaf", "no kill"])
def test_twin_a_warden_that_misses_the_death_of_the_referee_is_seen(
    processes: Processes, tmp_path: Path, plant: Plant, fault: tuple[tuple[str, str], ...]
) -> None:
    plant(*fault)
    referee = Referee(processes, tmp_path, STAYS)
    wait_for_text(tmp_path / "0.log", "grandchild")
    referee.kill()

    assert processes.alive_after(3.0) != []


def test_t55_an_interrupt_from_the_terminal_reaches_the_referee_alone(
    processes: Processes, tmp_path: Path
) -> None:
    """Nor does a SIGTERM to the warden end anything: the referee decides the end."""
    source = "import time; print('ready'); time.sleep(1000)"
    referee = Referee(processes, tmp_path, source)
    wait_for_text(tmp_path / "0.log", "ready")
    [bot] = [pid for pid in processes.alive() if pid != referee.process.pid]
    os.killpg(referee.process.pid, signal.SIGINT)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(parent_of(bot), number)
    time.sleep(0.3)

    assert set(processes.alive()) == {bot, referee.process.pid}
    assert len({os.getsid(pid) for pid in (bot, parent_of(bot), referee.process.pid)}) == 3
    referee.kill()
    assert processes.alive_after(PATIENCE) == []
