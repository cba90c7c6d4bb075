"""The neutral JSON form of Anchor: moves, positions and what a transcript compares."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harbourmaster_engine.anchor.board import ANCHOR, CENTRE, SQUARE_OF
from harbourmaster_engine.anchor.moves import (
    AnchorMove,
    AnchorPlay,
    Cell,
    Cycle,
    Exchange,
    Group,
    Pass,
    Pick,
    Play,
)
from harbourmaster_engine.anchor.state import AnchorState
from harbourmaster_engine.cards import NAMES, Card, card_names, parse_card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.notation import common_summary, one_key

MOST: Final = 225
"""No list of a move is read beyond this."""


def move_to_json(move: AnchorMove) -> dict[str, Any]:
    """Return *move* in the neutral form."""
    match move:
        case Play(groups):
            return {"play": [_placed(group.cells, group.cards) for group in groups]}
        case AnchorPlay(cells, cards):
            return {"anchor_play": _placed(cells, cards)}
        case Cycle(discard):
            return {"cycle": {"discard": card_names(discard)}}
        case Pick(take, discard):
            return {"pick": {"take": card_names(take), "discard": card_names(discard)}}
        case Exchange(aces):
            return {"exchange": {"aces": card_names(aces)}}
    return {"pass": {}}


def move_from_json(data: object) -> AnchorMove:
    """Return the move that *data* describes; raise `ValueError` if it describes none."""
    if isinstance(data, dict) and len(data) == 1 and isinstance(data.get("play"), list):
        groups = data["play"]
        if len(groups) > MOST:
            raise ValueError("the move has too many groups")
        return Play(tuple([_group(group) for group in groups]))
    kind, fields = one_key(data)
    if kind == "anchor_play":
        group = _group(fields)
        return AnchorPlay(group.cells, group.cards)
    if kind == "cycle":
        return Cycle(_cards(fields, "discard"))
    if kind == "pick":
        return Pick(_cards(fields, "take"), _cards(fields, "discard"))
    if kind == "exchange":
        return Exchange(_cards(fields, "aces"))
    if kind == "pass":
        return Pass()
    kinds = "play, anchor_play, cycle, pick, exchange and pass"
    raise ValueError(f"{kind[:40]!r} is not a move: there are {kinds}")


def from_setup(
    setup: Mapping[str, Any], options: Mapping[str, Any], seats: int, seed: bytes
) -> AnchorState:
    """Return the position that *setup* fixes; what it leaves out has the notation's default."""
    state = AnchorState(options, seats, Stream.for_round(seed, 1))
    centre = [{"cell": [7, 7], "card": "AS", "anchor": True}]
    cards: dict[int, Card] = {}
    anchors = []
    for placed in setup.get("board", centre):
        square = SQUARE_OF.get(_cell(placed["cell"]))
        if square is None or square in cards:
            raise ValueError(f"{placed['cell']} is no cell of the board, or named twice")
        cards[square] = parse_card(placed["card"])
        if placed.get("anchor"):
            anchors.append(square)
    state._table.lay(cards, anchors)
    hands = setup.get("hands", [[] for _ in range(seats)])
    if len(hands) != seats:
        raise ValueError(f"there are {len(hands)} hands for {seats} seats")
    state._hands = [[parse_card(name) for name in hand] for hand in hands]
    state._stock.pile = [parse_card(name) for name in setup.get("pile", [])]
    state._stock.discards = [parse_card(name) for name in setup.get("discards", [])]
    _set_course(state, setup, seats)
    state.begin()
    return state


def _set_course(state: AnchorState, setup: Mapping[str, Any], seats: int) -> None:
    zeros = [0] * seats
    state._scores = list(setup.get("scores", zeros))
    state._melds = list(setup.get("completed_melds", zeros))
    state._longest = list(setup.get("longest_run", zeros))
    state._to_move = setup.get("turn", 0)
    for back in range(1, min(setup.get("passes", 0), seats) + 1):
        state._passed |= 1 << (state._to_move - back) % seats
    state._idle = setup.get("no_play", 0)
    state._played = setup.get("round_play", False)


def deal(state: AnchorState) -> list[list[str]]:
    """Return the hands."""
    return [sorted(card_names(hand)) for hand in state._hands]


def facts(state: AnchorState) -> dict[str, Any]:
    """Return the first anchor and the number of cards in the pile."""
    return {
        "first_anchor": NAMES[state._table.board[CENTRE] - ANCHOR - 1],
        "pile": len(state._stock.pile),
    }


def summary(state: AnchorState) -> dict[str, Any]:
    """Return every key that a transcript's `final` may name."""
    return common_summary(state) | {
        "rounds": 1,
        "hands": deal(state),
        "completed_melds": list(state._melds),
        "longest_run": list(state._longest),
        "pile_count": len(state._stock.pile),
        "market": card_names(state._stock.market),
    }


def _placed(cells: Iterable[Cell], cards: Iterable[Card]) -> dict[str, Any]:
    return {"cells": [list(cell) for cell in cells], "cards": card_names(cards)}


def _group(data: object) -> Group:
    if not isinstance(data, dict):
        raise ValueError("a group is an object with cells and cards")
    cells = data.get("cells")
    if not isinstance(cells, list) or len(cells) > MOST:
        raise ValueError("a group has a list of cells")
    return Group(tuple([_cell(cell) for cell in cells]), _cards(data, "cards"))


def _cards(fields: Mapping[str, Any], name: str) -> tuple[Card, ...]:
    cards = fields.get(name)
    if not isinstance(cards, list) or len(cards) > MOST:
        raise ValueError(f"the move has no list of cards called {name}")
    return tuple([parse_card(card) for card in cards])


def _cell(data: object) -> Cell:
    if not isinstance(data, list) or len(data) != 2 or not all(type(n) is int for n in data):
        raise ValueError("a cell is two whole numbers [row, column]")
    return data[0], data[1]
