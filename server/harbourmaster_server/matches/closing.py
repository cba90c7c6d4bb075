"""How a match ends: the outcome, the last entries of the record, the last word to its bots."""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2, match_pb2, match_service_pb2
from harbourmaster_engine.game import AnyState, ForfeitReason, Game
from harbourmaster_server.codec import SEAT_END_REASONS
from harbourmaster_server.matches.decision import Decision, Fault, SideFailed
from harbourmaster_server.matches.match import Match, Seat, clock_message
from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.terms import MatchTerms

PLAYED = (game_pb2.SEAT_END_REASON_RULES, game_pb2.SEAT_END_REASON_LAST_SEAT)
"""How a match may end for a seat that did not forfeit."""

SEALED_TEXT = "the deal is sealed until the last game that uses it is decided"


def reach_ceiling(match: Match, decision: Decision, fault: Fault) -> None:
    """End a match that lasted too long: whoever used most of its own time forfeits.

    With more than two seats the next in that order follow until one is left, so that the order of
    time used, least first, is the order of places.
    """
    now = match.desk.time.now()
    taken = decision.stop(now) // 1000
    decision.open = False
    if (session := match.seats[decision.seat].session) is not None:
        session.answered(match, decision)
    used = {seat.number: seat.statistics.thought for seat in match.seats}
    used[decision.seat] += taken
    seats = [seat for seat in match.seats if seat.forfeit is None]
    for seat in sorted(seats, key=lambda seat: (-used[seat.number], seat.number))[:-1]:
        text = f"{fault.text}; this seat had used {used[seat.number] / 1e6:.3f} s"
        match.forfeit(seat, ForfeitReason.CEILING, text)


def close(match: Match, lobby: Lobby) -> None:
    """End *match* by its result."""
    forfeits = [(seat.number, seat.forfeit) for seat in match.seats]
    outcome = judge_outcome(match.terms.game, match.state, dict(forfeits))
    for seat in match.seats:
        outcome.seats[seat.number].strikes = seat.strikes
        outcome.seats[seat.number].text = seat.end_text
    match.game_hash = game_hash(match.terms, match.deal.seed, match.moves, match.state)
    _finish(match, lobby, outcome)


def void(match: Match, lobby: Lobby, text: str, cause: int | None = None) -> None:
    """End *match* without a result: the referee failed, or the side of the seat *cause*."""
    _finish(match, lobby, void_outcome(len(match.seats), text, cause))


def void_for(match: Match, lobby: Lobby, error: Exception) -> None:
    """End *match* without a result because of *error*; a seat whose own side it was is named."""
    if isinstance(error, SideFailed):
        match.log.error("the match is void", seat=error.seat, why=str(error))
        void(match, lobby, str(error), error.seat)
        return
    seat = match.handling
    at = "" if seat is None else f" at a message of seat {seat}"
    match.log.error(f"the referee failed in a match{at}, which is void", exc_info=error)
    void(match, lobby, f"the referee failed{at}: {type(error).__name__}", seat)


def void_outcome(seats: int, text: str, cause: int | None = None) -> match_pb2.MatchOutcome:
    """Return the outcome of a match with so many *seats* that is void for the reason in *text*.

    *cause* is the seat whose own side caused it, if one did.
    """
    outcome = match_pb2.MatchOutcome(reason="void", void=True, text=text)
    for seat in range(seats):
        outcome.seats.add(
            seat=seat,
            reason=game_pb2.SEAT_END_REASON_VOID,
            text=text,
            void_caused=seat == cause,
        )
    return outcome


def judge_outcome(
    game: Game, state: AnyState, forfeits: dict[int, ForfeitReason | None]
) -> match_pb2.MatchOutcome:
    """Return the result of a match whose *state* is final.

    *forfeits* also names seats that failed when the match was already over, because no other was
    left: they share their place with nobody who played.
    """
    final = state.outcome()
    assert final is not None
    placements = list(final.placements)
    if all(forfeits.values()):
        # The engine takes the last seat for the winner, but nobody was left.
        placements = [1] * len(placements)
    outcome = match_pb2.MatchOutcome(reason=final.reason)
    for seat, (placement, score) in enumerate(zip(placements, final.scores, strict=True)):
        reason = forfeits[seat]
        number = SEAT_END_REASONS[reason] if reason else _natural_end(final.reason)
        outcome.seats.add(seat=seat, placement=placement, score=score, reason=number)
    outcome.text = _outcome_text(game, outcome)
    return outcome


