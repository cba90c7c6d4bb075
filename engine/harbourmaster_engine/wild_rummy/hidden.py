"""What a seat cannot know: which hidden card lies in which hidden place."""

from collections.abc import Sequence

from harbourmaster_engine.cards import Card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.wild_rummy.melds import BIT, VALUE, cards_of


def deal_again(
    hands: Sequence[int], stock: Sequence[Card], groups: Sequence[int], rng: Stream
) -> tuple[list[int], list[Card]]:
    """Return *hands* (bit masks) and *stock* with their cards exchanged within each group.

    Every place keeps the group of its card, and otherwise all ways are equally likely. *groups*
    are bit masks that hold each card once.
    """
    new_hands, new_stock = [0] * len(hands), list(stock)
    hidden = sorted([*stock, *[card for hand in hands for card in cards_of(hand)]])
    for group in groups:
        cards = [card for card in hidden if BIT[card] & group]
        rng.shuffle(cards)
        for place, card in enumerate(stock):
            if BIT[card] & group:
                new_stock[place] = cards.pop()
        for seat, hand in enumerate(hands):
            for _ in range((hand & group).bit_count()):
                new_hands[seat] |= BIT[cards.pop()]
    return new_hands, new_stock


def by_value(groups: Sequence[int], wild_rank: int) -> list[int]:
    """Return *groups*, each divided into those cards that cost the same in a hand."""
    values = sorted(set(VALUE[wild_rank]))
    return [
        group & sum([BIT[card] for card in range(52) if VALUE[wild_rank][card] == value])
        for group in groups
        for value in values
    ]
