"""What went wrong in a match, and what its bots had been asked when it did."""

from collections.abc import Sequence
from dataclasses import dataclass

from harbourmaster.v1 import game_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.codec import FORFEIT_REASONS
from harbourmaster_server.records import RecordError
from harbourmaster_server.showing.steps import Asked, Teller
from harbourmaster_server.showing.words import MEANINGS


@dataclass(frozen=True, slots=True)
class FaultReport:
    """One fault of a match."""

    number: int
    """The place of the entry in the record, from 1."""
    elapsed_micros: int
    seat: int
    bot: str
    kind: ForfeitReason
    meaning: str
    """What this kind of fault is."""
    text: str
    """What happened, with the numbers."""
    consequence: str
    """What came of it."""
    decision: int | None = None
    """The decision; `None` for a fault outside of any."""
    attempt: int | None = None
    asked: Asked | None = None
    """What the bot had been asked; `None` outside of a decision."""
    move: str = ""
    """The refused move in words, if there was one."""
    refusal: game_pb2.Refusal | None = None
    taken_micros: int = 0
    thought_micros: int = 0


def explain(entries: Sequence[pb.RecordEntry]) -> list[FaultReport]:
    """Return every fault of a record, in order.

    Raises `RecordError` for entries that cannot be played.
    """
    if not entries or entries[0].WhichOneof("entry") != "start":
        raise RecordError("entry 1: it does not tell what the match is")
    teller = Teller(entries[0].start)
    asked: Asked | None = None
    found = []
    for number, entry in enumerate(entries[1:], 2):
        step = teller.take(number, entry)
        if step is not None and step.asked is not None:
            asked = step.asked
        kind = entry.WhichOneof("entry")
        if kind == "fault":
            found.append(_fault(number, entry, teller, asked, entries[number:]))
        elif kind == "forfeit" and not _is_told(entry.forfeit, entries[number - 2]):
            found.append(_forfeit(number, entry, teller))
    return found


def _fault(
    number: int,
    entry: pb.RecordEntry,
    teller: Teller,
    asked: Asked | None,
    rest: Sequence[pb.RecordEntry],
) -> FaultReport:
    fault = entry.fault
    kind = FORFEIT_REASONS[fault.kind]
    carried = asked is not None and asked.decision == fault.decision
    return FaultReport(
        number=number,
        elapsed_micros=entry.elapsed_micros,
        seat=fault.seat,
        bot=teller.replayed.names[fault.seat],
        kind=kind,
        meaning=MEANINGS[kind],
        text=fault.text,
        consequence=_consequence(fault, rest, teller),
        decision=fault.decision,
        attempt=fault.attempt,
        asked=asked if carried else None,
        move=teller.move_words(fault.move) if fault.HasField("move") else "",
        refusal=fault.refusal if fault.HasField("refusal") else None,
        taken_micros=fault.taken_micros,
        thought_micros=fault.thought_micros,
    )


def _forfeit(number: int, entry: pb.RecordEntry, teller: Teller) -> FaultReport:
    """Report a forfeit that has no fault of its own, such as a bot that never came."""
    forfeit = entry.forfeit
    kind = FORFEIT_REASONS[forfeit.reason]
    return FaultReport(
        number=number,
        elapsed_micros=entry.elapsed_micros,
        seat=forfeit.seat,
        bot=teller.replayed.names[forfeit.seat],
        kind=kind,
        meaning=MEANINGS[kind],
        text=forfeit.text,
        consequence="the seat forfeited the match",
    )


def _is_told(forfeit: pb.RecordForfeit, before: pb.RecordEntry) -> bool:
    """Return whether the entry *before* is the fault that *forfeit* comes of."""
    fault = before.fault
    same = before.WhichOneof("entry") == "fault" and fault.seat == forfeit.seat
    return same and fault.kind == forfeit.reason


def _consequence(fault: pb.RecordFault, rest: Sequence[pb.RecordEntry], teller: Teller) -> str:
    """Return what came of *fault*, as the *rest* of the record has it."""
    following = next((e for e in rest if e.WhichOneof("entry") != "pause"), None)
    kind = None if following is None else following.WhichOneof("entry")
    if following is None:
        return "the record ends here"
    if kind == "forfeit" and following.forfeit.seat == fault.seat:
        return "the seat forfeited the match"
    if kind == "move" and following.move.default_move:
        move = teller.move_words(following.move.move)
        return f"the default move was made: {move}; strike {following.move.strikes}"
    return f"the bot was asked again, on the same clock: attempt {fault.attempt + 1}"
