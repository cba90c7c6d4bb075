"""Checking a record: what it proves, and what is only signed.

A record proves its result: the deal is dealt again from the seed that was committed to, every move
is played again by the rules, and the outcome is judged again. The times, and so the timeouts, rest
on the referee's word; its signature shows that nobody changed them since.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.codec import FORFEIT_REASONS
from harbourmaster_server.matches.closing import game_hash, judge_outcome
from harbourmaster_server.matches.match import Deal
from harbourmaster_server.records import RecordError, check_chain, read_record
from harbourmaster_server.records.signing import signature_is_good
from harbourmaster_server.replay import Replay


@dataclass(frozen=True, slots=True)
class Report:
    """What a record that was found good shows."""

    match_id: str
    game: str
    entries: int
    moves: int
    outcome: str
    game_hash: str
    """In hexadecimal; empty for a void match."""
    signed_by: str
    """The referee's public key, in hexadecimal."""
    key_known: bool
    """Whether the signature was checked against a key that the caller trusts."""
    proved: tuple[str, ...] = (
        "the deal is the one committed to before the first move",
        "every move is legal, and the state after it follows from the rules",
        "the outcome follows from the moves and forfeits",
    )
    signed_only: tuple[str, ...] = (
        "the times, and the faults that rest on them (timeouts, disconnects, the ceiling)",
        "who sat at the seats",
    )
    warnings: tuple[str, ...] = field(default=())


def verify_file(path: Path, trusted_key: bytes | None = None) -> Report:
    """Check the record at *path*; raise `RecordError` with the first thing that is wrong.

    *trusted_key* is the public key of the referee that is believed; without one, the record is
    only checked against the key that it names itself, which a forger could have made.
    """
    return verify(read_record(path), trusted_key)


def verify(stored: Sequence[bytes], trusted_key: bytes | None = None) -> Report:
    """Check the *stored* entries of a record, as `verify_file` does."""
    entries = check_chain(stored)
    if not entries or entries[0].WhichOneof("entry") != "start":
        raise RecordError("entry 1: it does not tell what the match is")
    _check_signature(entries, trusted_key)
    replayed = _play(entries)
    _check_deal(replayed.start)
    end = replayed.end
    if end is None:
        raise RecordError("the record does not tell how the match ended")
    if not end.outcome.void:
        _check_end(replayed, end)
    warnings = () if trusted_key else ("no trusted key was given: anybody could have signed this",)
    return Report(
        match_id=replayed.start.match_id,
        game=replayed.terms.game.id,
        entries=len(entries),
        moves=sum(entry.WhichOneof("entry") == "move" for entry in entries),
        outcome=end.outcome.text,
        game_hash=end.game_hash.hex(),
        signed_by=entries[-1].signature.public_key.hex(),
        key_known=trusted_key is not None,
        warnings=warnings,
    )


def _check_signature(entries: Sequence[pb.RecordEntry], trusted_key: bytes | None) -> None:
    last = entries[-1]
    if last.WhichOneof("entry") != "signature":
        raise RecordError("the record is not signed: it is cut off, or the match goes on")
    signature = last.signature
    if not signature_is_good(signature.public_key, signature.signature, last.previous_hash):
        raise RecordError(f"entry {len(entries)}: the signature is not good")
    if trusted_key is not None and signature.public_key != trusted_key:
        raise RecordError(
            f"entry {len(entries)}: it is signed with another key ({signature.public_key.hex()}) "
            f"than the trusted one ({trusted_key.hex()})"
        )


def _check_deal(start: pb.RecordStart) -> None:
    deal = Deal(start.deal.seed, start.deal.salt)
    if deal.commitment(start.match_id) != start.deal_commitment:
        raise RecordError("entry 1: the seed is not the one that was committed to")


def _play(entries: Sequence[pb.RecordEntry]) -> Replay:
    """Play all moves again, and go through the clocks with the recorded times."""
    replayed = Replay(entries[0].start)
    for number, entry in enumerate(entries[1:], 2):
        if entry.WhichOneof("entry") == "move":
            _check_clock(number, entry.move, replayed)
        replayed.take(number, entry)
        if entry.WhichOneof("entry") == "forfeit":
            _check_cause(number, entry.forfeit, entries[number - 2])
    return replayed


def _check_clock(number: int, move: pb.RecordMove, replayed: Replay) -> None:
    """Raise `RecordError` if the recorded times of *move* do not fit its clock."""
    if move.seat >= len(replayed.clocks):
        raise RecordError(f"entry {number}: there is no seat {move.seat}")
    clock = replayed.clocks[move.seat]
    if clock.left is None or move.default_move:
        return
    charged, after = clock.charge(move.taken_micros)
    if after is None:
        raise RecordError(f"entry {number}: the move took longer than the seat had")
    good = {(c.left, c.allowance) for c in (after, after.end_turn())}
    if charged != move.thought_micros or not _time_fits(move, good):
        raise RecordError(f"entry {number}: the time left does not follow from the time taken")


def _time_fits(move: pb.RecordMove, good: set[tuple[int | None, int]]) -> bool:
    return (move.time_left_micros, move.allowance_micros) in good


def _check_cause(number: int, forfeit: pb.RecordForfeit, before: pb.RecordEntry) -> None:
    """Raise `RecordError` for a forfeit by a fault that is not recorded before it."""
    reason = FORFEIT_REASONS[forfeit.reason]
    if reason in (ForfeitReason.TIMEOUT, ForfeitReason.ILLEGAL_MOVE):
        fault = before.fault
        if before.WhichOneof("entry") != "fault" or fault.kind != forfeit.reason:
            raise RecordError(f"entry {number}: no {reason} is recorded before this forfeit")


def _check_end(replayed: Replay, end: pb.RecordEnd) -> None:
    if replayed.state.outcome() is None:
        raise RecordError("the record ends before the match is over")
    judged = judge_outcome(replayed.terms.game, replayed.state, replayed.forfeits)
    if _result(judged) != _result(end.outcome):
        raise RecordError(
            f"the result does not follow from the moves: it says {end.outcome.text!r}, "
            f"and should say {judged.text!r}"
        )
    seed = replayed.start.deal.seed
    good_hash = game_hash(replayed.terms, seed, replayed.moves, replayed.state)
    if good_hash != end.game_hash:
        raise RecordError("the game hash is not that of the game")


def _result(outcome: match_pb2.MatchOutcome) -> list[object]:
    seats = [(s.seat, s.placement, s.score, s.reason) for s in outcome.seats]
    return [outcome.reason, outcome.text, *seats]
