"""Playing cards as small whole numbers, and their text form.

A card is `suit * 13 + rank - 1`, with suits clubs, diamonds, hearts and spades as 0 to 3 and ranks
ace to king as 1 to 13; a joker is 52. The numbers follow the order of a fresh deck, so that a deck
is a `range`. The text form is rank then suit: `AC`, `10H`, `KS`, and `JK` for a joker.
"""

from collections.abc import Iterable
from typing import Final, TypeAlias

Card: TypeAlias = int
"""A card: 0 to 51, or `JOKER`."""

JOKER: Final = 52
"""The number of every joker."""

RANK_NAMES: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUIT_NAMES: Final = ("C", "D", "H", "S")

RANK: Final = (*(card % 13 + 1 for card in range(52)), 0)
"""The rank of each card, ace 1 to king 13; 0 for a joker."""

SUIT: Final = (*(card // 13 for card in range(52)), 4)
"""The suit of each card, clubs 0 to spades 3; 4 for a joker."""

NAMES: Final = (*(RANK_NAMES[card % 13] + SUIT_NAMES[card // 13] for card in range(52)), "JK")
"""The text form of each card."""

_BY_NAME: Final = {name: card for card, name in enumerate(NAMES)}


def make_card(rank: int, suit: int) -> Card:
    """Return the card of *rank* (1 to 13) and *suit* (0 to 3)."""
    return suit * 13 + rank - 1


def card_name(card: Card) -> str:
    """Return the text form of *card*."""
    return NAMES[card]


def card_names(cards: Iterable[Card]) -> list[str]:
    """Return the text forms of *cards*, in their order."""
    return [NAMES[card] for card in cards]


def parse_card(text: object) -> Card:
    """Return the card that *text* names; raise `ValueError` if it names none."""
    card = _BY_NAME.get(text) if isinstance(text, str) else None
    if card is None:
        raise ValueError(f"{text!r} is not a card: write rank then suit, such as 10H, or JK")
    return card


def fresh_deck(copies: int = 1, jokers: int = 0) -> list[Card]:
    """Return *copies* decks of 52 in fresh order, followed by *jokers* jokers."""
    return [*range(52)] * copies + [JOKER] * jokers
