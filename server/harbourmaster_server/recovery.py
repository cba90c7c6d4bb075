"""Taking up again what the last run of the referee left in its journal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from google.protobuf.message import DecodeError

from harbourmaster.v1 import match_pb2, match_service_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import SeatForfeited
from harbourmaster_server.desk import Desk
from harbourmaster_server.matches.closing import void_outcome
from harbourmaster_server.matches.match import Deal, Match
from harbourmaster_server.records import Chain, RecordError, SigningKey, check_chain
from harbourmaster_server.records.journal import SUFFIX, read_journal
from harbourmaster_server.records.signing import sign_record
from harbourmaster_server.replay import Replay, replay

RESTART_TEXT = "the referee was restarted"


@dataclass(frozen=True, slots=True)
class Found:
    """What a journal held at the start."""

    matches: "list[LeftOver]"
    segments: list[Path]
    highest_number: int
    """The highest number of a match in it: new ones count on from there, since a kill in the middle
    of a start leaves the old journal beside the new one."""

    def delete_old_segments(self) -> None:
        """Delete the old journal, when the new one has all that it held."""
        for path in self.segments:
            path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class LeftOver:
    """A match whose record was not on disk when the last run ended."""

    entries: list[bytes]

    @property
    def match_id(self) -> str:
        """The id of the match, or an empty word if its first entry cannot be read."""
        return _start_of(self.entries).match_id

    def rebuild(self, number: int, desk: Desk) -> Match:
        """Return the match as it was at its last entry, journalled anew under *number*.

        Raises `RecordError` if the entries cannot be played by the rules in force.
        """
        parsed = check_chain(self.entries)
        replayed = replay(parsed)
        match = _match(replayed, number, desk)
        match.chain = Chain(self.entries)
        for entry in self.entries:
            desk.journal.append(number, entry)
        now = desk.time.now()
        match.restored = True
        match.created = now - replayed.elapsed * 1000
        if replayed.begun_at is not None:
            match.began = match.created + replayed.begun_at * 1000
        if replayed.end is not None:
            match.outcome = replayed.end.outcome
            match.game_hash = replayed.end.game_hash
            match.record_hash = match.chain.head
        else:
            match.note_pause(RESTART_TEXT, _pause_micros(match, replayed, parsed))
        return match

    @property
    def sealed(self) -> bool:
        """Whether the deal is a secret beyond the end of the match."""
        return _start_of(self.entries).sealed

    def void(self, text: str, key: SigningKey) -> Chain:
        """Return a record that says why the match is void, signed with *key*.

        It keeps the entries as far as they are sound.
        """
        chain = Chain()
        elapsed = 0
        for stored in self.entries:
            try:
                entry = pb.RecordEntry.FromString(stored)
            except DecodeError:
                break
            if entry.previous_hash != chain.head or entry.WhichOneof("entry") == "end":
                break
            chain.take(stored)
            elapsed = entry.elapsed_micros
        end = pb.RecordEntry(elapsed_micros=elapsed)
        end.end.outcome.CopyFrom(void_outcome(len(_start_of(self.entries).bots), text))
        chain.append(end)
        sign_record(chain, key, pb.RecordEntry(elapsed_micros=elapsed))
        return chain


def recover(folder: Path) -> Found:
    """Return what the journal in *folder* holds of unfinished matches."""
    segments = sorted(folder.glob(f"*{SUFFIX}"))
    by_number = read_journal(folder)
    # A kill in the middle of a start leaves a match there twice: the longer one has all of it.
    matches: dict[str, LeftOver] = {}
    for number, entries in by_number.items():
        left_over = LeftOver(entries)
        key = left_over.match_id or f"#{number}"
        if key not in matches or len(entries) > len(matches[key].entries):
            matches[key] = left_over
    return Found(list(matches.values()), segments, max(by_number, default=0))


def _start_of(entries: Sequence[bytes]) -> pb.RecordStart:
    try:
        return pb.RecordEntry.FromString(entries[0]).start
    except DecodeError:
        return pb.RecordStart()


def info_from_record(entries: Sequence[bytes], *, sealed: bool) -> match_service_pb2.MatchInfo:
    """Return what a finished match's record tells an organiser.

    Raises `RecordError` if the record is damaged.
    """
    parsed = check_chain(entries)
    start = parsed[0].start
    end = next((entry for entry in reversed(parsed) if entry.WhichOneof("entry") == "end"), None)
    if end is None:
        raise RecordError("the record does not tell how the match ended")
    signature = parsed[-1]
    names = next((e.begin.names for e in parsed if e.WhichOneof("entry") == "begin"), start.bots)
    info = match_service_pb2.MatchInfo(
        match_id=start.match_id,
        terms=start.terms,
        players=[match_pb2.Player(seat=s, name=name) for s, name in enumerate(names)],
        phase=match_service_pb2.MATCH_PHASE_OVER,
        decisions=sum(entry.WhichOneof("entry") == "move" for entry in parsed),
        create_time=start.create_time,
        outcome=end.end.outcome,
        deal_commitment=start.deal_commitment,
        record_hash=signature.previous_hash,
        clocks=end.end.clocks,
    )
    if not sealed:
        info.deal.CopyFrom(start.deal)
        info.game_hash = end.end.game_hash
    return info


def _match(replayed: Replay, number: int, desk: Desk) -> Match:
    start = replayed.start
    deal = Deal(start.deal.seed, start.deal.salt)
    match = Match(
        start.match_id,
        number,
        replayed.terms,
        start.bots,
        deal,
        desk,
        sealed=start.sealed,
        create_time=start.create_time,
    )
    match.state = replayed.state
    match.moves = replayed.moves
    events = _all_events(replayed)
    match.events = match.codec.event_chunks(events)
    match.decisions = replayed.decisions
    match.attempt = replayed.attempt
    match.already_taken = replayed.taken * 1000
    for seat in match.seats:
        seat.name = replayed.names[seat.number]
        seat.clock = replayed.clocks[seat.number]
        seat.statistics = replayed.statistics[seat.number]
        seat.strikes = replayed.strikes[seat.number]
        seat.forfeit = replayed.forfeits[seat.number]
        seat.end_text = replayed.forfeit_texts[seat.number]
        seat.answered = replayed.answered[seat.number]
    match.publication.release()
    return match


def _all_events(replayed: Replay) -> list[object]:
    """Return the events, with the forfeits of seats that failed when the match was over."""
    told = {e.seat for e in replayed.events if isinstance(e, SeatForfeited)}
    late = [SeatForfeited(s, r) for s, r in replayed.forfeits.items() if r and s not in told]
    return [*replayed.events, *late]


def _pause_micros(match: Match, replayed: Replay, parsed: Sequence[pb.RecordEntry]) -> int:
    """Return how long the match stood still, by the wall clock; *parsed* are its entries."""
    pauses = [entry.pause for entry in parsed if entry.WhichOneof("entry") == "pause"]
    earlier = sum(pause.pause_micros for pause in pauses if pause.text == RESTART_TEXT)
    created = match.create_time.ToMicroseconds()
    now = pb.RecordStart()
    now.create_time.GetCurrentTime()
    return max(0, now.create_time.ToMicroseconds() - created - replayed.elapsed - earlier)
