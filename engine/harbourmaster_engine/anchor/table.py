"""The board of a match, with what is remembered about its empty cells."""

from collections.abc import Mapping, Sequence
from typing import Self

from harbourmaster_engine.anchor.board import (
    ANCHOR,
    CELL_AT,
    EMPTY_BOARD,
    Board,
    beside,
    squares,
)
from harbourmaster_engine.anchor.groups import Gap, look
from harbourmaster_engine.anchor.lines import Placement, ends
from harbourmaster_engine.anchor.moves import Cell
from harbourmaster_engine.anchor.search import occupied
from harbourmaster_engine.cards import Card


class Table:
    """The cards on the board; its values are replaced, never changed, so that copies share them."""

    __slots__ = ("_gaps", "_stale", "anchors", "board", "taken")

    def __init__(self) -> None:
        self.board: Board = EMPTY_BOARD
        self.taken = 0
        """The mask of the squares that are not empty."""
        self.anchors: tuple[Cell, ...] = ()
        # The empty squares beside cards, each with its gap; those of `_stale` have changed since.
        self._gaps: dict[int, Gap] = {}
        self._stale = 0

    def lay(self, cards: Mapping[int, Card], anchors: Sequence[int]) -> None:
        """Put *cards* on the empty board by their squares; some of the squares are *anchors*."""
        board = bytearray(EMPTY_BOARD)
        for square, card in cards.items():
            board[square] = card + 1 + (ANCHOR if square in anchors else 0)
        self.board = bytes(board)
        self.taken = occupied(self.board)
        self.anchors = tuple(CELL_AT[square] for square in anchors)
        self._gaps = {}
        self._stale = beside(self.taken)

    def place(self, plan: Placement) -> tuple[Card, ...]:
        """Put the cards of *plan* on the board and return them."""
        board = plan.board
        cards = []
        mask = 0
        for square in plan.placed:
            mask |= 1 << square
            code = board[square]
            if code > ANCHOR:
                code -= ANCHOR
                self.anchors += (CELL_AT[square],)
            cards.append(code - 1)
        self.board = board
        self.taken |= mask
        self._stale |= mask | ends(plan.lines)
        return tuple(cards)

    def gaps(self) -> dict[int, Gap]:
        """Return the gaps of all empty squares beside cards, in the order of the squares."""
        if self._stale:
            gaps = self._gaps.copy()
            reach = beside(self.taken) & ~self.taken
            for square in squares(self._stale):
                gaps.pop(square, None)
                if reach >> square & 1:
                    gaps[square] = look(self.board, square)
            self._gaps = {square: gaps[square] for square in sorted(gaps)}
            self._stale = 0
        return self._gaps

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.board = self.board
        twin.taken = self.taken
        twin.anchors = self.anchors
        twin._gaps = self._gaps
        twin._stale = self._stale
        return twin
