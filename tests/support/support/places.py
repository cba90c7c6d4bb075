"""Where each game keeps its cards: the one thing a test must know about the inside of a state.

Card conservation and the leak test need to see what no view shows. A game announces its places in
`PLACES`; a registered game that is missing there fails the contract tests with that sentence.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from harbourmaster_engine.anchorline.moves import CARD_NAMES as ANCHORLINE_NAMES
from harbourmaster_engine.cards import NAMES
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


def _names(cards: Iterable[int]) -> tuple[str, ...]:
    return tuple(NAMES[card] for card in cards)


def _in_mask(mask: int) -> tuple[str, ...]:
    return _names(card for card in range(52) if mask >> card & 1)


def _hands(name: str, hands: Iterable[Iterable[int]]) -> Iterator[Place]:
    for seat, hand in enumerate(hands):
        yield Place(f"{name} {seat}", _names(sorted(hand)), frozenset({seat}))


def _anchor(state: Any) -> Iterator[Place]:
    # A square holds a card's number plus 1, and 64 more for an anchor; 255 is a wall.
    board = [code % 64 - 1 for code in state._table.board if 0 < code < 255]
    yield Place("board", _names(board), EVERYBODY)
    yield from _hands("hand", state._hands)
    yield from _hands("hand left by", state._gone)
    yield Place("pile", _names(state._stock.pile), NOBODY)
    yield Place("discards", _names(state._stock.discards), EVERYBODY)


def _claim(state: Any) -> Iterator[Place]:
    items = [card for item in state._items.values() for card in item.cards]
    yield Place("items", _names(items), EVERYBODY)
    yield from _hands("hand", state._hands)
    for gone in state._gone:
        yield Place(f"hand left by {gone.seat}", _names(gone.hand), frozenset({gone.seat}))
    for seat, (deck, count) in enumerate(zip(state._decks, state._deck_counts, strict=True)):
        yield Place(f"deck {seat}", _names(deck[:count]), NOBODY)
    yield Place("aside", _names(state._aside), NOBODY)


def _tide(state: Any) -> Iterator[Place]:
    yield Place("table", _names(state._table.cards), EVERYBODY)
    yield from _hands("hand", state._hands)
    yield from _hands("hand left by", state._left)
    yield Place("pile", _names(state._pile[: state._pile_count]), NOBODY)


def _wild_rummy(state: Any) -> Iterator[Place]:
    yield Place("melds", _names(c for meld in state._melds for c in meld.cards), EVERYBODY)
    for seat in range(state.seats):
        yield Place(f"hand {seat}", _in_mask(state._hands[seat]), frozenset({seat}))
        yield Place(f"hand left by {seat}", _in_mask(state._gone[seat]), frozenset({seat}))
    yield Place("stock", _names(state._stock), NOBODY)
    yield Place("discards", _names(state._discards), EVERYBODY)


def _anchorline(state: Any) -> Iterator[Place]:
    names = ANCHORLINE_NAMES
    yield Place("table", tuple(names[c] for _, c in state._table.shown.values()), EVERYBODY)
    for seat, stack in enumerate(state._stacks):
        yield Place(f"top of stack {seat}", tuple(names[c] for c in stack[-1:]), EVERYBODY)
        yield Place(f"rest of stack {seat}", tuple(names[c] for c in stack[:-1]), NOBODY)


PLACES: Final[Mapping[str, Callable[[Any], Iterator[Place]]]] = {
    "anchor": _anchor,
    "claim": _claim,
    "tide": _tide,
    "wild_rummy": _wild_rummy,
    "anchorline": _anchorline,
}
