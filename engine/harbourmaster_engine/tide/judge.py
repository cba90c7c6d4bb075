"""Whether a submitted table is legal.

`judge` is on the way of every turn, so its legal path is a few passes over the whole table in C;
the sentences are made only once something is found to be wrong.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Final

from harbourmaster_engine.cards import JOKER, NAMES, RANK
from harbourmaster_engine.game import Refusal
from harbourmaster_engine.tide.lines import (
    CELL_AT,
    COLUMN_LENGTH,
    FREE,
    JOKER_BYTE,
    LEGAL_LINES,
    MELDS,
    PLACE,
    SIZE,
    STRIDE,
    columns_of,
    fault_of,
    names_of,
)
from harbourmaster_engine.tide.moves import CELLS, CODES, MOST_CARDS, SIDE, Rearrange, show_cell
from harbourmaster_engine.tide.table import (
    EMPTY_TABLE,
    HIGH_BITS,
    Table,
    cards_in,
    column_through,
    count,
    lacking,
    lay,
    row_through,
)

_TAKEN: Final = bytes(byte != FREE for byte in range(256))
_ACROSS: Final = 8
_DOWN: Final = 8 * STRIDE
_LINE: Final = re.compile(rb"[^ ]{2,}")
_ALL_OF: Final = (1 << 52) - 1


@dataclass(slots=True)
class Play:
    """A legal rearrangement: the table after it, and the cards that came out of the hand."""

    table: Table
    added: tuple[int, ...]


def refuse(code: str, text: str) -> Refusal:
    """Return the refusal with *code*, which is one of the game's."""
    assert code in CODES
    return Refusal(code, text)


def judge(before: Table, hand: int, minimum: int | None, move: Rearrange) -> Play | Refusal:
    """Return what *move* does to the table *before*, or why it is refused.

    *hand* counts the cards of the seat to move; *minimum* is the opening minimum for a seat that
    has not opened, and `None` for one that has.
    """
    refusal = _misshapen(move)
    if refusal is not None:
        return refusal
    cells, cards = move.cells, move.cards
    board = lay(cells, cards)
    if board.count(b" ") != SIZE - len(cells):
        return _crowded(cells, cards)
    counts = count(cards)
    refusal = _misdeclared(move) or _miscounted(before, hand, counts) or _bad_lines(board)
    if refusal is not None:
        return refusal
    jokers = _settle(before, board, move) if JOKER in cards else ()
    if isinstance(jokers, Refusal):
        return jokers
    if minimum is not None:
        refusal = _fenced_off(before, board, cells, dict(jokers), minimum)
        if refusal is not None:
            return refusal
    return Play(Table(board, cells, counts, jokers), cards_in(counts - before.counts))


def _misshapen(move: Rearrange) -> Refusal | None:
    """Check that *move* is made of cells of the table and of cards."""
    parts = (move.cells, move.cards, move.declared)
    if not all(type(part) is tuple and len(part) <= MOST_CARDS for part in parts):
        text = f"cells, cards and declared take a tuple each, of at most {MOST_CARDS} items"
        return refuse("malformed", text)
    cells, cards, declared = parts
    if len(cells) != len(cards):
        text = f"there are {len(cells)} cells for {len(cards)} cards: it takes one for each"
        return refuse("malformed", text)
    if cells:
        if set(map(type, cells)) != {int} or set(map(type, cards)) != {int}:
            return refuse("malformed", "a cell and a card are whole numbers")
        if min(cells) < 0 or max(cells) >= CELLS:
            return _off_table(cells)
        if min(cards) < 0 or max(cards) > JOKER:
            return refuse("malformed", f"a card is a number from 0 to {JOKER}")
    return _misshapen_declarations(declared) if declared else None


def _misshapen_declarations(declared: tuple[object, ...]) -> Refusal | None:
    for pair in declared:
        if type(pair) is not tuple or len(pair) != 2 or not all(type(n) is int for n in pair):
            return refuse("malformed", "a declaration is a pair of a cell and a card")
        cell, card = pair
        if not 0 <= cell < CELLS:
            return _off_table((cell,))
        if not 0 <= card < JOKER:
            text = f"the joker at {show_cell(cell)} is not declared to be one of the 52 cards"
            return refuse("joker_declaration", text)
    return None


def _off_table(cells: tuple[int, ...]) -> Refusal:
    cell = next(cell for cell in cells if not 0 <= cell < CELLS)
    text = f"cell {show_cell(cell)} is not on the table: cells run from 0 to {CELLS - 1}"
    return refuse("off_table", text)


