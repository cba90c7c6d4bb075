"""What every game has: its description, its states, and the values that they speak in.

A game is a package with the same modules in the same order: `description` (the `GAME` value and its
options), `moves` (moves, views, events and refusal codes), `state`, `notation` (the neutral JSON
form) and `text` (pictures and sentences for people).
"""

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, Self, TypeAlias, TypeVar

from harbourmaster_engine.chance import Stream

Seat: TypeAlias = int
"""A seat's number, from 0 in turn order."""

SPECTATOR: Final = -1
"""Stands for somebody who has no seat and sees what is public."""

Move = TypeVar("Move")
View = TypeVar("View", covariant=True)
Event: TypeAlias = Any
"""A public fact: a frozen dataclass of the game's `moves` module, or a `SeatForfeited`."""

OptionValue: TypeAlias = Any
"""An option's value, in the form that JSON has for it."""


class ForfeitReason(enum.StrEnum):
    """Why a seat is out before the game's own end."""

    TIMEOUT = "timeout"
    """Its time ran out."""
    ILLEGAL_MOVE = "illegal_move"
    """It answered with moves that the rules refuse."""
    PROTOCOL_ERROR = "protocol_error"
    """It sent what the protocol does not allow."""
    DISCONNECTED = "disconnected"
    """Its connection was gone while its decision was open."""
    NOT_CONNECTED = "not_connected"
    """It never came."""
    NOT_READY = "not_ready"
    """It came, but did not say in time that it was ready."""
    RESIGNED = "resigned"
    """It gave up."""
    CEILING = "ceiling"
    """The match reached its longest duration, and this seat had used most time."""
    QUARANTINED = "quarantined"
    """It had failed too many matches in a row, so that its rest is forfeited."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is illegal."""

    code: str
    """One of the game's documented codes."""
    text: str
    """A sentence that names the card, cell or line at fault."""


class IllegalMove(ValueError):
    """A move that the rules refuse was applied; the state is as it was."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


@dataclass(slots=True)
class LegalMoves(Generic[Move]):
    """Moves that a seat may make, in an order that tells nothing hidden.

    To be left as it is, though it is not frozen: one is made for every decision, and a frozen
    dataclass takes three times as long to make.
    """

    moves: tuple[Move, ...]
    complete: bool
    """Whether these are all of them; otherwise they are a varied sample."""


@dataclass(frozen=True, slots=True)
class SeatForfeited:
    """A seat left the match before its end. An event that all games share."""

    seat: Seat
    reason: ForfeitReason


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended."""

    scores: tuple[int, ...]
    """One score per seat."""
    placements: tuple[int, ...]
    """One place per seat, 1 for the best; ties share the better number: 1, 1, 3."""
    reason: str
    """One of the game's reasons, or `last_seat` when all others forfeited."""
    forfeits: tuple[ForfeitReason | None, ...]
    """Why each seat forfeited, or `None` if it played to the end."""


LAST_SEAT: Final = "last_seat"
"""The reason of a match that ended because one seat was left."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a game."""

    name: str
    help: str
    """One line."""
    default: OptionValue | Callable[[int, Mapping[str, OptionValue]], OptionValue]
    """The default, or a function of the number of seats and the options before this one."""
    parse: Callable[[OptionValue], OptionValue]
    """Returns the value in its plain form; raises `ValueError` with what would be good."""
    decided_here: bool = False
    """Whether the game's own text leaves it open, so that the default is ours."""


