"""What the cards placed in a turn make of the lines that they are in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from harbourmaster_engine.anchor.board import (
    ACROSS,
    ANCHOR,
    DOWN,
    WALL,
    Board,
    show_line,
    touches_anchor,
)
from harbourmaster_engine.anchor.melds import KIND, OPEN, SET
from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.game import Refusal

Line = tuple[int, int, int]
"""A line's first square, the square after its last, and the step from square to square."""

NUMBERS: Final = ("no", "one", "two", "three", "four")


@dataclass(slots=True)
class Placement:
    """Cards that may lie where a turn puts them, and what that is worth."""

    board: Board
    """The board at the end of the turn."""
    placed: Sequence[int]
    """The squares of the cards of this turn."""
    lines: list[Line]
    """Every line with a card of this turn in it."""
    points: int
    melds: int
    """How many melds were completed."""
    longest_run: int
    """The length of the longest complete run with a card of this turn in it, or 0."""


def lines_through(board: Board, placed: Sequence[int]) -> list[Line]:
    """Return every line that holds a card on one of the squares *placed*, each once."""
    lines: list[Line] = []
    for step in (ACROSS, DOWN):
        seen: list[int] = []
        for square in placed:
            first = square
            while 0 < board[first - step] < ANCHOR:
                first -= step
            if first in seen:
                continue
            seen.append(first)
            stop = square + step
            while 0 < board[stop] < ANCHOR:
                stop += step
            lines.append((first, stop, step))
    return lines


def judge(before: Board, after: Board, placed: Sequence[int], rules: Rules) -> Placement | Refusal:
    """Return what the cards on the squares *placed* are worth, or why they may not lie there."""
    lines = lines_through(after, placed)
    complete: list[tuple[Line, int]] = []
    open_lines: list[Line] = []
    for line in lines:
        first, stop, step = line
        if stop - first == step:
            if touches_anchor(after, first, stop, step):
                return _fault_at_anchor(after, line)
            continue
        kind = KIND.get(after[first:stop:step], 0)
        if kind > OPEN:
            complete.append((line, kind))
        elif touches_anchor(after, first, stop, step):
            return _fault_at_anchor(after, line)
        elif kind == OPEN:
            open_lines.append(line)
        else:
            return Refusal("bad_line", f"{show_line(after, *line)} is no meld")
    if len(open_lines) > rules.open_meld_limit:
        return _too_many_open(after, open_lines, rules.open_meld_limit)
    return _worth(before, after, placed, rules, lines, complete)


def _fault_at_anchor(board: Board, line: Line) -> Refusal:
    what = show_line(board, *line)
    return Refusal("anchor_line", f"{what} touches an anchor and is not a complete meld")


def _too_many_open(board: Board, lines: list[Line], limit: int) -> Refusal:
    shown = "; ".join(show_line(board, *line) for line in lines)
    return Refusal(
        "too_many_open", f"the turn leaves {len(lines)} open melds, the limit is {limit}: {shown}"
    )


def _worth(
    before: Board,
    after: Board,
    placed: Sequence[int],
    rules: Rules,
    lines: list[Line],
    complete: list[tuple[Line, int]],
) -> Placement:
    melds = longest = 0
    scoring: set[int] = set()
    for (first, stop, step), kind in complete:
        scoring.update(range(first, stop, step))
        melds += not _had_meld(before[first:stop:step])
        if kind > SET:
            longest = max(longest, kind)
    worth, full, loose = rules.worth, rules.meld_multiplier, rules.loose_multiplier
    points = 0
    for square in placed:
        points += worth[after[square]] * (full if square in scoring else loose)
    return Placement(after, placed, lines, points, melds, longest)


def _had_meld(line: bytes) -> bool:
    """Return whether the cards that lay on *line* before, 0 for none, had a complete meld."""
    if len(line) - line.count(0) < 3:
        return False
    return any(KIND.get(part, 0) > OPEN for part in line.split(b"\0"))


def ends(lines: Sequence[Line]) -> int:
    """Return the mask of the squares just before and after each of *lines*."""
    mask = 0
    for first, stop, step in lines:
        mask |= 1 << first - step | 1 << stop
    return mask


def is_anchor(code: int) -> bool:
    """Return whether a square that holds *code* holds an anchor."""
    return ANCHOR < code < WALL
