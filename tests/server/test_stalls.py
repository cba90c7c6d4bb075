"""The referee's own delays on real sockets are charged to nobody."""

import asyncio
import contextlib
import selectors
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster_server import timekeeping
from harbourmaster_server.terms import to_duration
from support.live import Live, RawBot, live

OUT_OF_TIME = game_pb2.SEAT_END_REASON_TIMEOUT


def milliseconds(count: float) -> Duration:
    return to_duration(round(count * 1000))


def turn(limit: float, grace: float = 0, allowance: float = 0) -> match_pb2.MatchTerms:
    clock = match_pb2.ClockTerms(
        turn=match_pb2.TurnLimit(time=milliseconds(limit)),
        first_turn_allowance=milliseconds(allowance),
        grace=milliseconds(grace),
    )
    return match_pb2.MatchTerms(game="anchorline", clock=clock)


def play(
    referee: Live, terms: match_pb2.MatchTerms, stalls: list[float], think: float = 0.0
) -> tuple[list[Any], int]:
    """Let two bots play while the referee stalls again and again.

    Return the reasons of the seats and the longest time that was charged, in microseconds.
    """
    over = threading.Event()

    def disturb() -> None:
        for seconds in stalls:
            if over.wait(0.3):
                return
            referee.stall(seconds)
            time.sleep(seconds)

    with RawBot(referee.address, "first") as first, RawBot(referee.address, "second") as second:
        first.next("welcome")
        second.next("welcome")
        match_id = referee.match("first", "second", terms=terms).match_id

        def slowly(_: object) -> None:
            time.sleep(think)

        playing = [threading.Thread(target=bot.play_out, args=[slowly]) for bot in (first, second)]
        for thread in [*playing, disturber := threading.Thread(target=disturb)]:
            thread.start()
        info = referee.wait(match_id)
        over.set()
        for thread in [*playing, disturber]:
            thread.join()
    reasons = [seat.reason for seat in info.outcome.seats]
    return reasons, max(clock.longest_micros for clock in info.clocks)


def test_p36_a_stall_of_two_seconds_is_charged_to_nobody(tmp_path: Path) -> None:
    with live(tmp_path) as referee:
        reasons, longest = play(referee, turn(1500), [2.0, 2.0], think=0.03)

    assert OUT_OF_TIME not in reasons
    assert longest < 1_500_000


def test_twin_without_the_rule_of_arrival_a_stall_costs_a_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeping.LoopTime, "arrival", lambda time, _=None: time.now())
    monkeypatch.setattr(timekeeping.LoopTime, "stall", lambda time: timekeeping.Stall())
    with live(tmp_path) as referee:
        reasons, _ = play(referee, turn(1500), [2.0, 2.0], think=0.03)

    assert OUT_OF_TIME in reasons


class Dated(NamedTuple):
    """When a message was sent, when it came by the rule, and when it was read, in nanoseconds."""

    sent: int
    dated: int
    read: int
    stall: timekeeping.Stall
    """The last one before it was read."""


def dates(disturbance: str, count: int, spacing: float) -> list[Dated]:
    """Send *count* messages over a real stream; return their dates."""
    loop = timekeeping.new_event_loop()
    found: list[Dated] = []
    port: Future[int] = Future()
    done = asyncio.Event()

    async def serve(_: object, context: Any) -> None:
        clock = timekeeping.loop_time()
        mark = clock.mark()
        while (data := await context.read()) is not grpc.aio.EOF:
            sent = int.from_bytes(data, "big")
            found.append(Dated(sent, clock.arrival(mark), clock.now(), clock.stall()))
            if len(found) == count:
                done.set()
            mark = clock.mark()

    def stall() -> None:
        time.sleep(0.03)

    async def disturb() -> None:
        while disturbance != "none":
            stall()
            await asyncio.sleep(0 if disturbance == "every turn" else 0.017)

    async def main() -> None:
        server = grpc.aio.server()
        handler: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(serve)
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("test", {"Play": handler}),)
        )
        port.set_result(server.add_insecure_port("127.0.0.1:0"))
        await server.start()
        disturber = asyncio.create_task(disturb())
        await done.wait()
        disturber.cancel()
        await server.stop(0)

    def run() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(main())

    thread = threading.Thread(target=run)
    thread.start()
    with grpc.insecure_channel(f"127.0.0.1:{port.result()}") as channel:
        grpc.channel_ready_future(channel).result(60)

        def messages() -> Iterator[bytes]:
            for number in range(count):
                time.sleep(spacing)
                while disturbance == "every turn" and len(found) < number:
                    time.sleep(0.001)
                yield time.monotonic_ns().to_bytes(8, "big")
            thread.join()

        with contextlib.suppress(grpc.RpcError):
            play: Any = channel.stream_stream("/test/Play")
            list(play(messages()))
    return found