class State(Protocol[Move, View]):
    """One position of a match, which moves change.

    Everything here is total and bounded: `check` answers any object at all, and neither it nor
    `legal_moves` takes longer than about 5 ms, because they run on the referee's loop.
    """

    @property
    def seats(self) -> int:
        """The number of seats the match began with."""
        ...

    @property
    def to_move(self) -> Seat | None:
        """The seat whose decision it is, or `None` when the match is over."""
        ...

    @property
    def turns(self) -> int:
        """The number of turns that were finished."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """The score of each seat so far."""
        ...

    def check(self, move: object) -> Refusal | None:
        """Return why the seat to move may not make *move*, or `None` if it may."""
        ...

    def apply(self, move: Move) -> tuple[Event, ...]:
        """Make *move* and return the public facts; raise `IllegalMove` and change nothing."""
        ...

    def view(self, seat: Seat) -> View:
        """Return what *seat* (or `SPECTATOR`) may know, also after the end.

        Raises `ValueError` if the match has no such seat: `no_such_seat` has its sentence.
        """
        ...

    def legal_moves(self, limit: int = ...) -> LegalMoves[Move]:
        """Return the legal moves of the seat to move: all where they are few, else a sample.

        Never empty while a seat is to move, always empty afterwards.
        """
        ...

    def default_move(self) -> Move:
        """Return the legal move that is made for a seat which made none."""
        ...

    def sample_move(self, rng: Stream) -> Move:
        """Return a legal move chosen with *rng*, varied enough to play the whole game."""
        ...

    def redeal(self, seat: Seat, rng: Stream) -> Self:
        """Return another state that *seat* could not tell from this one, chosen with *rng*."""
        ...

    def forfeit(self, seat: Seat, reason: ForfeitReason) -> tuple[Event, ...]:
        """Take *seat* out of the match and return the public facts.

        Raises `ValueError` if the match is over or the seat is out already.
        """
        ...

    def outcome(self) -> Outcome | None:
        """Return how the match ended, or `None` while it goes on."""
        ...

    def clone(self) -> Self:
        """Return an independent copy."""
        ...

    def fingerprint(self) -> bytes:
        """Return a hash of the whole state, hidden parts and chance included."""
        ...


AnyState: TypeAlias = State[Any, Any]


def no_such_seat(seat: Seat, seats: int) -> ValueError:
    """Return the error of asking for the view of *seat* in a match with so many *seats*."""
    return ValueError(f"there is no seat {seat}: name 0 to {seats - 1}, or {SPECTATOR} to watch")


class Notation(Protocol):
    """A game's neutral JSON form, as transcripts have it."""

    def move_to_json(self, move: Any) -> dict[str, Any]:
        """Return *move* in the neutral form."""
        ...

    def move_from_json(self, data: object) -> Any:
        """Return the move that *data* describes; raise `ValueError` if it describes none."""
        ...

    def from_setup(
        self, setup: Mapping[str, Any], options: Mapping[str, OptionValue], seats: int, seed: bytes
    ) -> AnyState:
        """Return the state that *setup* fixes; raise `ValueError` if it cannot be."""
        ...

    def deal(self, state: Any) -> list[list[str]]:
        """Return what each seat was dealt, when *state* has just begun."""
        ...

    def facts(self, state: Any) -> dict[str, Any]:
        """Return the other facts that are visible after the deal."""
        ...

    def summary(self, state: Any) -> dict[str, Any]:
        """Return every key that a transcript's `final` may name for this game."""
        ...


class Text(Protocol):
    """A game's words and pictures for people."""

    def picture(self, view: Any) -> str:
        """Return *view* as lines of text: the table, the hands, the scores."""
        ...

    def describe_move(self, move: Any) -> str:
        """Return *move* in a few words."""
        ...

    def describe_event(self, event: Any) -> str:
        """Return *event* as a sentence."""
        ...


