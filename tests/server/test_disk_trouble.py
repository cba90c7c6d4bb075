"""A disk that refuses: matches stand still and say so, nothing is torn, and all goes on later."""

import asyncio
import errno
import os
from pathlib import Path

import pytest

from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.desk import Desk
from harbourmaster_server.matches.match import Match
from harbourmaster_server.records import read_record
from harbourmaster_server.records.journal import SUFFIX, read_journal
from harbourmaster_server.records.store import RecordStore
from harbourmaster_server.terms import to_duration
from harbourmaster_server.verify import verify_file
from support.arena import Arena, ScriptedBot, open_arena, run, spin

SECOND = 1_000_000


class Disk:
    """`os.write` of a disk that can be full; a write then takes only some bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(Desk, "RETRY_SECONDS", 0.01)

    def write(self, handle: int, data: bytes) -> int:
        if not self.full:
            return self._write(handle, data)
        if len(data) > 10:
            return self._write(handle, data[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def terms(bank: int = 20) -> match_pb2.MatchTerms:
    clock = match_pb2.ClockTerms(
        bank=match_pb2.BankLimit(initial_time=to_duration(bank * SECOND)),
        first_turn_allowance=to_duration(0),
        grace=to_duration(0),
        ceiling=to_duration(100 * SECOND),
    )
    return match_pb2.MatchTerms(game="anchorline", clock=clock)


async def two(arena: Arena) -> tuple[ScriptedBot, ScriptedBot, str]:
    first, second = await arena.bot("first"), await arena.bot("second")
    match_id = await arena.match("first", "second", terms=terms())
    return first, second, match_id


async def retried() -> None:
    await asyncio.sleep(0.05)
    await spin()


def test_nothing_that_a_move_caused_leaves_while_the_disk_is_full_and_the_match_says_so(
    tmp_path: Path, disk: Disk
) -> None:
    async def play() -> None:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena)
            disk.full = True
            await first.reply()
            assert not second.all("decision_request")
            for bot in (first, second):
                [paused] = bot.all("match_paused")
                assert paused.match_id == match_id
                assert "No space left" in paused.text
                assert not bot.all("match_resumed")
            disk.full = False
            await retried()
            assert second.request.decision == 2
            assert len(first.all("match_resumed")) == len(second.all("match_resumed")) == 1
            await arena.play_out(match_id, first, second)

    run(play())
    [record] = (tmp_path / "records").glob("*.hmr")
    verify_file(record)


def test_twin_what_leaves_before_the_journal_is_written_is_seen(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flush(desk: Desk) -> None:
        desk._scheduled = False
        waiting, desk._waiting = desk._waiting, {}
        for outlet in waiting:
            outlet.release()

    monkeypatch.setattr(Desk, "flush", flush)

    async def play() -> bool:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena)
            disk.full = True
            await first.reply()
            disk.full = False
            return bool(second.all("decision_request"))

    assert run(play())


def test_the_pause_is_charged_to_nobody_and_is_in_the_record(tmp_path: Path, disk: Disk) -> None:
    async def play() -> tuple[int, list[str]]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena)
            third = await arena.bot("third")
            fourth = await arena.bot("fourth")
            other = await arena.match("third", "fourth", terms=terms())
            await arena.time.advance(3_000)
            disk.full = True
            await first.reply()
            # Longer than the bank of whoever is asked, and than the longest duration.
            await arena.time.advance(200_000)
            disk.full = False
            await retried()
            await arena.time.advance(2_000)
            await third.reply()
            clock = arena.referee._matches[other].seats[0].clock
            assert clock.left is not None
            await arena.play_out(match_id, first, second)
            await arena.play_out(other, third, fourth)
            infos = [await arena.referee.wait(each) for each in (match_id, other)]
            return clock.left, [info.outcome.reason for info in infos]

    left, reasons = run(play())
    assert left == 20 * SECOND - 5 * SECOND
    assert "last_seat" not in reasons
    for path in (tmp_path / "records").glob("*.hmr"):
        entries = map(pb.RecordEntry.FromString, read_record(path))
        [pause] = [entry.pause for entry in entries if entry.HasField("pause")]
        assert pause.pause_micros == 200 * SECOND
        verify_file(path)


def test_twin_a_pause_that_does_not_stop_the_clocks_is_charged(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "pause", lambda match, text: None)

    async def play() -> bool:
        async with open_arena(tmp_path) as arena:
            await two(arena)
            third, _ = await arena.bot("third"), await arena.bot("fourth")
            other = await arena.match("third", "fourth", terms=terms())
            disk.full = True
            arena.referee.desk.release_later(arena.referee._matches[other].publication)
            arena.referee.desk.journal.append(99, b"x" * 100)
            await arena.time.advance(30_000)
            disk.full = False
            await retried()
            return third.all("match_end") != []

    assert run(play())


def test_a_full_disk_tears_nothing_that_a_kill_would_then_find(tmp_path: Path, disk: Disk) -> None:
    async def play() -> int:
        async with open_arena(tmp_path) as arena:
            first, _, _ = await two(arena)
            disk.full = True
            await first.reply()
            [segment] = (tmp_path / "journal").glob(f"*{SUFFIX}")
            [held] = read_journal(tmp_path / "journal").values()
            before = segment.stat().st_size
            await retried()
            assert segment.stat().st_size == before
            disk.full = False
            return len(held)

    # What the match is and its beginning, but not the move.
    assert run(play()) == 2


def test_a_match_made_while_the_disk_is_full_is_told_of_when_it_is_safe(
    tmp_path: Path, disk: Disk
) -> None:
    async def play() -> bool:
        async with open_arena(tmp_path) as arena:
            await two(arena)
            disk.full = True
            making = asyncio.create_task(arena.match("first", "second", terms=terms()))
            await retried()
            told = making.done()
            disk.full = False
            await making
            return told

    assert not run(play())


def test_a_record_that_cannot_be_saved_is_saved_later_and_the_match_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = 2
    save = RecordStore.save

    def refuse(store: RecordStore, *rest: object) -> Path:
        nonlocal refusals
        if refusals:
            refusals -= 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return save(store, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(RecordStore, "save", refuse)

    async def play() -> int:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena)
            await arena.play_out(match_id, first, second)
            return len(first.all("match_end"))

    assert run(play()) == 1
    assert refusals == 0
    [record] = (tmp_path / "records").glob("*.hmr")
    verify_file(record)


def test_a_referee_that_stops_with_a_record_unsaved_saves_it_at_its_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Path:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def play() -> str:
        with monkeypatch.context() as full:
            full.setattr(RecordStore, "save", refuse)
            async with open_arena(tmp_path) as arena:
                first, second, match_id = await two(arena)
                while not first.all("match_end"):
                    asked = max((first, second), key=lambda bot: len(bot.events) and number(bot))
                    await asked.reply()
        async with open_arena(tmp_path) as arena:
            info = await arena.referee.wait(match_id)
            assert info.HasField("outcome")
            return match_id

    match_id = run(play())
    verify_file(tmp_path / "records" / f"{match_id}.hmr")


def number(bot: ScriptedBot) -> int:
    """Return the number of the last decision that *bot* was asked."""
    requests = bot.all("decision_request")
    return requests[-1].decision if requests else 0
