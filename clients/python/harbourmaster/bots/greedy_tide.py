"""Tide, greedily: put as much of the hand on the table as the offered moves allow.

In Classic and Empty Hand a card left in the hand costs its value, in Meld Score a card laid pays
it: either way the best of the offered moves is the one that gets most value out of the hand. What
an offered move adds is the difference between its table and the table of the view.
"""

from collections.abc import Iterable
from typing import Final

from harbourmaster._values import Answer, Decision
from harbourmaster.cards import JOKER, rank
from harbourmaster.v1 import tide_pb2 as pb

WEIGHT_WENT_OUT: Final = 1000
WEIGHT_CARD: Final = 3
"""What a card less in the hand is worth beside its value: the round is won with none."""
JOKER_VALUE: Final = 12
"""A joker costs 30 in the hand, but it opens and goes out with almost anything."""
MELD_SCORE_JOKER_VALUE: Final = 0


def choose_tide(decision: Decision) -> Answer:
    """Return the offered move that gets most out of the hand; the first of equal ones."""
    view: pb.TideView = decision.view
    joker = (
        MELD_SCORE_JOKER_VALUE if view.format == pb.TIDE_FORMAT_MELD_SCORE else JOKER_VALUE
    )
    before = worth(view.table.cards, joker)
    values = [value_of(view, move, before, joker) for move in decision.offered]
    return values.index(max(values))


def value_of(view: pb.TideView, move: pb.TideMove, before: int, joker: int) -> int:
    """Return how good *move* is, where the table of *view* is worth *before*."""
    if move.WhichOneof("move") != "rearrange":
        return 0
    cards = move.rearrange.table.cards
    added = len(cards) - len(view.table.cards)
    out = WEIGHT_WENT_OUT if added == len(view.hand) else 0
    return out + worth(cards, joker) - before + WEIGHT_CARD * added


def worth(cards: Iterable[int], joker: int) -> int:
    """Return the values of *cards* together, of which a joker counts *joker*."""
    return sum(joker if card == JOKER else rank(card) for card in cards)
