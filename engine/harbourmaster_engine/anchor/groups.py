"""All groups that may be placed through a cell: the search that sampling and passing share.

A *gap* is an empty cell seen along one direction: which cards would fit between what lies on its
two sides, and how long the line would be. Because any part of a meld is a meld or an open meld
(see `melds`), a line that fits no table can be given up at once, so that the search stays small.
"""

from typing import Final, NamedTuple, Self

from harbourmaster_engine.anchor.board import (
    ACROSS,
    ANCHOR,
    DOWN,
    EMPTY,
    Board,
    touches_anchor,
)
from harbourmaster_engine.anchor.melds import ALL_CARDS, FILLERS, KIND


class Gap(NamedTuple):
    """An empty cell, seen across and down; masks have the bits of card codes."""

    across: int
    """The cards that fit across, if more cards may still make the line what it must be."""
    down: int
    """The same, down."""
    across_now: int
    """The cards that fit across as things are: `across`, or none if an anchor is touched."""
    down_now: int
    """The same, down."""
    across_length: int
    """The length of the line across once a card is there: at 2 it is open, from 3 complete."""
    down_length: int
    """The same, down."""
    single: int
    """The cards that may be placed here alone, open melds apart."""
    opens: int
    """How many open melds such a card leaves."""
    ever: int
    """The cards that may lie here with whatever else: if it has none, no group covers the cell."""


FREE: Final = Gap(ALL_CARDS, ALL_CARDS, ALL_CARDS, ALL_CARDS, 1, 1, ALL_CARDS, 0, ALL_CARDS)
"""The gap at a cell that has no card and no anchor beside it."""


def look(board: Board, square: int) -> Gap:
    """Return the gap at the empty *square*."""
    across, across_now, across_length = _fitting(board, square, ACROSS)
    down, down_now, down_length = _fitting(board, square, DOWN)
    return Gap(
        across,
        down,
        across_now,
        down_now,
        across_length,
        down_length,
        across_now & down_now,
        (across_length == 2) + (down_length == 2),
        across & down,
    )


def _fitting(board: Board, square: int, step: int) -> tuple[int, int, int]:
    first = square
    while 0 < board[first - step] < ANCHOR:
        first -= step
    stop = square + step
    while 0 < board[stop] < ANCHOR:
        stop += step
    length = (stop - first) // step
    fit = ALL_CARDS if length == 1 else FILLERS.get(board[first:stop:step], 0)
    if length > 2 or not touches_anchor(board, first, stop, step):
        return fit, fit, length
    return fit, 0, length


class Hand:
    """Cards still to be placed, by their codes."""

    __slots__ = ("codes", "counts", "mask")

    def __init__(self, codes: list[int]) -> None:
        self.codes = sorted(set(codes))
        self.counts = [0] * 54
        for code in codes:
            self.counts[code] += 1
        self.mask = sum(1 << code for code in self.codes)

    def without(self, codes: bytes) -> Self:
        """Return a hand of its own that lacks the cards with *codes*."""
        twin = type(self)([])
        twin.codes, twin.counts, twin.mask = self.codes, self.counts.copy(), self.mask
        for code in codes:
            twin.take(code)
        return twin

    def take(self, code: int) -> None:
        """Take one card with *code* out."""
        self.counts[code] -= 1
        if not self.counts[code]:
            self.mask ^= 1 << code

    def put_back(self, code: int) -> None:
        """Put a card with *code* back."""
        if not self.counts[code]:
            self.mask ^= 1 << code
        self.counts[code] += 1


Found = tuple[int, int, bytes]
"""A group: its first square, its step and the codes of its cards."""


ALL_GROUPS: Final = 1_000_000
"""More groups than there are."""


