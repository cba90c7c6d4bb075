"""`BotService`: reads what bots send, and hands it on."""

import asyncio
from collections import Counter
from typing import Any, TypeAlias

import grpc
from google.protobuf.message import DecodeError

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.errors import (
    STATUS,
    BadRequest,
    LimitExceeded,
    RefereeError,
    ShuttingDown,
)
from harbourmaster_server.matches.decision import Fault
from harbourmaster_server.matches.match import SERVER_VERSION
from harbourmaster_server.referee import Referee
from harbourmaster_server.sessions.connection import Connection
from harbourmaster_server.sessions.registry import PROTOCOL_MAJOR, PROTOCOL_MINOR
from harbourmaster_server.sessions.session import Session
from harbourmaster_server.terms import to_duration

Context: TypeAlias = grpc.aio.ServicerContext[Any, Any]
SERVICE = "harbourmaster.v1.BotService"
RATE_SECONDS = 10
PEER_WENT = (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError)
"""What reading and writing raise when the peer is gone."""
CLOSED_EARLY = (
    "the bot closed its side of the call while it had matches, which counts as a drop: say hello "
    "with the resume token, and keep that side open until the referee ends the call"
)


class BotService:
    """Serves one `Play` call per bot session."""

    def __init__(self, referee: Referee) -> None:
        self._referee = referee
        self._calls: Counter[str] = Counter()
        """How many calls each bot has, those included that are over but not read to their end."""

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the handler to add to a server.

        Messages are taken as bytes, so that one that cannot be read costs its sender alone, and
        sent as bytes, because most are put together from parts that recur.
        """
        play: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(
            self.play,
            request_deserializer=None,
            response_serializer=None,
        )
        return grpc.method_handlers_generic_handler(SERVICE, {"Play": play})

    async def play(self, _: Any, context: Context) -> None:
        """Serve one call from its hello to its end."""
        try:
            session, connection = await self._open(context)
        except RefereeError as error:
            await context.abort(STATUS[type(error)], str(error))
        self._calls[session.bot] += 1
        try:
            try:
                await _serve(session, connection, context)
            finally:
                self._referee.sessions.dropped(session, connection)
            if connection.status is not None and connection.status[0] is not grpc.StatusCode.OK:
                await context.abort(*connection.status)
        finally:
            self._calls[session.bot] -= 1
            if not self._calls[session.bot]:
                del self._calls[session.bot]

    async def _open(self, context: Context) -> tuple[Session, Connection]:
        """Read the hello and open the session; raise what refuses it."""
        referee = self._referee
        if referee.draining:
            raise ShuttingDown("the referee is shutting down: come back when it is up again")
        limits = referee.desk.limits
        try:
            async with asyncio.timeout(limits.hello_seconds):
                # Some clients say nothing before the call's own headers have come.
                await context.send_initial_metadata(())
                data = await context.read()
        except TimeoutError:
            raise BadRequest(f"no hello came within {limits.hello_seconds:g} s") from None
        hello, rest = _read_hello(data)
        metadata = {k: v for k, v in context.invocation_metadata() or () if isinstance(v, str)}
        identity = referee.gatekeeper.identify(metadata, hello.name)
        identity = referee.check_play(identity)
        most = 2 * limits.sessions_per_bot
        if self._calls[identity.bot] >= most:
            raise LimitExceeded(
                f"{identity.bot} has {most} calls that are not over: read them to their end"
            )
        connection = Connection(context, referee.desk.time, limits.unread_bytes)
        session = referee.sessions.open(identity, hello, connection)
        session.greet(_welcome(session))
        referee.lobby.enter(session)
        for event in rest:
            _take(session, event, referee.desk.time.arrival())
        return session, connection


async def _serve(session: Session, connection: Connection, context: Context) -> None:
    """Read and write until either side ends the call."""
    tasks = {
        asyncio.create_task(_read(session, connection, context)),
        asyncio.create_task(connection.write()),
        asyncio.create_task(connection.ended.wait()),
    }
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        error = task.exception()
        if error is not None and not isinstance(error, PEER_WENT):
            session.log.error("the referee failed at a message of a session", exc_info=error)
            connection.end(grpc.StatusCode.INTERNAL, "the referee failed: tell its organiser")


async def _read(session: Session, connection: Connection, context: Context) -> None:
    """Take what the bot sends until it ends the stream, or breaks a rule of the protocol."""
    time = session.desk.time
    limits = session.desk.limits
    counted, since = 0, time.now()
    while True:
        mark = time.mark()
        data = await context.read()
        if data is grpc.aio.EOF:
            if session.matches:
                connection.end(grpc.StatusCode.CANCELLED, CLOSED_EARLY)
            return
        arrived = time.arrival(mark)
        session.messages_read += 1
        counted += 1
        if counted > limits.messages_per_second * RATE_SECONDS:
            if arrived - since < RATE_SECONDS * 1_000_000_000:
                _condemn(session, connection, LimitExceeded(_rate_text(limits.messages_per_second)))
                return
            counted, since = 0, arrived
        try:
            _take_message(session, data, arrived)
        except RefereeError as error:
            _condemn(session, connection, error)
            return


def _take_message(session: Session, data: bytes, arrived: int) -> None:
    """Take one message; raise `BadRequest` or `LimitExceeded` for one that ends the session."""
    most = session.desk.limits.message_bytes
    if len(data) > most:
        raise LimitExceeded(f"a message has {len(data)} bytes: at most {most}")
    try:
        request = pb.PlayRequest.FromString(data)
    except DecodeError:
        raise BadRequest("a message is not a PlayRequest: its bytes cannot be read") from None
    limit = session.desk.limits.events_per_message
    if len(request.events) > limit:
        raise BadRequest(f"a message holds {len(request.events)} events: at most {limit}")
    for event in request.events:
        _take(session, event, arrived)


def _take(session: Session, event: pb.BotEvent, arrived: int) -> None:
    """Take one event."""
    kind = event.WhichOneof("event")
    if kind == "move_reply":
        session.take_reply(event.move_reply, arrived)
    elif kind == "match_ready":
        session.take_ready(event.match_ready)
    elif kind == "ping":
        session.send(pong=pb.Pong(payload=event.ping.payload))
    elif kind == "leave":
        session.take_leave()
    elif kind == "hello":
        session.complain("hello came again: it is only the first event of a session")
    elif kind != "pong":
        session.complain("an event was empty, or of a kind that this referee does not know")


def _condemn(session: Session, connection: Connection, error: RefereeError) -> None:
    """End the session for what its bot sent; its open matches take it for a protocol error."""
    session.log.warning("session ends", why=str(error))
    session.condemn(Fault(ForfeitReason.PROTOCOL_ERROR, str(error)))
    connection.end(STATUS[type(error)], str(error))


def _read_hello(data: Any) -> tuple[pb.Hello, list[pb.BotEvent]]:
    """Return the hello of a first message and the events behind it; raise `BadRequest`."""
    if data is grpc.aio.EOF:
        raise BadRequest("the stream ended before hello")
    try:
        request = pb.PlayRequest.FromString(data)
    except DecodeError:
        raise BadRequest("the first message is not a PlayRequest: it cannot be read") from None
    events = list(request.events)
    if not events or events[0].WhichOneof("event") != "hello":
        raise BadRequest("the first event must be hello")
    return events[0].hello, events[1:]


def _welcome(session: Session) -> pb.Welcome:
    limits = session.desk.limits
    return pb.Welcome(
        session_id=session.id,
        resume_token=session.resume_token,
        protocol_version=pb.ProtocolVersion(major=PROTOCOL_MAJOR, minor=PROTOCOL_MINOR),
        server_version=SERVER_VERSION,
        limits=pb.SessionLimits(
            message_bytes=limits.message_bytes,
            messages_per_second=limits.messages_per_second,
            open_matches=session.open_matches,
            open_decisions=session.open_decisions,
            note_characters=limits.note_characters,
            resume_time=to_duration(int(limits.resume_seconds * 1e6)),
        ),
        resumed=session.resumed,
        bot=session.bot,
    )


def _rate_text(limit: int) -> str:
    return f"more than {limit} messages a second, over {RATE_SECONDS} seconds: send fewer"
