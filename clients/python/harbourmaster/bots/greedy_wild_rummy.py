"""Wild Rummy, greedily: get rid of as many points as possible, keep what may become a meld.

Melds come first, then additions, then purchases of wilds that can be added again at once. The
discard is the card that costs much and goes with little else in the hand. The top of the discard
pile is taken only when it can be played in the same turn.
"""

from collections.abc import Iterable
from typing import Final

from harbourmaster._values import Answer, Decision
from harbourmaster.v1 import card_pb2
from harbourmaster.v1 import wild_rummy_pb2 as pb

ACE: Final = 1
HIGH_ACE: Final = 14
WILD_COST: Final = 15
LONGEST_SET: Final = 4
LONGEST_RUN: Final = 13

MELD: Final = 1000
ADDITION: Final = 500
PURCHASE: Final = 400
WASTED_WILD: Final = 40
"""How much less a meld is worth for each wild in it: wilds fit elsewhere, too."""

KEEP_WILD: Final = 40
KEEP_RANK: Final = 5
KEEP_BESIDE: Final = 5
KEEP_NEAR: Final = 3
"""What a card is worth beside another one: of the same rank, next to it, one further."""
FEEDS_OTHERS: Final = 4
"""How much worse it is to discard a card that fits a meld on the table."""


def choose_wild_rummy(decision: Decision) -> Answer:
    """Return the index of the best of the offered moves, the first of equal ones."""
    view: pb.WildRummyView = decision.view
    values = [value_of(view, move) for move in decision.offered]
    return values.index(max(values))


def value_of(view: pb.WildRummyView, move: pb.WildRummyMove) -> float:
    """Return how good *move* is for the seat to move."""
    kind = move.WhichOneof("move")
    if kind == "meld":
        cost = sum(cost_of(view, card) for card in move.meld.cards)
        wilds = sum(rank_of(card) == view.wild_rank for card in move.meld.cards)
        return MELD + cost - WASTED_WILD * wilds
    if kind == "add":
        return ADDITION + cost_of(view, move.add.card)
    if kind == "buy":
        return PURCHASE if any(takes_wild(meld) for meld in view.melds) else -PURCHASE
    if kind == "discard":
        return cost_of(view, move.discard.card) - keeping_value(view, move.discard.card)
    from_discards = move.draw.source == pb.WILD_RUMMY_SOURCE_DISCARD
    return float(from_discards == playable(view, view.discard_top))


def rank_of(card: int) -> int:
    """Return the rank of *card*, 1 to 13."""
    return (card - card_pb2.CARD_AC) % 13 + 1


def suit_of(card: int) -> int:
    """Return a number for the suit of *card*."""
    return (card - card_pb2.CARD_AC) // 13


def cost_of(view: pb.WildRummyView, card: int) -> int:
    """Return what *card* costs in the hand at the end of the round."""
    rank = rank_of(card)
    if rank == view.wild_rank:
        return WILD_COST
    return 10 if rank == ACE else min(rank, 10)


def distance(one: int, other: int) -> int:
    """Return how far apart two cards of a suit are in a run; an ace is low or high."""
    apart = abs(rank_of(one) - rank_of(other))
    return min(apart, 13 - apart) if ACE in (rank_of(one), rank_of(other)) else apart


def keeping_value(view: pb.WildRummyView, card: int) -> float:
    """Return what *card* promises together with the rest of the hand."""
    if rank_of(card) == view.wild_rank:
        return KEEP_WILD
    value = 0.0
    for other in view.hand:
        if other == card or rank_of(other) == view.wild_rank:
            continue
        if rank_of(other) == rank_of(card):
            value += KEEP_RANK
        elif suit_of(other) == suit_of(card):
            value += {1: KEEP_BESIDE, 2: KEEP_NEAR}.get(distance(card, other), 0)
    return value + FEEDS_OTHERS * any(fits(meld, card) for meld in view.melds)


def playable(view: pb.WildRummyView, card: int) -> bool:
    """Tell whether *card*, were it drawn, could be played in this turn."""
    melds = view.melds if view.melded[view.to_move] else ()
    if rank_of(card) == view.wild_rank:
        return True
    if any(fits(meld, card) or buys(meld, card) for meld in melds):
        return True
    naturals = [other for other in view.hand if rank_of(other) != view.wild_rank]
    wild = len(naturals) < len(view.hand)
    same_rank = sum(rank_of(other) == rank_of(card) for other in naturals)
    return (same_rank > 0 and same_rank + wild >= 2) or makes_run(naturals, card, wild)


def makes_run(naturals: Iterable[int], card: int, wild: bool) -> bool:
    """Tell whether *card* makes a run of three with *naturals*, or with one of them and a wild."""
    held = {rank_of(other) for other in naturals if suit_of(other) == suit_of(card)}
    held |= {HIGH_ACE} if ACE in held else set()
    for rank in (ACE, HIGH_ACE) if rank_of(card) == ACE else (rank_of(card),):
        for low in range(max(ACE, rank - 2), min(rank, HIGH_ACE - 2) + 1):
            others = {low, low + 1, low + 2} - {rank}
            if len(others & held) + wild >= 2 and others & held:
                return True
    return False


def fits(meld: pb.WildRummyMeld, card: int) -> bool:
    """Tell whether *meld* takes *card* as a natural."""
    if meld.kind == pb.WILD_RUMMY_MELD_KIND_SET:
        shown = [stands_for for stands_for in meld.stands_for if stands_for]
        return len(meld.cards) < LONGEST_SET and rank_of(shown[0]) == rank_of(card)
    low, high = meld.stands_for[0], meld.stands_for[-1]
    if suit_of(card) != suit_of(low) or len(meld.cards) == LONGEST_RUN:
        return False
    below = rank_of(card) == rank_of(low) - 1
    return below or (rank_of(high) != ACE and rank_of(card) == rank_of(high) % 13 + 1)


def buys(meld: pb.WildRummyMeld, card: int) -> bool:
    """Tell whether *card* buys a wild out of *meld*."""
    if meld.kind == pb.WILD_RUMMY_MELD_KIND_SET:
        naturals = [stands_for for stands_for in meld.stands_for if stands_for]
        return len(naturals) < len(meld.cards) and rank_of(naturals[0]) == rank_of(card)
    return card in meld.stands_for and card not in meld.cards


def takes_wild(meld: pb.WildRummyMeld) -> bool:
    """Tell whether *meld* has room for one wild more."""
    if meld.kind == pb.WILD_RUMMY_MELD_KIND_SET:
        return len(meld.cards) < LONGEST_SET
    wilds = sum(a != b for a, b in zip(meld.cards, meld.stands_for, strict=True))
    return 2 * wilds < len(meld.cards) < LONGEST_RUN
