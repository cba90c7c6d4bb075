"""A record step by step: who was asked what, what it did, what changed, what it cost."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from harbourmaster.v1 import game_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import SPECTATOR
from harbourmaster_server.codec import FORFEIT_REASONS
from harbourmaster_server.identity import shown_identity
from harbourmaster_server.records import RecordError
from harbourmaster_server.replay import Replay
from harbourmaster_server.showing.words import (
    clock_words,
    duration,
    event_words,
    options_words,
    policy_words,
    reason_words,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a seat was sent with a decision, made again from the record."""

    seat: int
    decision: int
    view: game_pb2.View
    picture: str
    """The view as lines of text."""
    events: tuple[game_pb2.Event, ...]
    """What happened since the last decision of this seat."""
    event_texts: tuple[str, ...]
    time_left_micros: int | None
    """What the bot could count on, without the grace; `None` without a limit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a record, in words."""

    number: int
    """The place of the entry in the record, from 1."""
    kind: str
    """The arm of the entry: start, begin, move, fault, forfeit, pause, end or signature."""
    elapsed_micros: int
    text: str
    """What happened, as a sentence."""
    seat: int | None = None
    decision: int | None = None
    attempt: int | None = None
    asked: Asked | None = None
    """What the seat was asked; only with the first entry of a decision."""
    changes: tuple[str, ...] = ()
    """What changed, as sentences."""
    details: tuple[str, ...] = ()
    """Times, notes and the like."""
    picture: str = ""
    """The table after the step; only with the end."""
    entry: pb.RecordEntry | None = field(default=None, repr=False)
    """The entry itself; absent for one seat, which did not see it."""


def show(entries: Sequence[pb.RecordEntry], seat: int | None = None) -> Iterator[Step]:
    """Yield the steps of a record, or only what *seat* saw of them.

    A seat sees its own views, moves, clock and refusals, and of the others what the game tells
    everybody. Raises `RecordError` for entries that cannot be played and for a seat that there is
    not.
    """
    if not entries or entries[0].WhichOneof("entry") != "start":
        raise RecordError("entry 1: it does not tell what the match is")
    teller = Teller(entries[0].start, seat)
    yield teller.start(entries[0])
    for number, entry in enumerate(entries[1:], 2):
        step = teller.take(number, entry)
        if step is not None:
            yield step


