"""A match in progress: its state, its seats, its clocks and its record."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from google.protobuf.timestamp_pb2 import Timestamp

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2, match_pb2, match_service_pb2, record_pb2
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, SeatForfeited
from harbourmaster_server.clock import Clock, ClockStatistics
from harbourmaster_server.codec import SEAT_END_REASONS
from harbourmaster_server.desk import Desk
from harbourmaster_server.matches.course import Course
from harbourmaster_server.matches.deadline import Deadline
from harbourmaster_server.matches.decision import Decision, Fault, Reply, SideFailed
from harbourmaster_server.matches.publication import Publication
from harbourmaster_server.matches.wording import Wording
from harbourmaster_server.records import Chain
from harbourmaster_server.terms import MatchTerms, write_terms

if TYPE_CHECKING:
    from harbourmaster_server.sessions.session import Session

SERVER_VERSION: Final = "0.1.0"


@dataclass(frozen=True, slots=True)
class Deal:
    """What a match is dealt from. Secret until the match is over, or longer if it is sealed."""

    seed: bytes = field(repr=False)
    salt: bytes = field(repr=False)

    def commitment(self, match_id: str) -> bytes:
        """Return the hash that fixes this deal for the match called *match_id*."""
        return sha256(match_id.encode() + self.salt + self.seed).digest()


class Seat:
    """One seat of a match: who sits there, and how it stands with time and faults."""

    __slots__ = (
        "answered",
        "bot",
        "clock",
        "condemned",
        "end_text",
        "forfeit",
        "held",
        "name",
        "number",
        "ready",
        "seen",
        "session",
        "statistics",
        "strikes",
    )

    def __init__(self, number: int, bot: str, clock: Clock) -> None:
        self.number = number
        self.bot = bot
        """The identity that the seat belongs to."""
        self.name = bot
        self.clock = clock
        self.statistics = ClockStatistics()
        self.strikes = 0
        self.session: Session | None = None
        self.ready: asyncio.Event = asyncio.Event()
        self.seen = 0
        """How many of the match's events the seat was sent."""
        self.answered: tuple[int, int] | None = None
        """The decision and attempt that it answered last."""
        self.forfeit: ForfeitReason | None = None
        self.end_text = ""
        self.held = ""
        """Why the match stands still whenever this seat is asked, or an empty word."""
        self.condemned: Fault | None = None
        """A protocol error that ended its session; every decision of the seat ends by it."""


