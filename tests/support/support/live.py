"""A referee on real sockets: in a thread of this process, or as `harbourmaster serve`."""

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import RefereeServer
from harbourmaster_server.timekeeping import new_event_loop
from harbourmaster_tournaments.running import House, open_house
from support.patience import PATIENCE
from support.restarts import SUPPORT

T = TypeVar("T")
PLAY = "/harbourmaster.v1.BotService/Play"


class Live:
    """A running referee and its server."""

    def __init__(self, loop: asyncio.AbstractEventLoop, log: StringIO) -> None:
        self.loop = loop
        self.log = log
        self.referee: Referee
        self.server: RefereeServer

    @property
    def address(self) -> str:
        """Where it listens, on 127.0.0.1."""
        return f"127.0.0.1:{self.server.port}"

    def do(self, work: Coroutine[Any, Any, T], seconds: float = PATIENCE) -> T:
        """Run *work* on the referee's loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(seconds)

    def stall(self, seconds: float) -> None:
        """Keep the referee's loop from doing anything for so long."""
        self.loop.call_soon_threadsafe(_sleep, seconds)

    def match(
        self, *bots: str, terms: match_pb2.MatchTerms | None = None, **more: Any
    ) -> match_service_pb2.MatchInfo:
        """Make a match between *bots*."""
        asked = terms or match_pb2.MatchTerms(game="anchorline")
        request = match_service_pb2.CreateMatchRequest(terms=asked, bots=bots, **more)
        return self.do(self.referee.create_match(request))

    def wait(self, match_id: str, seconds: float = PATIENCE) -> match_service_pb2.MatchInfo:
        """Wait until a match is over."""
        return self.do(self.referee.wait(match_id), seconds)


def _sleep(seconds: float) -> None:
    threading.Event().wait(seconds)


@contextlib.contextmanager
def live(
    folder: Path,
    *,
    open_mode: bool = True,
    server: dict[str, Any] | None = None,
    level: str = "warning",
    **config: Any,
) -> Iterator[Live]:
    """Run a referee in a thread; *config* goes to `RefereeConfig`, *server* to `RefereeServer`."""
    settings = RefereeConfig(folder, open_mode=open_mode, **config)
    options: dict[str, Any] = {"host": "localhost", "port": 0} | (server or {})

    @contextlib.asynccontextmanager
    async def serve(log: Any) -> AsyncIterator[tuple[Referee, RefereeServer, None]]:
        async with (
            Referee(settings, log) as referee,
            RefereeServer(referee, **options) as listening,
        ):
            yield referee, listening, None

    with _in_thread(serve, level) as (running, _):
        yield running


@contextlib.contextmanager
def live_house(
    folder: Path, *, level: str = "critical", **config: Any
) -> Iterator[tuple[Live, House]]:
    """Run a referee with a launcher of bots in a thread."""
    settings = RefereeConfig(folder, open_mode=True, **config)

    @contextlib.asynccontextmanager
    async def serve(log: Any) -> AsyncIterator[tuple[Referee, RefereeServer, House]]:
        async with open_house(settings, log) as house:
            yield house.referee, house.server, house

    with _in_thread(serve, level) as (running, house):
        yield running, house


@contextlib.contextmanager
def _in_thread(
    serve: Callable[[Any], contextlib.AbstractAsyncContextManager[Any]], level: str
) -> Iterator[tuple[Live, Any]]:
    """Keep what *serve* makes in a thread of its own; insist that it logs no traceback."""
    out = StringIO()
    loop = new_event_loop()
    running = Live(loop, out)
    up, down = threading.Event(), asyncio.Event()
    more: list[Any] = []

    async def main() -> None:
        async with serve(set_up_logging(level=level, stream=out)) as made:
            running.referee, running.server, house = made
            more.append(house)
            up.set()
            await down.wait()

    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(_run, main, loop)
        done.add_done_callback(lambda _: up.set())
        up.wait(PATIENCE)
        if done.done():
            done.result()
        try:
            yield running, more[0]
        finally:
            loop.call_soon_threadsafe(down.set)
            done.result(PATIENCE)
    assert "Traceback" not in out.getvalue(), out.getvalue()


def _run(main: Callable[[], Coroutine[Any, Any, None]], loop: asyncio.AbstractEventLoop) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(main())


