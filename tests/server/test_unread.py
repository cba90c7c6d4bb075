"""Peers that never read: what they still count for, and what they cost."""

import asyncio
import contextlib
import gc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import match_service_pb2_grpc
from harbourmaster_engine.game import ForfeitReason, SeatForfeited
from harbourmaster_server.errors import NotRead
from harbourmaster_server.identity import WATCH
from harbourmaster_server.limits import Limits
from harbourmaster_server.services import watching
from harbourmaster_server.services.unread import Unread
from support.patience import PATIENCE
from support.served import SMALL, Served, refusal, run_served, serve, until

OWN = (*SMALL, ("grpc.use_local_subchannel_pool", 1))
"""A connection of one's own: the calls of one connection share what may be unread on it."""
LONG = 200_000
"""Events of a match: more than any transport takes in before they are read."""


class Watchers:
    """Watchers of one long match, each over a connection of its own."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self._channels: list[grpc.aio.Channel] = []

    async def watch(self, name: str = "fan") -> Any:
        """Begin to watch as *name*, and read only the first message."""
        address = f"127.0.0.1:{self.served.server.port}"
        channel = grpc.aio.insecure_channel(address, options=OWN)
        self._channels.append(channel)
        stub = match_service_pb2_grpc.MatchServiceStub(channel)
        token = self.served.token(name, WATCH)
        call: Any = stub.WatchMatch(pb.WatchMatchRequest(match_id="m"), metadata=token)
        first = await call.read()
        assert first.match.match_id == "m"
        return call

    async def dropped(self, count: int) -> None:
        """Wait until none of them counts as a watcher any more."""
        await until(lambda: self.served.referee.watchers <= count)

    async def leave(self) -> None:
        """Close every connection."""
        for channel in self._channels:
            await channel.close()


@contextlib.asynccontextmanager
async def long_match(folder: Path, **limits: Any) -> AsyncIterator[Watchers]:
    """Serve a match with a long history; who does not read is dropped soon."""
    asked = Limits(watcher_stall_seconds=0.3, **limits)
    async with serve(folder, limits=asked) as served:
        request = pb.CreateMatchRequest(bots=["a", "b"], match_id="m")
        request.terms.game = "anchorline"
        await served.referee.create_match(request)
        (match,) = served.referee.open_matches
        chunks = match.codec.event_chunks([SeatForfeited(1, ForfeitReason.TIMEOUT)])
        match.events.extend(chunks * LONG)
        match.publication.release()
        watchers = Watchers(served)
        try:
            yield watchers
        finally:
            await watchers.leave()


async def others_get_a_place(folder: Path, seconds: float) -> bool:
    """Let two watchers be dropped where two are the most; return whether a third gets a place."""
    async with long_match(folder, watchers=2) as watchers:
        for _ in range(2):
            await watchers.watch("idle")
        try:
            await asyncio.wait_for(watchers.dropped(0), seconds)
            await watchers.watch("reader")
        except (TimeoutError, grpc.aio.AioRpcError):
            return False
        return True


def test_a_watcher_that_was_dropped_counts_as_one_no_more(tmp_path: Path) -> None:
    assert run_served(others_get_a_place(tmp_path, PATIENCE))


def test_twin_one_that_counts_until_it_reads_keeps_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = watching.watch

    async def watch(match: Any, write: Any, pace: Any) -> None:
        try:
            await sound(match, write, pace)
        except NotRead:
            # The word of it is on its way, and waits for what is not read.
            await asyncio.sleep(1000)

    monkeypatch.setattr("harbourmaster_server.services.matches.watch", watch)
    assert not run_served(others_get_a_place(tmp_path, 5))


async def refused_the_next(folder: Path) -> bool:
    """Leave two watched matches unread where two are allowed; return whether a third is refused."""
    async with long_match(folder, unread_calls=2) as watchers:
        for _ in range(2):
            await watchers.watch("idle")
        await watchers.dropped(0)
        await watchers.watch("other")
        try:
            await watchers.watch("idle")
        except grpc.aio.AioRpcError as error:
            return "2 calls of idle are not read: read them to their end" in str(error.details())
        return False


def test_whoever_leaves_too_much_unread_gets_no_more_and_others_do(tmp_path: Path) -> None:
    assert run_served(refused_the_next(tmp_path))


def test_twin_without_that_bound_one_caller_may_leave_any_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Unread, "check", lambda unread, caller: None)
    assert not run_served(refused_the_next(tmp_path))


def test_what_is_unread_counts_no_more_once_its_connection_is_gone(tmp_path: Path) -> None:
    async def work() -> None:
        async with long_match(tmp_path, unread_calls=2) as watchers:
            for _ in range(2):
                await watchers.watch("idle")
            await watchers.dropped(0)
            await watchers.leave()
            async with asyncio.timeout(PATIENCE):
                while True:
                    try:
                        await watchers.watch("idle")
                    except grpc.aio.AioRpcError:
                        await asyncio.sleep(0.05)
                    else:
                        return

    run_served(work())


def test_records_that_are_not_read_are_bounded_too(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path, limits=Limits(unread_calls=1)) as served:
            entries = [b"\x08\x01" * 5_000] * 1000
            served.referee.load_record = lambda *_: entries  # type: ignore[method-assign]
            stub = match_service_pb2_grpc.MatchServiceStub(served.channel)
            token = served.token("a", WATCH)
            asked = pb.StreamRecordRequest(match_id="m")
            first: Any = stub.StreamRecord(asked, metadata=token)
            await first.read()
            second: Any = stub.StreamRecord(asked, metadata=token)
            code, text = await refusal(second.read())
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "1 calls of a are not read" in text
            first.cancel()

    run_served(work())


def resident() -> int:
    """Return the bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


async def memory_of_each(folder: Path) -> float:
    """Let 40 watchers be dropped; return how many bytes each holds, at both ends together."""
    async with long_match(folder, unread_calls=1000) as watchers:
        for _ in range(5):
            await watchers.watch()
        await watchers.dropped(0)
        gc.collect()
        before = resident()
        for _ in range(40):
            await watchers.watch()
        await watchers.dropped(0)
        gc.collect()
        return (resident() - before) / 40


def test_dropped_watchers_hold_no_more_than_what_is_on_its_way(tmp_path: Path) -> None:
    """Their history has more than 2 MB each."""
    assert run_served(memory_of_each(tmp_path)) < 1_000_000


def test_twin_watchers_that_hold_their_history_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = watching.watch
    held = []

    async def watch(match: Any, write: Any, pace: Any) -> None:
        held.append(b"".join(match.events))
        await sound(match, write, pace)

    monkeypatch.setattr("harbourmaster_server.services.matches.watch", watch)
    assert run_served(memory_of_each(tmp_path)) > 1_000_000
