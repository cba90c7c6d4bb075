"""Tide, greedily: get many cards out of the hand at once, with a little patience.

What an offered move adds is the difference between its table and the table of the view. A turn that
lays one card and a turn that draws one take equally long, so that it pays to wait until a move lays
several; only when the round draws to its end everything goes out that can.
"""

from collections.abc import Iterable
from typing import Final

from harbourmaster._values import Answer, Decision
from harbourmaster.cards import JOKER, rank
from harbourmaster.v1 import tide_pb2 as pb

CARD: Final = 30
"""What a card less in the hand is worth beside its value: with none the round is won."""
JOKER_VALUE: Final = -40
"""A joker is kept, because it goes out with almost anything; alone it is not laid."""
JOKER_COST: Final = 30
"""What a joker costs that is left in the hand, which counts when the pile draws to its end."""
WENT_OUT: Final = 10_000

FEW_CARDS: Final = 2
"""Moves that add fewer wait in Classic and Empty Hand."""
FEW_POINTS: Final = 45
"""Moves that score fewer wait in Meld Score."""
SMALL_HAND: Final = 2
"""Another hand so small may go out at any moment."""
SMALL_PILE: Final = 8
"""With so few cards in the pile there is nothing to wait for."""


def choose_tide(decision: Decision) -> Answer:
    """Return the best of the offered moves, or the draw if it is better to wait."""
    view: pb.TideView = decision.view
    judge = points_of if view.format == pb.TIDE_FORMAT_MELD_SCORE else value_of
    values = [judge(view, move) for move in decision.offered]
    best = values.index(max(values))
    idle = [n for n, move in enumerate(decision.offered) if not move.HasField("rearrange")]
    if idle and pays_to_wait(view, decision.seat, decision.offered[best]):
        return idle[0]
    return best


def pays_to_wait(view: pb.TideView, seat: int, move: pb.TideMove) -> bool:
    """Return whether *seat* had better draw than make *move*."""
    if not view.opened[seat] and view.format != pb.TIDE_FORMAT_MELD_SCORE:
        return False
    if view.pile_count <= SMALL_PILE:
        return False
    if view.format == pb.TIDE_FORMAT_MELD_SCORE:
        points = points_of(view, move)
        return points < FEW_POINTS and view.scores[seat] + points < view.target_score
    others = [n for n, plays in enumerate(view.playing) if plays and n != seat]
    if min(view.hand_counts[other] for other in others) <= SMALL_HAND:
        return False
    added = added_by(view, move)
    return added < FEW_CARDS and len(view.hand) - added > 1


def value_of(view: pb.TideView, move: pb.TideMove) -> int:
    """Return how good *move* is where cards left in the hand cost."""
    if not move.HasField("rearrange"):
        return 0
    added = added_by(view, move)
    out = WENT_OUT if added == len(view.hand) else 0
    joker = JOKER_VALUE if view.pile_count > SMALL_PILE else JOKER_COST
    gain = worth(move.rearrange.table.cards, joker) - worth(view.table.cards, joker)
    return out + CARD * added + gain


def points_of(view: pb.TideView, move: pb.TideMove) -> int:
    """Return what *move* scores at once in Meld Score."""
    if not move.HasField("rearrange"):
        return 0
    return worth(move.rearrange.table.cards, 0) - worth(view.table.cards, 0)


def added_by(view: pb.TideView, move: pb.TideMove) -> int:
    """Return how many cards *move* adds to the table."""
    if not move.HasField("rearrange"):
        return 0
    return len(move.rearrange.table.cards) - len(view.table.cards)


def worth(cards: Iterable[int], joker: int) -> int:
    """Return the values of *cards* together, of which a joker counts *joker*."""
    return sum(joker if card == JOKER else rank(card) for card in cards)
