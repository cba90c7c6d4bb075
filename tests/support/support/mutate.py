"""Wrong moves made from right ones: the corpus that every `check` has to answer."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, Final

from harbourmaster_engine.chance import Stream


def _deep(depth: int) -> tuple[Any, ...]:
    nest: tuple[Any, ...] = ()
    for _ in range(depth):
        nest = (nest,)
    return nest


class Stranger:
    """A value of a type that no game knows, and with which nothing can be done."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a check compared a stranger's value")

    def __repr__(self) -> str:
        raise AssertionError("a check printed a stranger's value")


HUGE: Final = 10**5000
"""A whole number that Python refuses to print."""

DEEP: Final = _deep(2000)
LONG: Final = tuple(range(10_000))
JUNK: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    HUGE,
    -HUGE,
    1.5,
    float("nan"),
    "",
    "10H",
    "\ud800",
    b"move",
    (),
    [],
    {},
    set(),
    DEEP,
    LONG,
    [LONG] * 3,
    int,
    object(),
    Stranger(),
)
"""Values that are no move, and that stand in the place of every part of one."""


def mutate(value: Any, rng: Stream, others: Sequence[Any] = ()) -> Any:
    """Return *value* with something about it changed; *others* are values to mix it with."""
    if rng.below(12) == 0:
        return rng.choice(JUNK)
    if is_dataclass(value) and not isinstance(value, type):
        return _mutate_dataclass(value, rng, others)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)._make(_mutate_part(tuple(value), rng))  # type: ignore[attr-defined]
    if isinstance(value, tuple):
        return _mutate_tuple(value, rng)
    if isinstance(value, Enum):
        return rng.choice([*type(value), value.value, value.name])
    if isinstance(value, int) and abs(value) < HUGE // 2:
        return _mutate_int(value, rng)
    return rng.choice(JUNK)


def _mutate_dataclass(value: Any, rng: Stream, others: Sequence[Any]) -> Any:
    names = [each.name for each in fields(value)]
    if not names:
        return rng.choice(JUNK)
    name = rng.choice(names)
    alike = [other for other in others if type(other) is type(value)]
    if alike and rng.below(3) == 0:
        return replace(value, **{name: getattr(rng.choice(alike), name)})
    return replace(value, **{name: mutate(getattr(value, name), rng)})


def _mutate_part(value: tuple[Any, ...], rng: Stream) -> tuple[Any, ...]:
    place = rng.below(len(value))
    return (*value[:place], mutate(value[place], rng), *value[place + 1 :])


def _mutate_tuple(value: tuple[Any, ...], rng: Stream) -> Any:
    if not value or len(value) > 500:
        return (rng.choice(JUNK),)
    place = rng.below(len(value))
    one = value[place]
    match rng.below(9):
        case 0:
            return value[:place] + value[place + 1 :]
        case 1:
            return (*value, one)
        case 2:
            return (*value[:place], one, *value[place:])
        case 3:
            return value[::-1]
        case 4:
            return value[place:] + value[:place]
        case 5:
            return list(value)
        case 6:
            return value * 2000
        case _:
            return _mutate_part(value, rng)


def _mutate_int(value: int, rng: Stream) -> Any:
    match rng.below(8):
        case 0:
            return -value - 1
        case 1:
            return bool(value)
        case 2:
            return float(value)
        case 3:
            return rng.choice((HUGE, -HUGE, 2**31, 2**63, -(2**64)))
        case 4 | 5:
            return value + 1 - 2 * rng.below(2)
        case _:
            return rng.below(60) - 4


def wrong_moves(moves: Sequence[Any], rng: Stream, count: int) -> list[Any]:
    """Return *count* mutants of *moves*, some of them changed more than once."""
    mutants = []
    for _ in range(count):
        mutant = rng.choice(list(moves))
        for _ in range(1 + rng.below(3)):
            mutant = mutate(mutant, rng, moves)
        mutants.append(mutant)
    return mutants
