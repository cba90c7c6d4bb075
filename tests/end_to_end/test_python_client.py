"""The Python client against the referee itself, over a connection that can be cut."""

import asyncio
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pytest

import harbourmaster
from harbourmaster import _session
from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server import server
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import RefereeServer
from harbourmaster_server.timekeeping import new_event_loop
from support.certificates import make_certificate
from support.patience import PATIENCE, wait_for


class RunningReferee:
    """A referee in open mode, on a loop in a thread of its own. Used as a context manager."""

    def __init__(self, folder: Path, tls: tuple[Path, Path] | None = None) -> None:
        self._folder = folder
        self._tls = tls
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.port = 0

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        config = RefereeConfig(self._folder, open_mode=True)
        async with (
            Referee(config, set_up_logging(level="error")) as self._referee,
            RefereeServer(self._referee, port=0, tls=self._tls) as listening,
        ):
            self.port = listening.port
            self._ready.set()
            await self._stop.wait()

    def create(self, bots: list[str], terms: match_pb2.MatchTerms) -> str:
        """Make a match and return its id."""
        request = pb.CreateMatchRequest(bots=bots, terms=terms)
        return self._wait_for(self._referee.create_match(request)).match_id

    def outcome(self, match_id: str) -> match_pb2.MatchOutcome:
        """Return how a match ended, once it has."""
        return self._wait_for(self._referee.wait(match_id)).outcome

    def connected(self) -> int:
        """Return how many bots the referee takes to be connected."""
        return sum(session.connection is not None for session in self._referee.sessions.all())

    def _wait_for(self, work: Any) -> pb.MatchInfo:
        info: pb.MatchInfo = asyncio.run_coroutine_threadsafe(work, self._loop).result(PATIENCE)
        return info


class Wire:
    """A relay to the referee whose connections can be cut. Used as a context manager."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.cuts = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()

    def cut(self) -> None:
        """Close every connection, with whatever is on its way."""
        self.cuts += bool(self._open)
        while self._open:
            end = self._open.pop()
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                self._open += [near, far]
                for source, target in ((near, far), (far, near)):
                    threading.Thread(target=_relay, args=(source, target), daemon=True).start()


def _relay(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)


class Enough(Exception):
    """Ends a bot that has played all its matches."""


def play(
    name: str, address: str, choose: harbourmaster.Choose, matches: int, tls: bool | Path = False
) -> None:
    """Play *matches* at once, to their ends."""
    ended: list[str] = []

    def on_end(result: harbourmaster.Result) -> None:
        ended.append(result.match.id)
        if len(ended) == matches:
            raise Enough

    with suppress(Enough):
        harbourmaster.play(
            choose,
            name=name,
            address=address,
            open_matches=matches,
            tls=tls,
            on_end=on_end,
            log=None,
        )


@contextmanager
def in_thread(work: Callable[..., None], *values: object) -> Iterator[None]:
    """Do *work* in a thread, which has to end and not to raise."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work, *values)
        yield
        done.result(PATIENCE)


def any_move(decision: harbourmaster.Decision) -> harbourmaster.Answer:
    """Answer with any of the offered moves, after a little thought."""
    threading.Event().wait(0.002)
    return random.Random(decision.number).randrange(len(decision.offered))


def wrong_first(decision: harbourmaster.Decision) -> harbourmaster.Answer:
    """Answer every decision once with a move that is not there."""
    return 0 if decision.refusal else len(decision.offered) + 1


def terms() -> match_pb2.MatchTerms:
    """Return terms under which an illegal move may be replaced, and a drop is forgiven."""
    made = match_pb2.MatchTerms(game="anchorline")
    made.policy.illegal_move.retries = 2
    made.policy.illegal_move.action = match_pb2.FAULT_ACTION_FORFEIT
    made.policy.disconnect.action = match_pb2.FAULT_ACTION_FORFEIT
    made.policy.reconnect_time.FromSeconds(30)
    return made


def reasons(outcome: match_pb2.MatchOutcome) -> set[game_pb2.SeatEndReason.ValueType]:
    return {seat.reason for seat in outcome.seats}


RULES = {game_pb2.SEAT_END_REASON_RULES}


def test_matches_survive_that_a_bot_is_cut_off_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P79: every open match is taken up again, whatever was on its way."""
    monkeypatch.setattr(_session, "STABLE_SECONDS", 0.0)
    over = threading.Event()

    def cut_often(wire: Wire) -> None:
        while not over.wait(0.2):
            wire.cut()

    with (
        RunningReferee(tmp_path) as referee,
        Wire(referee.port) as wire,
        in_thread(play, "cut", wire.address, any_move, 8),
        in_thread(play, "steady", f"127.0.0.1:{referee.port}", any_move, 8),
        in_thread(cut_often, wire),
    ):
        matches = [referee.create(["cut", "steady"], terms()) for _ in range(8)]
        outcomes = [referee.outcome(match) for match in matches]
        over.set()
    assert [reasons(outcome) for outcome in outcomes] == [RULES] * 8
    assert wire.cuts >= 5


def test_a_refused_answer_does_not_keep_the_session_from_other_decisions(tmp_path: Path) -> None:
    """With one open decision, the second try of one must not count as another."""
    with (
        RunningReferee(tmp_path) as referee,
        in_thread(play, "wrong", f"localhost:{referee.port}", wrong_first, 4),
        in_thread(play, "right", f"localhost:{referee.port}", any_move, 4),
    ):
        matches = [referee.create(["wrong", "right"], terms()) for _ in range(4)]
        outcomes = [referee.outcome(match) for match in matches]
    assert [reasons(outcome) for outcome in outcomes] == [RULES] * 4


def test_with_tls_a_bot_plays_with_the_certificate_and_not_without(tmp_path: Path) -> None:
    certificate, key = make_certificate(tmp_path)
    with RunningReferee(tmp_path, (certificate, key)) as referee:
        address = f"localhost:{referee.port}"
        for tls in (False, True):
            with pytest.raises(harbourmaster.ConnectionLost):
                harbourmaster.play(any_move, address=address, tls=tls, reconnect=False, log=None)
        with (
            in_thread(play, "a", address, any_move, 1, certificate),
            in_thread(play, "b", address, any_move, 1, certificate),
        ):
            outcome = referee.outcome(referee.create(["a", "b"], terms()))
    assert reasons(outcome) == RULES


def test_a_bot_that_stands_still_is_noticed_within_ten_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connection stays open, half of it: the system answers, the program does not."""
    options = dict(server.OPTIONS)
    assert options["grpc.keepalive_time_ms"] + options["grpc.http2.ping_timeout_ms"] < 10_000
    options |= {"grpc.keepalive_time_ms": 1_000, "grpc.http2.ping_timeout_ms": 2_000}
    monkeypatch.setattr(server, "OPTIONS", tuple(options.items()))
    with RunningReferee(tmp_path) as referee:
        command = [sys.executable, "-m", "harbourmaster", "bot", "random"]
        bot = subprocess.Popen([*command, "--address", f"127.0.0.1:{referee.port}"])
        try:
            wait_for(lambda: referee.connected() == 1, "the bot")
            bot.send_signal(signal.SIGSTOP)
            wait_for(lambda: referee.connected() == 0, "its end")
        finally:
            bot.kill()
            bot.wait()
