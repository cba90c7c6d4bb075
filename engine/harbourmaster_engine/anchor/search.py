"""Whether anything can be put on the board at all: exact, and quick enough for the referee's loop.

If no single group is legal, two together may be: then the second mends what is wrong with the
first. A line that is wrong for good stays so, so what can be mended is a line at an anchor that is
not complete yet, or an open meld too many. Either is mended only by a card on the empty cell at the
line's end, and so the second group goes through one of very few cells.
"""

from collections.abc import Iterator, Sequence

from harbourmaster_engine.anchor.board import (
    ACROSS,
    CELL_AT,
    DOWN,
    EMPTY,
    ON_BOARD,
    Board,
    beside,
    squares,
    touches_anchor,
)
from harbourmaster_engine.anchor.groups import Found, Gap, Groups, Hand, look
from harbourmaster_engine.anchor.lines import Line, Placement, judge, lines_through
from harbourmaster_engine.anchor.melds import KIND
from harbourmaster_engine.anchor.moves import AnchorPlay, Group, Play
from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.cards import RANK, Card

ANY: int = 99
"""More open melds than a turn can leave."""


def playable(hand: Sequence[Card], rules: Rules) -> list[int]:
    """Return the codes of the cards of *hand* that a play may place."""
    if rules.aces_meld:
        return [card + 1 for card in hand]
    return [card + 1 for card in hand if RANK[card] != 1]


def occupied(board: Board) -> int:
    """Return the mask of the squares of *board* that are not empty."""
    return sum(1 << square for square in squares(ON_BOARD) if board[square])


def to_group(found: Found) -> Group:
    """Return the group that *found* describes."""
    first, step, codes = found
    cells = tuple([CELL_AT[first + i * step] for i in range(len(codes))])
    return Group(cells, tuple([code - 1 for code in codes]))


def find_placement(board: Board, hand: Sequence[Card], rules: Rules) -> Play | AnchorPlay | None:
    """Return a legal play or anchor play, or `None` if there is none."""
    taken = occupied(board)
    return find_play(board, hand, rules, taken) or next(anchor_plays(hand, taken), None)


def find_play(board: Board, hand: Sequence[Card], rules: Rules, taken: int) -> Play | None:
    """Return a legal play, or `None` if there is none; *taken* is the mask of filled squares."""
    cards = Hand(playable(hand, rules))
    if not cards.mask:
        return None
    gaps = {square: look(board, square) for square in squares(beside(taken) & ~taken)}
    # A cell where no card fits both ways is out of reach for every group.
    alive = [n for n, gap in gaps.items() if gap.across & gap.down & cards.mask]
    if not alive:
        return None
    for square in alive:
        gap = gaps[square]
        fit = gap.single & cards.mask
        if fit and gap.opens <= rules.open_meld_limit:
            return Play((to_group((square, ACROSS, bytes((fit.bit_length() - 1,)))),))
    strict = Groups(board, cards, gaps, rules.open_meld_limit)
    for square in alive:
        for step in (ACROSS, DOWN):
            for found in strict.through(square, step, leading=True):
                return Play((to_group(found),))
    return _Pairs(board, cards, gaps, rules).find(alive)


