"""Tide's rules for a submitted table once more: slow, plain, with no code of the engine."""

from collections import Counter
from itertools import pairwise, permutations
from typing import TypeAlias

from harbourmaster_engine.tide import Rearrange, TideView

Cell: TypeAlias = tuple[int, int]
Cards: TypeAlias = dict[Cell, int]
JOKER = 52


def jokers_after(view: TideView, move: Rearrange) -> dict[Cell, int] | None:
    """Return what every joker stands for after *move* of the seat to move; `None` if illegal."""
    assert view.to_move is not None
    cells = [divmod(cell, 26) for cell in move.cells]
    if len(set(cells)) < len(cells) or not all(0 <= r < 26 and 0 <= c < 26 for r, c in cells):
        return None
    new = dict(zip(cells, move.cards, strict=True))
    old = dict(zip((divmod(cell, 26) for cell in view.cells), view.cards, strict=True))
    declared = [(divmod(cell, 26), card) for cell, card in move.declared]
    if any(new.get(cell) != JOKER for cell, _ in declared):
        return None
    if len(dict(declared)) < len(declared):
        return None
    before, after = Counter(view.cards), Counter(move.cards)
    added = after - before
    if before - after or not added or added - Counter(view.hand):
        return None
    if not all(lines_through(new, cell) for cell in new):
        return None
    stood = {divmod(cell, 26): card for cell, card in view.jokers}
    jokers = settle(old, new, stood, dict(declared))
    if jokers is None or not all(
        is_meld([jokers.get(cell, new[cell]) for cell in line], [new[cell] for cell in line])
        for cell in new
        for line in lines_through(new, cell)
    ):
        return None
    if not view.opened[view.to_move] and not may_open(
        view.opening_minimum, old, new, stood, jokers
    ):
        return None
    return jokers


def may_open(
    minimum: int, old: Cards, new: Cards, stood: dict[Cell, int], jokers: dict[Cell, int]
) -> bool:
    """Return whether a seat that has not opened may do so with the cards of *new*."""
    for cell, card in old.items():
        if new.get(cell) != card or jokers.get(cell) != stood.get(cell):
            return False
    total = 0
    for row, column in new.keys() - old.keys():
        near = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        if any(cell in old for cell in near):
            return False
        total += jokers.get((row, column), new[row, column]) % 13 + 1
    return total >= minimum


def settle(
    old: Cards, new: Cards, stood: dict[Cell, int], declared: dict[Cell, int]
) -> dict[Cell, int] | None:
    """Return what the jokers of *new* stand for, or `None` if that is refused."""
    jokers: dict[Cell, int] = {}
    free: dict[Cell, set[int]] = {}
    for cell in (cell for cell, card in new.items() if card == JOKER):
        fitting = {card for card in range(52) if fits(new, cell, card)}
        said = declared.get(cell)
        if cell in stood and same_lines(old, new, cell):
            if said not in (None, stood[cell]):
                return None
            jokers[cell] = stood[cell]
        elif said is not None:
            jokers[cell] = said
        elif stood.get(cell) in fitting:
            jokers[cell] = stood[cell]
        elif len(fitting) == 1:
            jokers[cell] = fitting.pop()
        else:
            free[cell] = fitting
    moved = [card for cell, card in stood.items() if new.get(cell) != JOKER]
    ways = {
        cards
        for cards in permutations(moved, len(free))
        if all(card in fitting for card, fitting in zip(cards, free.values(), strict=True))
    }
    if len(ways) != 1:
        return None
    return jokers | dict(zip(free, ways.pop(), strict=True))


def fits(table: Cards, cell: Cell, card: int) -> bool:
    """Return whether the joker at *cell* of *table* can be *card* for all lines through it."""
    for line in lines_through(table, cell):
        cards = [card if each == cell else table[each] for each in line]
        if JOKER in cards or not is_meld(cards, cards):
            return False
    return True


def same_lines(old: Cards, new: Cards, cell: Cell) -> bool:
    """Return whether the lines through *cell* hold the same cards on the same cells."""

    def lines(table: Cards) -> list[list[tuple[Cell, int]]]:
        return [[(each, table[each]) for each in line] for line in lines_through(table, cell)]

    return lines(old) == lines(new)


def lines_through(table: Cards, cell: Cell) -> list[list[Cell]]:
    """Return the lines of two cards or more through *cell*."""
    found = []
    for down, right in ((0, 1), (1, 0)):
        row, column = cell
        while (row - down, column - right) in table:
            row, column = row - down, column - right
        line = []
        while (row, column) in table:
            line.append((row, column))
            row, column = row + down, column + right
        if len(line) > 1:
            found.append(line)
    return found


def is_meld(cards: list[int], faces: list[int]) -> bool:
    """Return whether *cards* are a run or a set; *faces* has jokers as jokers."""
    if len(cards) < 3 or faces.count(JOKER) > 1 or JOKER in cards:
        return False
    suits, ranks = [card // 13 for card in cards], [card % 13 for card in cards]
    steps = {b - a for a, b in pairwise(ranks)}
    run = len(set(suits)) == 1 and steps in ({1}, {-1})
    return run or (len(set(ranks)) == 1 and len(set(suits)) == len(cards) <= 4)
