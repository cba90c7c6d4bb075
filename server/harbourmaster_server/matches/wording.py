"""What a match says with every decision, as bytes: the request, the receipt, the move's entry."""

from typing import Any, Final

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import record_pb2
from harbourmaster_engine.game import LegalMoves
from harbourmaster_server.codec import Codec
from harbourmaster_server.wire import VARINT, counters, nested, tag

_as_request = nested((bot_pb.PlayResponse, "events"), (bot_pb.RefereeEvent, "decision_request"))
_as_receipt = nested((bot_pb.PlayResponse, "events"), (bot_pb.RefereeEvent, "move_receipt"))
_as_move = nested((record_pb2.RecordEntry, "move"))

_asked = counters(bot_pb.DecisionRequest, "decision", "attempt", "seat")
_answered = counters(bot_pb.MoveReceipt, "decision", "attempt", "status")
_made = counters(record_pb2.RecordMove, "decision", "attempt", "seat")
_struck = counters(record_pb2.RecordMove, "strikes")

_REQUEST_LEFT: Final = tag(bot_pb.DecisionRequest, "time_left_micros")
_RECEIPT_LEFT: Final = tag(bot_pb.MoveReceipt, "time_left_micros")
_RECEIPT_TIMES: Final = (
    tag(bot_pb.MoveReceipt, "thought_micros"),
    tag(bot_pb.MoveReceipt, "queued_micros"),
    tag(bot_pb.MoveReceipt, "referee_micros"),
)
_MOVE_TIMES: Final = (
    tag(record_pb2.RecordMove, "thought_micros"),
    tag(record_pb2.RecordMove, "queued_micros"),
    tag(record_pb2.RecordMove, "referee_micros"),
)
_MOVE_LEFT: Final = tag(record_pb2.RecordMove, "time_left_micros")
_MOVE_ALLOWANCE: Final = tag(record_pb2.RecordMove, "allowance_micros")
_MOVE_TAKEN: Final = tag(record_pb2.RecordMove, "taken_micros")
_ELAPSED: Final = tag(record_pb2.RecordEntry, "elapsed_micros")
_DEFAULT_MOVE: Final = record_pb2.RecordMove(default_move=True).SerializeToString()


class Wording:
    """The words of one match."""

    __slots__ = ("_codec", "_receipt_id", "_request_id")

    def __init__(self, match_id: str, codec: Codec) -> None:
        self._codec = codec
        self._request_id = bot_pb.DecisionRequest(match_id=match_id).SerializeToString()
        self._receipt_id = bot_pb.MoveReceipt(match_id=match_id).SerializeToString()

    def request(
        self,
        numbers: tuple[int, int, int],
        view: Any,
        events: list[bytes],
        left: int | None,
        offered: LegalMoves[Any] | None,
    ) -> bytes:
        """Return a batch with one `DecisionRequest`.

        *numbers* are those of decision, attempt and seat; *events* are as the codec's
        `event_chunks` has them.
        """
        parts = [self._request_id, _asked(*numbers), self._codec.view_part(view), *events]
        if left is not None:
            parts += (_REQUEST_LEFT, VARINT[left])
        if offered is not None:
            parts.append(self._codec.offered_part(offered))
        return _as_request(b"".join(parts))

    def accepted(
        self, numbers: tuple[int, int], times: tuple[int, int, int], left: int | None
    ) -> bytes:
        """Return a batch with the `MoveReceipt` of an accepted move.

        *numbers* are those of decision and attempt; *times* are thought, queued and the referee's.
        """
        parts = [
            self._receipt_id,
            _answered(*numbers, bot_pb.MOVE_RECEIPT_STATUS_ACCEPTED),
            _times(_RECEIPT_TIMES, times),
        ]
        if left is not None:
            parts += (_RECEIPT_LEFT, VARINT[left])
        return _as_receipt(b"".join(parts))

    def move_entry(
        self,
        elapsed: int,
        numbers: tuple[int, int, int],
        move: Any,
        times: tuple[int, int, int],
        taken: int,
        left: tuple[int, int] | None,
        note: str,
        default: int | None,
    ) -> bytes:
        """Return the `RecordEntry` of a move, but for the hash that chains it.

        *numbers* are those of decision, attempt and seat; *times* are thought, queued and the
        referee's; *left* is the time left and the first turn's extra; *default* is the number of
        strikes if it is the default move.
        """
        parts = [_made(*numbers), self._codec.recorded(move)]
        if default is not None:
            parts.append(_DEFAULT_MOVE)
        parts.append(_times(_MOVE_TIMES, times))
        if left is not None:
            parts += (_MOVE_LEFT, VARINT[left[0]])
        if note:
            parts.append(record_pb2.RecordMove(note=note).SerializeToString())
        if left is not None and left[1]:
            parts += (_MOVE_ALLOWANCE, VARINT[left[1]])
        if default is not None:
            parts.append(_struck(default))
        if taken:
            parts += (_MOVE_TAKEN, VARINT[taken])
        head = _ELAPSED + VARINT[elapsed] if elapsed else b""
        return head + _as_move(b"".join(parts))


def _times(tags: tuple[bytes, bytes, bytes], times: tuple[int, int, int]) -> bytes:
    thought, queued, referee = times
    parts = tags[2] + VARINT[referee] if referee else b""
    if queued:
        parts = tags[1] + VARINT[queued] + parts
    return tags[0] + VARINT[thought] + parts if thought else parts