class Groups:
    """The groups that *hand* can place on *board*."""

    __slots__ = ("board", "found", "gaps", "hand", "lazy", "leading", "limit", "loose", "most")

    def __init__(
        self,
        board: Board,
        hand: Hand,
        gaps: dict[int, Gap],
        limit: int,
        *,
        loose: bool = False,
        lazy: bool = False,
    ) -> None:
        """Search on *board*, whose *gaps* beside cards and anchors are known.

        At most *limit* open melds may be left. A *loose* search lets them be, and also the lines at
        anchors that another group could still complete. A *lazy* one looks at gaps as it needs them
        and adds them to *gaps*.
        """
        self.board = board
        self.hand = hand
        self.gaps = gaps
        self.limit = limit
        self.loose = loose
        self.lazy = lazy
        # What the search that is going on looks for, and what it has found.
        self.found: list[Found] = []
        self.most = ALL_GROUPS
        self.leading = False

    def gap(self, square: int) -> Gap:
        """Return the gap at the empty *square*."""
        gap = self.gaps.get(square)
        if gap is None:
            if not self.lazy:
                return FREE
            gap = self.gaps[square] = look(self.board, square)
        return gap

    def through(
        self, square: int, step: int, *, leading: bool, most: int = ALL_GROUPS
    ) -> list[Found]:
        """Return the groups along *step* that cover the empty *square*, the first *most* of them.

        With *leading*, only those whose first cell beside a card is *square*, so that going through
        all such cells finds every group once.
        """
        found: list[Found] = []
        hand = self.hand
        fit, opens = self._crossing(square, step)
        head = self._cards_before(square, step)
        if head:
            fit &= FILLERS.get(head + _HOLE, 0)
        fit &= hand.mask
        if not fit or opens > self.limit:
            return found
        self.found, self.most, self.leading = found, most, leading
        for code in hand.codes:
            if fit >> code & 1:
                hand.take(code)
                self._backward(square, square, step, head + _CARD[code], len(head), opens)
                hand.put_back(code)
                if len(found) >= most:
                    break
        return found

    def _crossing(self, square: int, step: int) -> tuple[int, int]:
        """Return what fits across the way of a group at *square*, and the open melds it leaves."""
        gap = self.gap(square)
        if self.loose:
            return (gap.down if step == ACROSS else gap.across), 0
        if step == ACROSS:
            return gap.down_now, gap.down_length == 2
        return gap.across_now, gap.across_length == 2

    def _cards_before(self, first: int, step: int) -> bytes:
        """Return the cards that lie directly before the square *first*."""
        board = self.board
        start = first
        while 0 < board[start - step] < ANCHOR:
            start -= step
        return board[start:first:step]

    def _backward(
        self, first: int, last: int, step: int, line: bytes, head: int, opens: int
    ) -> None:
        """Find the groups from *first* to *last* and all that begin earlier or end later.

        *line* is the cards from the *head* cards that lie before *first* up to *last*.
        """
        self._forward(first, last, step, line, head, opens)
        before = first - step
        if head or self.board[before] != EMPTY or (self.leading and before in self.gaps):
            return
        if len(self.found) >= self.most:
            return
        hand = self.hand
        lead = self._cards_before(before, step)
        fit = hand.mask & FILLERS.get(lead + _HOLE + line, 0)
        if not fit:
            return
        crossing, more = self._crossing(before, step)
        fit &= crossing
        if not fit or opens + more > self.limit:
            return
        for code in hand.codes:
            if fit >> code & 1:
                longer = lead + _CARD[code] + line
                hand.take(code)
                self._backward(before, last, step, longer, len(lead), opens + more)
                hand.put_back(code)
                if len(self.found) >= self.most:
                    return

    def _forward(
        self, first: int, last: int, step: int, line: bytes, head: int, opens: int
    ) -> None:
        """Find the group from *first* to *last* and all that end later."""
        board = self.board
        after = last + step
        square = board[after]
        if 0 < square < ANCHOR:
            stop = after
            while 0 < board[stop] < ANCHOR:
                stop += step
            if self._stands(first - head * step, stop, step, line + board[after:stop:step], opens):
                self.found.append((first, step, line[head:]))
            return
        if self._stands(first - head * step, after, step, line, opens):
            self.found.append((first, step, line[head:]))
        if square != EMPTY or len(self.found) >= self.most:
            return
        hand = self.hand
        fit = hand.mask & FILLERS.get(line + _HOLE, 0)
        if not fit:
            return
        crossing, more = self._crossing(after, step)
        fit &= crossing
        if not fit or opens + more > self.limit:
            return
        for code in hand.codes:
            if fit >> code & 1:
                hand.take(code)
                self._forward(first, after, step, line + _CARD[code], head, opens + more)
                hand.put_back(code)
                if len(self.found) >= self.most:
                    return

    def _stands(self, start: int, stop: int, step: int, line: bytes, opens: int) -> bool:
        """Return whether *line* may lie from *start* up to *stop*, with so many open melds."""
        length = len(line)
        if length > 1 and line not in KIND:
            return False
        if self.loose or length > 2:
            return True
        if touches_anchor(self.board, start, stop, step):
            return False
        return length == 1 or opens < self.limit


_HOLE: Final = b"\0"
_CARD: Final = tuple(bytes((code,)) for code in range(64))
