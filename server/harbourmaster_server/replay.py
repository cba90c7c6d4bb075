"""Playing a record's entries through the engine again: for recovery, verification and replays."""

from collections.abc import Iterable
from typing import Any

from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import ForfeitReason, IllegalMove
from harbourmaster_server.clock import Clock, ClockStatistics, ClockTerms
from harbourmaster_server.codec import FORFEIT_REASONS
from harbourmaster_server.errors import BadRequest
from harbourmaster_server.policy import FaultPolicy
from harbourmaster_server.records import RecordError
from harbourmaster_server.terms import read_terms


class Replay:
    """A match as its entries tell it, up to the last one taken."""

    def __init__(self, start: pb.RecordStart) -> None:
        """Begin with what *start* says; raise `RecordError` if the match cannot be dealt again."""
        self.start = start
        try:
            self.terms = read_terms(start.terms, len(start.bots), ClockTerms(), FaultPolicy())
        except BadRequest as error:
            raise RecordError(f"entry 1: the terms cannot be played: {error}") from None
        seats = self.terms.seats
        self.state = self.terms.game.new(self.terms.options, seats, start.deal.seed)
        self.clocks = [Clock.start(self.terms.clock)] * seats
        self.statistics = [ClockStatistics() for _ in range(seats)]
        self.strikes = [0] * seats
        self.forfeits: dict[int, ForfeitReason | None] = dict.fromkeys(range(seats))
        self.forfeit_texts = [""] * seats
        self.names = list(start.bots)
        self.answered: list[tuple[int, int] | None] = [None] * seats
        self.moves: list[tuple[int, Any]] = []
        self.events: list[Any] = []
        self.decisions = 0
        """The number of the last decision that is settled."""
        self.attempt = 1
        """The attempt that the open decision is at."""
        self.taken = 0
        """What the open decision took so far, in microseconds."""
        self.begun_at: int | None = None
        self.elapsed = 0
        self.end: pb.RecordEnd | None = None

    def take(self, number: int, entry: pb.RecordEntry) -> list[Any]:
        """Take the entry with *number* and return the events it causes.

        Raises `RecordError` if the rules do not allow it, or it is out of place.
        """
        if entry.elapsed_micros < self.elapsed and number > 1:
            raise RecordError(f"entry {number}: its time is before that of the entry before it")
        self.elapsed = entry.elapsed_micros
        kind = entry.WhichOneof("entry")
        if self.end is not None and kind != "signature":
            raise RecordError(f"entry {number}: a {kind} after the end")
        if kind == "begin":
            self.begun_at = entry.elapsed_micros
            self.names = list(entry.begin.names)
        elif kind == "move":
            return self._move(number, entry.move)
        elif kind == "fault":
            self._fault(number, entry.fault)
        elif kind == "forfeit":
            return self._forfeit(number, entry.forfeit)
        elif kind == "end":
            self.end = entry.end
        elif kind not in ("pause", "signature"):
            raise RecordError(f"entry {number}: {kind or 'nothing'} is out of place")
        return []

    def _move(self, number: int, entry: pb.RecordMove) -> list[Any]:
        seat = self._seat_to_move(number, entry.seat, entry.decision)
        try:
            move = self.terms.codec.read_move(entry.move)
            events = self.state.apply(move)
        except IllegalMove as error:
            raise RecordError(f"entry {number}: the move is illegal: {error}") from None
        except ValueError as error:
            raise RecordError(f"entry {number}: the move cannot be read: {error}") from None
        self.moves.append((seat, move))
        self.events.extend(events)
        self.decisions = entry.decision
        self.attempt, self.taken = 1, 0
        self.answered[seat] = (entry.decision, entry.attempt)
        self.strikes[seat] = max(self.strikes[seat], entry.strikes)
        if not entry.default_move:
            self.statistics[seat].add(
                entry.taken_micros,
                entry.thought_micros,
                entry.queued_micros,
                entry.referee_micros,
            )
        if entry.HasField("time_left_micros"):
            clock = self.clocks[seat]
            # The first turn's extra time is lost once the seat has had a turn to itself.
            self.clocks[seat] = Clock(clock.terms, entry.time_left_micros, entry.allowance_micros)
        return list(events)

    def _fault(self, number: int, entry: pb.RecordFault) -> None:
        seat = self._seat_to_move(number, entry.seat, entry.decision)
        self.answered[seat] = (entry.decision, entry.attempt)
        if FORFEIT_REASONS[entry.kind] is ForfeitReason.ILLEGAL_MOVE:
            self.attempt, self.taken = entry.attempt + 1, entry.taken_micros
        else:
            self.statistics[seat].add(entry.taken_micros, entry.thought_micros, 0, 0)

    def _forfeit(self, number: int, entry: pb.RecordForfeit) -> list[Any]:
        reason = FORFEIT_REASONS.get(entry.reason)
        if reason is None or entry.seat >= self.terms.seats or self.forfeits[entry.seat]:
            raise RecordError(f"entry {number}: seat {entry.seat} cannot forfeit like that")
        self.forfeits[entry.seat] = reason
        self.forfeit_texts[entry.seat] = entry.text
        self.moves.append((entry.seat, reason))
        if self.state.to_move == entry.seat and self.begun_at is not None:
            # The forfeit settled the open decision.
            self.decisions += 1
            self.attempt, self.taken = 1, 0
        events = []
        if self.state.to_move is not None:
            events = list(self.state.forfeit(entry.seat, reason))
        self.events.extend(events)
        return events

    def _seat_to_move(self, number: int, seat: int, decision: int) -> int:
        if seat != self.state.to_move:
            raise RecordError(f"entry {number}: it is not the turn of seat {seat}")
        if decision != self.decisions + 1:
            raise RecordError(
                f"entry {number}: it is of decision {decision}, not {self.decisions + 1}"
            )
        return seat


def replay(entries: Iterable[pb.RecordEntry]) -> Replay:
    """Return the match that *entries* tell; raise `RecordError` where they cannot be played."""
    replayed: Replay | None = None
    for number, entry in enumerate(entries, 1):
        if replayed is None:
            if entry.WhichOneof("entry") != "start":
                raise RecordError("entry 1: it does not tell what the match is")
            replayed = Replay(entry.start)
        else:
            replayed.take(number, entry)
    if replayed is None:
        raise RecordError("the record is empty")
    return replayed
