"""Times, clocks, policies and reasons in plain words."""

from collections.abc import Mapping
from typing import Any, Final

from harbourmaster_engine.game import ForfeitReason, Game, SeatForfeited
from harbourmaster_server.clock import MICROS_PER_SECOND, ClockTerms
from harbourmaster_server.policy import Action, FaultPolicy, FaultRule
from harbourmaster_server.terms import MatchTerms

MEANINGS: Final[Mapping[ForfeitReason, str]] = {
    ForfeitReason.TIMEOUT: "no answer came before the time of the seat was used up",
    ForfeitReason.ILLEGAL_MOVE: "the answer was not a move that the rules allow",
    ForfeitReason.PROTOCOL_ERROR: "the bot sent something that the protocol does not allow",
    ForfeitReason.DISCONNECTED: "the connection of the bot was gone for too long",
    ForfeitReason.NOT_CONNECTED: "the bot did not come",
    ForfeitReason.NOT_READY: "the bot came, but did not say in time that it was ready",
    ForfeitReason.RESIGNED: "the bot gave up",
    ForfeitReason.CEILING: "the match reached its longest duration, and this seat had used most",
    ForfeitReason.QUARANTINED: "the bot had failed too many matches in a row",
}
"""What each kind of fault means."""


def duration(micros: int) -> str:
    """Return a time in microseconds as milliseconds below a second, else as seconds."""
    if micros < MICROS_PER_SECOND:
        return f"{micros / 1000:.1f} ms"
    return f"{micros / MICROS_PER_SECOND:.3f} s"


def clock_words(clock: ClockTerms) -> str:
    """Return the terms of a clock as one line."""
    if clock.bank is not None:
        limit = f"{_short(clock.bank)} for the match, {_short(clock.increment)} more for each turn"
    elif clock.turn_limit is not None:
        limit = f"{_short(clock.turn_limit)} for each turn"
    else:
        limit = "no limit"
    extra = f"{_short(clock.first_turn_allowance)} more for the first turn"
    return (
        f"{limit}; {extra}; {_short(clock.grace)} of grace for each decision; "
        f"the match lasts {_short(clock.ceiling)} at most"
    )


def policy_words(policy: FaultPolicy) -> str:
    """Return what faults cost, as one line."""
    kinds = {
        "timeout": policy.timeout,
        "illegal move": policy.illegal_move,
        "protocol error": policy.protocol_error,
        "disconnect": policy.disconnect,
    }
    words = [f"{kind}: {_rule_words(rule)}" for kind, rule in kinds.items()]
    if any(rule.action is Action.DEFAULT_MOVE for rule in kinds.values()):
        words.append(f"after {policy.max_strikes} strikes the seat forfeits")
    words.append(f"a lost connection may come back within {_short(policy.reconnect_time)}")
    return "; ".join(words)


def options_words(terms: MatchTerms) -> str:
    """Return the options that differ from their defaults, or that none does."""
    changed = terms.game.non_defaults(terms.options, terms.seats)
    named = ", ".join(f"{name}={value}" for name, value in sorted(changed.items()))
    return named or "all options at their defaults"


def event_words(game: Game, event: Any) -> str:
    """Return an event of *game* as a sentence."""
    if isinstance(event, SeatForfeited):
        return f"Seat {event.seat} is out of the match ({reason_words(event.reason)})."
    return game.text.describe_event(event)


def reason_words(reason: ForfeitReason) -> str:
    """Return the name of *reason* with spaces."""
    return str(reason).replace("_", " ")


def _rule_words(rule: FaultRule) -> str:
    tries = f"{rule.retries} more tries, then " if rule.retries else ""
    cost = "the seat forfeits" if rule.action is Action.FORFEIT else "the default move"
    return tries + cost


def _short(micros: int) -> str:
    if micros and micros < MICROS_PER_SECOND:
        return f"{micros / 1000:g} ms"
    return f"{micros / MICROS_PER_SECOND:g} s"
