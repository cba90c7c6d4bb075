"""Whether anything can be put on the board at all: exact, and quick enough for the referee's loop.

If no single group is legal, two together may be: then the second mends what is wrong with the
first. A line that is wrong for good stays so, so what can be mended is a line at an anchor that is
not complete yet, or an open meld too many. Either is mended only by a card on the empty cell at the
line's end, and so the second group goes through one of very few cells.
"""

from collections.abc import Iterator, Sequence

from harbourmaster_engine.anchor.board import (
    ACROSS,
    ANCHOR,
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
from harbourmaster_engine.anchor.melds import FILLERS, KIND
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
    alive = [n for n, gap in gaps.items() if gap.ever & cards.mask]
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
            for found in strict.through(square, step, leading=True, most=1):
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
        gaps = self._mendable()
        mask = self.cards.mask
        loose = Groups(self.board, self.cards, gaps, ANY, loose=True)
        for square in alive:
            if not (gaps[square].across | gaps[square].down) & mask:
                continue
            for step in (ACROSS, DOWN):
                for found in loose.through(square, step, leading=True):
                    if step == DOWN and len(found[2]) == 1:
                        continue  # It was looked at across.
                    second = self._mend(found)
                    if second is not None:
                        return Play((to_group(found), to_group(second)))
        return None

    def _mendable(self) -> dict[int, Gap]:
        """Return the gaps without the cards that would leave a line which nothing can mend.

        A line at an anchor must be mended, and every open meld if none is allowed.
        """
        mendable = {}
        for square, gap in self.gaps.items():
            across, down = gap.across, gap.down
            if gap.ever & self.cards.mask:
                aside = gap.down_length == 1 and gap.down_now > 0
                if self._must_mend(gap.across_now, gap.across_length):
                    across = self._with_mend(square, ACROSS, across, lone=aside)
                aside = gap.across_length == 1 and gap.across_now > 0
                if self._must_mend(gap.down_now, gap.down_length):
                    down = self._with_mend(square, DOWN, down, lone=aside)
            mendable[square] = gap._replace(across=across, down=down)
        return mendable

    def _must_mend(self, now: int, length: int) -> bool:
        return not now or (length == 2 and not self.rules.open_meld_limit)

    def _with_mend(self, square: int, step: int, fit: int, *, lone: bool) -> int:
        """Return those of the cards *fit* at *square* whose line along *step* can be mended.

        A *lone* card has nothing beside it on its other two sides. A bare one at an anchor is
        mended only by cards that go on from it away from the anchor; if it is lone too, these with
        the card would be one legal group. So, unless a card lies beyond, none of them is of use.
        """
        board, cards = self.board, self.cards
        first, stop = _reach(board, square, step)
        bare = stop - first == step
        frames = []
        if board[stop] == EMPTY:
            beyond = board[stop + step : _reach(board, stop, step)[1] : step]
            frames.append((b"", b"\0" + beyond))
        if board[first - step] == EMPTY:
            beyond = board[_reach(board, first - step, step)[0] : first - step : step]
            frames.append((beyond + b"\0", b""))
        if bare and lone:
            frames = [frame for frame in frames if len(frame[0]) + len(frame[1]) > 1]
        before, after = board[first:square:step], board[square + step : stop : step]
        kept = 0
        for code in cards.codes:
            if fit >> code & 1:
                mask = cards.mask if cards.counts[code] > 1 else cards.mask & ~(1 << code)
                line = before + bytes((code,)) + after
                if any(FILLERS.get(lead + line + trail, 0) & mask for lead, trail in frames):
                    kept |= 1 << code
        return kept

    def _mend(self, found: Found) -> Found | None:
        """Return a second group that makes the group *found* legal, if there is one."""
        first, step, codes = found
        placed = [first + i * step for i in range(len(codes))]
        after = bytearray(self.board)
        for square, code in zip(placed, codes, strict=True):
            after[square] = code
        board = bytes(after)
        # The second group's lines are as the turn leaves them, so the limit holds for it alone too.
        left = self.cards.without(codes)
        groups = Groups(board, left, {}, self.rules.open_meld_limit, lazy=True)
        for square, along, way in self._ways_to_mend(board, placed, step):
            if way != along:
                gap = groups.gap(square)
                if (gap.across_length if along == ACROSS else gap.down_length) < 3:
                    continue
            elif self._is_one_group(board, square, along, placed, step):
                continue
            for second in groups.through(square, way, leading=False):
                if self._legal(board, placed, second):
                    return second
        return None

    def _ways_to_mend(
        self, board: Board, placed: Sequence[int], step: int
    ) -> Iterator[tuple[int, int, int]]:
        """Yield an empty cell, the step of a line that ends beside it, and the way of a group.

        One of these groups must be the second. Every line at an anchor must be mended, and every
        open meld if none is allowed: it is enough to look at one, but the group must reach the
        others too. Otherwise as many open melds must be as are too many, so one of any that are one
        more than the limit.
        """
        limit = self.rules.open_meld_limit
        must: list[Line] = []
        open_lines: list[Line] = []
        for line in lines_through(board, placed):
            first, stop, along = line
            length = (stop - first) // along
            if length < 3 and touches_anchor(board, first, stop, along):
                must.append(line)
            elif length == 2:
                (open_lines if limit else must).append(line)
        for first, stop, along in must[:1] or open_lines[: limit + 1]:
            for end in (first - along, stop):
                if board[end] == EMPTY:
                    if all(_in_row(end, line) for line in must):
                        yield end, along, ACROSS
                    if all(_in_column(end, line) for line in must):
                        yield end, along, DOWN

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


def _reach(board: Board, square: int, step: int) -> tuple[int, int]:
    """Return where the cards around *square* along *step* begin, and the square after them."""
    first = square
    while 0 < board[first - step] < ANCHOR:
        first -= step
    stop = square + step
    while 0 < board[stop] < ANCHOR:
        stop += step
    return first, stop


def _in_row(square: int, line: Line) -> bool:
    """Return whether the row of *square* has a cell just before or after *line*."""
    first, stop, step = line
    row = square // DOWN
    return row in ((first - step) // DOWN, stop // DOWN)


def _in_column(square: int, line: Line) -> bool:
    """Return whether the column of *square* has a cell just before or after *line*."""
    first, stop, step = line
    column = square % DOWN
    return column in ((first - step) % DOWN, stop % DOWN)


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
