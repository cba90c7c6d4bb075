"""The neutral JSON form of Anchorline: moves, positions and what a transcript compares."""

from collections.abc import Mapping
from typing import Any

from harbourmaster_engine.anchorline.moves import (
    CARD_NAMES,
    AnchorlineMove,
    Cell,
    Place,
    ReturnCoin,
    Shift,
)
from harbourmaster_engine.anchorline.state import AnchorlineState
from harbourmaster_engine.anchorline.table import CELLS, REACH, number_in_reach
from harbourmaster_engine.anchorline.values import OWNER
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.notation import common_summary, one_key


def move_to_json(move: AnchorlineMove) -> dict[str, Any]:
    """Return *move* in the neutral form."""
    if isinstance(move, Place):
        return {"place": {"cell": list(move.cell)}}
    if isinstance(move, Shift):
        return {"move": {"from": list(move.origin), "to": list(move.target)}}
    return {"return_coin": {}}


def move_from_json(data: object) -> AnchorlineMove:
    """Return the move that *data* describes; raise `ValueError` if it describes none."""
    kind, fields = one_key(data)
    if kind == "place":
        return Place(_cell(fields.get("cell")))
    if kind == "move":
        return Shift(_cell(fields.get("from")), _cell(fields.get("to")))
    if kind == "return_coin":
        return ReturnCoin()
    raise ValueError(f"{kind!r} is not a move: there are place, move and return_coin")


def from_setup(
    setup: Mapping[str, Any], options: Mapping[str, Any], seats: int, seed: bytes
) -> AnchorlineState:
    """Return the position that *setup* fixes; what it leaves out has the notation's default."""
    state = AnchorlineState(options, Stream.for_round(seed, 1))
    left = set(CARD_NAMES[1:])
    for placed in setup.get("table", []):
        number = _number(placed["cell"])
        if number in state._table.cards:
            raise ValueError(f"two cards lie on {placed['cell']}")
        state._table.put(number, _take_card(placed["card"], left))
    state._whole = not state._table.cut_off_without(())
    for seat, names in enumerate(setup.get("stacks", [[], []])):
        state._stacks[seat].extend(_take_card(name, left) for name in names)
        state._layers[seat].extend([len(names)] if names else [])
        if any(OWNER[card] != seat for card in state._stacks[seat]):
            raise ValueError(f"the stack of seat {seat} holds a card of the other side")
    state._coin = _number(setup.get("coin", [0, 0]))
    state._scores = list(setup.get("scores", [0, 0]))
    state._to_move = setup.get("turn", 0)
    state.turns = setup.get("turns", 0)
    if state._coin not in state._table.cards:
        raise ValueError(f"no card lies on {setup['coin']}, where the coin is")
    return state


def deal(state: AnchorlineState) -> list[list[str]]:
    """Return both stacks, bottom first."""
    return [[CARD_NAMES[card] for card in stack] for stack in state._stacks]


def facts(state: AnchorlineState) -> dict[str, Any]:
    """Return the tops of the stacks."""
    return {"tops": [CARD_NAMES[stack[-1]] for stack in state._stacks]}


def summary(state: AnchorlineState) -> dict[str, Any]:
    """Return every key that a transcript's `final` may name."""
    table = [
        {"cell": list(CELLS[n]), "card": CARD_NAMES[card]}
        for n, card in sorted(state._table.cards.items())
        if card
    ]
    return common_summary(state) | {
        "rounds": 1,
        "table": table,
        "coin": list(CELLS[state._coin]),
        "stacks": deal(state),
        "stack_counts": [len(stack) for stack in state._stacks],
    }


def _cell(data: object) -> Cell:
    if not isinstance(data, list) or len(data) != 2 or not all(type(n) is int for n in data):
        raise ValueError(f"{data!r} is not a cell: it takes two whole numbers [x, y]")
    return data[0], data[1]


def _number(data: object) -> int:
    number = number_in_reach(_cell(data))
    if number is None:
        raise ValueError(f"{data!r} is too far away: it takes numbers from {-REACH} to {REACH}")
    return number


def _take_card(name: Any, left: set[str]) -> int:
    """Return the card called *name* and take it out of *left*, the names not used so far."""
    if name not in left:
        raise ValueError(f"{name!r} is not a card of Anchorline that is left: S1 to S4, G1 to G4")
    left.remove(name)
    return CARD_NAMES.index(name)
