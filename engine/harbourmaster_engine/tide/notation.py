"""The neutral JSON form of Tide: moves, positions and what a transcript compares."""

from collections.abc import Mapping, Sequence
from typing import Any

from harbourmaster_engine.cards import JOKER, card_names, parse_card
from harbourmaster_engine.notation import common_summary, one_key
from harbourmaster_engine.tide.judge import settled_jokers
from harbourmaster_engine.tide.moves import (
    SIDE,
    Draw,
    Pass,
    Rearrange,
    TideMove,
    cell_at,
)
from harbourmaster_engine.tide.state import TideState
from harbourmaster_engine.tide.table import Table, count, lay


def move_to_json(move: TideMove) -> dict[str, Any]:
    """Return *move* in the neutral form."""
    if isinstance(move, Draw):
        return {"draw": {}}
    if isinstance(move, Pass):
        return {"pass": {}}
    return {"rearrange": _placed_to_json(move.cells, move.cards, dict(move.declared))}


def move_from_json(data: object) -> TideMove:
    """Return the move that *data* describes; raise `ValueError` if it describes none."""
    if isinstance(data, dict) and len(data) == 1 and "rearrange" in data:
        return _rearrange(data["rearrange"])
    kind, _ = one_key(data)
    if kind == "draw":
        return Draw()
    if kind == "pass":
        return Pass()
    raise ValueError(f"{kind!r} is not a move: there are rearrange, draw and pass")


def from_setup(
    setup: Mapping[str, Any], options: Mapping[str, Any], seats: int, seed: bytes
) -> TideState:
    """Return the position that *setup* fixes; what it leaves out has the notation's default."""
    state = TideState(options, seats, seed)
    state._round = setup.get("round", 1)
    state._start_stream()
    state._table = _table(setup.get("table", []))
    for seat, names in enumerate(setup.get("hands", [])):
        state._hands[seat] = tuple(sorted(map(parse_card, names)))
    state._pile = tuple(map(parse_card, setup.get("pile", [])))
    state._pile_count = len(state._pile)
    state._scores = list(setup.get("scores", [0] * seats))
    state._opened = sum(1 << seat for seat, opened in enumerate(setup.get("opened", [])) if opened)
    state._to_move = setup.get("turn", (state._round - 1) % seats)
    for back in range(1, setup.get("passes", 0) + 1):
        state._passed |= 1 << (state._to_move - back) % seats
    return state


def deal(state: TideState) -> list[list[str]]:
    """Return the hands, each sorted by the text of its cards."""
    return [sorted(card_names(hand)) for hand in state._hands]


def facts(state: TideState) -> dict[str, Any]:
    """Return the number of cards in the pile."""
    return {"pile": state._pile_count}


def summary(state: TideState) -> dict[str, Any]:
    """Return every key that a transcript's `final` may name."""
    return common_summary(state) | {
        "rounds": state._round,
        "hands": deal(state),
        "opened": [bool(state._opened >> seat & 1) for seat in range(state.seats)],
        "pile_count": state._pile_count,
        "round": state._round,
        "round_log": [
            {"how": how, "winners": list(winners), "scores": list(scores)}
            for how, winners, scores in state._log
        ],
        "table": _placed_to_json(state._table.cells, state._table.cards, dict(state._table.jokers)),
    }


def _placed_to_json(
    cells: Sequence[int], cards: Sequence[int], stands_for: Mapping[int, int]
) -> list[dict[str, Any]]:
    placed: list[dict[str, Any]] = []
    for cell, name in zip(cells, card_names(cards), strict=True):
        placed.append({"cell": list(divmod(cell, SIDE)), "card": name})
        if cell in stands_for:
            placed[-1]["as"] = card_names([stands_for[cell]])[0]
    return placed


def _rearrange(placed: object) -> Rearrange:
    """Return the table that the list *placed* describes."""
    if not isinstance(placed, list) or not all(isinstance(item, dict) for item in placed):
        raise ValueError("rearrange takes a list of objects with cell, card and perhaps as")
    cells, cards = [], []
    declared = []
    for item in placed:
        cells.append(_cell(item.get("cell")))
        cards.append(parse_card(item.get("card")))
        if "as" in item:
            declared.append((cells[-1], parse_card(item["as"])))
    return Rearrange(tuple(cells), tuple(cards), tuple(declared))


def _cell(data: object) -> int:
    if not isinstance(data, list) or len(data) != 2 or not all(type(n) is int for n in data):
        raise ValueError(f"{data!r} is not a cell: it takes two whole numbers [row, column]")
    row, column = data
    if not (0 <= row < SIDE and 0 <= column < SIDE):
        raise ValueError(f"{data!r} is not on the table: rows and columns run from 0 to {SIDE - 1}")
    return cell_at(row, column)


def _table(placed: object) -> Table:
    move = _rearrange(placed)
    board = lay(move.cells, move.cards)
    jokers = settled_jokers(board, move) if JOKER in move.cards else ()
    return Table(board, move.cells, count(move.cards), jokers)
