"""Playing matches at random, and what a test wants to remember of them."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import AnyState, Event
from support.cases import Case

Chooser: TypeAlias = Callable[[AnyState, Stream], Any]
"""Chooses a legal move for the seat to move."""

LONGEST = 100_000
"""No match of any game takes as many moves; reaching it means that the match would never end."""


class Position(NamedTuple):
    """A state of a match, the move that was made in it, and the events that followed."""

    state: AnyState
    move: Any
    events: tuple[Event, ...]


def by_sample(state: AnyState, rng: Stream) -> Any:
    """Choose with the game's own `sample_move`."""
    return state.sample_move(rng)


def by_list(state: AnyState, rng: Stream) -> Any:
    """Choose evenly out of `legal_moves`."""
    return rng.choice(state.legal_moves().moves)


def by_default(state: AnyState, rng: Stream) -> Any:
    """Make the move that the fault policy makes."""
    return state.default_move()


CHOOSERS: tuple[Chooser, ...] = (by_sample, by_list, by_default)


def play(state: AnyState, choose: Chooser, rng: Stream) -> Iterator[Position]:
    """Play *state* to its end and yield each position, with a copy of the state before its move."""
    for _ in range(LONGEST):
        if state.to_move is None:
            return
        before = state.clone()
        move = choose(state, rng)
        yield Position(before, move, state.apply(move))
    raise AssertionError(f"the match has not ended after {LONGEST} moves")


class Walk(NamedTuple):
    """A whole random match."""

    case: Case
    positions: tuple[Position, ...]
    end: AnyState

    def some(self, count: int) -> tuple[Position, ...]:
        """Return about *count* positions, spread evenly over the match."""
        step = max(1, len(self.positions) // count)
        return self.positions[::step]


@lru_cache(64)
def walk(case: Case, number: int = 0, choose: Chooser = by_sample) -> Walk:
    """Return the match with *number* of *case*, played by *choose*; do not change its states."""
    state = case.start(number)
    positions = tuple(play(state, choose, case.rng(f"walk {number}")))
    return Walk(case, positions, state)
