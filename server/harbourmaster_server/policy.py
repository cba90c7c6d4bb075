"""What faults cost: the fault policy of a match."""

import enum
from dataclasses import dataclass, field

from harbourmaster_engine.game import ForfeitReason

MICROS_PER_SECOND = 1_000_000


class Action(enum.StrEnum):
    """What happens when a decision's tries are used up."""

    FORFEIT = "forfeit"
    """The seat forfeits the match."""
    DEFAULT_MOVE = "default_move"
    """The game's default move is made for the seat, and a strike is counted."""


@dataclass(frozen=True, slots=True)
class FaultRule:
    """What one kind of fault costs."""

    retries: int = 0
    """How many more tries one decision gets, on the same clock."""
    action: Action = Action.FORFEIT


@dataclass(frozen=True, slots=True)
class FaultPolicy:
    """What each kind of fault costs in a match."""

    timeout: FaultRule = field(default_factory=FaultRule)
    illegal_move: FaultRule = field(default_factory=lambda: FaultRule(retries=2))
    protocol_error: FaultRule = field(default_factory=FaultRule)
    disconnect: FaultRule = field(default_factory=FaultRule)
    max_strikes: int = 3
    """How many default moves a seat may be given before it forfeits."""
    reconnect_time: int = 10 * MICROS_PER_SECOND
    """How long a connection may be gone while the seat's decision is open, in microseconds."""

    def rule(self, reason: ForfeitReason) -> FaultRule:
        """Return the rule for the kind of fault that *reason* is."""
        return {
            ForfeitReason.TIMEOUT: self.timeout,
            ForfeitReason.ILLEGAL_MOVE: self.illegal_move,
            ForfeitReason.PROTOCOL_ERROR: self.protocol_error,
            ForfeitReason.DISCONNECTED: self.disconnect,
        }.get(reason, _ALWAYS_FORFEIT)


_ALWAYS_FORFEIT = FaultRule()
