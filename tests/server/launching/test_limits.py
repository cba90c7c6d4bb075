"""Memory, processor time, file size and open files of launched bots are bounded and told."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest

from harbourmaster_server.launching import BotExit, Cause, Launcher, LaunchSpec, Limits
from support.patience import PATIENCE

if TYPE_CHECKING:
    from tests.server.launching.conftest import Plant, Processes, SpecOf

MB = 1_000_000


def run(spec: LaunchSpec, seconds: float = PATIENCE) -> BotExit:
    """Launch a bot and wait for its end, which is brought about after *seconds*."""

    async def launch() -> BotExit:
        async with Launcher() as bots:
            bot = await bots.launch(spec)
            try:
                async with asyncio.timeout(seconds):
                    return await bot.wait()
            except TimeoutError:
                return await bot.stop(0.0)

    return asyncio.run(launch())


def hold(megabytes: int, seconds: float) -> str:
    """The source of a bot that fills so much memory, and holds it."""
    return f"import time; block = b'x' * ({megabytes} * 10**6); time.sleep({seconds})\n"


def test_p87_a_bot_over_its_memory_is_killed_with_the_numbers(
    spec_of: SpecOf, processes: Processes
) -> None:
    ending = run(spec_of(hold(150, 1000), limits=Limits(memory=100 * MB)))

    assert (ending.signal, ending.cause) == (signal.SIGKILL, Cause.MEMORY_LIMIT)
    assert 100 * MB < ending.peak_memory < 200 * MB
    assert ending.reason.startswith("it used 1")
    assert ending.reason.endswith("MB of memory, over its limit of 100.0 MB, and was killed")
    assert processes.alive() == []


def test_p87_twin_a_warden_that_does_not_look_is_seen(spec_of: SpecOf, plant: Plant) -> None:
    plant(
        (
            "        if self._limited:\n            self._check",
            "        if False:\n            self._check",
        )
    )
    ending = run(spec_of(hold(150, 1000), limits=Limits(memory=100 * MB)), seconds=1.5)

    assert ending.cause is Cause.FORCED


def test_memory_is_added_up_over_detached_children(spec_of: SpecOf) -> None:
    source = f"""
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        {hold(60, 1000)}
time.sleep(1000)
"""
    ending = run(spec_of(source, limits=Limits(memory=120 * MB)))

    assert ending.cause is Cause.MEMORY_LIMIT
    assert ending.peak_memory > 120 * MB


SHARING = f"""
import os, time
block = b"x" * {80 * MB}
for _ in range(3):
    if os.fork() == 0:
        time.sleep(6)
        os._exit(0)
time.sleep(6)
"""
"""A bot and three children that have 80 MB in common."""


def test_memory_that_several_processes_share_counts_once(spec_of: SpecOf) -> None:
    ending = run(spec_of(SHARING, limits=Limits(memory=150 * MB)))

    assert (ending.exit_code, ending.cause) == (0, Cause.ENDED)
    assert 80 * MB <= ending.peak_memory < 150 * MB


def test_twin_a_warden_that_counts_them_more_than_once_is_seen(
    spec_of: SpecOf, plant: Plant
) -> None:
    plant(('shared_fairly(pid, seen["memory"])', 'seen["memory"]'))

    assert run(spec_of(SHARING, limits=Limits(memory=150 * MB))).cause is Cause.MEMORY_LIMIT


def test_p87_the_peak_is_reported_without_a_limit_too(spec_of: SpecOf) -> None:
    ending = run(spec_of(hold(90, 0)))

    assert 90 * MB <= ending.peak_memory < 140 * MB


def test_address_space_that_is_only_reserved_does_not_count(spec_of: SpecOf) -> None:
    """As the runtimes of Go and Java do it: gigabytes reserved, hardly any used."""
    source = "import mmap, time; block = mmap.mmap(-1, 8 * 2**30); time.sleep(0.5)"
    ending = run(spec_of(source, limits=Limits(memory=100 * MB)))

    assert ending.exit_code == 0
    assert ending.peak_memory < 100 * MB


SPIN = "while True: pass\n"


@pytest.mark.parametrize("source", [SPIN, f"import os\nif os.fork() == 0: os.setsid()\n{SPIN}"])
def test_a_bot_over_its_processor_time_is_killed(source: str, spec_of: SpecOf) -> None:
    ending = run(spec_of(source, limits=Limits(cpu_seconds=0.5)))

    assert ending.cause is Cause.CPU_LIMIT
    assert 0.5 <= ending.cpu_seconds < 10.0
    assert "s of processor time, over its limit of 0.5 s, and was killed" in ending.reason


def test_processor_time_of_children_that_ended_counts(spec_of: SpecOf) -> None:
    source = """
import os, time
while True:
    if os.fork() == 0:
        end = time.process_time() + 0.1
        while time.process_time() < end: pass
        os._exit(0)
    os.wait()
"""
    ending = run(spec_of(source, limits=Limits(cpu_seconds=0.5)))

    assert ending.cause is Cause.CPU_LIMIT


def test_sleeping_costs_no_processor_time(shell: SpecOf) -> None:
    ending = run(shell("sleep 0.7", limits=Limits(cpu_seconds=0.5)))

    assert (ending.exit_code, ending.cause) == (0, Cause.ENDED)


def test_a_file_over_its_size_ends_the_bot(shell: SpecOf) -> None:
    spec = shell("exec head -c 3000000 /dev/zero > big", limits=Limits(file_size=1 * MB))
    ending = run(spec)

    assert ending.signal == signal.SIGXFSZ
    assert ending.reason == "it wrote a file over its limit of 1.0 MB, and was killed"


def test_the_file_size_does_not_bound_what_is_printed(shell: SpecOf) -> None:
    ending = run(shell("head -c 300000 /dev/zero; exit 6", limits=Limits(file_size=1000)))

    assert ending.exit_code == 6
    assert ending.stderr_file is not None
    assert ending.stderr_file.stat().st_size == 300_000


def test_open_files_are_bounded(spec_of: SpecOf) -> None:
    source = "files = [open('/dev/null') for _ in range(100)]"
    ending = run(spec_of(source, limits=Limits(open_files=32)))

    assert ending.exit_code == 1
    assert "Too many open files" in ending.stderr_tail


def test_the_kernel_takes_bots_first_when_memory_runs_out(shell: SpecOf) -> None:
    assert run(shell("cat /proc/self/oom_score_adj")).stderr_tail == "1000\n"
