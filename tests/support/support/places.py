"""Where each game keeps its cards: the one thing a test must know about the inside of a state.

Card conservation and the leak test need to see what no view shows. A game announces its places in
`PLACES`; a registered game that is missing there fails the contract tests with that sentence.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from harbourmaster_engine.anchorline.moves import CARD_NAMES as ANCHORLINE_NAMES
from harbourmaster_engine.game import AnyState

EVERYBODY: Final = frozenset(range(-1, 8))
NOBODY: Final[frozenset[int]] = frozenset()


class Place(NamedTuple):
    """A place that holds cards, in an order that matters or in none (then they are sorted)."""

    name: str
    cards: tuple[str, ...]
    seen_by: frozenset[int]
    """The seats that know what lies here."""


def places_of(game_id: str, state: AnyState) -> tuple[Place, ...]:
    """Return all places of *state*, which is one of the game *game_id*."""
    if game_id not in PLACES:
        raise AssertionError(f"tests/support/support/places.py does not know where {game_id} is")
    return tuple(PLACES[game_id](state))


def all_cards(game_id: str, state: AnyState) -> Counter[str]:
    """Return how many of each card there are in all places of *state*."""
    return Counter(card for place in places_of(game_id, state) for card in place.cards)


def hidden_from(seat: int, game_id: str, state: AnyState) -> dict[str, tuple[str, ...]]:
    """Return the places, by name, that *seat* cannot look into."""
    return {p.name: p.cards for p in places_of(game_id, state) if seat not in p.seen_by}


def _anchorline(state: Any) -> Iterator[Place]:
    names = ANCHORLINE_NAMES
    yield Place("table", tuple(names[c] for _, c in state._table.shown.values()), EVERYBODY)
    for seat, stack in enumerate(state._stacks):
        yield Place(f"top of stack {seat}", tuple(names[c] for c in stack[-1:]), EVERYBODY)
        yield Place(f"rest of stack {seat}", tuple(names[c] for c in stack[:-1]), NOBODY)


PLACES: Final[Mapping[str, Callable[[Any], Iterator[Place]]]] = {"anchorline": _anchorline}
