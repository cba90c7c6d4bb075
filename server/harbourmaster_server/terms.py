"""The terms of a match: checked on the way in, named in full on the way out."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration

from harbourmaster.v1 import match_pb2 as pb
from harbourmaster_engine.game import Game
from harbourmaster_engine.registry import find_game
from harbourmaster_server.clock import MICROS_PER_SECOND, ClockTerms
from harbourmaster_server.codec import Codec, codec_for
from harbourmaster_server.errors import BadRequest
from harbourmaster_server.policy import Action, FaultPolicy, FaultRule

HOUR: Final = 3600 * MICROS_PER_SECOND
BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "bank.initial_time": (1000, 24 * HOUR),
    "bank.increment": (0, HOUR),
    "turn.time": (1000, 24 * HOUR),
    "first_turn_allowance": (0, HOUR // 6),
    "grace": (0, 10 * MICROS_PER_SECOND),
    "ceiling": (MICROS_PER_SECOND, 168 * HOUR),
    "connect_time": (0, HOUR),
    "ready_time": (0, HOUR),
    "reconnect_time": (0, HOUR),
}
"""The range of every duration of the terms, in microseconds."""

_ACTIONS: Final = {
    Action.FORFEIT: pb.FAULT_ACTION_FORFEIT,
    Action.DEFAULT_MOVE: pb.FAULT_ACTION_DEFAULT_MOVE,
}
_ACTION_OF: Final = {number: action for action, number in _ACTIONS.items()}
_KINDS: Final = ("timeout", "illegal_move", "protocol_error", "disconnect")


@dataclass(frozen=True, slots=True)
class MatchTerms:
    """What a match is played under: game, options, clock, fault policy."""

    game: Game
    options: Mapping[str, Any]
    """Every option, resolved for the number of seats."""
    seats: int
    clock: ClockTerms
    policy: FaultPolicy

    @property
    def codec(self) -> Codec:
        """What turns the game's values into messages and back."""
        return codec_for(self.game.id)


def read_terms(
    message: pb.MatchTerms, seats: int, clock: ClockTerms, policy: FaultPolicy
) -> MatchTerms:
    """Return the terms that *message* asks for; what it leaves out is as in *clock* and *policy*.

    Raises `BadRequest`, which names the field and its range.
    """
    try:
        game = find_game(message.game)
        options = game.resolve(seats, codec_for(game.id).read_options(message.options))
    except ValueError as error:
        raise BadRequest(str(error)) from None
    if message.rules_version not in (0, game.rules_version):
        raise BadRequest(
            f"rules_version is {message.rules_version}: this referee has {game.id} "
            f"in version {game.rules_version}"
        )
    clock = _read_clock(message.clock, clock) if message.HasField("clock") else clock
    policy = _read_policy(message.policy, policy) if message.HasField("policy") else policy
    return MatchTerms(game, options, seats, clock, policy)


def write_terms(terms: MatchTerms) -> pb.MatchTerms:
    """Return *terms* as a message in which everything is named."""
    return pb.MatchTerms(
        game=terms.game.id,
        rules_version=terms.game.rules_version,
        options=terms.codec.options(terms.options),
        clock=_write_clock(terms.clock),
        policy=_write_policy(terms.policy),
    )


def to_duration(micros: int) -> Duration:
    """Return *micros* microseconds as a message."""
    seconds, rest = divmod(micros, MICROS_PER_SECOND)
    return Duration(seconds=seconds, nanos=rest * 1000)


def bounded(name: str, micros: int) -> int:
    """Return *micros* if it is in the range of the term called *name*; raise `BadRequest`."""
    low, high = BOUNDS[name]
    if not low <= micros <= high:
        raise BadRequest(
            f"{name} is {micros / MICROS_PER_SECOND:g} s: it takes {low / MICROS_PER_SECOND:g} s "
            f"to {high / MICROS_PER_SECOND:g} s"
        )
    return micros


def _micros(name: str, duration: Duration) -> int:
    return bounded(name, duration.seconds * MICROS_PER_SECOND + duration.nanos // 1000)


def _read_clock(message: pb.ClockTerms, default: ClockTerms) -> ClockTerms:
    changes: dict[str, int | None] = {
        name: _micros(name, getattr(message, name))
        for name in ("first_turn_allowance", "grace", "ceiling", "connect_time", "ready_time")
        if message.HasField(name)
    }
    limit = message.WhichOneof("limit")
    if limit == "bank":
        changes |= {
            "bank": _micros("bank.initial_time", message.bank.initial_time),
            "increment": _micros("bank.increment", message.bank.increment),
            "turn_limit": None,
        }
    elif limit == "turn":
        time = _micros("turn.time", message.turn.time)
        changes |= {"bank": None, "increment": 0, "turn_limit": time}
    elif limit == "none":
        changes |= {"bank": None, "increment": 0, "turn_limit": None}
    return replace(default, **changes)  # type: ignore[arg-type]


def _write_clock(clock: ClockTerms) -> pb.ClockTerms:
    message = pb.ClockTerms(
        first_turn_allowance=to_duration(clock.first_turn_allowance),
        grace=to_duration(clock.grace),
        ceiling=to_duration(clock.ceiling),
        connect_time=to_duration(clock.connect_time),
        ready_time=to_duration(clock.ready_time),
    )
    if clock.bank is not None:
        message.bank.initial_time.CopyFrom(to_duration(clock.bank))
        message.bank.increment.CopyFrom(to_duration(clock.increment))
    elif clock.turn_limit is not None:
        message.turn.time.CopyFrom(to_duration(clock.turn_limit))
    else:
        message.none.SetInParent()
    return message


def _read_policy(message: pb.FaultPolicy, default: FaultPolicy) -> FaultPolicy:
    changes: dict[str, Any] = {
        kind: _read_rule(kind, getattr(message, kind), getattr(default, kind))
        for kind in _KINDS
        if message.HasField(kind)
    }
    if message.max_strikes > 1000:
        raise BadRequest(f"max_strikes is {message.max_strikes}: it takes 0 to 1000")
    if message.HasField("reconnect_time"):
        changes["reconnect_time"] = _micros("reconnect_time", message.reconnect_time)
    return replace(default, max_strikes=message.max_strikes, **changes)


def _read_rule(kind: str, message: pb.FaultRule, default: FaultRule) -> FaultRule:
    if message.retries > (100 if kind == "illegal_move" else 0):
        raise BadRequest(
            f"{kind}.retries is {message.retries}: only illegal moves have retries, up to 100"
        )
    action = _ACTION_OF.get(message.action, default.action)
    return FaultRule(message.retries, action)


def _write_policy(policy: FaultPolicy) -> pb.FaultPolicy:
    message = pb.FaultPolicy(
        max_strikes=policy.max_strikes, reconnect_time=to_duration(policy.reconnect_time)
    )
    for kind in _KINDS:
        rule: FaultRule = getattr(policy, kind)
        out: pb.FaultRule = getattr(message, kind)
        out.retries = rule.retries
        out.action = _ACTIONS[rule.action]
    return message
