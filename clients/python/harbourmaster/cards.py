"""Playing cards, as the games with an ordinary deck have them on the wire.

A card is a number: 13 times the suit plus the rank, where clubs, diamonds, hearts and spades count
from 0 and the ranks from 1 (ace) to 13 (king). A joker is 53; two jokers are the same number.
`Card` has the names that the cards have on the wire, such as `Card.CARD_10H`.
"""

from typing import Final

from harbourmaster.v1.card_pb2 import Card

__all__ = [
    "JOKER",
    "NAMES",
    "RANKS",
    "SUITS",
    "Card",
    "card_name",
    "parse_card",
    "rank",
    "suit",
]

SUITS: Final = "CDHS"
"""The letters of the suits, in the order of their numbers."""
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""The names of the ranks; the ace, at index 0, has rank 1."""
NAMES: Final = (*(rank + suit for suit in SUITS for rank in RANKS), "JK")
"""The names of all cards; the card with number 1 comes first."""

JOKER: Final = 53
"""The number of a joker."""

_VALUES: Final = {name: value for value, name in enumerate(NAMES, 1)}


def card_name(card: int) -> str:
    """Return the name of *card*, 1 to 53, such as `10H` or `JK`; raise `ValueError`."""
    if not 1 <= card <= JOKER:
        raise ValueError(f"{card} is not a card: cards are the numbers 1 to {JOKER}")
    return NAMES[card - 1]


def parse_card(name: str) -> int:
    """Return the card called *name*, rank then suit, such as `10H`; raise `ValueError`."""
    card = _VALUES.get(name.strip().upper())
    if card is None:
        raise ValueError(f"{name!r} is not a card: write rank and suit, such as 10H or AS, or JK")
    return card


def rank(card: int) -> int:
    """Return the rank of *card*, 1 (ace) to 13 (king), or 0 for a joker."""
    return 0 if card == JOKER else (card - 1) % 13 + 1


def suit(card: int) -> str:
    """Return the letter of the suit of *card*, one of `CDHS`, or an empty one for a joker."""
    return "" if card == JOKER else SUITS[(card - 1) // 13]
