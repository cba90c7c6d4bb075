"""One question to a bot, and the answers there are to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2
from harbourmaster_engine.game import ForfeitReason, LegalMoves
from harbourmaster_server.timekeeping import Stall


class Reply(NamedTuple):
    """What a bot answered, and when it arrived (nanoseconds)."""

    message: bot_pb.MoveReply
    arrived: int


@dataclass(frozen=True, slots=True)
class Fault:
    """What a bot did wrong, in a plain sentence with the numbers."""

    reason: ForfeitReason
    text: str
    refusal: game_pb2.Refusal | None = None
    """Why a move was refused; only for illegal moves."""
    move: game_pb2.Move | None = None
    """The refused move, if it could be read."""

    @property
    def told(self) -> str:
        """What everybody may be told: why a move was refused may name cards of a hand."""
        if self.refusal is None:
            return self.text
        arm = self.refusal.WhichOneof("code")
        field = self.refusal.DESCRIPTOR.fields_by_name[arm] if arm else None
        code: Any = getattr(self.refusal, arm) if arm else ""
        if field is not None and field.enum_type is not None:
            code = field.enum_type.values_by_number[code].name.partition("_CODE_")[2].lower()
        return f"its move was refused: {code}"


Answer: TypeAlias = Reply | Fault


class SideFailed(Exception):
    """What a bot runs under failed, so that its match is void; the message says what."""

    def __init__(self, seat: int, text: str) -> None:
        super().__init__(text)
        self.seat = seat


class Decision:
    """An open question. All times are in nanoseconds of the timekeeper's clock."""

    __slots__ = (
        "answered",
        "attempt",
        "frozen",
        "gone_at",
        "number",
        "offered",
        "open",
        "opened_at",
        "queued",
        "seat",
        "started",
        "take",
        "taken",
        "to_start",
    )

    def __init__(
        self,
        number: int,
        seat: int,
        opened_at: int,
        take: Callable[[Answer], None],
        attempt: int = 1,
    ) -> None:
        self.number = number
        self.attempt = attempt
        self.seat = seat
        self.open = True
        """Whether it still waits for an answer that decides it."""
        self.answered = False
        """Whether this attempt has its answer."""
        self.take = take
        """Takes the answer."""
        self.opened_at = opened_at
        self.started: int | None = None
        """When the clock of this attempt started: the request was with the transport."""
        self.taken = 0
        """What earlier attempts took."""
        self.queued = 0
        """How long it was held back before it was sent."""
        self.frozen = False
        """Whether no time passes, because the referee cannot go on."""
        self.to_start = False
        """Whether the clock starts when time passes again."""
        self.gone_at: int | None = None
        """Since when the bot's connection is gone, if it is."""
        self.offered: LegalMoves[Any] | None = None

    def start(self, now: int) -> None:
        """Start the clock, unless it runs already."""
        if self.frozen:
            self.to_start = True
        elif self.started is None:
            self.started = now
            if not self.taken:
                self.queued = max(0, now - self.opened_at)

    def stop(self, now: int) -> int:
        """Stop the clock and return what the decision took so far."""
        if self.started is not None:
            self.taken += max(0, now - self.started)
            self.started = None
        return self.taken

    def forgive(self, stall: Stall) -> None:
        """Start the clock after *stall*, if that may have held up the request."""
        if self.started is not None:
            self.started = stall.handed_over(self.started)

    def freeze(self, now: int) -> None:
        """Let no time pass until `thaw`."""
        self.to_start = self.started is not None
        self.stop(now)
        self.frozen = True

    def thaw(self, now: int) -> None:
        """Let time pass again."""
        self.frozen = False
        if self.gone_at is not None:
            self.gone_at = now
        if self.to_start:
            self.start(now)

    def elapsed(self, now: int) -> int:
        """Return what the decision took so far, without stopping the clock."""
        return self.taken + (max(0, now - self.started) if self.started is not None else 0)

    def settle(self, answer: Answer) -> None:
        """Take *answer*, if there is none yet."""
        if not self.answered:
            self.answered = True
            self.take(answer)

    def try_again(self) -> None:
        """Wait for another answer, as the next attempt."""
        self.attempt += 1
        self.answered = False
