"""A varied sample of legal moves, quick to make.

The full list is far too long: a hand of seven can be placed in thousands of ways. The sample has
placements that score and some that do not, anchor plays, and swaps of every kind; every one of them
is legal. What it is depends on nothing but what the seat to move sees and the stream it is given.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, TypeVar

from harbourmaster_engine.anchor.board import ACROSS, ANCHOR, CELL_AT, DOWN, Board
from harbourmaster_engine.anchor.checks import drawable, plan_play
from harbourmaster_engine.anchor.groups import Found, Gap, Groups, Hand
from harbourmaster_engine.anchor.lines import Placement
from harbourmaster_engine.anchor.moves import (
    MAX_SWAP,
    AnchorMove,
    AnchorPlay,
    Cycle,
    Exchange,
    Pick,
    Play,
)
from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.anchor.search import islands, melds_of, playable, to_group
from harbourmaster_engine.cards import JOKER, RANK, SUIT, Card
from harbourmaster_engine.chance import Stream

T = TypeVar("T")

LOOKS: Final = 4
"""How many cells beside cards are searched for groups of two cards and more."""
PER_LOOK: Final = 3
"""How many groups are taken from one of them."""
COUPLES: Final = 2
"""How many pairs of groups are tried as one play."""


class Dice:
    """Small random numbers from few words of a stream: a draw costs a division."""

    __slots__ = ("_left", "_pool", "_stream")

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._pool = 0
        self._left = 1

    def below(self, n: int) -> int:
        """Return a number from 0 to *n* - 1, all as good as equally likely."""
        if self._left < 1 << 40:
            word = self._stream.word
            self._pool = word() << 128 | word() << 96 | word() << 64 | word() << 32 | word()
            self._left = 1 << 160
        self._pool, number = divmod(self._pool, n)
        self._left //= n
        return number

    def choice(self, items: Sequence[T]) -> T:
        """Return one of *items*."""
        return items[self.below(len(items))]


@dataclass(slots=True)
class Sight:
    """What the seat to move sees, as far as its moves depend on it."""

    board: Board
    taken: int
    """The mask of the squares that are not empty."""
    gaps: dict[int, Gap]
    """The empty cells beside cards and anchors."""
    hand: Sequence[Card]
    market: Sequence[Card]
    pile_count: int
    discard_count: int
    rules: Rules


def sample(sight: Sight, stream: Stream, limit: int) -> list[AnchorMove]:
    """Return up to *limit* different legal moves, none only if no quick look finds any."""
    dice = Dice(stream)
    scoring, others = _placements(sight, dice)
    plays = _some(scoring, limit * 3 // 8, dice) + _some(others, limit // 8, dice)
    moves: list[AnchorMove] = [*plays, *_couples(sight, plays, dice), *_anchor_plays(sight, dice)]
    moves += _swaps(sight, dice)
    return moves[:limit] if len(moves) > limit else moves


def _some(found: list[Found], number: int, dice: Dice) -> list[Play]:
    """Return plays of *number* of the groups *found*, or of all if there are fewer."""
    if len(found) > number:
        for i in range(number):
            j = i + dice.below(len(found) - i)
            found[i], found[j] = found[j], found[i]
        del found[number:]
    return [Play((to_group(each),)) for each in found]


def _placements(sight: Sight, dice: Dice) -> tuple[list[Found], list[Found]]:
    """Return groups that are legal alone: those that score, and the others."""
    hand = Hand(playable(sight.hand, sight.rules))
    scoring: list[Found] = []
    others: list[Found] = []
    limit, mask = sight.rules.open_meld_limit, hand.mask
    gaps = sight.gaps
    alive: list[int] = []
    for square, gap in gaps.items():
        if not gap.ever & mask:
            continue
        alive.append(square)
        fit = gap.single & mask
        if fit and gap.opens <= limit:
            full = gap.across_length > 2 or gap.down_length > 2
            kind = scoring if full else others
            for code in hand.codes:
                if fit >> code & 1:
                    kind.append((square, ACROSS, _BYTES[code]))
    groups = Groups(sight.board, hand, gaps, limit)
    if alive:
        for _ in range(LOOKS):
            choice = dice.below(2 * len(alive))
            way = DOWN if choice & 1 else ACROSS
            for found in groups.through(alive[choice >> 1], way, leading=True, most=PER_LOOK):
                if len(found[2]) > 1:
                    (scoring if _is_meld(sight.board, found) else others).append(found)
    return list(dict.fromkeys(scoring)), list(dict.fromkeys(others))


def _is_meld(board: Board, found: Found) -> bool:
    """Return whether the legal group *found* of two cards or more is in a meld of its own line."""
    first, step, codes = found
    if len(codes) > 2:
        return True
    return 0 < board[first - step] < ANCHOR or 0 < board[first + 2 * step] < ANCHOR


_BYTES: Final = tuple(bytes((code,)) for code in range(64))


def _couples(sight: Sight, plays: Sequence[Play], dice: Dice) -> list[Play]:
    """Return plays of two groups, made of *plays* of one."""
    couples: list[Play] = []
    if len(plays) < 2:
        return couples
    for _ in range(COUPLES):
        one, other = dice.choice(plays), dice.choice(plays)
        if one is not other:
            groups = one.groups + other.groups
            plan = plan_play(sight.board, sight.hand, groups, sight.rules)
            if type(plan) is Placement:
                couples.append(Play(groups))
    return list(dict.fromkeys(couples))


def _anchor_plays(sight: Sight, dice: Dice) -> list[AnchorMove]:
    """Return up to two anchor plays."""
    hand = sight.hand
    ace = next((card for card in hand if RANK[card] == 1), None)
    if ace is None:
        return []
    cards = Hand([card + 1 for card in hand if RANK[card] != 1])
    melds = list(islice(melds_of(cards, (3, 4)), 30))
    if not melds:
        return []
    plays: list[AnchorMove] = []
    meld = dice.choice(melds)
    places = list(islands(sight.taken, len(meld) + 1))
    for _ in range(2 if places else 0):
        first, step = dice.choice(places)
        cells = [CELL_AT[first + i * step] for i in range(len(meld) + 1)]
        if dice.below(2):
            cells.reverse()
        plays.append(AnchorPlay(tuple(cells), (ace, *[code - 1 for code in meld])))
    return list(dict.fromkeys(plays))


def _swaps(sight: Sight, dice: Dice) -> list[AnchorMove]:
    """Return cycles, picks and an exchange: some that keep what fits together, some at random."""
    hand, market = sight.hand, sight.market
    if not hand:
        return []
    swaps: list[AnchorMove] = []
    mask = sum([1 << card for card in set(hand)])
    # The cards that go with the fewest others come first.
    spare = sorted(hand, key=lambda card: (PARTNERS[card] & mask).bit_count())
    aces = tuple([card for card in hand if RANK[card] == 1][:MAX_SWAP])
    if aces and sight.pile_count:
        swaps.append(Exchange(aces))
    sizes = [
        n
        for n in range(1, min(MAX_SWAP, len(hand)) + 1)
        if drawable(sight.pile_count, sight.discard_count + n) >= n
    ]
    if sizes:
        swaps.append(Cycle(tuple(spare[: sizes[-1]])))
        swaps.append(Cycle(tuple(spare[: dice.choice(sizes)])))
        swaps.append(Cycle(_draw(hand, dice.choice(sizes), dice)))
    if market:
        wanted = [card for card in market if PARTNERS[card] & mask]
        if wanted:
            number = min(len(wanted), len(spare))
            swaps.append(Pick(tuple(wanted[:number]), tuple(spare[:number])))
        number = 1 + dice.below(min(len(hand), len(market)))
        swaps.append(Pick(_draw(market, number, dice), _draw(hand, number, dice)))
    return list(dict.fromkeys(swaps))


def _draw(cards: Sequence[T], number: int, dice: Dice) -> tuple[T, ...]:
    """Return *number* of *cards*, at different places."""
    left = list(cards)
    return tuple([left.pop(dice.below(len(left))) for _ in range(number)])


def _partners(card: Card) -> int:
    """Return the mask of the cards that may lie in one complete meld with *card*."""
    if card == JOKER:
        return (1 << JOKER + 1) - 1
    return sum(
        1 << other
        for other in range(JOKER + 1)
        if other == JOKER
        or (RANK[other] == RANK[card] and other != card)
        or (SUIT[other] == SUIT[card] and 0 < abs(other - card) <= 2)
    )


PARTNERS: Final = tuple(_partners(card) for card in range(JOKER + 1))
"""For each card, the mask of the cards that go well with it."""