class PayloadCodec(Protocol):
    """The wire form of a game of another package: its values as bytes and back.

    The `…_from_bytes` functions raise `ValueError` with a sentence for bytes that mean nothing.
    """

    schema_version: int

    def options_to_bytes(self, options: Mapping[str, OptionValue]) -> bytes: ...  # noqa: D102
    def options_from_bytes(self, payload: bytes) -> dict[str, OptionValue]: ...  # noqa: D102
    def view_to_bytes(self, view: Any) -> bytes: ...  # noqa: D102
    def view_from_bytes(self, payload: bytes) -> Any: ...  # noqa: D102
    def move_to_bytes(self, move: Any) -> bytes: ...  # noqa: D102
    def move_from_bytes(self, payload: bytes) -> Any: ...  # noqa: D102
    def event_to_bytes(self, event: Any) -> bytes: ...  # noqa: D102
    def event_from_bytes(self, payload: bytes) -> Any: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Game:
    """The description of a game: all that one may want to know before a match."""

    id: str
    name: str
    rules_version: int
    """Raised whenever an outcome could change; ratings never mix versions."""
    min_seats: int
    max_seats: int
    options: tuple[Option, ...]
    reasons: tuple[str, ...]
    """Why a match may end by the game's own rules."""
    codes: Mapping[str, str]
    """Every refusal code with what it means."""
    new: Callable[[Mapping[str, OptionValue], int, bytes], AnyState] = field(repr=False)
    """Makes the first state from resolved options, a number of seats and a 32-byte seed."""
    notation: Notation = field(repr=False)
    text: Text = field(repr=False)
    check_together: Callable[[int, Mapping[str, OptionValue]], None] | None = field(
        default=None, repr=False
    )
    """Raises `ValueError` if options, each good by itself, do not fit each other or the seats."""
    payload: PayloadCodec | None = field(default=None, repr=False)
    """The wire form of a game that is not one of the five."""

    def start(
        self, seed: bytes, seats: int, options: Mapping[str, OptionValue] | None = None
    ) -> AnyState:
        """Deal a match; raise `ValueError` if *seats* or *options* are not the game's."""
        return self.new(self.resolve(seats, options or {}), seats, seed)

    def resolve(self, seats: int, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """Return the value of every option for *seats* seats, defaults filled in.

        Raises `ValueError`, with the good values, for a number of seats, an option or a value
        that the game does not have.
        """
        if not self.min_seats <= seats <= self.max_seats:
            raise ValueError(
                f"{self.id} has {self.min_seats} to {self.max_seats} seats, not {seats}"
                if self.min_seats < self.max_seats
                else f"{self.id} has {self.min_seats} seats, not {seats}"
            )
        names = [option.name for option in self.options]
        if unknown := sorted(set(given) - set(names)):
            raise ValueError(
                f"{self.id} has no option {unknown[0]!r}: it has {', '.join(names) or 'none'}"
            )
        values: dict[str, OptionValue] = {}
        for option in self.options:
            values[option.name] = _value(self.id, option, given, seats, values)
        if self.check_together is not None:
            self.check_together(seats, values)
        return values

    def describe(self, event: Event) -> str:
        """Return *event* as a sentence, be it the game's own or one that all games share."""
        if isinstance(event, SeatForfeited):
            return f"Seat {event.seat} is out of the match ({event.reason})."
        return self.text.describe_event(event)

    def non_defaults(self, values: Mapping[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        """Return those of the resolved *values* that differ from their defaults."""
        return {
            option.name: values[option.name]
            for option in self.options
            if values[option.name] != default_of(option, seats, values)
        }


def default_of(option: Option, seats: int, values: Mapping[str, OptionValue]) -> OptionValue:
    """Return the default of *option*, given the number of seats and the options before it."""
    return option.default(seats, values) if callable(option.default) else option.default


def _value(
    game: str,
    option: Option,
    given: Mapping[str, OptionValue],
    seats: int,
    before: Mapping[str, OptionValue],
) -> OptionValue:
    value = given.get(option.name)
    if value is None:
        value = default_of(option, seats, before)
    try:
        return option.parse(value)
    except ValueError as error:
        raise ValueError(f"{game}: option {option.name} is {value!r}: {error}") from None


def whole_number(low: int, high: int) -> Callable[[OptionValue], int]:
    """Return a parser for whole numbers from *low* to *high*."""

    def parse(value: OptionValue) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"it takes a whole number from {low} to {high}")
        return value

    return parse


def true_or_false(value: OptionValue) -> bool:
    """Return *value* if it is a truth value; raise `ValueError` otherwise."""
    if not isinstance(value, bool):
        raise ValueError("it takes true or false")
    return value


def one_of(*choices: str) -> Callable[[OptionValue], str]:
    """Return a parser for one word out of *choices*."""

    def parse(value: OptionValue) -> str:
        if not isinstance(value, str) or value not in choices:
            raise ValueError(f"it takes one of {', '.join(choices)}")
        return value

    return parse


def placements(keys: Sequence[Any], forfeit_order: Sequence[Seat] = ()) -> tuple[int, ...]:
    """Return the place of each seat, best *key* first; equal keys share the better place.

    *forfeit_order* lists the seats that forfeited, the earliest first. They rank below all others,
    and the one that forfeited later ranks higher.
    """
    late = {seat: place for place, seat in enumerate(forfeit_order)}
    ranks = [(0, late[s]) if s in late else (1, key) for s, key in enumerate(keys)]
    return tuple(1 + sum(other > mine for other in ranks) for mine in ranks)
