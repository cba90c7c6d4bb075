"""Putting one recorded decision to a bot again, outside of any match.

A small server takes the place of the referee for one session: it greets the bot, starts the match
as if it were taken up again, and asks the decision with the view, events, offered moves and time
left that it had. The bot cannot tell the difference.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2, match_pb2, record_pb2
from harbourmaster_engine.game import AnyState, LegalMoves
from harbourmaster_server.codec import WrongGame
from harbourmaster_server.launching import Launcher, LaunchSpec
from harbourmaster_server.launching.environment import ADDRESS, TOKEN
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.judging import UnusableReply, read_answer
from harbourmaster_server.matches.match import SERVER_VERSION
from harbourmaster_server.records import RecordError
from harbourmaster_server.services.bots import SERVICE
from harbourmaster_server.sessions.registry import PROTOCOL_MAJOR, PROTOCOL_MINOR
from harbourmaster_server.showing import Asked
from harbourmaster_server.showing.steps import Teller
from harbourmaster_server.terms import MatchTerms, to_duration
from harbourmaster_tournaments.running.house import bot_path, last_words

DOUBT: Final = "this move is refused on purpose, to see what the bot does: answer again"


class CannotAsk(ValueError):
    """The record has no such decision, or the bot gave no answer; the message says why."""


@dataclass(frozen=True, slots=True)
class Question:
    """A decision of a record, with everything that a bot was sent before and with it."""

    terms: MatchTerms
    start: pb.MatchStart
    asked: Asked
    state: AnyState
    """The state in which it was asked."""
    offered: LegalMoves[Any]
    recorded: str
    """What the bot in the record did, in words."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a bot answered to a question."""

    text: str
    """The answer in words."""
    accepted: bool
    """Whether the rules accept it."""
    refusal: str
    """Why they do not, or an empty word."""
    seconds: float
    """How long the bot took."""
    note: str
    in_time: bool
    """Whether it came within the time left and the grace; always without a limit."""
    attempt: int = 1


def find_question(
    entries: Sequence[record_pb2.RecordEntry], decision: int, seat: int | None = None
) -> Question:
    """Return the decision with that number; raise `CannotAsk` if it was put to no bot.

    With *seat* it must be a decision of that seat. Raises `RecordError` for a damaged record.
    """
    if not entries or entries[0].WhichOneof("entry") != "start":
        raise RecordError("entry 1: it does not tell what the match is")
    teller = Teller(entries[0].start)
    for number, entry in enumerate(entries[1:], 2):
        what = entry.fault if entry.WhichOneof("entry") == "fault" else entry.move
        if what.decision == decision and entry.WhichOneof("entry") in ("move", "fault"):
            if seat is not None and what.seat != seat:
                raise CannotAsk(f"decision {decision} was put to seat {what.seat}, not to {seat}")
            question = _question(teller, what.seat, decision)
            step = teller.take(number, entry)
            if step is None or step.asked is None:
                raise CannotAsk(f"decision {decision} was put to no bot: it was a default move")
            return replace(question, recorded=step.text)
        teller.take(number, entry)
    last = teller.replayed.decisions
    raise CannotAsk(f"there is no decision {decision} in the record: it has 1 to {last}")


def _question(teller: Teller, seat: int, decision: int) -> Question:
    """Return the question that is open now; what the record's bot answered is not known yet."""
    replayed = teller.replayed
    history = teller.earlier_events(seat)
    start = pb.MatchStart(
        match_id=replayed.start.match_id,
        terms=replayed.start.terms,
        seat=seat,
        players=[match_pb2.Player(seat=s, name=name) for s, name in enumerate(replayed.names)],
        deal_commitment=replayed.start.deal_commitment,
        resumed=bool(history),
        history=history,
    )
    asked, state = teller.ask(seat, decision), replayed.state.clone()
    return Question(replayed.terms, start, asked, state, state.legal_moves(), recorded="")