class Match:
    """Everything about one match while it is in the referee's hands."""

    # What every match begins with.

    decisions = 0
    """How many decisions were asked so far."""
    attempt = 1
    """The attempt that the next decision begins with; more than 1 only after a restart."""
    already_taken = 0
    """What the next decision took before a restart, in nanoseconds."""
    paused = ""
    """Why the match stands still, or an empty word."""
    paused_at = 0
    stood_still = 0
    """How long the match was paused since it began, in nanoseconds."""
    restored = False
    """Whether it was taken up again after the referee was restarted."""
    handling: int | None = None
    """The seat whose message is being judged."""
    lost: SideFailed | None = None
    """Why the match cannot go on, if what one of its bots runs under failed."""

    def __init__(
        self,
        match_id: str,
        number: int,
        terms: MatchTerms,
        bots: Iterable[str],
        deal: Deal,
        desk: Desk,
        *,
        sealed: bool = False,
        create_time: Timestamp | None = None,
    ) -> None:
        self.id = match_id
        self.number = number
        self.terms = terms
        self.terms_message = write_terms(terms)
        self.codec = terms.codec
        self.deal = deal
        self.sealed = sealed
        self.commitment = deal.commitment(match_id)
        self.desk = desk
        self.log = desk.log.bind(match=match_id)
        self.state = terms.game.new(terms.options, terms.seats, deal.seed)
        self.seats = [
            Seat(number, bot, Clock.start(terms.clock)) for number, bot in enumerate(bots)
        ]
        self.create_time = create_time or _now()
        self.created = desk.time.now()
        self.chain = Chain()
        self.moves: list[tuple[int, Any]] = []
        """Every move and forfeit so far, for the transcript."""
        self.events: list[bytes] = []
        """Every public event so far, as the part of a request that it is."""
        self.wording = Wording(match_id, self.codec)
        self.first_view = game_pb2.View()
        self.codec.write_view(self.state.view(SPECTATOR), self.first_view)
        self.decision: Decision | None = None
        self.began = 0
        """When the first decision was asked; 0 before."""
        self.turn: tuple[int | None, int] = (None, -1)
        """The seat and number of the turn that is being played."""
        self.phase = match_service_pb2.MATCH_PHASE_WAITING
        self.outcome: match_pb2.MatchOutcome | None = None
        self.game_hash = b""
        self.record_hash = b""
        self.over = asyncio.Event()
        self.publication = Publication(self)
        self.told = False
        """Whether a session wished to hear of events as they happen."""
        self.deadline = Deadline(self)
        self.course = Course(self.ask)

    # What goes into the record.

    def new_entry(self) -> record_pb2.RecordEntry:
        """Return an empty entry, dated now."""
        return record_pb2.RecordEntry(elapsed_micros=self.elapsed())

    def elapsed(self) -> int:
        """Return the microseconds since the match was made."""
        return max(0, self.desk.time.now() - self.created) // 1000

    def record(self, entry: record_pb2.RecordEntry) -> None:
        """Chain *entry*; it is in the journal before anything that this turn of the loop sends."""
        self.record_bytes(entry.SerializeToString())

    def record_bytes(self, entry: bytes) -> None:
        """Chain the bytes of an entry that has no `previous_hash` yet."""
        self.desk.journal.append(self.number, self.chain.append_bytes(entry))

    def record_start(self) -> None:
        """Record what the match is."""
        entry = self.new_entry()
        start = entry.start
        start.match_id = self.id
        start.create_time.CopyFrom(self.create_time)
        start.terms.CopyFrom(self.terms_message)
        start.bots.extend(seat.bot for seat in self.seats)
        start.deal_commitment = self.commitment
        start.deal.seed, start.deal.salt = self.deal.seed, self.deal.salt
        start.sealed = self.sealed
        start.server_version = SERVER_VERSION
        self.record(entry)

    # What happens.

    def happened(self, events: Sequence[Any]) -> None:
        """Take note of the engine's *events* and tell whoever wished to hear of them."""
        self.events += self.codec.event_chunks(events)
        if self.publication.followed:
            self.desk.release_later(self.publication)
        if self.told:
            messages = self.codec.events(events)
            for session in self.sessions():
                if session.wants_events:
                    session.tell_events(self.id, messages)

    def told_events(self, start: int, end: int) -> list[game_pb2.Event]:
        """Return the public events from number *start* up to number *end*, as messages."""
        return list(bot_pb.DecisionRequest.FromString(b"".join(self.events[start:end])).events)

    def forfeit(self, seat: Seat, reason: ForfeitReason, text: str) -> None:
        """Take *seat* out of the match, and say so to everybody in it."""
        seat.forfeit, seat.end_text = reason, text
        entry = self.new_entry()
        entry.forfeit.seat = seat.number
        entry.forfeit.reason = SEAT_END_REASONS[reason]
        entry.forfeit.text = text
        self.record(entry)
        self.moves.append((seat.number, reason))
        self.desk.tally.forfeits[reason] += 1
        if self.state.to_move is not None:
            self.happened(self.state.forfeit(seat.number, reason))
        else:
            self.happened([SeatForfeited(seat.number, reason)])
        message = bot_pb.SeatEliminated(
            match_id=self.id, seat=seat.number, reason=SEAT_END_REASONS[reason], text=text
        )
        for session in self.sessions():
            session.send(seat_eliminated=message)
        self.log.info("seat forfeits", seat=seat.number, bot=seat.bot, reason=str(reason), why=text)

    def sessions(self) -> "set[Session]":
        """Return the sessions that have a seat here."""
        return {seat.session for seat in self.seats if seat.session is not None}

    # Asking.

    def open_decision(self) -> Decision:
        """Open the next decision, for the seat that is to move."""
        assert self.state.to_move is not None
        self.decisions += 1
        decision = Decision(
            self.decisions,
            self.state.to_move,
            self.desk.time.now(),
            self.course.go_on,
            attempt=self.attempt,
        )
        decision.taken, self.already_taken, self.attempt = self.already_taken, 0, 1
        decision.frozen = bool(self.paused)
        self.decision = decision
        return decision

    def ask(self, decision: Decision) -> Fault | None:
        """Put *decision* to its bot, or return why it cannot be; the deadline sees to an end."""
        seat = self.seats[decision.seat]
        if seat.condemned is not None:
            return seat.condemned
        if seat.session is None:
            return Fault(ForfeitReason.DISCONNECTED, "the bot's session is gone")
        seat.session.ask(self, decision)
        if seat.held:
            self.pause(seat.held)
        self.deadline.arm()
        return None

    def request(self, decision: Decision) -> bytes:
        """Return the request for *decision*, as a batch of its own."""
        seat = self.seats[decision.seat]
        number = decision.seat
        events = self.events[seat.seen :]
        seat.seen = len(self.events)
        offers = seat.session is not None and seat.session.wants_offers
        if offers and decision.offered is None:
            decision.offered = self.state.legal_moves()
        return self.wording.request(
            (decision.number, decision.attempt, number),
            self.state.view(number),
            events,
            self.time_left(decision),
            decision.offered if offers else None,
        )

    def time_left(self, decision: Decision) -> int | None:
        """Return the microseconds left for *decision*, or `None` without a limit."""
        shown = self.seats[decision.seat].clock.shown
        if shown is None:
            return None
        return max(0, shown - decision.elapsed(self.desk.time.now()) // 1000)

    def receive(self, session: "Session", reply: bot_pb.MoveReply, arrived: int) -> None:
        """Take a *reply*; one that does not answer the open decision changes nothing."""
        decision = self.decision
        if (
            decision is not None
            and reply.decision == decision.number
            and reply.attempt == decision.attempt
            and not decision.answered
            and session is self.seats[decision.seat].session
        ):
            self.seats[decision.seat].answered = (decision.number, decision.attempt)
            if self.paused and self.paused == self.seats[decision.seat].held:
                self.resume()
            decision.settle(Reply(reply, arrived))
            return
        key = (reply.decision, reply.attempt)
        known = any(seat.answered == key for seat in self.seats if seat.session is session)
        session.send_receipt(
            reply,
            bot_pb.MOVE_RECEIPT_STATUS_DUPLICATE if known else bot_pb.MOVE_RECEIPT_STATUS_STALE,
        )

    # Connections that go and come.

    def connection_lost(self, session: "Session") -> None:
        """Start the grace for a disconnect, if a decision of *session* is open."""
        decision = self.decision
        if decision is not None and self.seats[decision.seat].session is session:
            decision.gone_at = self.desk.time.now()
            decision.start(decision.gone_at)
            self.deadline.arm()

    def connection_back(self, session: "Session") -> None:
        """Stop the grace for a disconnect."""
        decision = self.decision
        if decision is not None and self.seats[decision.seat].session is session:
            decision.gone_at = None

    def lose_side(self, seat: Seat, text: str) -> None:
        """Give the match up, because what the bot of *seat* runs under failed."""
        if self.lost is None:
            self.lost = SideFailed(seat.number, text)
            for each in self.seats:
                # Whoever waits for the match to begin sees to it at once.
                each.ready.set()
            self.course.fail(self.lost)

    def condemn(self, session: "Session", fault: Fault) -> None:
        """Hold it against the seats of *session* that its bot broke the protocol."""
        for seat in self.seats:
            if seat.session is session:
                seat.condemned = fault
                seat.ready.set()
                decision = self.decision
                if decision is not None and decision.seat == seat.number:
                    decision.settle(fault)

    # Standing still.

    def pause(self, text: str) -> None:
        """Stop every clock of the match, and say why."""
        if self.paused or self.outcome is not None:
            return
        # The date by the rule of `timekeeping`: the disk may have taken its time to refuse.
        self.paused, self.paused_at = text, self.desk.time.arrival()
        self.deadline.stop()
        if self.decision is not None:
            self.decision.freeze(self.paused_at)
        for session in self.sessions():
            session.send_at_once(match_paused=bot_pb.MatchPaused(match_id=self.id, text=text))

    def resume(self) -> None:
        """Let the clocks run again."""
        if not self.paused or self.outcome is not None:
            return
        now = self.desk.time.now()
        micros = (now - self.paused_at) // 1000
        self.note_pause(self.paused, micros)
        self.paused = ""
        for session in self.sessions():
            session.send(match_resumed=bot_pb.MatchResumed(match_id=self.id))
        if self.decision is not None:
            self.decision.thaw(now)
            self.deadline.arm()
        if self.began:
            self.stood_still += micros * 1000
            self.deadline.start_ceiling(now - self.began - self.stood_still)

    def hold(self, seat: Seat, text: str) -> None:
        """Stop the clock of *seat* alone: stand still whenever it is asked, until it answers."""
        seat.held = f"the clock of seat {seat.number} is stopped: {text}"
        decision = self.decision
        if decision is not None and decision.open and decision.seat == seat.number:
            self.pause(seat.held)

    def release(self, seat: Seat) -> None:
        """Let the clock of *seat* run again."""
        text, seat.held = seat.held, ""
        if text and self.paused == text:
            self.resume()

    def note_pause(self, text: str, micros: int) -> None:
        """Record that the match stood still for *micros* microseconds."""
        entry = self.new_entry()
        entry.pause.text = text
        entry.pause.pause_micros = micros
        self.record(entry)

    # What is told of it.

    def start_message(self, seat: Seat) -> bot_pb.MatchStart:
        """Return what begins the match for *seat*, or takes it up again."""
        resumed = self.decisions > 0 or bool(self.events)
        seat.seen = len(self.events)
        return bot_pb.MatchStart(
            match_id=self.id,
            terms=self.terms_message,
            seat=seat.number,
            players=self.players(),
            deal_commitment=self.commitment,
            resumed=resumed,
            history=self.told_events(0, seat.seen) if resumed else (),
        )

    def players(self) -> list[match_pb2.Player]:
        """Return who sits where."""
        return [match_pb2.Player(seat=seat.number, name=seat.name) for seat in self.seats]

    def info(self) -> match_service_pb2.MatchInfo:
        """Return what an organiser may know of the match now."""
        info = match_service_pb2.MatchInfo(
            match_id=self.id,
            terms=self.terms_message,
            players=self.players(),
            phase=match_service_pb2.MATCH_PHASE_PAUSED if self.paused else self.phase,
            decisions=self.decisions,
            create_time=self.create_time,
            outcome=self.outcome,
            deal_commitment=self.commitment,
        )
        if self.decision is not None and self.decision.open:
            info.waiting_for = self.decision.seat
        if self.outcome is not None:
            info.record_hash = self.record_hash
            info.clocks.extend(clock_message(seat.statistics) for seat in self.seats)
            if not self.sealed:
                info.deal.seed, info.deal.salt = self.deal.seed, self.deal.salt
                info.game_hash = self.game_hash
        return info


def clock_message(statistics: ClockStatistics) -> match_pb2.ClockStatistics:
    """Return *statistics* as a message."""
    return match_pb2.ClockStatistics(
        decisions=statistics.decisions,
        thought_micros=statistics.thought,
        longest_micros=statistics.longest,
        queued_micros=statistics.queued,
        referee_micros=statistics.referee,
        taken_micros=statistics.taken,
        buckets=sorted(statistics.histogram),
        bucket_counts=[count for _, count in sorted(statistics.histogram.items())],
    )


def _now() -> Timestamp:
    stamp = Timestamp()
    stamp.GetCurrentTime()
    return stamp
