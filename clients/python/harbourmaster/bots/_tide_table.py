"""The table of Tide: its lines, what may be added to them, and where there is room.

A cell is 26 times its row plus its column, a card its number, as in the view.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from harbourmaster.cards import JOKER
from harbourmaster.v1 import tide_pb2 as pb

SIDE: Final = 26

Line = tuple[int, ...]
"""The cells of a line, from left to right or from top to bottom."""


def beside(cell: int) -> Iterator[int]:
    """Yield the cells next to *cell*."""
    row, column = divmod(cell, SIDE)
    if row:
        yield cell - SIDE
    if row < SIDE - 1:
        yield cell + SIDE
    if column:
        yield cell - 1
    if column < SIDE - 1:
        yield cell + 1


def next_in_line(end: int, inner: int) -> int | None:
    """Return the cell beyond *end*, seen from its neighbour *inner*, if the table has one."""
    cell = 2 * end - inner
    return cell if cell in beside(end) else None


@dataclass(slots=True)
class Table:
    """A table that is being changed."""

    cards: dict[int, int]
    """The card on each cell."""
    stands_for: dict[int, int]
    """What the joker on a cell stands for."""

    @classmethod
    def of(cls, table: pb.TideTable) -> "Table":
        """Return the table that a view shows."""
        return cls(
            dict(zip(table.cells, table.cards, strict=True)),
            dict(zip(table.joker_cells, table.joker_cards, strict=True)),
        )

    def to_move(self) -> pb.TideMove:
        """Return the move that leaves the table so."""
        cells = sorted(self.cards)
        cards: Any = [self.cards[cell] for cell in cells]
        declared: Any = {c: self.stands_for[c] for c in cells if c in self.stands_for}
        table = pb.TideTable(
            cells=cells,
            cards=cards,
            joker_cells=list(declared),
            joker_cards=list(declared.values()),
        )
        return pb.TideMove(rearrange=pb.TideRearrange(table=table))

    def lines(self) -> list[Line]:
        """Return every line."""
        found = []
        for step in (1, SIDE):
            for cell in self.cards:
                if not self._goes_on(cell - step, step):
                    line = [cell]
                    while self._goes_on(line[-1], step):
                        line.append(line[-1] + step)
                    if len(line) > 1:
                        found.append(tuple(line))
        return found

    def _goes_on(self, cell: int, step: int) -> bool:
        """Return whether cards lie on *cell* and on the next one of its row or column."""
        wraps = step == 1 and cell % SIDE == SIDE - 1
        return cell in self.cards and cell + step in self.cards and not wraps

    def meaning(self, line: Line) -> tuple[int, ...]:
        """Return the cards of *line*, for a joker the one that it stands for."""
        return tuple([self.stands_for.get(cell, self.cards[cell]) for cell in line])

    def open_ends(self, line: Line) -> Iterator[tuple[int, int]]:
        """Yield the cells at the ends of *line* where a card would touch nothing else.

        With each comes the card that lies at this end.
        """
        for end, inner in ((line[0], line[1]), (line[-1], line[-2])):
            cell = next_in_line(end, inner)
            if cell is None or cell in self.cards:
                continue
            if sum(other in self.cards for other in beside(cell)) == 1:
                yield cell, end

    def room(self, length: int) -> Line | None:
        """Return a place for a line of *length* cards that touches nothing, or `None`."""
        taken = set(self.cards)
        for cell in self.cards:
            taken.update(beside(cell))
        for step in (1, SIDE):
            for start in range(SIDE * SIDE):
                line = tuple(range(start, start + length * step, step))
                inside = line[-1] // SIDE == start // SIDE if step == 1 else line[-1] < SIDE * SIDE
                if inside and taken.isdisjoint(line):
                    return line
        return None


def fits_at(meaning: tuple[int, ...], end: int) -> set[int]:
    """Return the cards that make a meld of cards longer at one end.

    *meaning* is the meld without jokers, and *end* is 0 or -1.
    """
    inner, last = meaning[1 if end == 0 else -2], meaning[end]
    if (inner - last) % 13 == 0:
        return {card for card in range(last % 13 or 13, JOKER, 13) if card not in meaning}
    card = 2 * last - inner
    same_suit = (card - 1) // 13 == (last - 1) // 13 and 1 <= card < JOKER
    return {card} if same_suit else set()


def clusters(lines: Iterable[Line]) -> list[list[Line]]:
    """Return *lines* in groups: those that cross, directly or over others, are together."""
    groups: list[list[Line]] = []
    for line in lines:
        crossed = [group for group in groups if any(set(line) & set(other) for other in group)]
        groups = [group for group in groups if group not in crossed]
        groups.append([line, *(other for group in crossed for other in group)])
    return sorted(groups, key=len)


def cells_of(lines: Iterable[Line]) -> set[int]:
    """Return the cells of *lines*, those where two cross once."""
    return {cell for line in lines for cell in line}
