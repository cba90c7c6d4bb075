"""What a bot prints is kept in a file of its own with a cap; a flood blocks and fills nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harbourmaster_server.launching import BotExit, Cause, Launcher, LaunchSpec
from harbourmaster_server.launching.warden import MARK_ROOM, CappedLog

if TYPE_CHECKING:
    from tests.server.launching.conftest import Plant, Processes, SpecOf


def run(spec: LaunchSpec) -> BotExit:
    """Launch a bot and wait for its own end."""

    async def launch() -> BotExit:
        async with Launcher() as bots:
            return await (await bots.launch(spec)).wait()

    return asyncio.run(launch())


FLOOD = "echo first; head -c 50000000 /dev/zero; echo; echo last"


def test_t49_a_flood_keeps_its_first_and_its_newest_part(shell: SpecOf) -> None:
    ending = run(replace(shell(FLOOD), stderr_bytes=100_000))

    assert ending.exit_code == 0
    assert ending.stderr_tail.endswith("\nlast\n")
    assert len(ending.stderr_tail) == 2048
    assert ending.stderr_file is not None
    kept = ending.stderr_file.read_bytes()
    assert 99_000 < len(kept) <= 100_000
    assert kept.startswith(b"first\n")
    assert kept.endswith(b"\nlast\n")
    assert kept.count(b"bytes were left out here]") == 1


def test_t49_twin_a_warden_without_the_cap_is_seen(shell: SpecOf, plant: Plant) -> None:
    plant(("self._room = cap // 2", "self._room = 10**12"))
    ending = run(replace(shell(FLOOD), stderr_bytes=100_000))

    assert ending.stderr_file is not None
    assert ending.stderr_file.stat().st_size > 100_000


def test_t49_each_bot_has_a_file_of_its_own(shell: SpecOf) -> None:
    async def launch() -> list[BotExit]:
        async with Launcher() as bots:
            running = [await bots.launch(shell(f"echo {name}")) for name in ("Ada", "Bob")]
            return [await bot.wait() for bot in running]

    endings = asyncio.run(launch())

    assert [ending.stderr_file.read_text() for ending in endings if ending.stderr_file] == [
        "Ada\n",
        "Bob\n",
    ]


def test_a_flood_without_end_is_stopped_like_any_bot(shell: SpecOf, processes: Processes) -> None:
    async def launch() -> BotExit:
        async with Launcher() as bots:
            spec = shell("trap '' TERM; cat /dev/zero", shutdown=0.5)
            bot = await bots.launch(replace(spec, stderr_bytes=4096))
            assert spec.stderr_file is not None
            # What comes first is the shell, which then ignores the end.
            while not spec.stderr_file.stat().st_size:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            return await bot.stop()

    ending = asyncio.run(launch())

    assert ending.cause is Cause.FORCED
    assert ending.stderr_file is not None
    assert ending.stderr_file.stat().st_size <= 4096
    assert processes.alive() == []


def test_a_full_disk_costs_the_file_and_not_the_bot(shell: SpecOf) -> None:
    spec = replace(shell("head -c 1000000 /dev/zero; exit 2"), stderr_file=Path("/dev/full"))
    ending = run(spec)

    assert ending.exit_code == 2
    assert ending.reason == (
        "it ended by itself with exit code 2; "
        "cannot write the bot's output: No space left on device"
    )


def test_output_that_is_not_text_has_a_tail_all_the_same(shell: SpecOf) -> None:
    assert run(shell(r"printf '\377\000ok'")).stderr_tail == "\ufffd\0ok"


def test_a_bot_without_a_file_has_its_tail(shell: SpecOf) -> None:
    ending = run(replace(shell("echo hello"), stderr_file=None))

    assert (ending.stderr_tail, ending.stderr_file) == ("hello\n", None)


@pytest.mark.parametrize("piece", [1, 7, 999, 65536])
@pytest.mark.parametrize("total", [0, 1, 499, 500, 501, 900, 901, 1000, 1001, 5000])
def test_the_cap_holds_for_every_amount_and_piece(piece: int, total: int, tmp_path: Path) -> None:
    """Whole up to the cap less the room for the mark; beyond it both ends and what is missing."""
    cap = 1000
    printed = bytes(range(256)) * 20
    log = CappedLog(str(tmp_path / "log"), cap)
    for start in range(0, total, piece):
        log.write(printed[start : min(total, start + piece)])
    log.close()
    kept = (tmp_path / "log").read_bytes()

    assert log.total == total
    assert log.tail == printed[max(0, total - 2048) : total]
    if total <= cap - MARK_ROOM:
        assert kept == printed[:total]
        return
    missing = total - (cap - MARK_ROOM)
    assert len(kept) <= cap
    assert kept.startswith(printed[:500] + b"\n[%d bytes were left out" % missing)
    assert kept.endswith(printed[total - 400 : total])