class _Pairs:
    """The search for two groups that are legal together, when no group is legal alone."""

    __slots__ = ("board", "cards", "gaps", "rules")

    def __init__(self, board: Board, cards: Hand, gaps: dict[int, Gap], rules: Rules) -> None:
        self.board = board
        self.cards = cards
        self.gaps = gaps
        self.rules = rules

    def find(self, alive: list[int]) -> Play | None:
        loose = Groups(self.board, self.cards, self._mendable(), ANY, loose=True)
        for square in alive:
            for step in (ACROSS, DOWN):
                for found in loose.through(square, step, leading=True):
                    if step == DOWN and len(found[2]) == 1:
                        continue  # It was looked at across.
                    second = self._mend(found)
                    if second is not None:
                        return Play((to_group(found), to_group(second)))
        return None

    def _mendable(self) -> dict[int, Gap]:
        """Return the gaps without the cards that would leave a bare line for good at an anchor.

        A card beside an anchor, bare in that direction, is mended only by cards that go on from it
        away from the anchor. If the card has nothing on its other two sides, these with the card
        would be one legal group. So, unless a card lies beyond, this is no first group of two.
        """
        mendable = {}
        for square, gap in self.gaps.items():
            across, down = gap.across, gap.down
            lone_across = gap.across_length == 1
            lone_down = gap.down_length == 1
            if lone_across and not gap.across_now and lone_down and gap.down_now:
                across = across if self._goes_on(square, ACROSS) else 0
            if lone_down and not gap.down_now and lone_across and gap.across_now:
                down = down if self._goes_on(square, DOWN) else 0
            mendable[square] = gap._replace(across=across, down=down)
        return mendable

    def _goes_on(self, square: int, step: int) -> bool:
        """Return whether a card lies one empty cell away from *square*, along *step*."""
        board = self.board
        return any(
            board[square + way] == EMPTY and 0 < board[square + 2 * way] < 64
            for way in (step, -step)
            if ON_BOARD >> square + way & 1
        )

    def _mend(self, found: Found) -> Found | None:
        """Return a second group that makes the group *found* legal, if there is one."""
        first, step, codes = found
        placed = [first + i * step for i in range(len(codes))]
        after = bytearray(self.board)
        for square, code in zip(placed, codes, strict=True):
            after[square] = code
        board = bytes(after)
        groups = Groups(board, self.cards, {}, ANY, lazy=True)
        for square, along in self._ends_to_mend(board, placed, step):
            for way in (ACROSS, DOWN):
                if way == along and self._is_one_group(board, square, along, placed, step):
                    continue
                for second in groups.through(square, way, leading=False):
                    if self._legal(board, placed, second):
                        return second
        return None

    def _ends_to_mend(
        self, board: Board, placed: Sequence[int], step: int
    ) -> list[tuple[int, int]]:
        """Return the empty cells, one of which a mending group must cover, and their line's step.

        Every line at an anchor must be mended: one of them is enough to look at. Of the open melds
        as many must be as are too many, so one of any that are one more than the limit.
        """
        at_anchor: list[Line] = []
        open_lines: list[Line] = []
        for line in lines_through(board, placed):
            first, stop, along = line
            length = (stop - first) // along
            if length < 3 and touches_anchor(board, first, stop, along):
                at_anchor.append(line)
            elif length == 2:
                open_lines.append(line)
        lines = at_anchor[:1] or open_lines[: self.rules.open_meld_limit + 1]
        return [
            (end, along)
            for first, stop, along in lines
            for end in (first - along, stop)
            if board[end] == EMPTY
        ]

    def _is_one_group(
        self, board: Board, end: int, along: int, placed: Sequence[int], step: int
    ) -> bool:
        """Return whether a second group along the line that ends before *end* is needless.

        It would go on from a card of the first group. If that lies along the same line, the two are
        one group. If it lies across, its card here and the second group are one, which is legal too
        unless the card has a neighbour that lay there before.
        """
        card = next((n for n in placed if abs(n - end) == along), None)
        if card is None:
            return False
        if along == step or len(placed) == 1:
            return True
        before = self.board
        return not (0 < before[card - step] < 128 or 0 < before[card + step] < 128)

    def _legal(self, board: Board, placed: Sequence[int], second: Found) -> bool:
        first, step, codes = second
        more = [first + i * step for i in range(len(codes))]
        after = bytearray(board)
        for square, code in zip(more, codes, strict=True):
            after[square] = code
        outcome = judge(self.board, bytes(after), [*placed, *more], self.rules)
        return type(outcome) is Placement


def melds_of(cards: Hand, lengths: tuple[int, ...]) -> Iterator[bytes]:
    """Yield every line of *cards* alone that is a complete meld of one of *lengths*."""

    def longer(line: bytes) -> Iterator[bytes]:
        if len(line) in lengths:
            yield line
        if len(line) == lengths[-1]:
            return
        for code in cards.codes:
            if cards.counts[code]:
                body = line + bytes((code,))
                if len(body) == 1 or body in KIND:
                    cards.take(code)
                    yield from longer(body)
                    cards.put_back(code)

    return longer(b"")


def islands(taken: int, length: int) -> Iterator[tuple[int, int]]:
    """Yield the first square and the step of every *length* cells in a row that touch nothing."""
    free = ON_BOARD & ~(taken | beside(taken))
    for step in (ACROSS, DOWN):
        starts = free
        for i in range(1, length):
            starts &= free >> i * step
        for first in squares(starts):
            yield first, step


def anchor_plays(hand: Sequence[Card], taken: int) -> Iterator[AnchorPlay]:
    """Yield legal anchor plays, the ace first in each line; none only if there is none."""
    ace = next((card for card in hand if RANK[card] == 1), None)
    if ace is None:
        return
    cards = Hand([card + 1 for card in hand if RANK[card] != 1])
    meld = next(melds_of(cards, (3,)), None)
    if meld is None:
        return
    for first, step in islands(taken, 4):
        cells = tuple([CELL_AT[first + i * step] for i in range(4)])
        yield AnchorPlay(cells, (ace, *[code - 1 for code in meld]))