class AskingServer:
    """Serves one bot, which gets one question."""

    def __init__(self, question: Question, *, doubt: bool = False) -> None:
        """Ask *question*; with *doubt*, refuse the first answer whatever it is."""
        self._question = question
        self._doubt = doubt
        self._attempt = 1
        self._sent = 0.0
        self.token = secrets.token_urlsafe(16)
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._server = grpc.aio.server()
        self.address = ""

    async def __aenter__(self) -> "AskingServer":
        """Listen."""
        play: grpc.RpcMethodHandler[Any, Any] = grpc.stream_stream_rpc_method_handler(
            self._play,
            request_deserializer=pb.PlayRequest.FromString,
            response_serializer=pb.PlayResponse.SerializeToString,
        )
        handler = grpc.method_handlers_generic_handler(SERVICE, {"Play": play})
        self._server.add_generic_rpc_handlers((handler,))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        await self._server.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Listen no longer."""
        await self._server.stop(0.1)

    async def _play(self, requests: AsyncIterator[pb.PlayRequest], context: Any) -> None:
        metadata = dict(context.invocation_metadata() or ())
        if metadata.get("authorization") != f"Bearer {self.token}":
            await context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is not the one given")
        hello = pb.Hello()
        async for request in requests:
            for event in request.events:
                kind = event.WhichOneof("event")
                if kind == "hello":
                    hello = event.hello
                    await context.write(self._greeting(hello))
                elif kind == "match_ready":
                    await context.write(self._request(hello))
                    self._sent = time.monotonic()
                elif kind == "move_reply":
                    await self._take(event.move_reply, context)
                elif kind == "ping":
                    await context.write(_one(pong=pb.Pong(payload=event.ping.payload)))

    async def _take(self, reply: pb.MoveReply, context: Any) -> None:
        """Take an answer; one to another decision or attempt changes nothing."""
        if (reply.decision, reply.attempt) != (self._question.asked.decision, self._attempt):
            return
        answer = self._judge(reply, time.monotonic() - self._sent)
        if self._doubt and reply.attempt == 1:
            self._attempt = 2
            await context.write(self._receipt(reply, DOUBT, next_attempt=2))
            return
        await context.write(self._receipt(reply, answer.refusal))
        if not self.answer.done():
            self.answer.set_result(answer)

    def _greeting(self, hello: pb.Hello) -> pb.PlayResponse:
        """Return the welcome and the start of the match."""
        limits = Limits()
        welcome = pb.Welcome(
            session_id="asking",
            resume_token=secrets.token_bytes(16),
            protocol_version=pb.ProtocolVersion(major=PROTOCOL_MAJOR, minor=PROTOCOL_MINOR),
            server_version=SERVER_VERSION,
            limits=pb.SessionLimits(
                message_bytes=limits.message_bytes,
                messages_per_second=limits.messages_per_second,
                open_matches=max(1, hello.open_matches),
                open_decisions=max(1, hello.open_decisions),
                note_characters=limits.note_characters,
                resume_time=to_duration(int(limits.resume_seconds * 1e6)),
            ),
            bot=hello.name,
        )
        events = [
            pb.RefereeEvent(welcome=welcome),
            pb.RefereeEvent(match_start=self._question.start),
        ]
        return pb.PlayResponse(events=events)

    def _request(self, hello: pb.Hello) -> pb.PlayResponse:
        question = self._question
        request = pb.DecisionRequest(
            match_id=question.start.match_id,
            decision=question.asked.decision,
            attempt=1,
            seat=question.asked.seat,
            view=question.asked.view,
            events=question.asked.events,
            time_left_micros=question.asked.time_left_micros,
        )
        if hello.offered_moves_wanted:
            request.MergeFromString(question.terms.codec.offered_part(question.offered))
        return _one(decision_request=request)

    def _judge(self, reply: pb.MoveReply, seconds: float) -> Answer:
        """Return what *reply* is, and what the rules make of it."""
        question = self._question
        left = question.asked.time_left_micros
        grace = question.terms.clock.grace
        in_time = left is None or seconds * 1e6 <= left + grace
        accepted, refusal = True, ""
        if reply.WhichOneof("answer") == "resignation":
            text = "resign"
        else:
            text, refusal = _move_words(question, reply)
            accepted = not refusal
        return Answer(text, accepted, refusal, seconds, reply.note, in_time, reply.attempt)

    def _receipt(
        self, reply: pb.MoveReply, refusal: str, *, next_attempt: int = 0
    ) -> pb.PlayResponse:
        receipt = pb.MoveReceipt(
            match_id=reply.match_id,
            decision=reply.decision,
            attempt=reply.attempt,
            status=pb.MOVE_RECEIPT_STATUS_ACCEPTED,
            time_left_micros=self._question.asked.time_left_micros,
        )
        if refusal:
            receipt.status = pb.MOVE_RECEIPT_STATUS_REFUSED
            receipt.refusal.CopyFrom(game_pb2.Refusal(text=refusal))
        if next_attempt:
            receipt.next_attempt, receipt.tries_left = next_attempt, 1
        return _one(move_receipt=receipt)


async def ask(
    question: Question, command: str, *, seconds: float = 60.0, doubt: bool = False
) -> Answer:
    """Launch the bot of *command*, put *question* to it and return its answer.

    With *doubt* the first answer is refused whatever it is, and the second one returned. Raises
    `CannotAsk` if no answer comes within *seconds* or the bot ends, and `LaunchError`.
    """
    async with AskingServer(question, doubt=doubt) as server, Launcher() as launcher:
        environment = {ADDRESS: server.address, TOKEN: server.token, "PATH": bot_path()}
        spec = LaunchSpec(name="the bot", command=command, environment=environment)
        bot = await launcher.launch(spec)
        ended = asyncio.create_task(bot.wait())
        waited: set[asyncio.Future[Any]] = {server.answer, ended}
        try:
            await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if server.answer.done():
                return server.answer.result()
            if ended.done():
                raise CannotAsk(f"the bot gave no answer: {last_words(ended.result())}")
            raise CannotAsk(f"the bot gave no answer within {seconds:g} s")
        finally:
            ended.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ended


def _move_words(question: Question, reply: pb.MoveReply) -> tuple[str, str]:
    """Return the move of *reply* in words, and why the rules refuse it, or an empty word."""
    text = question.terms.game.text
    try:
        move = read_answer(question.terms.codec, question.offered, reply)
    except (UnusableReply, WrongGame) as error:
        return "no move", str(error)
    refusal = question.state.check(move)
    try:
        words = text.describe_move(move)
    except (ValueError, LookupError, TypeError):
        # A refused move may name cards or places that there are not.
        words = " ".join(str(reply.move).split())
    return words, "" if refusal is None else refusal.text


def _one(**event: Any) -> pb.PlayResponse:
    return pb.PlayResponse(events=[pb.RefereeEvent(**event)])
