"""The board of Anchor as bytes: where cells lie, what lies on them, and the lines of cards.

A board is an immutable `bytes` of 17 rows of 16: the 15 by 15 cells with a wall above, below and to
the right (which is also the wall to the left of the next row). So a step in a direction is an
addition, a line of cards is a slice, and a slice is a key for the tables of `melds`. A square holds
0 if it is empty, a card's number plus 1 for a card, 64 more for an anchor, and 255 for the wall.
"""

from typing import Final

from harbourmaster_engine.anchor.moves import SIDE, Cell
from harbourmaster_engine.cards import NAMES

Board = bytes
"""The squares, 272 of them."""

STRIDE: Final = 16
ACROSS: Final = 1
DOWN: Final = STRIDE
EMPTY: Final = 0
ANCHOR: Final = 64
WALL: Final = 255
SQUARES: Final = STRIDE * (SIDE + 2)

CELL_AT: Final[tuple[Cell, ...]] = tuple((i // STRIDE - 1, i % STRIDE) for i in range(SQUARES))
"""The cell of each square; a wall's is off the board."""

SQUARE_OF: Final[dict[Cell, int]] = {
    (row, column): (row + 1) * STRIDE + column for row in range(SIDE) for column in range(SIDE)
}
"""The square of each cell."""

CENTRE: Final = SQUARE_OF[(SIDE // 2, SIDE // 2)]
ON_BOARD: Final = sum(1 << square for square in SQUARE_OF.values())
"""A mask with a bit for every square that is not a wall."""

EMPTY_BOARD: Final[Board] = bytes(
    EMPTY if ON_BOARD >> square & 1 else WALL for square in range(SQUARES)
)

_WALLS: Final = bytes([WALL])
_FACES: Final = bytes(code - ANCHOR if ANCHOR < code < WALL else code for code in range(256))


def faces(board: Board) -> bytes:
    """Return the 225 cells row by row: 0, or a card's number plus 1, anchors like other aces."""
    return board.translate(_FACES, _WALLS)


def beside(mask: int) -> int:
    """Return the mask of the squares orthogonally next to those of *mask*."""
    return (mask << 1 | mask >> 1 | mask << STRIDE | mask >> STRIDE) & ON_BOARD


def squares(mask: int) -> list[int]:
    """Return the squares of *mask* in rising order."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def touches_anchor(board: Board, first: int, stop: int, step: int) -> bool:
    """Return whether the line from *first* up to *stop* has an anchor at either end."""
    return ANCHOR < board[first - step] < WALL or ANCHOR < board[stop] < WALL


def show_cell(cell: Cell) -> str:
    """Return *cell* as people write it."""
    return f"row {cell[0]}, column {cell[1]}"


def show_square(square: int) -> str:
    """Return the cell of *square* as people write it."""
    return show_cell(CELL_AT[square])


def show_line(board: Board, first: int, stop: int, step: int) -> str:
    """Return a line as people write it, such as `row 7, columns 6-8 (5H 6H 7H)`."""
    row, column = CELL_AT[first]
    last_row, last_column = CELL_AT[stop - step]
    cards = " ".join(NAMES[code - 1] for code in board[first:stop:step])
    if stop - first == step:
        return f"row {row}, column {column} ({cards})"
    if step == ACROSS:
        return f"row {row}, columns {column}-{last_column} ({cards})"
    return f"column {column}, rows {row}-{last_row} ({cards})"
