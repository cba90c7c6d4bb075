"""A referee in this process, with time that tests move by hand and bots that they script.

Everything is real but the transport: sessions, matches, clocks, journal and records run as they do
in production, and a `ScriptedBot` stands where a stream would be.
"""

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import match_pb2, match_service_pb2
from harbourmaster_server.identity import Identity
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.matches.decision import Decision
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.sessions.session import Session
from harbourmaster_server.timekeeping import Stall

T = TypeVar("T")
MILLISECOND = 1_000_000
SPINS = 30
"""Turns of the loop after which everything that could happen without time has happened."""


class HandTime:
    """A clock that only `advance` moves; replies arrive at the moment of the call."""

    def __init__(self) -> None:
        self._now = 10**12
        self._calls: list[tuple[int, int, HandCall]] = []
        self._order = itertools.count()

    def now(self) -> int:
        return self._now

    def arrival(self, mark: int | None = None) -> int:
        return self._now

    def mark(self) -> int:
        return 0

    def stall(self) -> Stall:
        return Stall()

    def call_at(self, when: int, callback: Callable[[], object]) -> "HandCall":
        call = HandCall(callback)
        heapq.heappush(self._calls, (when, next(self._order), call))
        return call

    async def advance(self, milliseconds: float) -> None:
        """Let so much time pass, every call at its moment."""
        end = self._now + round(milliseconds * MILLISECOND)
        await spin()
        while self._calls and self._calls[0][0] <= end:
            when, _, call = heapq.heappop(self._calls)
            self._now = max(self._now, when)
            if not call.cancelled:
                call.callback()
            await spin()
        self._now = end
        await spin()


class HandCall:
    """A call that can be taken back."""

    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


async def spin() -> None:
    """Let everything happen that needs no time."""
    for _ in range(SPINS):
        await asyncio.sleep(0)


class ScriptedBot:
    """A session whose other end is the test."""

    def __init__(self, arena: "Arena", name: str) -> None:
        self.arena = arena
        self.name = name
        self.events: list[pb.RefereeEvent] = []
        self.status: tuple[grpc.StatusCode, str] | None = None
        self.finished = False
        self.session: Session
        self.auto_ready = True

    # What a connection has.

    def put(self, batch: bytes, to_start: list[Decision]) -> None:
        for decision in to_start:
            decision.start(self.arena.time.now())
        sent = pb.PlayResponse.FromString(batch)
        self.events.extend(sent.events)
        if self.auto_ready:
            for event in sent.events:
                if event.WhichOneof("event") == "match_start":
                    start = event.match_start
                    ready = pb.MatchReady(match_id=start.match_id, seat=start.seat)
                    asyncio.get_running_loop().call_soon(self.session.take_ready, ready)

    def finish(self) -> None:
        self.finished = True

    def end(self, code: grpc.StatusCode, text: str) -> None:
        self.status = self.status or (code, text)

    # What a test does.

    def all(self, kind: str) -> list[Any]:
        """Return every event of *kind* so far."""
        return [getattr(e, kind) for e in self.events if e.WhichOneof("event") == kind]

    def last(self, kind: str) -> Any:
        """Return the last event of *kind*."""
        return self.all(kind)[-1]

    @property
    def request(self) -> pb.DecisionRequest:
        """The last decision that was asked."""
        request: pb.DecisionRequest = self.last("decision_request")
        return request

    async def reply(self, **fields: Any) -> None:
        """Answer the last decision; *fields* change the reply, and default to the first offer."""
        request = self.request
        reply = pb.MoveReply(
            match_id=request.match_id, decision=request.decision, attempt=request.attempt
        )
        if not {"move", "offered_index", "resignation"} & set(fields):
            reply.offered_index = 0
        for name, value in fields.items():
            if hasattr(value, "DESCRIPTOR"):
                getattr(reply, name).CopyFrom(value)
            else:
                setattr(reply, name, value)
        self.session.take_reply(reply, self.arena.time.arrival())
        await spin()

    async def drop(self) -> None:
        """Lose the connection."""
        self.arena.referee.sessions.dropped(self.session, self)  # type: ignore[arg-type]
        await spin()

    async def come_back(self) -> "ScriptedBot":
        """Take the session up again over a new connection, and return that."""
        twin = ScriptedBot(self.arena, self.name)
        twin._open(self.session.hello, self.session.resume_token)
        await spin()
        return twin

    def _open(self, hello: pb.Hello, token: bytes = b"") -> None:
        again = pb.Hello()
        again.CopyFrom(hello)
        again.resume_token = token
        sessions = self.arena.referee.sessions
        self.session = sessions.open(Identity(self.name), again, self)  # type: ignore[arg-type]
        self.arena.referee.lobby.enter(self.session)


class Arena:
    """A referee for tests."""

    def __init__(self, referee: Referee, time: HandTime) -> None:
        self.referee = referee
        self.time = time

    async def bot(self, name: str, **hello: Any) -> ScriptedBot:
        """Let a bot called *name* come; *hello* changes what it says of itself."""
        bot = ScriptedBot(self, name)
        fields: dict[str, Any] = {"offered_moves_wanted": True, "open_matches": 4} | hello
        bot._open(pb.Hello(protocol_version=pb.ProtocolVersion(major=1), name=name, **fields))
        await spin()
        return bot

    async def match(
        self,
        *bots: str,
        game: str = "anchorline",
        terms: match_pb2.MatchTerms | None = None,
        **more: Any,
    ) -> str:
        """Make a match between *bots* and return its id."""
        asked = match_pb2.MatchTerms(game=game)
        if terms is not None:
            asked.MergeFrom(terms)
        request = match_service_pb2.CreateMatchRequest(terms=asked, bots=bots, **more)
        info = await self.referee.create_match(request)
        await spin()
        return info.match_id

    async def play_out(self, match_id: str, *bots: ScriptedBot) -> match_service_pb2.MatchInfo:
        """Let *bots* take the first offered move until the match is over."""
        while match_id in self.referee._matches and self.referee._matches[match_id].decision:
            decision = self.referee._matches[match_id].decision
            assert decision is not None
            for bot in bots:
                if bot.all("decision_request") and bot.request.decision == decision.number:
                    await bot.reply()
        return await self.referee.wait(match_id)


@contextlib.asynccontextmanager
async def open_arena(folder: Path, *, log: Any = None, **config: Any) -> AsyncIterator[Arena]:
    """Run a referee that keeps its files in *folder*."""
    log = log or set_up_logging(level="critical")
    referee = Referee(RefereeConfig(folder, open_mode=True, **config), log)
    time = HandTime()
    await referee.start(time)
    try:
        yield Arena(referee, time)
    finally:
        await referee.stop()


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine."""
    return asyncio.run(work)