class RawBot:
    """A bot's end of a real stream, over which a test sends whatever it likes."""

    def __init__(
        self,
        address: str,
        name: str = "bot",
        *,
        token: str = "",
        hello: pb.Hello | None = None,
        say_hello: bool = True,
        channel: grpc.Channel | None = None,
        ready: bool = True,
        **fields: Any,
    ) -> None:
        self.channel = channel or grpc.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1)]
        )
        self.ready = ready
        self.events: SimpleQueue[pb.RefereeEvent | None] = SimpleQueue()
        self.seen: list[pb.RefereeEvent] = []
        self.last: pb.DecisionRequest | None = None
        """For a test to remember what is open."""
        self._out: SimpleQueue[bytes | None] = SimpleQueue()
        play = self.channel.stream_stream(
            PLAY, request_serializer=bytes, response_deserializer=pb.PlayResponse.FromString
        )
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.call = play(iter(self._out.get, None), metadata=metadata)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        wishes: dict[str, Any] = {"offered_moves_wanted": True} | fields
        self.hello = hello or pb.Hello(
            protocol_version=pb.ProtocolVersion(major=1), name=name, **wishes
        )
        if say_hello:
            self.send(hello=self.hello)

    def send(self, **event: Any) -> None:
        """Send one event, given as `name=message`."""
        self.send_all(pb.BotEvent(**event))

    def send_all(self, *events: pb.BotEvent) -> None:
        """Send *events* in one message."""
        self.send_bytes(pb.PlayRequest(events=events).SerializeToString())

    def send_bytes(self, data: bytes) -> None:
        """Send *data* as a message, whatever it is."""
        self._out.put(data)

    def next(self, kind: str, seconds: float = PATIENCE) -> Any:
        """Return the next event of *kind*; fail if none comes."""
        while True:
            try:
                event = self.events.get(timeout=seconds)
            except Empty:
                raise AssertionError(f"no {kind} came in {seconds:g} s: {self.kinds()}") from None
            assert event is not None, f"the call ended before {kind}: {self.status()}"
            if event.WhichOneof("event") == kind:
                return getattr(event, kind)

    def kinds(self) -> list[str]:
        """Return the kinds of all events so far."""
        return [event.WhichOneof("event") or "" for event in self.seen]

    def answer(self, request: pb.DecisionRequest, index: int = 0, **more: Any) -> None:
        """Answer *request* with the offered move at *index*."""
        reply = pb.MoveReply(
            match_id=request.match_id,
            decision=request.decision,
            attempt=request.attempt,
            offered_index=index,
            **more,
        )
        self.send(move_reply=reply)

    def play_out(self, think: Callable[[pb.DecisionRequest], object] = lambda _: None) -> Any:
        """Answer every request with the first offer after *think*; return the match's end."""
        while True:
            event = self.events.get(timeout=PATIENCE)
            assert event is not None, f"the call ended: {self.status()}"
            kind = event.WhichOneof("event")
            if kind == "decision_request":
                think(event.decision_request)
                self.answer(event.decision_request)
            elif kind == "match_end":
                return event.match_end

    def status(self, seconds: float = PATIENCE) -> tuple[grpc.StatusCode, str]:
        """Wait until the call is over and return how it ended."""
        self._reader.join(seconds)
        assert not self._reader.is_alive(), "the call goes on"
        return self.call.code(), self.call.details()

    def close_own_side(self) -> None:
        """Send no more, but go on reading."""
        self._out.put(None)

    def close(self) -> None:
        """End the call, whatever it is doing."""
        self._out.put(None)
        self.call.cancel()
        self.channel.close()

    def _read(self) -> None:
        try:
            for message in self.call:
                for event in message.events:
                    if event.HasField("match_start") and self.ready:
                        start = event.match_start
                        ready = pb.MatchReady(match_id=start.match_id, seat=start.seat)
                        self.send(match_ready=ready)
                    self.seen.append(event)
                    self.events.put(event)
        except grpc.RpcError:
            pass
        finally:
            self.events.put(None)

    def __enter__(self) -> "RawBot":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Served:
    """A process of `harbourmaster serve` on a port that stays the same."""

    def __init__(
        self,
        folder: Path,
        *,
        fault: str = "none",
        open_mode: bool = True,
        more: Sequence[str] = (),
        stderr: int | None = None,
    ) -> None:
        self.folder = folder
        self.fault = fault
        self.more = ["--open"] * open_mode + list(more)
        self.port = free_port()
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._stderr = self._said if stderr is None else stderr
        self.process: subprocess.Popen[str]

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it and wait until it listens."""
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-m", "support.planted", self.fault, "serve"),
                *("--data", str(self.folder), "--port", str(self.port), *self.more),
            ],
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SUPPORT), "PYTHONUNBUFFERED": "1"},
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "listening" in line, line + self.said()

    def end(self, number: int = signal.SIGKILL) -> tuple[int, str]:
        """End it by a signal; return its exit code and what it printed on stderr."""
        self.process.send_signal(number)
        self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, self.said()

    def said(self) -> str:
        """Return all that it printed on stderr; a pipe that nobody reads would block it."""
        self._said.seek(0)
        return self._said.read()

    def record(self, match_id: str) -> Path:
        """Return where the record of a match is."""
        return self.folder / "records" / f"{match_id}.hmr"

    def matches(self) -> Any:
        """Return a stub of its `MatchService`."""
        channel = grpc.insecure_channel(
            self.address, options=[("grpc.use_local_subchannel_pool", 1)]
        )
        return match_stub(channel)

    def __enter__(self) -> "Served":
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.end()
        self._said.close()


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def stubs(address: str) -> Any:
    """Return a stub of the `MatchService` at *address*."""
    return match_stub(grpc.insecure_channel(address))


def match_stub(channel: grpc.Channel) -> Any:
    """Return a stub of `MatchService` whose calls block; the generated types know only others."""
    make: Any = match_service_pb2_grpc.MatchServiceStub
    return make(channel)
