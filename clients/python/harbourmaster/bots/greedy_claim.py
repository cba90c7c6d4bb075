"""A one-move strategy for Claim: take the action that changes the scores most to one's own favor.

Each offered action is judged by what it does to all scores at once; a card played also saves the 5
points that it would cost in hand. Two things lie beyond one action and are weighed too: new singles
wait for the end of the turn, those with a neighbor in the own hand first, because anybody can claim
them; and a joker goes where few cards can replace it. The turn ends when nothing gains anything.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from harbourmaster._values import Answer, Decision
from harbourmaster.v1 import card_pb2, claim_pb2

JOKER: Final = card_pb2.CARD_JK
JOKER_BONUS: Final = 40
CARD_COST: Final = 5
LARGEST_GROUP: Final = 13

# A new single can as well be played later in the turn, so that anything else that gains goes first.
SINGLE_WITH_NEIGHBOR: Final = 0.5
LONE_SINGLE: Final = 0.25
SINGLE_JOKER: Final = -40.0

REPLACEABLE_JOKER: Final = 4.0
"""What each card out of sight that could replace a joker is worth to the others, in points."""


def choose_claim(decision: Decision) -> Answer:
    """Return the index of the best of the offered moves, the first of equal ones."""
    judge = _Judge(decision.view)
    values = [judge.value(move) for move in decision.offered]
    return values.index(max(values))


class _Judge:
    """Values actions in one position."""

    def __init__(self, view: claim_pb2.ClaimView) -> None:
        self._me = view.to_move
        self._hand = list(view.hand)
        self._items = {item.id: item for item in view.items}
        self._others = len(view.scores) - 1
        on_table = {card for item in view.items for card in item.cards}
        self._seen = on_table.union(self._hand)

    def value(self, move: claim_pb2.ClaimMove) -> float:
        """Return the points that *move* gains on the others; 0 for the end of the turn."""
        kind = move.WhichOneof("move")
        if kind == "play":
            return self._play(move.play)
        if kind == "merge":
            left, right = self._items[move.merge.left], self._items[move.merge.right]
            return self._join(left.cards, left.owners, right.cards, right.owners)
        if kind == "replace":
            return self._replace(move.replace)
        return 0.0

    def _play(self, play: claim_pb2.ClaimPlay) -> float:
        if not play.HasField("item"):
            return self._single(play.card)
        item = self._items[play.item]
        if play.side == claim_pb2.CLAIM_SIDE_LEFT:
            value = self._join([play.card], [], item.cards, item.owners)
        else:
            value = self._join(item.cards, item.owners, [play.card], [])
        return CARD_COST + value

    def _single(self, card: int) -> float:
        """Return the value of playing *card* as a single, which the next action may claim."""
        if card == JOKER:
            return SINGLE_JOKER
        if any(_follows(card, other) or _follows(other, card) for other in self._hand):
            return SINGLE_WITH_NEIGHBOR
        return LONE_SINGLE

    def _join(
        self,
        left: Sequence[int],
        left_owners: Sequence[int],
        right: Sequence[int],
        right_owners: Sequence[int],
    ) -> float:
        """Return the value of putting two parts together; what has no owner becomes one's own."""
        owners = [*(left_owners or [self._me]), *(right_owners or [self._me])]
        pair = _pair_worth(left[-1], right[0])
        value = pair * (self._sign(owners[len(left) - 1]) + self._sign(owners[len(left)]))
        if len(owners) == LARGEST_GROUP:
            wrap = _pair_worth(right[-1], left[0])
            value += wrap * (self._sign(owners[0]) + self._sign(owners[-1]))
        for cards, had in ((left, left_owners), (right, right_owners)):
            if not had and cards[0] == JOKER:
                value += JOKER_BONUS - self._risk([*left, *right])
        return value

    def _replace(self, replace: claim_pb2.ClaimReplace) -> float:
        """Return the value of a replacement, which also changes the worth of both neighbors."""
        item = self._items[replace.group]
        cards, owners = item.cards, item.owners
        size, index = len(cards), replace.index
        old, was = cards[index], self._sign(owners[index])
        value = -JOKER_BONUS * was + JOKER_BONUS / 2 if old == JOKER else 0.0
        for beside in (index - 1, index + 1):
            if not 0 <= beside < size and size < LARGEST_GROUP:
                continue
            neighbor = cards[beside % size]
            before, after = _pair_worth(old, neighbor), _pair_worth(replace.card, neighbor)
            value += after - before * was + (after - before) * self._sign(owners[beside % size])
        return value

    def _sign(self, seat: int) -> float:
        """Return what a point of *seat* is worth to this one."""
        return 1.0 if seat == self._me else -1.0 / self._others

    def _risk(self, cards: Iterable[int]) -> float:
        """Return what is lost because others may replace a joker in the group of *cards*."""
        ranks = _ranks(list(cards))
        return REPLACEABLE_JOKER * sum(
            suit * 13 + (rank - 1) % 13 + 1 not in self._seen
            for card, rank in zip(cards, ranks, strict=True)
            if card == JOKER and rank
            for suit in range(4)
        )


def _ranks(cards: Sequence[int]) -> list[int]:
    """Return the rank of each card of a group, 1 to 14; zeros for a group of jokers only."""
    for place, card in enumerate(cards):
        if card != JOKER:
            rank = (card - 1) % 13 + 1
            start = 14 - place if rank == 1 and place else rank - place
            return list(range(start, start + len(cards)))
    return [0] * len(cards)


def _follows(card: int, other: int) -> bool:
    """Return whether *other* may stand to the right of *card*; neither is a joker."""
    if JOKER in (card, other):
        return False
    return (card - 1) % 13 + 1 in ((other - 1) % 13, 13 if (other - 1) % 13 == 0 else -1)


def _pair_worth(card: int, other: int) -> int:
    """Return what two neighbors are worth to each other."""
    if JOKER in (card, other):
        return 0
    suit, beside = (card - 1) // 13, (other - 1) // 13
    if suit == beside:
        return 5
    return 2 if suit + beside == 3 else 1
