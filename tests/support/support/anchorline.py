"""Anchorline's positions as text.

A board is drawn with the highest row first. `##` is the Anchor, `.` a free cell, and a star marks
the card with the coin:

    .   G1*  .
    S1  ##   .
"""

from typing import Any

from harbourmaster_engine.anchorline import GAME, AnchorlineState, Place, Shift
from harbourmaster_engine.anchorline.moves import CARD_NAMES, Cell
from harbourmaster_engine.anchorline.text import picture
from harbourmaster_engine.game import Refusal

SEED = bytes(range(32))
FULL = (("S4", "S3", "S2", "S1"), ("G4", "G3", "G2", "G1"))
"""Both stacks before the first turn, in an order that is easy to remember: tops S1 and G1."""


def read_board(text: str) -> tuple[dict[Cell, str], Cell]:
    """Return the card on each cell but the Anchor's, and the cell of the coin."""
    rows = [line.split() for line in text.strip().splitlines()]
    found = {(x, -y): name for y, row in enumerate(rows) for x, name in enumerate(row)}
    anchor_x, anchor_y = next(cell for cell, name in found.items() if name.startswith("##"))
    table = {(x - anchor_x, y - anchor_y): name for (x, y), name in found.items() if name != "."}
    coin = next((cell for cell, name in table.items() if name.endswith("*")), (0, 0))
    return {cell: name.rstrip("*") for cell, name in table.items() if cell != (0, 0)}, coin


def board(
    text: str,
    stacks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ()),
    options: dict[str, Any] | None = None,
    **setup: Any,
) -> AnchorlineState:
    """Return the position that *text* draws, with *stacks* bottom first."""
    table, coin = read_board(text)
    placed = [{"cell": list(cell), "card": name} for cell, name in table.items()]
    fields = {"table": placed, "stacks": [list(s) for s in stacks], "coin": list(coin), **setup}
    state = GAME.notation.from_setup(fields, GAME.resolve(2, options or {}), 2, SEED)
    assert isinstance(state, AnchorlineState)
    return state


def shows(state: AnchorlineState, text: str) -> bool:
    """Say whether *state* looks like the board *text*, coin included; draw it if it does not."""
    view = state.view(0)
    table = {cell: CARD_NAMES[card] for cell, card in view.table}
    assert (table, view.coin) == read_board(text), picture(view)
    return True


def stacks_of(state: AnchorlineState) -> list[list[str]]:
    """Return both stacks, bottom first."""
    return GAME.notation.deal(state)


def places(state: AnchorlineState) -> set[Cell]:
    """Return the cells on which a card may be placed."""
    return {move.cell for move in state.legal_moves().moves if isinstance(move, Place)}


def shifts(state: AnchorlineState) -> set[tuple[Cell, Cell]]:
    """Return the moves of cards on the table that are legal."""
    moves = state.legal_moves().moves
    return {(move.origin, move.target) for move in moves if isinstance(move, Shift)}


def code(state: AnchorlineState, move: object) -> str:
    """Return the code with which *move* is refused, or an empty text."""
    refusal: Refusal | None = state.check(move)
    return refusal.code if refusal else ""
