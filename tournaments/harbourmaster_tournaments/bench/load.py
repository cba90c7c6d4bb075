"""Bots for benchmarks: they answer every decision with a random offered move, as fast as they can.

They speak the protocol directly, so that a second core carries many of them.
"""

import asyncio
import random
from dataclasses import dataclass, field

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import (
    bot_service_pb2_grpc,
    match_pb2,
    match_service_pb2,
    match_service_pb2_grpc,
)


@dataclass(slots=True)
class Load:
    """What a run did."""

    decisions: int = 0
    bytes_out: int = 0
    """Sent by the referee."""
    bytes_in: int = 0
    """Sent by the bots."""
    ended: list[str] = field(default_factory=list)
    """The ids of finished matches."""
    forfeits: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """How a run is laid out."""

    game: str
    matches: int
    """Matches at once."""
    sessions: int
    decisions: int
    """Decisions to reach, after which running matches are finished and no more begun."""


class LoadBots:
    """Plays matches of one shape against a referee."""

    def __init__(self, address: str, shape: Shape, seed: int = 1) -> None:
        self._address = address
        self._shape = shape
        self._rng = random.Random(seed)
        self._channels: list[grpc.aio.Channel] = []
        self._makers: set[asyncio.Task[None]] = set()
        self._running = 0
        self._finished = asyncio.Event()
        self.load = Load()

    async def run(self) -> Load:
        """Play until there were enough decisions, and return what was done."""
        channels = [
            grpc.aio.insecure_channel(self._address, options=[("bench.channel", n)])
            for n in range(-(-self._shape.sessions // 4))
        ]
        matches = match_service_pb2_grpc.MatchServiceStub(channels[0])
        sessions = [
            asyncio.create_task(self._session(channels[n // 4], n, matches))
            for n in range(self._shape.sessions)
        ]
        for number in range(self._shape.matches):
            await self._begin(matches, number)
        await self._finished.wait()
        for session in sessions:
            session.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)
        for channel in channels:
            await channel.close()
        return self.load

    async def _begin(self, matches: match_service_pb2_grpc.MatchServiceStub, n: int) -> None:
        """Make the match at place *n* of those that run at once."""
        self._running += 1
        first = 2 * n % self._shape.sessions
        bots = [f"bot{first}", f"bot{first + 1}"]
        terms = match_pb2.MatchTerms(game=self._shape.game)
        await matches.CreateMatch(match_service_pb2.CreateMatchRequest(terms=terms, bots=bots))

    async def _session(
        self,
        channel: grpc.aio.Channel,
        number: int,
        matches: match_service_pb2_grpc.MatchServiceStub,
    ) -> None:
        call = bot_service_pb2_grpc.BotServiceStub(channel).Play()
        share = -(-2 * self._shape.matches // self._shape.sessions)
        hello = pb.Hello(
            protocol_version=pb.ProtocolVersion(major=1),
            name=f"bot{number}",
            open_matches=share,
            open_decisions=share,
            offered_moves_wanted=True,
        )
        await call.write(pb.PlayRequest(events=[pb.BotEvent(hello=hello)]))
        while True:
            message = await call.read()
            if not isinstance(message, pb.PlayResponse):
                return
            answer = self._answer(message, number, matches)
            if answer.events:
                self.load.bytes_in += answer.ByteSize()
                await call.write(answer)

    def _answer(
        self,
        message: pb.PlayResponse,
        number: int,
        matches: match_service_pb2_grpc.MatchServiceStub,
    ) -> pb.PlayRequest:
        answer = pb.PlayRequest()
        self.load.bytes_out += message.ByteSize()
        for event in message.events:
            kind = event.WhichOneof("event")
            if kind == "decision_request":
                request = event.decision_request
                reply = answer.events.add().move_reply
                reply.match_id = request.match_id
                reply.decision = request.decision
                reply.attempt = request.attempt
                reply.offered_index = int(self._rng.random() * len(request.offered.moves))
                self.load.decisions += 1
            elif kind == "match_start":
                start = event.match_start
                ready = pb.MatchReady(match_id=start.match_id, seat=start.seat)
                answer.events.add(match_ready=ready)
            elif kind == "match_end" and event.match_end.seat == 0:
                self._ended(event.match_end, number, matches)
        return answer

    def _ended(
        self,
        end: pb.MatchEnd,
        number: int,
        matches: match_service_pb2_grpc.MatchServiceStub,
    ) -> None:
        """Take note of a finished match, and begin another in its place."""
        self.load.ended.append(end.match_id)
        self.load.forfeits += end.outcome.reason in ("last_seat", "void")
        self._running -= 1
        if self.load.decisions < self._shape.decisions:
            maker = asyncio.create_task(self._begin(matches, number // 2))
            self._makers.add(maker)
            maker.add_done_callback(self._makers.discard)
        elif not self._running:
            self._finished.set()
