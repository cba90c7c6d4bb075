"""A referee that runs for long: nothing grows and nothing is left."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from threading import Thread

import grpc
import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import match_service_pb2 as match_pb
from harbourmaster_server.limits import Limits
from support.live import PLAY, RawBot, Served, live
from support.patience import PATIENCE, wait_for

TICKS = os.sysconf("SC_CLK_TCK")
MEGABYTE = 1 << 20
COARSE = 5 / TICKS
"""By how much two short processor times may differ that were counted in whole ticks."""


def soak(few: int, many: int) -> list[object]:
    """Return how much to try on every day, and how much when there is time."""
    marks = [pytest.mark.soak, pytest.mark.timeout(3600)]
    return [few, pytest.param(many, marks=marks)]


class Process:
    """What a process uses."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}")

    def resident(self) -> int:
        """Return the bytes that it has in memory."""
        pages = int((self._folder / "statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def files(self) -> int:
        return len(list((self._folder / "fd").iterdir()))

    def threads(self) -> int:
        return len(list((self._folder / "task").iterdir()))

    def processor(self) -> float:
        """Return the seconds of processor time that it used so far."""
        fields = (self._folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


@contextmanager
def measured(served: Served, grow: int) -> Iterator[None]:
    """Insist that the process of *served* is as before afterwards, but for *grow* bytes."""
    process = Process(served.process.pid)
    before = process.resident(), process.files(), process.threads()
    yield
    wait_for(lambda: process.files() <= before[1] + 2, "the files to be closed")
    assert process.resident() - before[0] < grow
    assert process.threads() <= before[2] + 8


def connect_and_cancel(address: str, times: int) -> None:
    """Open sessions and cut them at every stage of their beginning."""
    rng = Random(1)
    hello = pb.Hello(protocol_version=pb.ProtocolVersion(major=1), name="fleeting")
    first = pb.PlayRequest(events=[pb.BotEvent(hello=hello)]).SerializeToString()
    channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
    play = channel.stream_stream(PLAY, request_serializer=bytes, response_deserializer=bytes)
    for number in range(times):
        stage = rng.randrange(4)
        call = play(iter([first] if stage else []))
        if stage > 1:
            next(call)
        if stage == 3:
            time.sleep(0.001)
        call.cancel()
        if number % 50 == 49:
            channel.close()
            options = [("grpc.use_local_subchannel_pool", 1)]
            channel = grpc.insecure_channel(address, options=options)
            play = channel.stream_stream(
                PLAY, request_serializer=bytes, response_deserializer=bytes
            )
    channel.close()


@pytest.mark.parametrize("cycles", soak(400, 10_000))
def test_p67_connecting_and_cancelling_leaves_nothing(cycles: int, tmp_path: Path) -> None:
    with Served(tmp_path / "data") as served:
        connect_and_cancel(served.address, 200)
        with measured(served, 20 * MEGABYTE):
            connect_and_cancel(served.address, cycles)


def test_p67_and_no_task_or_session_is_left_of_it(tmp_path: Path) -> None:
    async def tasks() -> int:
        return len(asyncio.all_tasks())

    limits = Limits(resume_seconds=0.1, sessions_per_bot=1000)
    with live(tmp_path, limits=limits, level="error") as referee:
        connect_and_cancel(referee.address, 20)
        wait_for(lambda: not referee.referee.sessions.all(), "the sessions to go")
        before = referee.do(tasks())
        connect_and_cancel(referee.address, 300)
        wait_for(lambda: not referee.referee.sessions.all(), "the sessions to go")
        wait_for(lambda: referee.do(tasks()) <= before, "the tasks to end")
        assert referee.referee.lobby.sessions_of("fleeting") == []


def play_matches(served: Served, count: int, first: int) -> None:
    """Play *count* matches one after the other between two sessions that stay."""
    stub = served.matches()
    terms = match_pb2.MatchTerms(game="anchorline")
    with RawBot(served.address, "a") as one, RawBot(served.address, "b") as two:
        one.next("welcome")
        two.next("welcome")
        for number in range(first, first + count):
            request = match_pb.CreateMatchRequest(
                match_id=f"m{number}", terms=terms, bots=["a", "b"]
            )
            stub.CreateMatch(request, timeout=PATIENCE)
            other = Thread(target=two.play_out)
            other.start()
            assert one.play_out().match_id == f"m{number}"
            other.join()
            one.seen.clear()
            two.seen.clear()


@pytest.mark.parametrize("count", soak(25, 2_000))
def test_p72_matches_on_one_session_leave_nothing_in_memory(count: int, tmp_path: Path) -> None:
    with Served(tmp_path / "data") as served:
        play_matches(served, 10, 0)
        with measured(served, 20 * MEGABYTE):
            play_matches(served, count, 10)
        # What is kept for speed is complete by then.
        with measured(served, 4 * MEGABYTE):
            play_matches(served, count // 2, 10 + count)
        records = tmp_path / "data" / "records"
        every = 10 + count + count // 2
        wait_for(lambda: len(list(records.glob("*.hmr"))) == every, "all records")
        assert served.end(2)[0] == 0
        assert list((tmp_path / "data" / "journal").glob("*")) == []


BARE_LOOP = """
import asyncio
from harbourmaster_server.timekeeping import new_event_loop
with asyncio.Runner(loop_factory=new_event_loop) as runner:
    print("up", flush=True)
    runner.run(asyncio.sleep(1000))
"""


@contextmanager
def bare_loop() -> Iterator[Process]:
    """Keep a process whose loop is the referee's and has nothing to do."""
    with subprocess.Popen([sys.executable, "-c", BARE_LOOP], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"up\n"
            yield Process(process.pid)
        finally:
            process.kill()


def idle_times(folder: Path, fault: str = "none") -> tuple[float, float]:
    """Return the processor time in 4 s of an idle referee with 20 bots, and of a bare loop."""
    with Served(folder, fault=fault) as served, ExitStack() as bots, bare_loop() as bare:
        for number in range(20):
            bots.enter_context(RawBot(served.address, f"bot{number}")).next("welcome")
        time.sleep(0.5)
        both = (Process(served.process.pid), bare)
        before = [process.processor() for process in both]
        time.sleep(4)
        referee, loop = (p.processor() - then for p, then in zip(both, before, strict=True))
        return referee, loop


def test_an_idle_referee_uses_hardly_any_processor_time(tmp_path: Path) -> None:
    referee, loop = idle_times(tmp_path / "data")

    assert referee < 3 * loop + COARSE


def test_twin_a_referee_that_never_sleeps_uses_more(tmp_path: Path) -> None:
    referee, loop = idle_times(tmp_path / "data", "restless")

    assert referee > 3 * loop + COARSE


@pytest.mark.parametrize("trials", soak(60, 500))
def test_p16_a_bot_that_connects_around_the_making_of_its_match_is_seated(
    trials: int, tmp_path: Path
) -> None:
    rng = Random(5)
    with live(tmp_path, limits=Limits(resume_seconds=0.1), level="error") as referee:
        for number in range(trials):
            early = rng.random() < 0.5
            wait = rng.random() * 0.05
            names = (f"a{number}", f"b{number}")
            with RawBot(referee.address, names[0]) as first:
                made = referee.match(*names).match_id if not early else ""
                time.sleep(wait)
                with RawBot(referee.address, names[1]) as second:
                    made = made or referee.match(*names).match_id
                    start = second.next("match_start")
                    assert (start.match_id, start.seat) == (made, 1)
                    assert first.next("decision_request").match_id == made


def test_p15_old_sessions_that_close_do_not_touch_a_new_match(tmp_path: Path) -> None:
    with live(tmp_path, level="error") as referee:
        old = [RawBot(referee.address, name) for name in ("a", "b")]
        for bot in old:
            bot.next("welcome")
        referee.match("a", "b")
        old[0].next("decision_request")
        with RawBot(referee.address, "a") as first, RawBot(referee.address, "b") as second:
            first.next("welcome")
            second.next("welcome")
            made = referee.match("a", "b").match_id
            for bot in old:
                bot.close()
            request = first.next("decision_request")
            assert request.match_id == made
            first.answer(request)
            assert second.next("decision_request").decision == 2


def test_p79_a_session_with_several_matches_gets_them_all_back(tmp_path: Path) -> None:
    with live(tmp_path, level="error") as referee:
        first = RawBot(referee.address, "a", open_matches=5, open_decisions=5)
        token = first.next("welcome").resume_token
        with RawBot(referee.address, "b", open_matches=5, open_decisions=5) as second:
            second.next("welcome")
            made = {referee.match("a", "b").match_id for _ in range(5)}
            asked = [first.next("decision_request") for _ in made]
            first.close()
            with RawBot(
                referee.address, "a", open_matches=5, open_decisions=5, resume_token=token
            ) as again:
                assert again.next("welcome").resumed
                back = [again.next("decision_request") for _ in made]
                assert {request.match_id for request in back} == made
                for request in back:
                    [before] = [r for r in asked if r.match_id == request.match_id]
                    assert (request.decision, request.view) == (before.decision, before.view)
                    assert request.offered == before.offered
                    again.answer(request)
                answered = [second.next("decision_request") for _ in made]
                assert {request.match_id for request in answered} == made


@pytest.mark.parametrize(
    ("block", "between", "slower"),
    [
        pytest.param(30, 30, 1.5, id="short"),
        pytest.param(
            300, 3_000, 1.1, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]
        ),
    ],
)
def test_t48_the_last_matches_cost_no_more_than_the_first(
    block: int, between: int, slower: float, tmp_path: Path
) -> None:
    """Compared is the referee's processor time for as many matches, within one run."""
    with Served(tmp_path / "data") as served:
        process = Process(served.process.pid)

        def cost(first: int) -> float:
            before = process.processor()
            play_matches(served, block, first)
            return process.processor() - before

        cost(0)
        early = max(cost(1 * block), cost(2 * block))
        play_matches(served, between, 3 * block)
        late = min(cost(3 * block + between), cost(4 * block + between))
        # A busy machine may make either of two dearer, but hardly the later two.
        assert late < slower * early + COARSE
