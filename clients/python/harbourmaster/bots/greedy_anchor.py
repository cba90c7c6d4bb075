"""Anchor, greedily: take the play that scores most now; otherwise look for better cards.

Of plays that score the same the one with fewer cards that score nothing is better. Without a play
that scores, the bot swaps the cards that go with the fewest others.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations

from harbourmaster._values import Answer, Decision
from harbourmaster.cards import JOKER, rank, suit
from harbourmaster.v1 import anchor_pb2 as pb

SIDE = 15
MELD = 3
"""A line of so many cards in a legal play is a complete meld."""

POINT = 100.0
"""What a point is worth beside a promising hand."""
LOOSE_CARD = 5.0
"""What a placed card that scores nothing costs: others may build on it."""
NEW_CARD = 3.0
"""What a card yet unknown promises."""
BESIDE_JOKER = 4.0
SAME_RANK = 2.0
NEXT_RANK = 2.0
NEAR_RANK = 1.0
"""What two cards of a hand promise together."""


def choose_anchor(decision: Decision) -> Answer:
    """Return the index of the best of the offered moves, the first of equal ones."""
    view: pb.AnchorView = decision.view
    values = [value_of(view, move) for move in decision.offered]
    return values.index(max(values))


def value_of(view: pb.AnchorView, move: pb.AnchorMove) -> float:
    """Return how good *move* is for the seat to move."""
    kind = move.WhichOneof("move")
    if kind == "play":
        return worth(view, move.play.groups)
    if kind == "anchor_play":
        return worth(view, [move.anchor_play])
    hand: list[int] = [*view.hand]
    if kind == "cycle":
        return promise(without(hand, move.cycle.discard)) + NEW_CARD * len(move.cycle.discard)
    if kind == "exchange":
        return promise(without(hand, move.exchange.aces)) + NEW_CARD * len(move.exchange.aces)
    if kind == "pick":
        return promise([*without(hand, move.pick.discard), *move.pick.take])
    return 0.0


def worth(view: pb.AnchorView, groups: Iterable[pb.AnchorGroup | pb.AnchorAnchorPlay]) -> float:
    """Return what it is worth to place *groups*, at least in points."""
    board: list[int] = [*view.board]
    walls = set(view.anchors)
    placed: list[int] = []
    for group in groups:
        for cell, card in zip(group.cells, group.cards, strict=True):
            board[cell] = card
            placed.append(cell)
            if isinstance(group, pb.AnchorAnchorPlay) and rank(card) == 1:
                walls.add(cell)
    points = loose = 0
    for cell in placed:
        if cell in walls:
            continue
        in_meld = max(line_length(board, walls, cell, step) for step in (1, SIDE)) >= MELD
        value = 0 if board[cell] == JOKER else view.card_values[rank(board[cell]) - 1]
        points += value * (view.meld_multiplier if in_meld else view.loose_multiplier)
        loose += not in_meld
    return POINT * points - LOOSE_CARD * loose


def line_length(board: Sequence[int], walls: set[int], cell: int, step: int) -> int:
    """Return the length of the line through *cell* along *step*, 1 across or 15 down."""
    length = 1
    for way in (step, -step):
        here = cell
        while True:
            there = here + way
            if not 0 <= there < len(board) or (step == 1 and there // SIDE != here // SIDE):
                break
            if not board[there] or there in walls:
                break
            length += 1
            here = there
    return length


def without(hand: list[int], cards: Iterable[int]) -> list[int]:
    """Return *hand* without *cards*."""
    left = list(hand)
    for card in cards:
        left.remove(card)
    return left


def promise(hand: Sequence[int]) -> float:
    """Return what the cards of *hand* promise together."""
    return sum(together(one, other) for one, other in combinations(hand, 2))


def together(one: int, other: int) -> float:
    """Return what two cards promise together."""
    if JOKER in (one, other):
        return BESIDE_JOKER
    if rank(one) == rank(other):
        return SAME_RANK if one != other else 0.0
    if suit(one) != suit(other):
        return 0.0
    return {1: NEXT_RANK, 2: NEAR_RANK}.get(abs(one - other), 0.0)
