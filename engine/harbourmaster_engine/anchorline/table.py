"""The table of Anchorline: an unbounded grid, what lies on it, and what is connected.

A cell (x, y) is the number `x * WIDTH + y` in here, so that a step in a direction is an addition.
The eight directions are the bits of a byte, in the order of `DIRECTIONS`; a *ring* is the byte that
says which neighbours of a cell have a card.
"""

from collections.abc import Iterable
from itertools import product
from typing import Final, Self

from harbourmaster_engine.anchorline.moves import ANCHOR, DIRECTIONS, Cell

WIDTH: Final = 4096
REACH: Final = 1000
"""How far from the Anchor a cell may be named; play itself gets no further than eight."""

STEPS: Final = tuple(x * WIDTH + y for x, y in DIRECTIONS.values())
BIT: Final = {step: 1 << place for place, step in enumerate(STEPS)}
"""The bit of each step."""

EVERYWHERE: Final = 0xFF
"""All eight directions."""

STEPS_OF: Final = tuple(tuple(s for s in STEPS if BIT[s] & ring) for ring in range(256))
"""The steps of each byte of directions, in the order of `DIRECTIONS`."""

_TWO: Final = tuple(product(range(-2, 3), range(-2, 3)))
TOUCH: Final = {
    x * WIDTH + y: sum(BIT[a] for a in STEPS for b in STEPS if a + b == x * WIDTH + y)
    for x, y in _TWO
}
"""For a card up to two cells off, the directions in which one step leads to a cell beside it."""

NO_CARD: Final = 9
"""Stands for a free cell: the number of no card, and in no set of cards."""

_BACK: Final = tuple(tuple((s, BIT[-s]) for s in steps) for steps in STEPS_OF)
_AXES: Final = tuple(
    tuple(step for step in STEPS[:4] if (BIT[step] | BIT[-step]) & ring) for ring in range(256)
)
_NEAR: Final = range(-9, 10)


