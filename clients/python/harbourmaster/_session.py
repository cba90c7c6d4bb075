"""The bot's session with the referee: it outlives connections and knows every open match.

Everything here runs in one event loop. What the bot is to do is put into an inbox, and comes back
through `answer` and `ready`.
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Final, TypeAlias

from harbourmaster import _messages
from harbourmaster._connection import Connection
from harbourmaster._settings import Settings
from harbourmaster._status import Dropped, ResumeRefused
from harbourmaster._values import Decision, Match, Result
from harbourmaster._version import PROTOCOL_MAJOR
from harbourmaster.errors import ConnectionLost, VersionMismatch
from harbourmaster.v1 import bot_service_pb2 as pb

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 5.0
STABLE_SECONDS: Final = 1.0
"""After a connection that held for so long, the next pause is a short one again."""
LINGER_SECONDS: Final = 5.0
"""How long the referee may take to end a session that has left and has no open match."""


@dataclass(frozen=True, slots=True)
class Started:
    """A match begins; `Session.ready` is waited for."""

    match: Match


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision waits for `Session.answer`."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class Happened:
    """Events, for a bot that wished to hear of them as they happen."""

    match: Match
    events: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """A match is over."""

    result: Result


@dataclass(frozen=True, slots=True)
class Closed:
    """The session is over; nothing follows."""

    error: BaseException | None


News: TypeAlias = Started | Asked | Happened | Ended | Closed


@dataclass(slots=True)
class _Open:
    """A decision that was asked and not replaced by a later one."""

    decision: Decision
    connection: Connection
    """The one over which it was asked last; an answer goes nowhere else."""
    reply: pb.MoveReply | None = None


@dataclass(slots=True)
class _Seat:
    """What is remembered of one seat of the bot."""

    match: Match
    ready: bool = False
    seen: int = 0
    """How many of the match's events the bot was given, or will be with the next decision."""
    told: int = 0
    """How many it was told of as they happened."""
    missed: tuple[Any, ...] = ()
    """Events that come with the next decision, because their own was lost with a connection."""
    open: _Open | None = None


