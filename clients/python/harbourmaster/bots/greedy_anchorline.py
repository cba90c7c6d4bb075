"""Anchorline, greedily: score if possible, leave the other little to score with, build lines.

Each offered move is tried on a copy of the table, and judged one turn of the other seat ahead. What
the view leaves open, the order of the cards in the stacks, does not matter for that.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from harbourmaster._values import Answer, Decision
from harbourmaster.v1 import anchorline_pb2 as pb

Cell: TypeAlias = tuple[int, int]
Table: TypeAlias = dict[Cell, int]
"""The number of the card on each cell, 1 to 8; 0 is the Anchor."""

STEPS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
"""The steps of the eight directions, in the order of their numbers on the wire."""
AXES: Final = STEPS[:4]
ANCHOR: Final = (0, 0)
POINTS: Final = (0, 0, 0, 1, 2, 5)
"""The points for a line, by its length."""

WEIGHT_SCORED: Final = 100
WEIGHT_GIVEN: Final = 70
"""What the other seat can score next; less than what is scored now, which is certain."""
WEIGHT_WON: Final = 10_000
WEIGHT_PAIR: Final = 3
"""For each own card or Anchor beside an own card: what lines grow from."""


@dataclass(frozen=True, slots=True)
class Position:
    """What the bot looks at: the table, the coin, and the arrows of every card."""

    table: Table
    coin: Cell
    arrows: Sequence[Sequence[Cell]]
    tops: Sequence[int]
    arrows_bind_moves: bool


def choose_anchorline(decision: Decision) -> Answer:
    """Return the offered move with the greatest value; the first of equal ones."""
    view: pb.AnchorlineView = decision.view
    position = read_position(view, decision.match.options)
    missing = view.target_score - view.scores[decision.seat]
    danger = view.target_score - view.scores[1 - decision.seat]
    values = [value_of(position, move, decision.seat, missing, danger) for move in decision.offered]
    return values.index(max(values))


def read_position(view: pb.AnchorlineView, options: pb.AnchorlineOptions) -> Position:
    """Return the position that *view* shows in a match with *options*."""
    table = {ANCHOR: 0} | {(placed.x, placed.y): int(placed.card) for placed in view.table}
    anchor = _steps(options.anchor_arrows)
    own = [_steps(arrows) for arrows in options.card_arrows]
    return Position(
        table,
        (view.coin.x, view.coin.y),
        (anchor, *own, *own),
        [int(top) for top in view.tops],
        options.arrows_bind_moves,
    )


def value_of(
    position: Position, move: pb.AnchorlineMove, seat: int, missing: int, danger: int
) -> float:
    """Return how good *move* is for *seat*.

    *missing* and *danger* are the points that the seat and the other one need to win.
    """
    kind = move.WhichOneof("move")
    if kind == "return_coin":
        return -float(WEIGHT_SCORED)
    table = dict(position.table)
    if kind == "place":
        target, card = (move.place.cell.x, move.place.cell.y), position.tops[seat]
    else:
        target = (move.shift.target.x, move.shift.target.y)
        card = table.pop((move.shift.origin.x, move.shift.origin.y))
    table[target] = card
    scored, in_lines = lines_through(table, target, seat)
    coin = target
    if scored:
        coin = ANCHOR
        table = after_lines(table, in_lines)
    if scored >= missing or scored >= POINTS[5]:
        return float(WEIGHT_WON + scored)
    given = best_reply(position, table, coin, 1 - seat)
    lost = WEIGHT_WON / 2 if given >= danger else 0.0
    return WEIGHT_SCORED * scored - WEIGHT_GIVEN * given - lost + WEIGHT_PAIR * pairs(table, seat)


def best_reply(position: Position, table: Table, coin: Cell, seat: int) -> int:
    """Return the most points that *seat* can score next on *table* with the coin on *coin*."""
    top = position.tops[seat]
    free = [cell for cell in _pointed(coin, position.arrows[table[coin]]) if cell not in table]
    if top:
        return max((lines_through(table | {c: top}, c, seat)[0] for c in free), default=0)
    best = 0
    for origin in [cell for cell, card in table.items() if card and owner(card) == seat]:
        rest = {cell: card for cell, card in table.items() if cell != origin}
        targets = free if position.arrows_bind_moves else around(rest)
        for target in targets:
            moved = rest | {target: table[origin]}
            if target not in table and len(connected(moved)) == len(moved):
                best = max(best, lines_through(moved, target, seat)[0])
    return best


def lines_through(table: Table, cell: Cell, seat: int) -> tuple[int, set[Cell]]:
    """Return the points of the lines of *seat* through *cell*, and the cells in them."""
    points, cells = 0, set[Cell]()
    for x, y in AXES:
        line = [cell, *_run(table, cell, (x, y), seat), *_run(table, cell, (-x, -y), seat)]
        if len(line) >= 3:
            points += POINTS[min(len(line), 5)]
            cells.update(line)
    return points, cells


def after_lines(table: Table, in_lines: Iterable[Cell]) -> Table:
    """Return *table* without the cards in the lines, and without those cut off by that."""
    gone = set(in_lines) - {ANCHOR}
    rest = {cell: card for cell, card in table.items() if cell not in gone}
    return {cell: rest[cell] for cell in connected(rest)}


def connected(table: Table) -> set[Cell]:
    """Return the cells of *table* that are connected to the Anchor."""
    seen, edge = {ANCHOR}, [ANCHOR]
    while edge:
        for cell in _pointed(edge.pop(), STEPS):
            if cell in table and cell not in seen:
                seen.add(cell)
                edge.append(cell)
    return seen


def around(table: Table) -> set[Cell]:
    """Return the free cells beside a card of *table*."""
    return {near for cell in table for near in _pointed(cell, STEPS) if near not in table}


def pairs(table: Table, seat: int) -> int:
    """Return how often an own card lies beside another one or the Anchor."""
    own = {cell for cell, card in table.items() if not card or owner(card) == seat}
    return sum((x + dx, y + dy) in own for x, y in own for dx, dy in AXES)


def owner(card: int) -> int:
    """Return the seat that *card*, 1 to 8, belongs to."""
    return 0 if card <= 4 else 1


def _run(table: Table, cell: Cell, step: Cell, seat: int) -> Iterator[Cell]:
    """Yield the cells from *cell* on, it left out, that hold own cards or the Anchor."""
    x, y = cell
    while True:
        x, y = x + step[0], y + step[1]
        card = table.get((x, y))
        if card is None or (card and owner(card) != seat):
            return
        yield (x, y)


def _pointed(cell: Cell, steps: Iterable[Cell]) -> Iterator[Cell]:
    return ((cell[0] + x, cell[1] + y) for x, y in steps)


def _steps(arrows: pb.AnchorlineArrows) -> tuple[Cell, ...]:
    return tuple(STEPS[direction - 1] for direction in arrows.directions)