class _Cells(dict[int, Cell]):
    """The cell of every number: those near the Anchor are kept, others are worked out."""

    def __missing__(self, number: int) -> Cell:
        x = (number + WIDTH // 2) // WIDTH
        return x, number - x * WIDTH


CELLS: Final = _Cells({x * WIDTH + y: (x, y) for x, y in product(_NEAR, _NEAR)})
"""The cell that each number stands for."""


def number_of(cell: Cell) -> int:
    """Return the number that stands for *cell*."""
    return cell[0] * WIDTH + cell[1]


def number_in_reach(cell: object) -> int | None:
    """Return the number of *cell*, or `None` if it is no pair of whole numbers in reach."""
    if type(cell) is not tuple or len(cell) != 2:
        return None
    x, y = cell
    if type(x) is int and type(y) is int and -REACH <= x <= REACH and -REACH <= y <= REACH:
        return x * WIDTH + y
    return None


def _holds_together(ring: int) -> bool:
    """Work out whether the cards of *ring* are connected without the card in the middle."""
    cells = set(STEPS_OF[ring])
    edge = [cells.pop()] if cells else []
    while edge:
        cell = edge.pop()
        beside = {cell + step for step in STEPS} & cells
        cells -= beside
        edge += beside
    return not cells


HOLDS_TOGETHER: Final = tuple(_holds_together(ring) for ring in range(256))
"""For each ring, whether its cards are connected without the card in the middle."""

MEMBERS: Final = tuple(tuple(c for c in range(9) if mask >> c & 1) for mask in range(512))
"""The cards of each set of cards, where card c is the bit 1 << c."""


class Table:
    """The cards on the grid, each of them once."""

    __slots__ = ("cards", "near", "present", "rings", "shown", "where")

    def __init__(self) -> None:
        self.cards: dict[int, int] = {0: ANCHOR}
        """The card on each cell, by the cell's number."""
        self.shown: dict[int, tuple[Cell, int]] = {}
        """The same for people: without the Anchor, in the order in which they came."""
        self.where = [0] * 9
        """For each card on the table, the number of its cell."""
        self.rings = [0] * 9
        """For each card, in which directions there is another."""
        self.near = [0] * 9
        """For each card, the set of those next to it."""
        self.present = 1 << ANCHOR
        """The set of the cards on the table."""

    def put(self, number: int, card: int) -> None:
        """Lay *card* on the free cell *number*."""
        rings, near, where = self.rings, self.near, self.where
        mask = 1 << card
        ring = beside = 0
        for other in MEMBERS[self.present]:
            step = where[other] - number
            if step in BIT:
                rings[other] |= BIT[-step]
                near[other] |= mask
                ring |= BIT[step]
                beside |= 1 << other
        rings[card] = ring
        near[card] = beside
        self.cards[number] = card
        where[card] = number
        self.shown[number] = (CELLS[number], card)
        self.present |= mask

    def take(self, number: int) -> int:
        """Take the card off the cell *number* and return it."""
        cards, rings, near = self.cards, self.rings, self.near
        card = cards.pop(number)
        mask = 1 << card
        for step, back in _BACK[rings[card]]:
            other = cards[number + step]
            rings[other] ^= back
            near[other] ^= mask
        del self.shown[number]
        self.present ^= mask
        return card

    def spread(self, group: int, cards: int) -> int:
        """Return *group* with all those out of the set *cards* that are connected to it."""
        near = self.near
        edge = group
        while edge and group != cards:
            grown = 0
            for card in MEMBERS[edge]:
                grown |= near[card]
            edge = grown & cards & ~group
            group |= edge
        return group

    def cut_off_without(self, gone: Iterable[int]) -> list[int]:
        """Return the cells whose cards the cells *gone* alone connect to the Anchor, in order.

        With none *gone* these are the cells whose cards are not connected.
        """
        left = self.present
        for number in gone:
            left ^= 1 << self.cards[number]
        off = left ^ self.spread(1 << ANCHOR, left)
        return [n for n, (_, card) in self.shown.items() if off >> card & 1] if off else []

    def clear(self, numbers: Iterable[int]) -> int:
        """Take the cards off the cells *numbers*; return the set of them."""
        cards, near, where = self.cards, self.near, self.where
        gone = 0
        for number in numbers:
            gone |= 1 << cards.pop(number)
            del self.shown[number]
        self.present ^= gone
        for card in MEMBERS[self.present]:
            if near[card] & gone:
                near[card] &= ~gone
                ring = 0
                for other in MEMBERS[near[card]]:
                    ring |= BIT[where[other] - where[card]]
                self.rings[card] = ring
        return gone

    def has_line(self, own: int, number: int) -> bool:
        """Return whether `lines` finds any."""
        cards, where = self.cards, self.where
        for other in MEMBERS[self.near[cards[number]] & own]:
            step = where[other] - number
            if own >> cards.get(number - step, NO_CARD) & 1:
                return True
            if own >> cards.get(number + 2 * step, NO_CARD) & 1:
                return True
        return False

    def lines(self, own: int, number: int) -> list[list[int]]:
        """Return the cells of every line of three or more cards out of *own* through *number*.

        *own* is a set of cards; the card on *number* is one of them.
        """
        cards = self.cards
        ring = self.rings[cards[number]]
        found = []
        for axis in _AXES[ring]:
            line = [number]
            for step in (axis, -axis):
                n = number + step
                while own >> cards.get(n, NO_CARD) & 1:
                    line.append(n)
                    n += step
            if len(line) >= 3:
                found.append(line)
        return found

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = type(self).__new__(type(self))
        twin.cards = self.cards.copy()
        twin.rings = self.rings.copy()
        twin.near = self.near.copy()
        twin.shown = self.shown.copy()
        twin.where = self.where.copy()
        twin.present = self.present
        return twin
