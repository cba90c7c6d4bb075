"""A table as it stands: which cards lie where, and what its jokers stand for."""

from collections.abc import Iterable
from typing import Final

from harbourmaster_engine.tide.lines import EMPTY_BOARD, FREE, PLACE, STRIDE, TO_BYTES, TO_CARDS

UNITS: Final = tuple(1 << 8 * card for card in range(53))
"""What a card adds to a count of cards: a number with eight bits for each card."""
HIGH_BITS: Final = sum(unit << 7 for unit in UNITS)


def count(cards: Iterable[int]) -> int:
    """Return how often each card is in *cards*, as one number with eight bits for each."""
    return sum(map(UNITS.__getitem__, cards))


def lacking(counts: int, needed: int) -> int | None:
    """Return a card of which *counts* has fewer than *needed*, the lowest, or `None`."""
    short = ((counts | HIGH_BITS) - needed) & HIGH_BITS ^ HIGH_BITS
    return (short & -short).bit_length() // 8 - 1 if short else None


def cards_in(counts: int) -> tuple[int, ...]:
    """Return the cards that *counts* counts, in the order of their numbers."""
    each = counts.to_bytes(53, "little")
    return tuple([card for card, number in enumerate(each) if number for _ in range(number)])


class Table:
    """A table. Never changed once made, so that states share it."""

    __slots__ = ("board", "cards", "cells", "counts", "jokers")

    def __init__(
        self,
        board: bytes,
        cells: tuple[int, ...],
        counts: int,
        jokers: tuple[tuple[int, int], ...],
    ) -> None:
        """Make the table of *board*, whose cards lie on *cells*, in any order."""
        self.board = board
        self.cells = tuple(sorted(cells))
        self.cards = tuple(board.translate(TO_CARDS, b" "))
        self.counts = counts
        self.jokers = jokers
        """For each joker, in the order of cells, its cell and the card that it stands for."""


EMPTY_TABLE: Final = Table(EMPTY_BOARD, (), 0, ())


def lay(cells: tuple[int, ...], cards: tuple[int, ...]) -> bytes:
    """Return the board with *cards* on *cells*; of two on a cell the later one lies there."""
    board = bytearray(EMPTY_BOARD)
    for cell, byte in zip(cells, bytes(cards).translate(TO_BYTES), strict=True):
        board[PLACE[cell]] = byte
    return bytes(board)


def row_through(board: bytes, place: int) -> tuple[int, bytes]:
    """Return the place where the row line through *place* starts, and the line."""
    start = board.rfind(b" ", 0, place) + 1
    return start, board[start : board.index(FREE, place)]


def column_through(board: bytes, place: int) -> tuple[int, bytes]:
    """Return the row, from 1, where the column line through *place* starts, and the line."""
    row, column = divmod(place, STRIDE)
    cells = board[column::STRIDE]
    start = cells.rfind(b" ", 0, row) + 1
    return start, cells[start : cells.index(FREE, row)]
