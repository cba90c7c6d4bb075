"""Tide, greedily: get as much of the hand onto the table as one turn allows.

Beside the offered moves, which are a sample, there is one of the bot's own (`_tide_plan`): the
melds of the table and the hand, made anew. What a move adds is the difference between its table and
the table of the view. In Classic and Empty Hand every card left in the hand costs, so that each
turn lays all it can. In Meld Score only cards laid pay, and cards come one a turn: it pays to draw
until a move scores much.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from harbourmaster._values import Answer, Decision
from harbourmaster.bots._tide_plan import opening, rearrangement
from harbourmaster.cards import JOKER, rank
from harbourmaster.v1 import tide_pb2 as pb

WENT_OUT: Final = 10_000
CARD: Final = 3
"""What a card less in the hand is worth beside its value: with none the round is won."""
JOKER_KEPT: Final = -40
"""What laying a joker is worth early: it goes out with almost any other card."""
JOKER_LEFT: Final = 30
"""What laying a joker is worth to open, or when the round may end: what it costs in the hand."""
SMALL_HAND: Final = 3
"""A seat with so few cards may go out in its next turn."""

FEW_POINTS: Final = 45
"""In Meld Score, moves that score fewer can wait."""
SMALL_PILE: Final = 8
"""With so few cards in the pile the round draws to its end."""


def choose_tide(decision: Decision) -> Answer:
    """Return the best of the offered moves and the bot's own; the first of equal ones."""
    view: pb.TideView = decision.view
    own = own_move(view, decision.seat)
    if view.format == pb.TIDE_FORMAT_MELD_SCORE:
        return choose_by_points(decision, view, own)
    seat = decision.seat
    joker = JOKER_KEPT if view.opened[seat] and not ends_soon(view, seat) else JOKER_LEFT
    moves = [*decision.offered, *own]
    values = [value_of(view, move, joker) for move in moves]
    return answer(decision, moves, values.index(max(values)))


def choose_by_points(decision: Decision, view: pb.TideView, own: list[pb.TideMove]) -> Answer:
    """Return the move that scores most, or the first offered one, a draw, if it is few."""
    moves = [*decision.offered, *own]
    points = [points_of(view, move) for move in moves]
    most = max(points)
    wins = view.scores[decision.seat] + most >= view.target_score
    if most >= FEW_POINTS or wins or view.pile_count <= SMALL_PILE:
        return answer(decision, moves, points.index(most))
    return points.index(min(points))


def answer(decision: Decision, moves: Sequence[pb.TideMove], number: int) -> Answer:
    """Return the answer that makes the move with *number*: an offered one by its number."""
    return number if number < len(decision.offered) else moves[number]


def own_move(view: pb.TideView, seat: int) -> list[pb.TideMove]:
    """Return the move that the bot finds itself, if it finds one."""
    if not view.opened[seat]:
        move = opening(view)
    else:
        bonus = 0 if view.format == pb.TIDE_FORMAT_MELD_SCORE else CARD
        move = rearrangement(view, {card: float(bonus + rank(card)) for card in view.hand})
    return [] if move is None else [move]


def ends_soon(view: pb.TideView, seat: int) -> bool:
    """Return whether the round may end before *seat* has done much more."""
    others = [n for n, plays in enumerate(view.playing) if plays and n != seat]
    fewest = min(view.hand_counts[other] for other in others)
    return fewest <= SMALL_HAND or view.pile_count <= SMALL_PILE


def value_of(view: pb.TideView, move: pb.TideMove, joker: int) -> int:
    """Return how much *move* gets out of a hand whose cards cost at the end.

    A joker that it lays counts *joker*.
    """
    if not move.HasField("rearrange"):
        return 0
    cards = move.rearrange.table.cards
    added = len(cards) - len(view.table.cards)
    out = WENT_OUT if added == len(view.hand) else 0
    return out + CARD * added + worth(cards, joker) - worth(view.table.cards, joker)


def points_of(view: pb.TideView, move: pb.TideMove) -> int:
    """Return what *move* scores at once in Meld Score."""
    if not move.HasField("rearrange"):
        return 0
    return worth(move.rearrange.table.cards, 0) - worth(view.table.cards, 0)


def worth(cards: Iterable[int], joker: int) -> int:
    """Return the values of *cards* together, of which a joker counts *joker*."""
    return sum(joker if card == JOKER else rank(card) for card in cards)
