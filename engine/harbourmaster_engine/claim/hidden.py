"""What nobody may see, and dealing it again."""

from collections.abc import Sequence
from typing import NamedTuple

from harbourmaster_engine.cards import Card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import ForfeitReason


class Gone(NamedTuple):
    """A seat that left the match, with the hand that lies unseen since then."""

    seat: int
    reason: ForfeitReason
    hand: tuple[Card, ...]
    score: int
    """The score that the seat keeps."""


class Place(NamedTuple):
    """A hand, a deck or the cards set aside, to somebody who does not see all of it."""

    cards: tuple[Card, ...]
    seen: tuple[Card, ...]
    """Those of the cards that this somebody knows to be there, in any order."""


def deal_again(places: Sequence[Place], rng: Stream) -> list[tuple[Card, ...]]:
    """Return the cards of each place after all unseen cards were shuffled together.

    A place keeps its number of cards and those that were seen, which come first.
    """
    hidden = []
    for place in places:
        unseen = place.cards
        for card in place.seen:
            unseen = without(unseen, card)
        hidden.append(unseen)
    pool = [card for cards in hidden for card in cards]
    rng.shuffle(pool)
    dealt = iter(pool)
    return [
        (*place.seen, *(next(dealt) for _ in cards))
        for place, cards in zip(places, hidden, strict=True)
    ]


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    """Return *cards* without one *card*, which must be among them."""
    place = cards.index(card)
    return cards[:place] + cards[place + 1 :]