def median(values: Iterable[int]) -> int:
    found = sorted(values)
    return found[len(found) // 2]


def dated_as_sent(found: list[Dated]) -> bool:
    """Return whether the dates keep out what the referee was slow to read.

    Both are of one run, so that it does not matter how quick the machine is. A rule that takes one
    turn of the loop for the bot's is a third too late.
    """
    late = median(each.dated - each.sent for each in found)
    return late < median(each.read - each.sent for each in found) // 4


def dated_early(found: list[Dated]) -> bool:
    """Return whether replies are dated before they were sent, those of stalls not counted."""
    early = [each.sent - each.dated for each in found if each.dated > each.stall.ended]
    return bool(early) and median(early) > timekeeping.HEARTBEAT_SECONDS * 1e9 / 5


@pytest.mark.parametrize("disturbance", ["every turn", "now and then"])
def test_p36_a_reply_is_dated_when_it_came_wherever_in_the_loop_the_referee_is_slow(
    disturbance: str,
) -> None:
    # A machine that is busy elsewhere may hold up the replies themselves, but not in every run.
    assert any(dated_as_sent(dates(disturbance, 60, 0.0071)) for _ in range(3))


def now(time: timekeeping.LoopTime, _: int | None = None) -> int:
    return time.now()


def last_look(time: timekeeping.LoopTime, _: int | None = None) -> int:
    return time._selector.origin


@pytest.mark.parametrize("fault", [now, last_look])
def test_twin_a_reply_that_is_dated_later_is_noticed(
    fault: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timekeeping.LoopTime, "arrival", fault)

    assert not dated_as_sent(dates("every turn", 40, 0.0071))


def test_a_reply_to_a_referee_that_is_not_busy_is_dated_when_it_came() -> None:
    assert any(not dated_early(dates("none", 100, 0.0031)) for _ in range(3))


class Looks:
    """A selector whose looks take as long as a test says, by a clock that the test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 10**12
        self.takes = 0
        clock = SimpleNamespace(monotonic_ns=lambda: self.now)
        monkeypatch.setattr(timekeeping, "time", clock)
        monkeypatch.setattr(selectors.DefaultSelector, "select", self.look)
        self.selector = timekeeping.WatchedSelector()
        self.began = self.now

    def look(self, *_: object) -> list[object]:
        self.now += self.takes
        return []

    def __enter__(self) -> "Looks":
        return self

    def __exit__(self, *error: object) -> None:
        self.selector.close()

    def turn(self, *, busy: float, wanted: float, took: float) -> float:
        """Be busy, then look; all in milliseconds. Return when the news came, from the start."""
        self.now += round(busy * 1e6)
        self.takes = round(took * 1e6)
        self.selector.select(wanted / 1e3)
        return (self.selector.origin - self.began) / 1e6


@pytest.mark.parametrize("busy", [0.1, 3, 30])
@pytest.mark.parametrize("took", [0.01, 0.2, 8])
def test_a_look_that_was_not_to_sleep_dates_from_the_last_one_however_long_the_machine_made_it(
    busy: float, took: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Looks(monkeypatch) as looks:
        assert looks.turn(busy=busy, wanted=0, took=took) == 0


@pytest.mark.parametrize(
    ("busy", "took", "came"),
    [
        pytest.param(0.1, 0.01, 0, id="news was there: it came since the last look"),
        pytest.param(0.1, 3, 3.1, id="news woke it: it came then"),
        pytest.param(0.1, 20, 4.1, id="the machine woke it late: it came since the time to wake"),
        pytest.param(30, 3, 0, id="after a long turn it may have come all the while"),
    ],
)
def test_a_look_that_was_to_sleep_for_4_ms_dates_by_how_long_it_took(
    busy: float, took: float, came: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Looks(monkeypatch) as looks:
        assert looks.turn(busy=busy, wanted=4, took=took) == pytest.approx(came)


def test_twin_a_loop_that_never_counts_as_asleep_dates_too_early(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(timekeeping, "ASLEEP_NANOS", 10**9)
    with Looks(monkeypatch) as looks:
        assert looks.turn(busy=0.1, wanted=4, took=3) < 3.1


def test_a_request_that_a_stall_may_have_held_up_is_charged_from_its_end() -> None:
    stall = timekeeping.Stall(1_000_000_000, 3_000_000_000)

    assert stall.near == 100_000_000
    assert stall.handed_over(950_000_000) == 3_000_000_000
    assert stall.handed_over(2_000_000_000) == 3_000_000_000
    assert stall.handed_over(899_000_000) == 899_000_000
    assert stall.handed_over(3_000_000_001) == 3_000_000_001
    assert timekeeping.Stall(0, 6_000_000).near == 6_000_000