def game_hash(
    terms: MatchTerms, seed: bytes, moves: Sequence[tuple[int, Any]], final: AnyState
) -> bytes:
    """Return SHA-256 over the canonical JSON (RFC 8785) of the match's neutral transcript."""
    notation = terms.game.notation
    steps = [
        {"seat": seat, "forfeit": str(move)}
        if isinstance(move, ForfeitReason)
        else {"seat": seat, "move": notation.move_to_json(move), "legal": True}
        for seat, move in moves
    ]
    transcript: dict[str, Any] = {
        "game": terms.game.id,
        "options": terms.game.non_defaults(terms.options, terms.seats),
        "players": terms.seats,
        "seed": seed.hex(),
        "steps": steps,
        "final": notation.summary(final),
    }
    return sha256(canonical_json(transcript)).digest()


def canonical_json(data: dict[str, Any]) -> bytes:
    """Return *data* in the canonical form of RFC 8785.

    Transcripts hold only objects with ASCII keys, arrays, strings, whole numbers and truth values;
    for these the standard library's encoder writes that form, many times faster than the general
    one.
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _natural_end(reason: str) -> game_pb2.SeatEndReason.ValueType:
    return (
        game_pb2.SEAT_END_REASON_LAST_SEAT
        if reason == "last_seat"
        else game_pb2.SEAT_END_REASON_RULES
    )


def _outcome_text(game: Game, outcome: match_pb2.MatchOutcome) -> str:
    if not any(seat.reason in PLAYED for seat in outcome.seats):
        came = "was not played: no bot came to its seat"
        return (
            f"{game.name} {came if _nobody_came(outcome) else 'has no winner: every seat is out'}"
        )
    best = [f"seat {seat.seat}" for seat in outcome.seats if seat.placement == 1]
    scores = ", ".join(str(seat.score) for seat in outcome.seats)
    who = f"{best[0]} wins" if len(best) == 1 else f"{' and '.join(best)} share the first place"
    return f"{game.name} ended by {outcome.reason}: {who}; scores {scores}"


def _nobody_came(outcome: match_pb2.MatchOutcome) -> bool:
    return all(s.reason == game_pb2.SEAT_END_REASON_NOT_CONNECTED for s in outcome.seats)


def _finish(match: Match, lobby: Lobby, outcome: match_pb2.MatchOutcome) -> None:
    match.deadline.stop()
    match.decision = None
    match.outcome = outcome
    entry = match.new_entry()
    entry.end.outcome.CopyFrom(outcome)
    entry.end.game_hash = b"" if outcome.void else match.game_hash
    entry.end.clocks.extend(clock_message(seat.statistics) for seat in match.seats)
    match.record(entry)
    match.record_hash = match.chain.head
    match.phase = match_service_pb2.MATCH_PHASE_OVER
    match.desk.tally.ended(void=outcome.void)
    match.desk.release_later(match.publication)
    for seat in match.seats:
        if seat.session is not None:
            seat.session.end_match(match, seat, end_message(match, seat))
    for session in match.sessions():
        lobby.freed(session)
    match.log.info("match over", reason=outcome.reason, result=outcome.text)


def end_message(match: Match, seat: Seat) -> bot_pb.MatchEnd:
    """Return the last word of the match to *seat*."""
    message = bot_pb.MatchEnd(
        match_id=match.id,
        outcome=match.outcome,
        clock=clock_message(seat.statistics),
        record_hash=match.record_hash,
        seat=seat.number,
    )
    if match.sealed:
        message.sealed.text = SEALED_TEXT
    else:
        message.game_hash = match.game_hash
        message.reveal.seed, message.reveal.salt = match.deal.seed, match.deal.salt
    return message
