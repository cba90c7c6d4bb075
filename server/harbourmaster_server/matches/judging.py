"""What becomes of an answer: a move, another try, a default move or a forfeit."""

from typing import Any

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2
from harbourmaster_engine.game import ForfeitReason, IllegalMove, LegalMoves
from harbourmaster_server.clock import Clock
from harbourmaster_server.codec import SEAT_END_REASONS, Codec, WrongGame
from harbourmaster_server.matches.decision import Decision, Fault, Reply
from harbourmaster_server.matches.match import Match, Seat
from harbourmaster_server.policy import Action


class UnusableReply(ValueError):
    """A reply cannot be taken for a move at all."""

    def __init__(self, code: game_pb2.ReplyRefusalCode.ValueType, text: str) -> None:
        super().__init__(text)
        self.refusal = game_pb2.Refusal(text=text, reply=code)


def judge(match: Match, decision: Decision, answer: Reply) -> Fault | None:
    """Make the move that *answer* holds, or return what is wrong with it.

    The clock comes first: a move that came too late is not looked at.
    """
    seat = match.seats[decision.seat]
    reply = answer.message
    decision.forgive(match.desk.time.stall())
    taken = decision.stop(answer.arrived)
    charged, clock = seat.clock.charge(taken // 1000)
    if clock is None:
        text = match.deadline.timeout_text(seat, decision, answer.arrived)
        _receipt_stale(seat, reply)
        return Fault(ForfeitReason.TIMEOUT, text.replace("no answer after", "an answer after"))
    if reply.WhichOneof("answer") == "resignation":
        _receipt_accepted(match, seat, decision, answer.arrived, charged)
        return Fault(ForfeitReason.RESIGNED, f"decision {decision.number}: the bot resigned")
    try:
        move = read_answer(match.codec, decision.offered, reply)
        events = match.state.apply(move)
    except UnusableReply as error:
        return Fault(ForfeitReason.ILLEGAL_MOVE, str(error), error.refusal)
    except IllegalMove as error:
        refusal = match.codec.refusal(error.refusal)
        return Fault(
            ForfeitReason.ILLEGAL_MOVE, error.refusal.text, refusal, match.codec.move(move)
        )
    referee = (match.desk.time.now() - answer.arrived) // 1000
    seat.statistics.add(taken // 1000, charged, decision.queued // 1000, max(0, referee))
    match.desk.tally.decided(max(0, referee))
    turn_over = _move_made(match, seat, decision, move, events, clock)
    if turn_over:
        seat.clock = seat.clock.end_turn()
    _record_move(match, seat, decision, move, charged, referee, reply.note)
    _receipt_accepted(match, seat, decision, answer.arrived, charged)
    return None


def punish(match: Match, decision: Decision, fault: Fault) -> None:
    """Do what the fault policy says: another try, a default move and a strike, or a forfeit."""
    seat = match.seats[decision.seat]
    taken = decision.stop(match.desk.time.now()) if fault.reason is not _ILLEGAL else decision.taken
    rule = match.terms.policy.rule(fault.reason)
    _record_fault(match, seat, decision, fault, taken)
    if fault.reason is not _ILLEGAL:
        charged = max(0, taken // 1000 - match.terms.clock.grace)
        seat.statistics.add(taken // 1000, charged, decision.queued // 1000, 0)
    if fault.reason is _ILLEGAL:
        tries_left = max(0, rule.retries + 1 - decision.attempt)
        _receipt_refused(match, seat, decision, fault, tries_left)
        if tries_left:
            decision.try_again()
            return
    _close_decision(match, seat, decision)
    if fault.reason is ForfeitReason.TIMEOUT:
        seat.clock = seat.clock.emptied()
    if rule.action is Action.DEFAULT_MOVE and seat.strikes < match.terms.policy.max_strikes:
        seat.strikes += 1
        _make_default_moves(match, seat, decision, whole_turn=fault.reason is not _ILLEGAL)
    else:
        match.forfeit(seat, fault.reason, _strike_text(seat, rule.action) + fault.told)


_ILLEGAL = ForfeitReason.ILLEGAL_MOVE


def _strike_text(seat: Seat, action: Action) -> str:
    return f"after {seat.strikes} strikes: " if action is Action.DEFAULT_MOVE else ""


def read_answer(codec: Codec, offered: LegalMoves[Any] | None, reply: bot_pb.MoveReply) -> Any:
    """Return the move that *reply* means; raise `UnusableReply` if it means none.

    *offered* are the moves that an index counts in, if any were offered.
    """
    kind = reply.WhichOneof("answer")
    if kind == "move":
        try:
            return codec.read_move(reply.move)
        except WrongGame as error:
            raise UnusableReply(game_pb2.REPLY_REFUSAL_CODE_WRONG_GAME, str(error)) from None
        except ValueError as error:
            raise UnusableReply(game_pb2.REPLY_REFUSAL_CODE_MALFORMED, str(error)) from None
    if kind == "offered_index":
        if offered is None:
            raise UnusableReply(
                game_pb2.REPLY_REFUSAL_CODE_NOTHING_OFFERED,
                "no moves were offered: set offered_moves_wanted in hello, or send a move",
            )
        if reply.offered_index >= len(offered.moves):
            raise UnusableReply(
                game_pb2.REPLY_REFUSAL_CODE_INDEX_OUT_OF_RANGE,
                f"the index {reply.offered_index} is not one of the {len(offered.moves)} "
                "offered moves, which count from 0",
            )
        return offered.moves[reply.offered_index]
    raise UnusableReply(
        game_pb2.REPLY_REFUSAL_CODE_EMPTY,
        "the reply is empty: set a move, an offered_index or a resignation",
    )


def _move_made(
    match: Match, seat: Seat, decision: Decision, move: Any, events: Any, clock: Clock
) -> bool:
    """Take note of a move that the engine made; return whether it ended the seat's turn."""
    seat.clock = clock
    _close_decision(match, seat, decision)
    match.moves.append((seat.number, move))
    match.happened(events)
    return turn_is_over(match, seat)


def turn_is_over(match: Match, seat: Seat) -> bool:
    """Return whether the turn of *seat* is over, and remember the turn that is played now."""
    turn = (match.state.to_move, match.state.turns)
    over = turn != match.turn
    match.turn = turn
    return over


def _close_decision(match: Match, seat: Seat, decision: Decision) -> None:
    decision.open = False
    if seat.session is not None:
        seat.session.answered(match, decision)


def _make_default_moves(match: Match, seat: Seat, decision: Decision, *, whole_turn: bool) -> None:
    """Make the default move; after a timeout or a drop, until the turn is over.

    The later decisions of that turn would only run out of time too.
    """
    made_for = decision
    while True:
        move = match.state.default_move()
        events = match.state.apply(move)
        turn_over = _move_made(match, seat, made_for, move, events, seat.clock)
        if turn_over:
            seat.clock = seat.clock.end_turn()
        _record_move(match, seat, made_for, move, 0, 0, "", default=True)
        if turn_over or not whole_turn or match.state.to_move != seat.number:
            return
        made_for = match.open_decision()


def _record_move(
    match: Match,
    seat: Seat,
    decision: Decision,
    move: Any,
    charged: int,
    referee: int,
    note: str,
    *,
    default: bool = False,
) -> None:
    clock = seat.clock
    entry = match.wording.move_entry(
        match.elapsed(),
        (decision.number, decision.attempt, seat.number),
        move,
        (charged, decision.queued // 1000, max(0, referee)),
        decision.taken // 1000,
        None if clock.left is None else (clock.left, clock.allowance),
        note[: match.desk.limits.note_characters],
        seat.strikes if default else None,
    )
    match.record_bytes(entry)


def _record_fault(match: Match, seat: Seat, decision: Decision, fault: Fault, taken: int) -> None:
    entry = match.new_entry()
    out = entry.fault
    out.decision = decision.number
    out.attempt = decision.attempt
    out.seat = seat.number
    out.kind = SEAT_END_REASONS[fault.reason]
    out.thought_micros = max(0, taken // 1000 - match.terms.clock.grace)
    out.taken_micros = taken // 1000
    out.text = fault.text
    if fault.refusal is not None:
        out.refusal.CopyFrom(fault.refusal)
    if fault.move is not None:
        out.move.CopyFrom(fault.move)
    match.record(entry)
    match.desk.tally.faults[fault.reason] += 1
    match.log.info(
        "fault",
        seat=seat.number,
        bot=seat.bot,
        decision=decision.number,
        attempt=decision.attempt,
        kind=str(fault.reason),
        why=fault.text,
    )


def _receipt_stale(seat: Seat, reply: bot_pb.MoveReply) -> None:
    if seat.session is not None:
        seat.session.send_receipt(reply, bot_pb.MOVE_RECEIPT_STATUS_STALE)


def _receipt_accepted(
    match: Match, seat: Seat, decision: Decision, arrived: int, charged: int
) -> None:
    """Add the receipt of an accepted move, which rides with the next message to the session."""
    if seat.session is not None:
        referee = max(0, match.desk.time.now() - arrived) // 1000
        receipt = match.wording.accepted(
            (decision.number, decision.attempt),
            (charged, decision.queued // 1000, referee),
            seat.clock.left,
        )
        seat.session.add(receipt)


def _receipt_refused(
    match: Match, seat: Seat, decision: Decision, fault: Fault, tries_left: int
) -> None:
    """Send the receipt of a refused move; with a try left, the clock goes on when it is sent."""
    if seat.session is None:
        return
    reply = bot_pb.MoveReply(match_id=match.id, decision=decision.number, attempt=decision.attempt)
    seat.session.send_receipt(
        reply,
        bot_pb.MOVE_RECEIPT_STATUS_REFUSED,
        refusal=fault.refusal or game_pb2.Refusal(text=fault.text),
        tries_left=tries_left,
        next_attempt=decision.attempt + 1 if tries_left else 0,
        thought_micros=max(0, decision.taken // 1000 - match.terms.clock.grace),
        queued_micros=decision.queued // 1000,
        time_left_micros=match.time_left(decision),
    )
    if tries_left:
        seat.session.start_clock_on_sending(decision)