class Session:
    """One bot's session."""

    def __init__(
        self,
        settings: Settings,
        inbox: "SimpleQueue[News]",
        log: Callable[[str], None],
        *,
        ready_at_once: bool,
    ) -> None:
        """Put into *inbox* what the bot is to do.

        With *ready_at_once* a match needs no call of `ready`.
        """
        self._settings = settings
        self._inbox = inbox
        self._log = log
        self._ready_at_once = ready_at_once
        self._connection: Connection | None = None
        self._resume_token = b""
        self._limits = pb.SessionLimits()
        self._seats: dict[str, dict[int, _Seat]] = {}
        self._live: set[tuple[str, int]] = set()
        """The seats of the matches that the referee has in this session."""
        self._leaving = False
        self._lost_at = time.monotonic()
        self._pause = FIRST_PAUSE
        self._task: asyncio.Task[None] | None = None
        self._handlers: dict[str | None, Callable[[Any], None]] = {
            "welcome": self._on_welcome,
            "match_start": self._on_match_start,
            "decision_request": self._on_decision_request,
            "move_receipt": self._on_move_receipt,
            "match_events": self._on_match_events,
            "seat_eliminated": self._on_seat_eliminated,
            "match_paused": self._on_match_paused,
            "match_resumed": self._on_match_resumed,
            "notice": self._on_notice,
            "match_end": self._on_match_end,
            "ping": self._on_ping,
        }

    async def run(self) -> None:
        """Play until the referee ends the session well; raise a `HarbourmasterError` otherwise."""
        self._task = asyncio.current_task()
        try:
            while not await self._connected():
                await asyncio.sleep(self._pause * random.uniform(0.5, 1.0))
                self._pause = min(2 * self._pause, LONGEST_PAUSE)
        except asyncio.CancelledError:
            if not self._leaving:
                raise

    def ready(self, match: Match) -> None:
        """Take note that the bot is ready for *match*."""
        seat = self._seat(match.id, match.seat)
        if seat is not None:
            seat.ready = True
            self._send(match_ready=pb.MatchReady(match_id=match.id, seat=match.seat))

    def is_open(self, decision: Decision) -> bool:
        """Return whether *decision* still waits for an answer; any thread may ask."""
        seat = self._seat(decision.match.id, decision.seat)
        return seat is not None and seat.open is not None and seat.open.decision is decision

    def answer(self, decision: Decision, reply: pb.MoveReply) -> None:
        """Take *reply* to *decision*, unless the decision is no longer open."""
        seat = self._seat(decision.match.id, decision.seat)
        if seat is None or seat.open is None or seat.open.decision is not decision:
            self._log(f"the answer to decision {decision.number} came too late and was dropped")
            return
        limit = self._limits.note_characters
        if limit and len(reply.note) > limit:
            reply.note = reply.note[:limit]
        seat.open.reply = reply
        # After a drop the referee asks again, unless it had the answer.
        if self._connection is not None and seat.open.connection is self._connection:
            self._connection.send(move_reply=reply)

    def leave(self) -> None:
        """Ask for no more matches, and end after the last open one."""
        if self._leaving:
            return
        self._leaving = True
        self._log(f"leaving; open matches: {len({match for match, _ in self._live})}")
        if self._connection is not None and self._connection.welcomed:
            self._say_leave()
        elif self._task is not None:
            self._task.cancel()

    # Connections that come and go.

    async def _connected(self) -> bool:
        """Connect and play; return whether the session is over, or worth another try."""
        began = time.monotonic()
        self._connection = Connection(self._settings, self._resume_token)
        try:
            while (message := await self._connection.read()) is not None:
                for event in message.events:
                    handler = self._handlers.get(event.WhichOneof("event"))
                    if handler is not None:
                        handler(getattr(event, event.WhichOneof("event") or ""))
        except ResumeRefused:
            self._log("the referee does not know this session any more; greeting it anew")
            self._resume_token = b""
            return False
        except Dropped as drop:
            self._note_drop(drop, began)
            return self._leaving
        finally:
            connection, self._connection = self._connection, None
            await connection.close()
        return True

    def _note_drop(self, drop: Dropped, began: float) -> None:
        """Say that the connection is gone; raise `ConnectionLost` if it is not tried again."""
        now = time.monotonic()
        if self._connection is not None and self._connection.welcomed:
            self._lost_at = now
            if now - began > STABLE_SECONDS:
                self._pause = FIRST_PAUSE
        where = self._settings.address
        away = now - self._lost_at
        patience = max(self._settings.give_up_after, self._limits.resume_time.ToSeconds())
        if self._leaving:
            return
        if not self._settings.reconnect or away + self._pause > patience:
            raise ConnectionLost(
                f"{where} cannot be reached: {drop}; tried for {away:.1f} seconds; check that the "
                "referee runs, that the address is right, and that both use TLS or neither does"
            )
        self._log(f"no connection to {where}: {drop}; trying again within {self._pause:g} s")

    def _on_welcome(self, welcome: pb.Welcome) -> None:
        if welcome.protocol_version.major != PROTOCOL_MAJOR:
            raise VersionMismatch(
                f"the referee speaks version {welcome.protocol_version.major} of the protocol and "
                f"this client version {PROTOCOL_MAJOR}: install the harbourmaster package that fits"
            )
        assert self._connection is not None
        self._connection.welcomed = True
        self._resume_token = welcome.resume_token
        self._limits = welcome.limits
        if not welcome.resumed:
            self._live.clear()
        how = "connected again to" if welcome.resumed else "connected to"
        self._log(f"{how} {self._settings.address} as {welcome.bot or self._settings.name}")
        if self._leaving:
            self._say_leave()

    def _say_leave(self) -> None:
        self._send(leave=pb.Leave())
        self._linger()

    def _linger(self) -> None:
        """End the session soon, should the referee not end it."""
        asyncio.get_running_loop().call_later(LINGER_SECONDS, self._end_if_idle)

    def _end_if_idle(self) -> None:
        if not self._live and self._task is not None:
            self._task.cancel()

    def _send(self, **event: Any) -> None:
        if self._connection is not None:
            self._connection.send(**event)

    # Matches.

    def _seat(self, match_id: str, seat: int) -> _Seat | None:
        return self._seats.get(match_id, {}).get(seat)

    def _on_match_start(self, start: pb.MatchStart) -> None:
        self._live.add((start.match_id, start.seat))
        seat = self._seat(start.match_id, start.seat)
        new = seat is None
        if seat is None:
            seat = _Seat(_messages.read_match(start), ready=self._ready_at_once)
            self._seats.setdefault(start.match_id, {})[start.seat] = seat
            self._log_start(seat.match)
        if start.history:
            self._catch_up(seat, _messages.read_events(start.history))
        if new and not self._ready_at_once:
            self._inbox.put(Started(seat.match))
        elif seat.ready:
            self._send(match_ready=pb.MatchReady(match_id=start.match_id, seat=start.seat))

    def _log_start(self, match: Match) -> None:
        players = " against ".join(match.players)
        self._log(f"match {match.id}: {match.game}, seat {match.seat}, {players}")

    def _catch_up(self, seat: _Seat, history: tuple[Any, ...]) -> None:
        """Take from the *history* of a match what was lost with a connection."""
        seat.missed += history[seat.seen :]
        seat.seen = max(seat.seen, len(history))
        if self._settings.match_events and seat.told < len(history):
            self._inbox.put(Happened(seat.match, history[seat.told :]))
            seat.told = len(history)

    def _on_decision_request(self, request: pb.DecisionRequest) -> None:
        assert self._connection is not None
        seat = self._seat(request.match_id, request.seat)
        if seat is None:
            self._log(f"a decision of the unknown match {request.match_id} was left unanswered")
            return
        known = seat.open
        if known is not None and (known.decision.number, known.decision.attempt) == (
            request.decision,
            request.attempt,
        ):
            known.connection = self._connection
            if known.reply is not None:
                self._connection.send(move_reply=known.reply)
            return
        seat.seen += len(request.events)
        missed, seat.missed = seat.missed, ()
        self._ask(seat, _messages.read_decision(request, seat.match, missed))

    def _ask(self, seat: _Seat, decision: Decision) -> None:
        assert self._connection is not None
        seat.open = _Open(decision, self._connection)
        self._inbox.put(Asked(decision))

    def _on_move_receipt(self, receipt: pb.MoveReceipt) -> None:
        if receipt.status == pb.MOVE_RECEIPT_STATUS_ACCEPTED:
            return
        if receipt.status == pb.MOVE_RECEIPT_STATUS_STALE:
            self._log(
                f"match {receipt.match_id}: the answer to decision {receipt.decision} came too late"
            )
        if receipt.status != pb.MOVE_RECEIPT_STATUS_REFUSED:
            return
        self._log(
            f"match {receipt.match_id}: the answer to decision {receipt.decision} was refused: "
            f"{receipt.refusal.text}; tries left: {receipt.tries_left}"
        )
        for seat in self._seats.get(receipt.match_id, {}).values():
            answered = seat.open.decision if seat.open is not None else None
            if (
                answered is not None
                and receipt.tries_left
                and (answered.number, answered.attempt) == (receipt.decision, receipt.attempt)
            ):
                self._ask(seat, _messages.next_attempt(answered, receipt))

    def _on_match_events(self, news: pb.MatchEvents) -> None:
        events = _messages.read_events(news.events)
        for seat in self._seats.get(news.match_id, {}).values():
            seat.told += len(events)
            self._inbox.put(Happened(seat.match, events))

    def _on_match_end(self, end: pb.MatchEnd) -> None:
        self._live.discard((end.match_id, end.seat))
        seats = self._seats.get(end.match_id, {})
        seat = seats.pop(end.seat, None)
        if not seats:
            self._seats.pop(end.match_id, None)
        if seat is not None:
            result = _messages.read_result(end, seat.match)
            self._log(f"match {end.match_id}: {_placement(result)}: {result.text}")
            self._inbox.put(Ended(result))
        if self._leaving and not self._live:
            self._linger()

    # What is only said.

    def _on_seat_eliminated(self, news: pb.SeatEliminated) -> None:
        if self._seat(news.match_id, news.seat) is not None:
            self._log(f"match {news.match_id}: seat {news.seat} is out: {news.text}")

    def _on_match_paused(self, news: pb.MatchPaused) -> None:
        self._log(f"match {news.match_id}: paused: {news.text}")

    def _on_match_resumed(self, news: pb.MatchResumed) -> None:
        self._log(f"match {news.match_id}: goes on")

    def _on_notice(self, notice: pb.Notice) -> None:
        self._log(f"the referee says: {notice.text}")

    def _on_ping(self, ping: pb.Ping) -> None:
        self._send(pong=pb.Pong(payload=ping.payload))


def _placement(result: Result) -> str:
    return "void" if result.void else f"placed {result.placement} with {result.score} points"