def _crowded(cells: tuple[int, ...], cards: tuple[int, ...]) -> Refusal:
    first: dict[int, int] = {}
    for cell, card in zip(cells, cards, strict=True):
        if cell in first:
            text = f"{NAMES[first[cell]]} and {NAMES[card]} share the cell {show_cell(cell)}"
            return refuse("two_on_a_cell", text)
        first[cell] = card
    raise AssertionError("no two cards share a cell")


def _misdeclared(move: Rearrange) -> Refusal | None:
    """Check that every declaration is of a joker, and none is made twice."""
    if not move.declared:
        return None
    at = dict(zip(move.cells, move.cards, strict=True))
    for cell, _ in move.declared:
        card = at.get(cell)
        if card is None:
            text = f"no card lies at {show_cell(cell)}, so that none can be declared there"
            return refuse("joker_declaration", text)
        if card != JOKER:
            text = f"{NAMES[card]} at {show_cell(cell)} is no joker and is never declared"
            return refuse("declared_natural", text)
    if len(dict(move.declared)) < len(move.declared):
        return refuse("joker_declaration", "a joker is declared twice")
    return None


def _miscounted(before: Table, hand: int, counts: int) -> Refusal | None:
    """Check that all old cards are still there, and that the new ones are held."""
    card = lacking(counts, before.counts)
    if card is not None:
        text = f"{NAMES[card]} was on the table and is missing: every card stays on the table"
        return refuse("card_missing", text)
    if counts == before.counts:
        return refuse("nothing_added", "no card was added: add one from your hand, or draw")
    added = counts - before.counts
    if ((hand | HIGH_BITS) - added) & HIGH_BITS != HIGH_BITS:
        card = lacking(hand, added)
        assert card is not None
        number = added >> 8 * card & 255
        held = hand >> 8 * card & 255
        text = f"{NAMES[card]} was added {number} times, and you hold {held}"
        return refuse("not_held", text)
    return None


def _bad_lines(board: bytes) -> Refusal | None:
    """Check that every line is a meld, and that every card is in one."""
    columns = columns_of(board)
    if not (LEGAL_LINES.issuperset(board.split()) and LEGAL_LINES.issuperset(columns.split())):
        return _bad_line(board, columns)
    taken = int.from_bytes(board.translate(_TAKEN), "little")
    beside = taken << _ACROSS | taken >> _ACROSS | taken << _DOWN | taken >> _DOWN
    loose = taken & ~beside
    if loose:
        place = (loose & -loose).bit_length() // 8
        name = names_of(board[place : place + 1])
        return refuse("loose_card", f"{name} at {show_cell(CELL_AT[place])} is in no meld")
    return None


def _bad_line(board: bytes, columns: bytes) -> Refusal:
    """Refuse for the first line that is no meld, rows before columns."""
    for found in _LINE.finditer(board):
        if found[0] not in MELDS:
            row, column = divmod(CELL_AT[found.start()], SIDE)
            end = column + len(found[0]) - 1
            return _line_refusal(found[0], f"row {row}, columns {column}-{end}")
    for found in _LINE.finditer(columns):
        if found[0] not in MELDS:
            column, below = divmod(found.start(), COLUMN_LENGTH)
            end = below + len(found[0]) - 2
            return _line_refusal(found[0], f"column {column}, rows {below - 1}-{end}")
    raise AssertionError("every line is a meld")


def _line_refusal(line: bytes, where: str) -> Refusal:
    code = "two_jokers" if line.count(JOKER_BYTE) > 1 else "bad_line"
    return refuse(code, f"{where} ({names_of(line)}): {fault_of(line)}")


def settled_jokers(board: bytes, move: Rearrange) -> tuple[tuple[int, int], ...]:
    """Return the cell of every joker of a table that nothing came before, with its card.

    Raises `ValueError` if the lines or the declarations of *move* leave it open.
    """
    refusal = _bad_lines(board)
    settled = refusal or _settle(EMPTY_TABLE, board, move)
    if isinstance(settled, Refusal):
        raise ValueError(f"the table cannot be: {settled.text}")
    return settled