class Teller:
    """Plays a record again and tells each entry, to everybody or to one seat."""

    def __init__(self, start: pb.RecordStart, seat: int | None = None) -> None:
        """Begin with what *start* says; raise `RecordError` if there is no such *seat*."""
        self.replayed = Replay(start)
        self._seat = seat
        seats = self.replayed.terms.seats
        if seat is not None and not 0 <= seat < seats:
            raise RecordError(f"there is no seat {seat}: the match has seats 0 to {seats - 1}")
        self._seen = [0] * seats
        self._asked_last = 0
        self._answered = False

    @property
    def _game(self) -> Any:
        return self.replayed.terms.game

    def start(self, entry: pb.RecordEntry) -> Step:
        """Tell what the match is."""
        terms, start = self.replayed.terms, entry.start
        details = [
            f"options: {options_words(terms)}",
            f"clock: {clock_words(terms.clock)}",
            f"faults: {policy_words(terms.policy)}",
            *(f"seat {seat}: {shown_identity(bot)}" for seat, bot in enumerate(start.bots)),
            f"the deal is committed to by {start.deal_commitment.hex()}",
        ]
        if self._seat is None:
            details.append(f"seed {start.deal.seed.hex()}")
        text = (
            f"Match {start.match_id}: {terms.game.name} for {terms.seats} seats, "
            f"rules version {terms.game.rules_version}."
        )
        return self._step(1, entry, text, details=tuple(details))

    def take(self, number: int, entry: pb.RecordEntry) -> Step | None:
        """Tell *entry*; `None` if it is nothing that the seat saw."""
        kind = entry.WhichOneof("entry")
        if kind == "move":
            return self._move(number, entry)
        if kind == "fault":
            return self._fault(number, entry)
        happened = self.replayed.take(number, entry)
        changes = tuple(event_words(self._game, event) for event in happened)
        if kind == "begin":
            return self._step(number, entry, "Every bot is at its seat and ready.")
        if kind == "forfeit":
            return self._forfeit(number, entry, changes)
        if kind == "pause":
            micros = entry.pause.pause_micros
            text = f"The match stood still for {duration(micros)}: {entry.pause.text}."
            return self._step(number, entry, text)
        if kind == "end":
            return self._end(number, entry)
        if self._seat is not None:
            return None
        key = entry.signature.public_key.hex()
        return self._step(number, entry, f"Signed by the referee with the key {key}.")

    def ask(self, seat: int, decision: int) -> Asked:
        """Return what *seat* is sent with *decision* in the state as it is."""
        replayed = self.replayed
        view = replayed.state.view(seat)
        message = game_pb2.View()
        replayed.terms.codec.write_view(view, message)
        new = replayed.events[self._seen[seat] :]
        shown = replayed.clocks[seat].shown
        left = None if shown is None else max(0, shown - replayed.taken)
        return Asked(
            seat=seat,
            decision=decision,
            view=message,
            picture=self._game.text.picture(view),
            events=tuple(replayed.terms.codec.events(new)),
            event_texts=tuple(event_words(self._game, event) for event in new),
            time_left_micros=left,
        )

    def earlier_events(self, seat: int) -> list[game_pb2.Event]:
        """Return what *seat* had been told before the decision that is open now."""
        replayed = self.replayed
        return replayed.terms.codec.events(replayed.events[: self._seen[seat]])

    def _ask_once(self, seat: int, decision: int) -> Asked | None:
        """Return what the seat was asked, if this is the first entry of the decision."""
        if decision <= self._asked_last or not 0 <= seat < self.replayed.terms.seats:
            return None
        asked = self.ask(seat, decision) if self._seat in (None, seat) else None
        self._asked_last = decision
        self._seen[seat] = len(self.replayed.events)
        return asked

    def _move(self, number: int, entry: pb.RecordEntry) -> Step:
        move = entry.move
        # The default moves that follow in a turn are made without a question.
        unasked = move.default_move and move.decision > self._asked_last
        asked = None if unasked else self._ask_once(move.seat, move.decision)
        happened = self.replayed.take(number, entry)
        changes = tuple(event_words(self._game, event) for event in happened)
        if self._seat not in (None, move.seat):
            return self._step(number, entry, f"{self._who(move.seat)} moves.", changes=changes)
        words = self._game.text.describe_move(self.replayed.moves[-1][1])
        if move.default_move:
            text = f"The default move is made for {self._who(move.seat, start=False)}: {words}."
        else:
            text = f"{self._who(move.seat)}: {words}."
        return self._step(
            number,
            entry,
            text,
            seat=move.seat,
            decision=move.decision,
            attempt=move.attempt,
            asked=asked,
            changes=changes,
            details=_move_details(move),
        )

    def _fault(self, number: int, entry: pb.RecordEntry) -> Step | None:
        fault = entry.fault
        asked = self._ask_once(fault.seat, fault.decision)
        self.replayed.take(number, entry)
        if self._seat not in (None, fault.seat):
            return None
        reason = FORFEIT_REASONS[fault.kind]
        text = f"{self._who(fault.seat)}, attempt {fault.attempt}: {reason_words(reason)}."
        return self._step(
            number,
            entry,
            text,
            seat=fault.seat,
            decision=fault.decision,
            attempt=fault.attempt,
            asked=asked,
            details=self.fault_details(fault),
        )

    def fault_details(self, fault: pb.RecordFault) -> tuple[str, ...]:
        """Return the refused move, why, and the times of *fault*."""
        details = []
        if fault.HasField("move"):
            details.append(f"it wanted to: {self.move_words(fault.move)}")
        details.append(f"why: {fault.text}")
        details.append(
            f"taken so far {duration(fault.taken_micros)}, of that "
            f"{duration(fault.thought_micros)} charged"
        )
        return tuple(details)

    def move_words(self, move: game_pb2.Move) -> str:
        """Return *move*, which the rules may have refused, in words."""
        try:
            read = self.replayed.terms.codec.read_move(move)
            return str(self._game.text.describe_move(read))
        except (ValueError, LookupError, TypeError) as error:
            # A refused move may name cards or places that there are not.
            return f"{' '.join(str(move).split())} ({error})"

    def _forfeit(self, number: int, entry: pb.RecordEntry, changes: tuple[str, ...]) -> Step:
        forfeit = entry.forfeit
        reason = FORFEIT_REASONS[forfeit.reason]
        text = f"{self._who(forfeit.seat)} forfeits the match: {reason_words(reason)}."
        details = (f"why: {forfeit.text}",)
        return self._step(number, entry, text, seat=forfeit.seat, changes=changes, details=details)

    def _end(self, number: int, entry: pb.RecordEntry) -> Step:
        outcome = entry.end.outcome
        details = []
        for result in outcome.seats:
            who = self._who(result.seat, start=False)
            if outcome.void:
                continue
            details.append(f"{who}: place {result.placement}, score {result.score}")
        for seat, clock in enumerate(entry.end.clocks):
            if self._seat in (None, seat):
                details.append(
                    f"{self._who(seat, start=False)} was charged "
                    f"{duration(clock.thought_micros)} for {clock.decisions} decisions, "
                    f"{duration(clock.longest_micros)} at most"
                )
        if entry.end.game_hash:
            details.append(f"game_hash {entry.end.game_hash.hex()}")
        state = self.replayed.state
        picture = "" if self._seat is not None else self._game.text.picture(state.view(SPECTATOR))
        text = f"{'Void' if outcome.void else 'The end'}: {outcome.text}."
        return self._step(number, entry, text, details=tuple(details), picture=picture)

    def _who(self, seat: int, *, start: bool = True) -> str:
        return f"{'S' if start else 's'}eat {seat} ({self.replayed.names[seat]})"

    def _step(self, number: int, entry: pb.RecordEntry, text: str, **more: Any) -> Step:
        return Step(
            number=number,
            kind=entry.WhichOneof("entry") or "",
            elapsed_micros=entry.elapsed_micros,
            text=text,
            entry=entry if self._seat is None else None,
            **more,
        )


def _move_details(move: pb.RecordMove) -> tuple[str, ...]:
    """Return the times of *move*, its strikes and its note."""
    left = ""
    if move.HasField("time_left_micros"):
        left = f"; {duration(move.time_left_micros)} left"
        if move.allowance_micros:
            left += f" and {duration(move.allowance_micros)} for the first turn"
    times = (
        f"took {duration(move.taken_micros)}, charged {duration(move.thought_micros)}; "
        f"held back {duration(move.queued_micros)}, referee {duration(move.referee_micros)}{left}"
    )
    details = [f"this is strike {move.strikes}" if move.default_move else times]
    if move.note:
        details.append(f"note: {move.note}")
    return tuple(details)
