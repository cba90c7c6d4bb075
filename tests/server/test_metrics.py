"""What Prometheus is shown agrees with what happened."""

import asyncio
import contextlib
import errno
import re
import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry, generate_latest

from harbourmaster.v1 import bot_service_pb2
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server import scraping
from harbourmaster_server.errors import CannotStart
from harbourmaster_server.metrics import RefereeCollector, serve_metrics
from harbourmaster_server.referee import Referee
from harbourmaster_server.tally import BUCKETS, Tally
from support.arena import open_arena, run
from support.patience import PATIENCE
from support.served import run_served, serve


def scraped(text: str) -> Mapping[str, float]:
    """Return each sample by its name and labels, without the common beginning."""
    found = re.findall(r"^harbourmaster_(\S+) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


def numbers(referee: Referee) -> Mapping[str, float]:
    registry = CollectorRegistry()
    registry.register(RefereeCollector(referee))
    return scraped(generate_latest(registry).decode())


def test_the_numbers_follow_a_match(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            before = numbers(arena.referee)
            assert set(before.values()) == {0.0}
            first, second = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second")
            await first.reply(offered_index=10_000)
            await first.reply(attempt=2)
            during = numbers(arena.referee)
            assert during['matches{state="playing"}'] == 1
            assert during['sessions{state="connected"}'] == 2
            assert during["decisions_total"] == during["referee_seconds_count"] == 1
            assert during['faults_total{kind="illegal_move"}'] == 1
            await second.reply(resignation=bot_service_pb2.Resignation())
            await arena.referee.wait(match_id)
            await second.drop()
            after = numbers(arena.referee)
            assert after['matches{state="playing"}'] == 0
            assert after['matches_finished_total{how="result"}'] == 1
            assert after['forfeits_total{reason="resigned"}'] == 1
            assert after['sessions{state="dropped"}'] == 1

    run(work())


def test_a_disk_that_refuses_is_shown_and_pauses_the_matches(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            await arena.match("first", "second")
            journal = arena.referee.desk.journal
            flush = journal.flush

            def refuse() -> None:
                raise OSError(errno.ENOSPC, "No space left on device")

            journal.flush = refuse  # type: ignore[method-assign]
            await first.reply()
            found = numbers(arena.referee)
            journal.flush = flush  # type: ignore[method-assign]
            arena.referee.desk.flush()
            assert (found["disk_trouble"], found["disk_troubles_total"]) == (1, 1)
            assert found['matches{state="paused"}'] == 1
            found = numbers(arena.referee)
            assert (found["disk_trouble"], found["disk_troubles_total"]) == (0, 1)

    run(work())


@pytest.mark.parametrize("micros", [0, 1, 2, 3, 4, 1023, 1024, 2**22, 2**40])
def test_a_time_is_counted_in_the_bucket_that_holds_it(micros: int) -> None:
    tally = Tally()
    tally.decided(micros)

    (bucket,) = [place for place, count in enumerate(tally.referee_buckets) if count]

    assert bucket == BUCKETS - 1 or micros < 2**bucket
    assert bucket == 0 or micros >= 2 ** (bucket - 1)


def test_every_kind_of_fault_has_a_count_from_the_start() -> None:
    assert set(Tally().faults) == set(Tally().forfeits) == set(ForfeitReason)


def test_metrics_are_served_over_http_with_the_loop_and_the_process(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path) as served:
            with serve_metrics(served.referee, "127.0.0.1", 0) as port:
                url = f"http://127.0.0.1:{port}/metrics"
                text = await asyncio.to_thread(
                    lambda: urlopen(url, timeout=PATIENCE).read().decode()
                )
                with (
                    pytest.raises(CannotStart, match="cannot serve metrics on"),
                    serve_metrics(served.referee, "127.0.0.1", port),
                ):
                    pass
            found = scraped(text)
            assert found["draining"] == 0
            assert 0 < found["loop_longest_turn_seconds"] < PATIENCE
            assert found["loop_stalls_total"] >= 0
            assert "process_resident_memory_bytes" in text

    run_served(work())


def test_a_stall_of_the_loop_is_counted(tmp_path: Path) -> None:
    async def work() -> tuple[float, float, float]:
        async with serve(tmp_path) as served:
            await asyncio.sleep(0)
            before = numbers(served.referee)["loop_stalls_total"]
            time.sleep(0.12)  # noqa: ASYNC251 - the stall is what is tested
            await asyncio.sleep(0.01)
            after = numbers(served.referee)
            return before, after["loop_stalls_total"], after["loop_longest_turn_seconds"]

    before, after, longest = run_served(work())

    assert after >= before + 1
    assert 0.12 <= longest < PATIENCE


def test_health_follows_draining(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path) as served:
            health: Any = health_pb2_grpc.HealthStub(served.channel)
            names = ["", "harbourmaster.v1.BotService", "harbourmaster.v1.AdminService"]
            for name in names:
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == health_pb2.HealthCheckResponse.SERVING
            served.server.drain()
            for name in names:
                answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
                assert answer.status == health_pb2.HealthCheckResponse.NOT_SERVING
            assert numbers(served.referee)["draining"] == 1

    run_served(work())


def page(port: int) -> bytes:
    """Return the metrics, as soon as there is room for one who asks."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as found:
                return bytes(found.read())
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_clients_that_say_nothing_use_up_no_files_and_leave_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scraping, "SECONDS", 0.5)

    def work(referee: Referee) -> None:
        with serve_metrics(referee, "127.0.0.1", 0) as port, contextlib.ExitStack() as opened:
            silent = [
                opened.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
                for _ in range(3 * scraping.CLIENTS)
            ]
            for client in silent:
                client.sendall(b"GET /metrics HTTP/1.1\r\n")
            # Closed at once by the many, or for being slow: either way from the other side.
            for client in silent:
                with contextlib.suppress(ConnectionResetError):
                    assert client.recv(1) == b""
            assert b"harbourmaster_matches" in page(port)

    async def alone() -> None:
        async with open_arena(tmp_path) as arena:
            await asyncio.to_thread(work, arena.referee)

    run(alone())


def test_no_more_clients_are_served_at_once_than_there_is_room_for(tmp_path: Path) -> None:
    def work(referee: Referee) -> int:
        with serve_metrics(referee, "127.0.0.1", 0) as port, contextlib.ExitStack() as opened:
            before = threading.active_count()
            silent = [
                opened.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
                for _ in range(3 * scraping.CLIENTS)
            ]
            # The last ones are closed without a word of theirs, so all before were looked at.
            assert silent[-1].recv(1) == b""
            return threading.active_count() - before

    async def alone() -> int:
        async with open_arena(tmp_path) as arena:
            return await asyncio.to_thread(work, arena.referee)

    # A thread to serve each, and one that ends it in time.
    assert run(alone()) <= 2 * scraping.CLIENTS
