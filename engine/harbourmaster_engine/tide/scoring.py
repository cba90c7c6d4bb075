"""What hands and tables are worth, and how a round is settled."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from harbourmaster_engine.cards import RANK

JOKER_PENALTY: Final = 30
"""What a joker left in a hand costs."""

PENALTIES: Final = (*RANK[:52], JOKER_PENALTY)
"""What each card left in a hand costs: ace 1, jack 11, queen 12, king 13, joker 30."""


def hand_value(hand: Collection[int]) -> int:
    """Return what the cards left in *hand* cost."""
    return sum(map(PENALTIES.__getitem__, hand))


def laid_value(cards: Collection[int]) -> int:
    """Return what *cards* that came out of a hand score in Meld Score: a joker nothing."""
    return sum(map(RANK.__getitem__, cards))


def blocked_winners(hands: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    """Return the seats that win a blocked round, given the *hands* of those that remain.

    The smallest value wins, then the fewest cards; seats that are still equal share the win.
    """
    keys = {seat: (hand_value(hand), len(hand)) for seat, hand in hands.items()}
    best = min(keys.values())
    return tuple(seat for seat, key in keys.items() if key == best)


def settle(hands: Mapping[int, Sequence[int]], winners: Collection[int]) -> dict[int, int]:
    """Return what each seat scores at the end of a round of Classic or Empty Hand.

    Every loser pays its hand; the winners share the sum, and a remainder is dropped.
    """
    losses = {seat: hand_value(hand) for seat, hand in hands.items() if seat not in winners}
    share = sum(losses.values()) // len(winners)
    return {seat: share if seat in winners else -losses[seat] for seat in hands}
