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
from harbourmaster_engine.cards import RANK, Card
from harbourmaster_engine.chance import Stream

T = TypeVar("T")

LOOKS: Final = 10
"""How many cells beside cards are searched for groups of two cards and more."""
PER_LOOK: Final = 3
"""How many groups are taken from one of them."""
COUPLES: Final = 3
"""How many pairs of groups are tried as one play."""


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
    scoring, others = _placements(sight, stream)
    moves: list[AnchorMove] = [
        *_some(scoring, limit * 3 // 8, stream),
        *_some(others, limit // 8, stream),
    ]
    couples = _couples(sight, moves, stream)
    moves += couples
    moves += _anchor_plays(sight, stream)
    moves += _swaps(sight, stream, max(1, limit // 4))
    return moves[:limit] if len(moves) > limit else moves


def _some(found: list[Found], number: int, stream: Stream) -> list[AnchorMove]:
    """Return plays of *number* of the groups *found*, or of all if there are fewer."""
    if len(found) > number:
        for i in range(number):
            j = i + stream.below(len(found) - i)
            found[i], found[j] = found[j], found[i]
        del found[number:]
    return [Play((to_group(each),)) for each in found]


def _placements(sight: Sight, stream: Stream) -> tuple[list[Found], list[Found]]:
    """Return groups that are legal alone: those that score, and the others."""
    hand = Hand(playable(sight.hand, sight.rules))
    scoring: list[Found] = []
    others: list[Found] = []
    limit, mask = sight.rules.open_meld_limit, hand.mask
    gaps = sight.gaps
    for square, gap in gaps.items():
        fit = gap.single & mask
        if fit and gap.opens <= limit:
            full = gap.across_length > 2 or gap.down_length > 2
            kind = scoring if full else others
            for code in hand.codes:
                if fit >> code & 1:
                    kind.append((square, ACROSS, _BYTES[code]))
    groups = Groups(sight.board, hand, gaps, limit)
    alive = [n for n, gap in gaps.items() if gap.across & gap.down & mask]
    if alive:
        before = hand.snapshot()
        for _ in range(LOOKS):
            choice = stream.below(2 * len(alive))
            way = DOWN if choice & 1 else ACROSS
            for found in islice(groups.through(alive[choice >> 1], way, leading=True), PER_LOOK):
                if len(found[2]) > 1:
                    (scoring if _is_meld(sight.board, found) else others).append(found)
            hand.restore(before)
    return list(dict.fromkeys(scoring)), list(dict.fromkeys(others))


def _is_meld(board: Board, found: Found) -> bool:
    """Return whether the legal group *found* of two cards or more is in a meld of its own line."""
    first, step, codes = found
    if len(codes) > 2:
        return True
    return 0 < board[first - step] < ANCHOR or 0 < board[first + 2 * step] < ANCHOR


_BYTES: Final = tuple(bytes((code,)) for code in range(64))


def _couples(sight: Sight, plays: Sequence[AnchorMove], stream: Stream) -> list[AnchorMove]:
    """Return plays of two groups, made of *plays* of one."""
    couples: list[AnchorMove] = []
    if len(plays) < 2:
        return couples
    for _ in range(COUPLES):
        one = plays[stream.below(len(plays))]
        other = plays[stream.below(len(plays))]
        if one is not other:
            groups = (*one.groups, *other.groups)  # type: ignore[union-attr] # Plays, all.
            plan = plan_play(sight.board, sight.hand, groups, sight.rules)
            if type(plan) is Placement:
                couples.append(Play(groups))
    return couples


def _anchor_plays(sight: Sight, stream: Stream) -> list[AnchorMove]:
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
    meld = stream.choice(melds)
    places = list(islands(sight.taken, len(meld) + 1))
    for _ in range(2 if places else 0):
        first, step = stream.choice(places)
        cells = [CELL_AT[first + i * step] for i in range(len(meld) + 1)]
        if stream.below(2):
            cells.reverse()
        plays.append(AnchorPlay(tuple(cells), (ace, *[code - 1 for code in meld])))
    return list(dict.fromkeys(plays))


def _swaps(sight: Sight, stream: Stream, number: int) -> list[AnchorMove]:
    """Return up to *number* cycles, picks and exchanges."""
    swaps: list[AnchorMove] = []
    hand, market = sight.hand, sight.market
    sizes = [
        n
        for n in range(1, min(MAX_SWAP, len(hand)) + 1)
        if drawable(sight.pile_count, sight.discard_count + n) >= n
    ]
    aces = tuple([card for card in hand if RANK[card] == 1][:MAX_SWAP])
    if aces and sight.pile_count:
        swaps.append(Exchange(aces))
    if sizes:
        for _ in range(number // 2 or 1):
            swaps.append(Cycle(_draw(hand, stream.choice(sizes), stream)))
    if market and hand:
        most = min(len(hand), len(market))
        for _ in range(number // 2 or 1):
            size = 1 + stream.below(most)
            swaps.append(Pick(_draw(market, size, stream), _draw(hand, size, stream)))
    return list(dict.fromkeys(swaps))


def _draw(cards: Sequence[T], number: int, stream: Stream) -> tuple[T, ...]:
    """Return *number* of *cards*, at different places."""
    left = list(cards)
    return tuple([left.pop(stream.below(len(left))) for _ in range(number)])
