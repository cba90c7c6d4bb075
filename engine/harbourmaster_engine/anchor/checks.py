"""Whether a move is legal, kind by kind; every check answers any object whatever.

The checks see the position as the few values that matter, so that it is plain what each depends on.
Sizes are looked at before anything else, so that no move takes long to refuse.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from harbourmaster_engine.anchor.board import (
    ACROSS,
    ANCHOR,
    CELL_AT,
    DOWN,
    SQUARE_OF,
    Board,
    show_square,
)
from harbourmaster_engine.anchor.lines import Line, Placement, judge
from harbourmaster_engine.anchor.melds import KIND, OPEN, SET
from harbourmaster_engine.anchor.moves import MARKET_SIZE, MAX_SWAP, SIDE, Cell, Group
from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.cards import JOKER, NAMES, RANK, Card
from harbourmaster_engine.game import Refusal

MAX_GROUPS: Final = 2


def check_cards(cards: object, what: str, most: int) -> Refusal | None:
    """Check that *cards* is a tuple of one to *most* cards."""
    if type(cards) is not tuple:
        return Refusal("malformed", f"{what}: the cards are not a tuple")
    if not 0 < len(cards) <= most:
        return Refusal("count", f"{what} takes 1 to {most} cards, not {len(cards)}")
    for card in cards:
        if type(card) is not int or not 0 <= card <= JOKER:
            return Refusal("malformed", f"{what}: a card is a number from 0 to {JOKER}")
    return None


def check_held(cards: Sequence[Card], hand: Sequence[Card]) -> Refusal | None:
    """Check that *hand* holds *cards*, each as often as it is named."""
    for card in cards:
        if cards.count(card) > hand.count(card):
            held = "one" if hand.count(card) else "no"
            return Refusal("not_held", f"you hold {held} {NAMES[card]}, the move names more")
    return None


def check_cells(cells: object, what: str) -> Refusal | None:
    """Check that *cells* is a tuple of different cells on the board."""
    if type(cells) is not tuple or len(cells) > SIDE:
        return Refusal("malformed", f"{what}: the cells are not a tuple of up to {SIDE}")
    for cell in cells:
        if type(cell) is not tuple or len(cell) != 2:
            return Refusal("malformed", f"{what}: a cell is a pair of a row and a column")
        row, column = cell
        if type(row) is not int or type(column) is not int:
            return Refusal("malformed", f"{what}: a row and a column are whole numbers")
        if not (0 <= row < SIDE and 0 <= column < SIDE):
            return Refusal("off_board", f"{what}: {_show_any(cell)} is not on the board")
    return None


def _show_any(cell: Cell) -> str:
    row, column = (str(n) if -1000 < n < 1000 else "far off" for n in cell)
    return f"row {row}, column {column}"


def check_straight(board: Board | bytearray, cells: Sequence[Cell], what: str) -> Refusal | int:
    """Return the step of the line of consecutive empty *cells*, or why they are none."""
    squares = sorted([SQUARE_OF[cell] for cell in cells])
    first, last = squares[0], squares[-1]
    step = ACROSS if first // DOWN == last // DOWN else DOWN
    for before, square in pairwise(squares):
        if before == square:
            return Refusal("cell_twice", f"{what}: {show_square(square)} is named twice")
        if (square - first) % step:
            return Refusal("not_one_line", f"{what}: the cells are not in one row or column")
    for square in squares:
        if board[square]:
            shown = NAMES[board[square] % ANCHOR - 1]
            return Refusal("occupied", f"{what}: {shown} lies on {show_square(square)}")
    if last - first != (len(squares) - 1) * step:
        gap = next(n for n in range(first, last, step) if n not in squares)
        return Refusal("gap", f"{what}: the group leaves out {show_square(gap)}")
    return step


def plan_play(
    board: Board, hand: Sequence[Card], groups: object, rules: Rules
) -> Placement | Refusal:
    """Return what a play of *groups* does, or why it is illegal."""
    refusal = _check_groups(groups, hand, rules)
    if refusal is not None:
        return refusal
    return _plan_groups(board, groups, rules)  # type: ignore[arg-type] # Checked just above.


def _plan_groups(board: Board, groups: Sequence[Group], rules: Rules) -> Placement | Refusal:
    after = bytearray(board)
    placed: list[int] = []
    for number, group in enumerate(groups, 1):
        what = f"group {number}"
        straight = check_straight(after, group.cells, what)
        if type(straight) is Refusal:
            return straight
        squares = [SQUARE_OF[cell] for cell in group.cells]
        for n in squares:
            if _taken(after[n - 1]) or _taken(after[n + 1]):
                break
            if _taken(after[n - DOWN]) or _taken(after[n + DOWN]):
                break
        else:
            text = f"{what} at {show_square(squares[0])} is not next to a card on the board"
            return Refusal("not_connected", text)
        for square, card in zip(squares, group.cards, strict=True):
            after[square] = card + 1
        placed += squares
    return judge(board, bytes(after), placed, rules)


def _taken(code: int) -> bool:
    return 0 < code < 128


def _check_groups(groups: object, hand: Sequence[Card], rules: Rules) -> Refusal | None:
    if type(groups) is not tuple:
        return Refusal("malformed", "the groups of a play are not a tuple")
    if not 0 < len(groups) <= MAX_GROUPS:
        return Refusal("group_count", f"a play has one or two groups, not {len(groups)}")
    cards: list[Card] = []
    for number, group in enumerate(groups, 1):
        what = f"group {number}"
        if type(group) is not Group:
            return Refusal("malformed", f"{what} is not a group")
        if type(group.cards) is tuple and not group.cards:
            return Refusal("empty_group", f"{what} has no cards")
        refusal = check_cards(group.cards, what, SIDE) or check_cells(group.cells, what)
        if refusal is not None:
            return refusal
        if len(group.cells) != len(group.cards):
            text = f"{what} has {len(group.cards)} cards for {len(group.cells)} cells"
            return Refusal("malformed", text)
        cards.extend(group.cards)
    if refusal := check_held(cards, hand):
        return refusal
    if not rules.aces_meld and any(RANK[card] == 1 for card in cards):
        return Refusal("ace_in_play", "natural aces are only for anchor plays in this match")
    return None


def plan_anchor_play(
    board: Board, hand: Sequence[Card], cells: object, cards: object, rules: Rules
) -> Placement | Refusal:
    """Return what an anchor play does, or why it is illegal."""
    what = "the anchor play"
    if type(cards) is tuple and len(cards) not in (4, 5):
        return Refusal("count", f"an anchor play takes four or five cards, not {len(cards)}")
    refusal = check_cards(cards, what, 5) or check_cells(cells, what)
    if refusal is not None:
        return refusal
    return _plan_anchor(board, hand, cells, cards, rules)  # type: ignore[arg-type]


def _plan_anchor(
    board: Board,
    hand: Sequence[Card],
    cells: Sequence[Cell],
    cards: Sequence[Card],
    rules: Rules,
) -> Placement | Refusal:
    what = "the anchor play"
    if len(cells) != len(cards):
        return Refusal("malformed", f"{what} has {len(cards)} cards for {len(cells)} cells")
    if refusal := check_held(cards, hand):
        return refusal
    aces = [i for i, card in enumerate(cards) if RANK[card] == 1]
    if len(aces) != 1:
        return Refusal("anchor_ace", f"{what} has {len(aces)} natural aces; it takes exactly one")
    step = check_straight(board, cells, what)
    if type(step) is Refusal:
        return step
    squares = [SQUARE_OF[cell] for cell in cells]
    ace = squares[aces[0]]
    if ace not in (min(squares), max(squares)):
        return Refusal("anchor_ace", f"the ace at {show_square(ace)} is not on an end cell")
    for square in squares:
        for near in (square - 1, square + 1, square - DOWN, square + DOWN):
            if _taken(board[near]):
                text = f"{show_square(square)} is next to the card at {show_square(near)}"
                return Refusal("touches", text)
    return _start_island(board, squares, cards, ace, step, rules)  # type: ignore[arg-type]


def _start_island(
    board: Board,
    squares: Sequence[int],
    cards: Sequence[Card],
    ace: int,
    step: int,
    rules: Rules,
) -> Placement | Refusal:
    after = bytearray(board)
    for square, card in zip(squares, cards, strict=True):
        after[square] = card + 1
    after[ace] += ANCHOR
    meld = sorted([square for square in squares if square != ace])
    line: Line = (meld[0], meld[-1] + step, step)
    kind = KIND.get(bytes(after[line[0] : line[1] : step]), 0)
    if kind <= OPEN:
        shown = " ".join(NAMES[after[square] - 1] for square in meld)
        return Refusal("anchor_meld", f"{shown} is not a complete meld")
    worth = rules.worth
    points = rules.meld_multiplier * sum([worth[after[square]] for square in meld])
    crossing = [(n, n + 1, 1) if step == DOWN else (n, n + DOWN, DOWN) for n in squares]
    beyond = (min(squares), max(squares) + step, step)
    lines = [line, beyond, *crossing]
    return Placement(bytes(after), squares, lines, points, 1, kind if kind > SET else 0)


def check_cycle(
    hand: Sequence[Card], discard: Any, pile_count: int, discard_count: int
) -> Refusal | None:
    """Check a cycle of the cards *discard*."""
    refusal = check_cards(discard, "a cycle", MAX_SWAP) or check_held(discard, hand)
    if refusal is not None:
        return refusal
    number = len(discard)
    can_give = drawable(pile_count, discard_count + number)
    if can_give < number:
        text = f"the draw pile could give {can_give} cards, not {number}"
        return Refusal("pile_short", text)
    return None


def drawable(pile_count: int, discard_count: int) -> int:
    """Return how many cards can be drawn, those of a rebuilt pile included."""
    return pile_count + max(0, discard_count - MARKET_SIZE)


def check_pick(
    hand: Sequence[Card], market: Sequence[Card], take: Any, discard: Any
) -> Refusal | None:
    """Check a pick of the cards *take* for the cards *discard*."""
    refusal = check_cards(take, "a pick", MAX_SWAP) or check_cards(discard, "a pick", MAX_SWAP)
    if refusal is not None:
        return refusal
    if len(take) != len(discard):
        text = f"a pick discards as many cards as it takes, not {len(discard)} for {len(take)}"
        return Refusal("count", text)
    for card in take:
        if take.count(card) > market.count(card):
            text = f"the move takes more {NAMES[card]} than there are in the market"
            return Refusal("not_in_market", text)
    return check_held(discard, hand)


def check_exchange(hand: Sequence[Card], aces: Any, pile_count: int) -> Refusal | None:
    """Check an exchange of *aces*."""
    refusal = check_cards(aces, "an exchange", MAX_SWAP)
    if refusal is not None:
        return refusal
    for card in aces:
        if RANK[card] != 1:
            return Refusal("not_an_ace", f"{NAMES[card]} is not a natural ace")
    if refusal := check_held(aces, hand):
        return refusal
    if not pile_count:
        return Refusal("pile_empty", "the draw pile is empty: the same cards would come back")
    return None


def cells_of(squares: Sequence[int]) -> tuple[Cell, ...]:
    """Return the cells of *squares*."""
    return tuple([CELL_AT[square] for square in squares])