def _settle(before: Table, board: bytes, move: Rearrange) -> tuple[tuple[int, int], ...] | Refusal:
    """Return the cell of every joker with the card it stands for."""
    stood = dict(before.jokers)
    declared = dict(move.declared)
    now = sorted(c for c, card in zip(move.cells, move.cards, strict=True) if card == JOKER)
    cards: dict[int, int] = {}
    unsettled: dict[int, int] = {}
    for cell in now:
        fitting = _fitting(board, PLACE[cell])
        found = _identity(before, board, cell, fitting, stood.get(cell), declared.get(cell))
        if isinstance(found, Refusal):
            return found
        if found is None:
            unsettled[cell] = fitting
        else:
            cards[cell] = found
    if unsettled:
        moved = [card for cell, card in before.jokers if cell not in now]
        recalled = _recall(tuple(unsettled.values()), moved)
        if recalled is None:
            return _undeclared(*next(iter(unsettled.items())))
        cards.update(zip(unsettled, recalled, strict=True))
    return tuple([(cell, cards[cell]) for cell in now])


def _fitting(board: bytes, place: int) -> int:
    """Return the cards that the joker at *place* may stand for, as a bit mask."""
    fitting = _ALL_OF
    for _, line in (row_through(board, place), column_through(board, place)):
        if len(line) > 1:
            fitting &= MELDS[line]
    return fitting


def _identity(
    before: Table, board: bytes, cell: int, fitting: int, was: int | None, said: int | None
) -> int | Refusal | None:
    """Return the card of the joker at *cell*, or `None` if that needs a look at the others."""
    if was is not None and _untouched(before.board, board, PLACE[cell]):
        if said is not None and said != was:
            text = (
                f"the joker at {show_cell(cell)} and its lines did not change, so that it "
                f"stays {NAMES[was]} and cannot be {NAMES[said]}"
            )
            return refuse("joker_sits", text)
        return was
    if not fitting:
        text = f"the joker at {show_cell(cell)} cannot be one card for both of its lines"
        return refuse("joker_two_cards", text)
    if said is not None:
        if not fitting >> said & 1:
            text = f"the joker at {show_cell(cell)} cannot be {NAMES[said]}: {_choices(fitting)}"
            return refuse("joker_declaration", text)
        return said
    if was is not None and fitting >> was & 1:
        return was
    return None if fitting & (fitting - 1) else fitting.bit_length() - 1


def _untouched(old: bytes, new: bytes, place: int) -> bool:
    """Return whether both lines through *place* are what they were."""
    return row_through(old, place) == row_through(new, place) and column_through(
        old, place
    ) == column_through(new, place)


def _recall(fitting: tuple[int, ...], moved: list[int]) -> tuple[int, ...] | None:
    """Return what undeclared jokers stay, of what those that moved were, if only one way fits.

    Jokers look alike, so that it cannot matter which of them was moved where.
    """
    ways = {
        cards
        for cards in permutations(moved, len(fitting))
        if all(mask >> card & 1 for mask, card in zip(fitting, cards, strict=True))
    }
    return ways.pop() if len(ways) == 1 else None


def _undeclared(cell: int, fitting: int) -> Refusal:
    text = f"the joker at {show_cell(cell)} must be declared: {_choices(fitting)}"
    return refuse("joker_undeclared", text)


def _choices(fitting: int) -> str:
    names = [NAMES[card] for card in range(JOKER) if fitting >> card & 1]
    return f"its lines leave {' or '.join(names)}"


def _fenced_off(
    before: Table, board: bytes, cells: tuple[int, ...], jokers: Mapping[int, int], minimum: int
) -> Refusal | None:
    """Check what holds before a seat has opened."""
    old = before.board
    for cell in before.cells:
        place = PLACE[cell]
        if board[place] != old[place]:
            name = names_of(old[place : place + 1])
            text = f"{name} at {show_cell(cell)} must stay there until you have opened"
            return refuse("moved_before_opening", text)
    total = 0
    for cell in cells:
        place = PLACE[cell]
        if old[place] != FREE:
            continue
        for beside in (place - STRIDE, place - 1, place + 1, place + STRIDE):
            if old[beside] != FREE:
                text = (
                    f"{names_of(board[place : place + 1])} at {show_cell(cell)} lies next to "
                    f"{names_of(old[beside : beside + 1])}, which was out before you opened"
                )
                return refuse("touches_before_opening", text)
        total += RANK[jokers[cell]] if board[place] == JOKER_BYTE else RANK[board[place] - 64]
    if total < minimum:
        text = f"the new cards are worth {total}: the first ones of a round take {minimum}"
        return refuse("opening_too_small", text)
    return None
