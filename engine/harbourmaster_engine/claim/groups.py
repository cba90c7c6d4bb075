"""Which cards go together, and what they are worth: tables for everything about groups.

A set of ranks is a mask with bit `r` for rank `r`, from 1 (a low ace) to 14 (a high one). A set of
cards is a mask with bit `c` for card `c`, jokers being one bit. What a row of cards may become is
in the set of ranks that its first card may have, its *starts*: one rank, but two for a single ace
and many for jokers alone.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from harbourmaster_engine.cards import JOKER, RANK, SUIT, Card

MAX_CARDS: Final = 13
"""The most cards in a group."""

JOKER_BONUS: Final = 40
"""What a joker on the table scores for its owner."""

CARD_COST: Final = 5
"""What each card left in hand or deck costs."""

ALL_RANKS: Final = sum(1 << rank for rank in range(1, 15))
ACE_RANKS: Final = 1 << 1 | 1 << 14

CARD_RANKS: Final = (
    *(ACE_RANKS if RANK[card] == 1 else 1 << RANK[card] for card in range(52)),
    ALL_RANKS,
)
"""The ranks that each card may have."""

CARDS_OF_RANK: Final = tuple(
    sum(1 << card for card in range(52) if CARD_RANKS[card] >> rank & 1) for rank in range(15)
)
"""The natural cards of each rank, as masks; none of rank 0."""


def _pair_worth(a: Card, b: Card) -> int:
    if JOKER in (a, b):
        return 0
    if SUIT[a] == SUIT[b]:
        return 5
    return 2 if SUIT[a] + SUIT[b] == 3 else 1


PAIR_WORTH: Final = tuple(tuple(_pair_worth(a, b) for b in range(53)) for a in range(53))
"""What each of two neighbours is worth to the other. Clubs 0 and spades 3, diamonds 1 and hearts 2
have the same colour."""


def _better(card: Card, left: Card, right: Card) -> int:
    """Return the cards of the rank of *card* that are worth more between two neighbours."""
    if card == JOKER:
        return 0

    def worth(candidate: Card) -> int:
        return PAIR_WORTH[candidate][left] + PAIR_WORTH[candidate][right]

    same_rank = [card % 13 + 13 * suit for suit in range(4)]
    return sum(1 << other for other in same_rank if worth(other) > worth(card))


def _better_between(card: Card) -> tuple[tuple[int, ...], ...]:
    # Only the suits of the neighbours matter: aces stand for them, so that rows are made once.
    by_suit = [[_better(card, left, right) for right in _ACES] for left in _ACES]
    rows = [tuple(row[SUIT[right]] for right in range(53)) for row in by_suit]
    return tuple(rows[SUIT[left]] for left in range(53))


_ACES: Final = (0, 13, 26, 39, JOKER)

BETTER: Final = tuple(_better_between(card) for card in range(53))
"""The cards that may replace a natural card (the first index) between two neighbours, left and
right; a joker stands for no neighbour, as both are worth nothing. Nothing replaces a joker here."""

# Every set of ranks that the first or last card of an item can have.
_RANK_SETS: Final = (
    *(1 << rank for rank in range(1, 15)),
    ACE_RANKS,
    ALL_RANKS,
    ALL_RANKS >> 1 & ALL_RANKS,
    ALL_RANKS << 1 & ALL_RANKS,
)
BEFORE: Final = {
    ranks: sum(1 << card for card in range(53) if CARD_RANKS[card] << 1 & ranks)
    for ranks in _RANK_SETS
}
"""The cards that may stand to the left of a card with one of these ranks."""

AFTER: Final = {
    ranks: sum(1 << card for card in range(53) if CARD_RANKS[card] & ranks << 1)
    for ranks in _RANK_SETS
}
"""The cards that may stand to the right of a card with one of these ranks."""

RANKS_IN: Final = {
    ranks: tuple(rank for rank in range(1, 15) if ranks >> rank & 1) for ranks in _RANK_SETS
}
"""The ranks in each of these sets, rising."""


class Fit:
    """What goes together with an item: a function of its cards alone, never changed."""

    __slots__ = ("after", "before", "better", "ends", "size", "starts", "wants")

    def __init__(self, cards: tuple[Card, ...], starts: int) -> None:
        """Work out the fit of *cards*, whose first may have the ranks *starts*."""
        size = len(cards)
        self.size = size
        self.starts = starts
        """The ranks that the first card may have; none if the cards do not go together."""
        self.ends = ends = starts << size - 1
        """The ranks that the last card may have."""
        if size < MAX_CARDS:
            self.before = before = BEFORE[starts]
            self.after = after = AFTER[ends]
        else:
            self.before = self.after = before = after = 0
        wants = before | after
        self.better: tuple[int, ...] = ()
        """The hand cards that may replace each card; empty for a single."""
        if size > 1:
            self.better = _replacements(cards, starts)
            for mask in self.better:
                wants |= mask
        self.wants = wants
        """Every card that can be added to or put into the item, so that most are soon passed."""


def _replacements(cards: tuple[Card, ...], starts: int) -> tuple[int, ...]:
    """Return which cards may replace each of a group."""
    first, last = (cards[0], cards[-1]) if len(cards) == MAX_CARDS else (JOKER, JOKER)
    better = [
        BETTER[card][left][right]
        for card, left, right in zip(cards, (last, *cards[:-1]), (*cards[1:], first), strict=True)
    ]
    if JOKER in cards:
        ranks = RANKS_IN[starts]
        for place, card in enumerate(cards):
            if card == JOKER and len(ranks) == 1:
                better[place] = CARDS_OF_RANK[ranks[0] + place]
    return tuple(better)


SINGLE_FITS: Final = tuple(Fit((card,), CARD_RANKS[card]) for card in range(53))
"""The fit of each card as a single."""


def starts_of(cards: Sequence[Card]) -> int:
    """Return the ranks that the first of *cards* may have for them to rise; 0 if they cannot."""
    starts = ALL_RANKS
    for place, card in enumerate(cards):
        starts &= CARD_RANKS[card] >> place
    return starts & ALL_RANKS


def fit_of(cards: tuple[Card, ...]) -> Fit:
    """Return the fit of a single or group; raise `ValueError` if *cards* are neither."""
    starts = starts_of(cards)
    if not 1 <= len(cards) <= MAX_CARDS or not starts:
        raise ValueError("an item is one card, or 2 to 13 cards that rise by one")
    return Fit(cards, starts) if len(cards) > 1 else SINGLE_FITS[cards[0]]


def rank_at(fit: Fit, index: int) -> int:
    """Return the rank that stands at *index* of a group, 1 to 14; 0 if it has none."""
    ranks = RANKS_IN[fit.starts]
    return ranks[0] + index if len(ranks) == 1 else 0


def worth_of(cards: Sequence[Card]) -> tuple[int, ...]:
    """Return the worth of each card of a single or group, from left to right."""
    links = [PAIR_WORTH[a][b] for a, b in pairwise(cards)]
    wrap = PAIR_WORTH[cards[-1]][cards[0]] if len(cards) == MAX_CARDS else 0
    return tuple(left + right for left, right in zip((wrap, *links), (*links, wrap), strict=True))
