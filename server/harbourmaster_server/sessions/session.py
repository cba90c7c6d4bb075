"""A bot's session: the matches it plays, the decisions it holds, and what it is sent.

A session outlives its connection: after a drop it can be taken up again with its resume token.
There is one writer per connection; what is to be sent gathers in one batch, is released when the
journal has what it depends on, and goes out in one message.
"""

import asyncio
import secrets
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2
from harbourmaster_server.desk import Desk
from harbourmaster_server.errors import LimitExceeded
from harbourmaster_server.identity import Identity
from harbourmaster_server.sessions.connection import Connection
from harbourmaster_server.terms import MatchTerms

if TYPE_CHECKING:
    from harbourmaster_server.matches.decision import Decision, Fault
    from harbourmaster_server.matches.match import Match, Seat


UNSURE_NANOS: Final = 30_000_000_000
"""What was sent in the last half minute may be lost with a connection that is dead already.

The end of a match that is sent again does no harm.
"""


class Session:
    """One bot's session."""

    def __init__(self, identity: Identity, hello: pb.Hello, desk: Desk) -> None:
        self.id = secrets.token_hex(6)
        self.identity = identity
        self.hello = hello
        self.wants_offers = False
        self.wants_events = False
        self.resume_token = secrets.token_bytes(16)
        self.desk = desk
        self.log = desk.log.bind(session=self.id, bot=identity.bot)
        self.open_matches = max(1, hello.open_matches)
        self.open_decisions = max(1, hello.open_decisions)
        self.matches: dict[str, Match] = {}
        self._promised = 0
        """How many seats the session has, those that are promised included."""
        self.leaving = False
        self.messages_read = 0
        self.complaints = 0
        self.connection: Connection | None = None
        self.resumed = False
        """Whether the connection took the session over from another one."""
        self.lost = asyncio.Event()
        """Set while there is no connection."""
        self.gone_for_good = asyncio.Event()
        """Set once nothing will take the session up again."""
        self._batch: list[bytes] = []
        """What gathered to be sent: batches of one event each, to be joined."""
        self._to_start: list[Decision] = []
        """Decisions whose clock starts when the batch is handed to the transport."""
        self._held: deque[tuple[Match, Decision]] = deque()
        self._asked: dict[str, tuple[Match, Decision]] = {}
        self._ends: deque[tuple[int, pb.MatchEnd]] = deque()
        """The ends of matches that the bot may not know yet, and when they came (nanoseconds)."""

    # What the lobby asks.

    @property
    def bot(self) -> str:
        """The identity that the session belongs to."""
        return self.identity.bot

    @property
    def room(self) -> int:
        """How many more matches the session takes now."""
        if self.leaving or self.connection is None:
            return 0
        return self.open_matches - self._promised

    def accepts(self, terms: MatchTerms) -> bool:
        """Return whether the bot plays the game of *terms*, in its version and with its options."""
        supports = self.hello.games
        return not supports or any(_supports(support, terms) for support in supports)

    def reserve(self) -> None:
        """Promise to play one match, at however many of its seats."""
        self._promised += 1

    # Matches.

    def join(self, match: "Match") -> None:
        """Take *match* among the session's own."""
        self.matches[match.id] = match
        match.told = match.told or self.wants_events

    def ask(self, match: "Match", decision: "Decision") -> None:
        """Send the request for *decision*, or hold it back while too many are unanswered."""
        asked = self._asked.get(match.id)
        if asked is not None and asked[1] is decision:
            # Another try: the receipt of the refused one has asked for it.
            return
        if len(self._asked) >= self.open_decisions:
            self._held.append((match, decision))
        else:
            self._request(match, decision)

    def answered(self, match: "Match", decision: "Decision") -> None:
        """Take note that *decision* needs no answer any more; send one that was held back."""
        asked = self._asked.get(match.id)
        if asked is not None and asked[1] is decision:
            del self._asked[match.id]
        else:
            self._held = deque(pair for pair in self._held if pair[1] is not decision)
        if self._held and len(self._asked) < self.open_decisions:
            self._request(*self._held.popleft())

    def start_clock_on_sending(self, decision: "Decision") -> None:
        """Start the clock of *decision* when what gathered so far is handed to the transport."""
        if self.connection is None:
            decision.start(self.desk.time.now())
        else:
            self._to_start.append(decision)

    def end_match(self, match: "Match", seat: "Seat", message: pb.MatchEnd) -> None:
        """Send the last word of *match*, and keep it for when the bot comes back."""
        self._ends.append((self.desk.time.now(), message))
        if self.connection is not None:
            self.send(match_end=message)
            self._forget_known_ends()
        if not any(other.session is self for other in match.seats[seat.number + 1 :]):
            self._promised -= 1
            self.matches.pop(match.id, None)
        if self.leaving and not self.matches and self.connection is not None:
            self.connection.finish()

    # What the bot sends.

    def take_reply(self, reply: pb.MoveReply, arrived: int) -> None:
        """Take a reply that was dated *arrived*; one for another match changes nothing."""
        match = self.matches.get(reply.match_id)
        if match is None:
            self.send_receipt(reply, pb.MOVE_RECEIPT_STATUS_STALE)
            self.complain(f"there is no open match {reply.match_id[:80]!r} of this session")
        else:
            match.receive(self, reply, arrived)

    def take_ready(self, ready: pb.MatchReady) -> None:
        """Take note that a seat is ready."""
        match = self.matches.get(ready.match_id)
        seats = [] if match is None else [s for s in match.seats if s.session is self]
        mine = [seat for seat in seats if seat.number == ready.seat]
        if mine:
            mine[0].ready.set()
        else:
            self.complain(f"match_ready names no seat of this session: {ready.match_id[:80]!r}")

    def take_leave(self) -> None:
        """Give the session no more matches, and end it after the last one."""
        self.leaving = True
        if not self.matches and self.connection is not None:
            self.connection.finish()

    def complain(self, text: str) -> None:
        """Tell the bot of an event that was out of place; too many of them end the session."""
        self.complaints += 1
        limit = self.desk.limits.complaints
        if self.complaints > limit:
            raise LimitExceeded(f"more than {limit} events were out of place; the last: {text}")
        self.notice(pb.NOTICE_CODE_PROTOCOL, text)

    def condemn(self, fault: "Fault") -> None:
        """Let every open match of the session know that its bot broke the protocol."""
        self.abandon()
        for match in list(self.matches.values()):
            match.condemn(self, fault)

    # What is sent.

    def greet(self, welcome: pb.Welcome) -> None:
        """Send *welcome*, before anything else."""
        self._batch.insert(0, _batch_of(welcome=welcome))
        self.desk.release_later(self)

    def send(self, **event: Any) -> None:
        """Send one event, given as `name=message`, at the end of this turn of the loop."""
        if self.connection is not None:
            self._batch.append(_batch_of(**event))
            self.desk.release_later(self)

    def send_at_once(self, **event: Any) -> None:
        """Send one event that tells nothing of any move, without waiting for the journal."""
        if self.connection is not None:
            self.connection.put(_batch_of(**event), [])

    def tell_events(self, match_id: str, events: list[game_pb2.Event]) -> None:
        """Send *events* of a match to a bot that wished to hear of them."""
        self.send(match_events=pb.MatchEvents(match_id=match_id, events=events))

    def notice(self, code: pb.NoticeCode.ValueType, text: str) -> None:
        """Tell the bot's author something."""
        self.send(notice=pb.Notice(code=code, text=text))
        self.log.info("notice", code=pb.NoticeCode.Name(code), text=text)

    def add(self, batch: bytes) -> None:
        """Add a *batch* of one event to what is sent next, without a message of its own."""
        if self.connection is not None:
            self._batch.append(batch)

    def send_receipt(
        self, reply: pb.MoveReply, status: pb.MoveReceiptStatus.ValueType, **more: Any
    ) -> None:
        """Send the receipt of *reply*, with *more* fields, at the end of this turn of the loop."""
        receipt = pb.MoveReceipt(
            match_id=reply.match_id,
            decision=reply.decision,
            attempt=reply.attempt,
            status=status,
            **more,
        )
        self.send(move_receipt=receipt)

    def release(self) -> None:
        """Let the writer take what gathered; the journal has all that it depends on."""
        if self.connection is not None and self._batch:
            batch = b"".join(self._batch)
            self._batch.clear()
            to_start, self._to_start = self._to_start, []
            self.connection.put(batch, to_start)

    # Coming and going.

    def attach(self, connection: Connection, *, resumed: bool) -> None:
        """Take *connection* for the session's own, and catch up on what it missed."""
        self.connection = connection
        self.wants_offers = self.hello.offered_moves_wanted
        self.wants_events = self.hello.match_events_wanted
        self.resumed = resumed
        self.lost.clear()
        self._batch.clear()
        if not resumed:
            return
        asked, self._asked = self._asked, {}
        for match in self.matches.values():
            for seat in match.seats:
                if seat.session is self:
                    self.send(match_start=match.start_message(seat))
            match.connection_back(self)
        for match, decision in asked.values():
            if decision.open:
                self._request(match, decision)
        self._ends = deque((self.desk.time.now(), end) for _, end in self._ends)
        for _, end in self._ends:
            self.send(match_end=end)

    def detach(self, connection: Connection) -> None:
        """Lose *connection*, unless another took its place already."""
        if self.connection is not connection:
            return
        self._forget_known_ends()
        self.connection = None
        self.lost.set()
        self._batch.clear()
        for decision in self._to_start:
            decision.start(self.desk.time.now())
        self._to_start.clear()
        for match in list(self.matches.values()):
            match.connection_lost(self)

    def abandon(self) -> None:
        """Give up hope that the session is taken up again."""
        self.gone_for_good.set()

    async def wait_lost(self, micros: int) -> None:
        """Return when the connection was gone for *micros* at a stretch, or for good."""
        while True:
            await self.lost.wait()
            try:
                async with asyncio.timeout(micros / 1e6):
                    await self.gone_for_good.wait()
                return
            except TimeoutError:
                if self.lost.is_set():
                    return

    def _forget_known_ends(self) -> None:
        """Let go of the ends that were sent over a connection that held for long enough after."""
        known = self.desk.time.now() - UNSURE_NANOS
        while self._ends and self._ends[0][0] < known:
            self._ends.popleft()

    def _request(self, match: "Match", decision: "Decision") -> None:
        self._asked[match.id] = (match, decision)
        if self.connection is None:
            decision.gone_at = decision.gone_at or self.desk.time.now()
            decision.start(self.desk.time.now())
            return
        self._batch.append(match.request(decision))
        self._to_start.append(decision)
        self.desk.release_later(self)


def _batch_of(**event: Any) -> bytes:
    """Return a batch of one event, given as `name=message`."""
    return pb.PlayResponse(events=[pb.RefereeEvent(**event)]).SerializeToString()


def _supports(support: pb.GameSupport, terms: MatchTerms) -> bool:
    """Return whether *support* covers the game, version, seats and options of *terms*."""
    if support.game != terms.game.id:
        return False
    if support.rules_versions and terms.game.rules_version not in support.rules_versions:
        return False
    if support.seat_counts and terms.seats not in support.seat_counts:
        return False
    changed = terms.game.non_defaults(terms.options, terms.seats)
    return "*" in support.options or set(changed) <= set(support.options)
