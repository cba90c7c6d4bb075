"""Messages turned into values, and answers into messages: the one place that does it."""

import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from google.protobuf.message import Message

from harbourmaster._values import Answer, Decision, Match, Refusal, Reply, Resign, Result
from harbourmaster.errors import BadAnswer
from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2

_MOVE_ARMS: Final[Mapping[str, str]] = {
    field.message_type.full_name: field.name
    for field in game_pb2.Move.DESCRIPTOR.fields
    if field.message_type is not None
}
"""The field of `Move` that each type of move goes into."""


def read_match(start: pb.MatchStart) -> Match:
    """Return the match that *start* begins."""
    players = sorted(start.players, key=lambda player: player.seat)
    return Match(
        id=start.match_id,
        game=start.terms.game,
        rules_version=start.terms.rules_version,
        options=_typed(start.terms.options, "options"),
        seat=start.seat,
        players=tuple(player.name for player in players),
        terms=start.terms,
        deal_commitment=start.deal_commitment,
    )


def read_events(events: Iterable[game_pb2.Event]) -> tuple[Any, ...]:
    """Return *events* as the games' own types."""
    return tuple([_typed(event, "event") for event in events])


def read_decision(request: pb.DecisionRequest, match: Match, missed: tuple[Any, ...]) -> Decision:
    """Return the decision that *request* asks for; *missed* are events from before it."""
    moves = request.offered.moves
    # All moves of a decision are of one game.
    arm = moves[0].WhichOneof("move") if moves else None
    left = request.time_left_micros / 1e6 if request.HasField("time_left_micros") else None
    return Decision(
        match=match,
        number=request.decision,
        attempt=request.attempt,
        seat=request.seat,
        view=_typed(request.view, "view"),
        events=missed + read_events(request.events),
        offered=tuple(moves if arm is None else [getattr(move, arm) for move in moves]),
        offered_complete=request.offered.complete,
        time_left=left,
    )


def next_attempt(decision: Decision, receipt: pb.MoveReceipt) -> Decision:
    """Return the next attempt at *decision*, after *receipt* refused the previous one."""
    left = receipt.time_left_micros / 1e6 if receipt.HasField("time_left_micros") else None
    refusal = Refusal(receipt.refusal.text, _refusal_code(receipt.refusal), receipt.tries_left)
    return replace(
        decision, attempt=receipt.next_attempt, events=(), time_left=left, refusal=refusal
    )


def read_result(end: pb.MatchEnd, match: Match) -> Result:
    """Return how *match* ended for its seat."""
    own = next((seat for seat in end.outcome.seats if seat.seat == match.seat), None)
    reason = game_pb2.SEAT_END_REASON_UNSPECIFIED if own is None else own.reason
    revealed = end.HasField("reveal")
    return Result(
        match=match,
        placement=own.placement if own else 0,
        score=own.score if own else 0,
        reason=_short_name(game_pb2.SeatEndReason.DESCRIPTOR, reason),
        text=(own.text if own else "") or end.outcome.text,
        void=end.outcome.void,
        outcome=end.outcome,
        clock=end.clock,
        record_hash=end.record_hash,
        game_hash=end.game_hash,
        seed=end.reveal.seed if revealed else None,
        salt=end.reveal.salt if revealed else None,
    )


def write_reply(decision: Decision, answer: Answer) -> pb.MoveReply:
    """Return *answer* as a message; raise `BadAnswer` if it cannot be sent."""
    message = pb.MoveReply(
        match_id=decision.match.id, decision=decision.number, attempt=decision.attempt
    )
    plain: Any = answer
    if isinstance(answer, Reply):
        message.note = answer.note
        plain = answer.answer
    if isinstance(plain, Resign):
        message.resignation.SetInParent()
    elif isinstance(plain, Message):
        _write_move(plain, message.move)
    else:
        message.offered_index = _index(plain)
    return message


def _write_move(move: Message, out: game_pb2.Move) -> None:
    if isinstance(move, game_pb2.Move):
        out.CopyFrom(move)
        return
    arm = _MOVE_ARMS.get(move.DESCRIPTOR.full_name)
    if arm is None:
        raise BadAnswer(
            f"a {type(move).__name__} is not a move: return a move such as AnchorlineMove, "
            "an index into decision.offered, or harbourmaster.resign"
        )
    getattr(out, arm).CopyFrom(move)


def _index(answer: Any) -> int:
    """Return *answer* as an index; whole numbers of other libraries count as numbers too."""
    try:
        index = operator.index(answer)
    except TypeError:
        raise BadAnswer(
            f"choose returned {answer!r:.80}: return an index into decision.offered, a move, "
            "or harbourmaster.resign"
        ) from None
    if not 0 <= index < 2**32:
        raise BadAnswer(
            f"choose returned the index {index}: indices into decision.offered count from 0"
        )
    return index


def _typed(message: Message, oneof: str) -> Any:
    """Return the arm of *message* that is set; *message* itself if its game is newer than this."""
    arm = message.WhichOneof(oneof)
    return message if arm is None else getattr(message, arm)


def _refusal_code(refusal: game_pb2.Refusal) -> str:
    arm = refusal.WhichOneof("code")
    if arm is None:
        return ""
    value = getattr(refusal, arm)
    if isinstance(value, str):
        return value
    return _short_name(game_pb2.Refusal.DESCRIPTOR.fields_by_name[arm].enum_type, value)


def _short_name(enumeration: Any, value: int) -> str:
    """Return the name of *value* without the prefix that all values share, in lower case."""
    known = enumeration.values_by_number.get(value)
    if known is None:
        return f"unknown_{value}"
    prefix = enumeration.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(known.name.removeprefix(prefix).lower())
