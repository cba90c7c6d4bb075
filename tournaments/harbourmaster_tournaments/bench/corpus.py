"""Matches to measure on, and wrong moves made of right ones."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any, Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import AnyState, Game
from harbourmaster_engine.tide.moves import FORMATS

LONGEST: Final = 5_000
"""How many moves of a match are kept at most."""


@dataclass(frozen=True)
class Form:
    """A game in one of its formats, with a number of seats."""

    game: Game
    seats: int
    options: dict[str, Any]

    def __str__(self) -> str:
        return " ".join([self.game.id, *map(str, self.options.values())])

    def start(self, number: int) -> AnyState:
        """Deal the match with this *number*."""
        return self.game.start(number.to_bytes(32, "big"), self.seats, self.options)

    def rng(self, purpose: str) -> Stream:
        """Return a stream for choices, which differs with the *purpose*."""
        return Stream(sha256(f"{self} {purpose}".encode()).digest())


def forms_of(game: Game, seats: int = 2) -> list[Form]:
    """Return the formats of *game*: the values of its option `format`, or the defaults alone."""
    formats = FORMATS if game.id == "tide" else ()
    return [Form(game, seats, {"format": each}) for each in formats] or [Form(game, seats, {})]


@dataclass(frozen=True)
class Played:
    """A match that bots played which choose evenly among the offered moves."""

    form: Form
    number: int
    moves: tuple[Any, ...]


def play(form: Form, number: int) -> Played:
    """Play the match with this *number*."""
    state, rng = form.start(number), form.rng(f"match {number}")
    moves: list[Any] = []
    while state.to_move is not None and len(moves) < LONGEST:
        moves.append(rng.choice(state.legal_moves().moves))
        state.apply(moves[-1])
    return Played(form, number, tuple(moves))


def positions(match: Played, count: int) -> list[AnyState]:
    """Return about *count* positions of *match* in which a seat is to move, evenly spread."""
    state = match.form.start(match.number)
    every = max(1, len(match.moves) // count)
    found = []
    for number, move in enumerate(match.moves):
        if number % every == 0:
            found.append(state.clone())
        state.apply(move)
    return found


def _deep(depth: int) -> tuple[Any, ...]:
    nest: tuple[Any, ...] = ()
    for _ in range(depth):
        nest = (nest,)
    return nest


LONG: Final = tuple(range(10_000))
JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    -1,
    2**63,
    10**5000,
    1.5,
    "10H",
    b"move",
    (),
    [],
    {},
    object(),
    LONG,
    list(LONG),
    (0,) * 10_000,
    ((0, 0),) * 5_000,
    [LONG] * 3,
    _deep(2_000),
)
"""Values that are no move, and that stand in the place of parts of one."""


def wrong_moves(moves: Sequence[Any], rng: Stream, count: int) -> list[Any]:
    """Return *count* moves made of *moves* by changing one to three things about each."""
    changeable = [move for move in moves if fields(move)] or list(moves)
    found = []
    for _ in range(count):
        move = rng.choice(changeable)
        for _ in range(1 + rng.below(3)):
            move = _changed(move, rng, moves)
        found.append(move)
    return found


def _changed(value: Any, rng: Stream, others: Sequence[Any]) -> Any:
    if rng.below(15) == 0:
        return rng.choice(JUNK)
    if is_dataclass(value) and not isinstance(value, type):
        return _changed_move(value, rng, others)
    if isinstance(value, tuple):
        return _changed_tuple(value, rng)
    if type(value) is int:
        return value + rng.below(5) - 2
    return rng.choice(JUNK)


def _changed_move(move: Any, rng: Stream, others: Sequence[Any]) -> Any:
    names = [field.name for field in fields(move)]
    if not names:
        return move
    name = rng.choice(names)
    alike = [other for other in others if type(other) is type(move)]
    if alike and rng.below(2) == 0:
        return replace(move, **{name: getattr(rng.choice(alike), name)})
    return replace(move, **{name: _changed(getattr(move, name), rng, others)})


def _changed_tuple(value: tuple[Any, ...], rng: Stream) -> Any:
    if not value or len(value) > 1_000:
        return (rng.choice(JUNK),)
    place = rng.below(len(value))
    match rng.below(6):
        case 0:
            return value[:place] + value[place + 1 :]
        case 1:
            return (*value, value[place])
        case 2:
            return value[place:] + value[:place]
        case 3:
            return value * 500
        case _:
            return (*value[:place], _changed(value[place], rng, ()), *value[place + 1 :])
