"""Positions of Anchor as text, and moves as short commands.

A line of a position is cards from a cell to the right (`.` is an empty cell, brackets make an
anchor), a hand, the pile (bottom first) or the discards (oldest first):

    7,7: [AS] 5H 6H . 8H
    0: 7H 9C
    1: 2C
    pile: 3C 4D
    discards: 2H

Without a cell the ace of spades stands in the centre as an anchor. A group is a cell, a direction
and the cards from there, `7,8 > 5H 6H` to the right and `7,8 v 5H 6H` down.
"""

from typing import Any

from harbourmaster_engine.anchor import (
    GAME,
    AnchorMove,
    AnchorPlay,
    AnchorState,
    Cycle,
    Exchange,
    Group,
    Pass,
    Pick,
    Play,
)
from harbourmaster_engine.anchor.notation import from_setup
from harbourmaster_engine.cards import card_names, parse_card


def position(
    text: str,
    *,
    options: dict[str, Any] | None = None,
    seed: bytes = bytes(32),
    seats: int = 2,
    **setup: Any,
) -> AnchorState:
    """Return the position that *text* draws."""
    board: list[dict[str, Any]] = []
    hands: list[list[str]] = [[] for _ in range(seats)]
    for line in text.strip().splitlines():
        name, cards = (part.strip() for part in line.split(":"))
        if "," in name:
            board += _row(name, cards.split())
        elif name.isdigit():
            hands[int(name)] = cards.split()
        else:
            setup[name] = cards.split()
    if board:
        setup["board"] = board
    resolved = GAME.resolve(seats, options or {})
    return from_setup({"hands": hands, **setup}, resolved, seats, seed)


def start(
    seats: int, options: dict[str, Any] | None = None, seed: bytes = bytes(32)
) -> AnchorState:
    """Return a match that has just been dealt."""
    return AnchorState.deal(GAME.resolve(seats, options or {}), seats, seed)


def _row(cell: str, names: list[str]) -> list[dict[str, Any]]:
    row, column = map(int, cell.split(","))
    return [
        {"cell": [row, column + i], "card": name.strip("[]"), "anchor": name.startswith("[")}
        for i, name in enumerate(names)
        if name != "."
    ]


def group(text: str) -> Group:
    """Return the group that *text* describes."""
    cell, direction, *names = text.split()
    row, column = map(int, cell.split(","))
    down = direction == "v"
    cells = [(row + i, column) if down else (row, column + i) for i in range(len(names))]
    return Group(tuple(cells), tuple(parse_card(name) for name in names))


def move(text: str) -> AnchorMove:
    """Return the move that *text* describes, such as `play 7,8 > 5H 6H + 8,8 v 5C`."""
    kind, _, rest = text.partition(" ")
    if kind == "play":
        return Play(tuple(group(each) for each in rest.split("+")))
    if kind == "anchor":
        placed = group(rest)
        return AnchorPlay(placed.cells, placed.cards)
    if kind == "pick":
        take, discard = rest.split(" for ")
        return Pick(cards(take), cards(discard))
    if kind == "cycle":
        return Cycle(cards(rest))
    return Exchange(cards(rest)) if kind == "exchange" else Pass()


def cards(text: str) -> tuple[int, ...]:
    """Return the cards that *text* names."""
    return tuple(parse_card(name) for name in text.split())


def do(state: AnchorState, *commands: str) -> None:
    """Make the moves that *commands* describe."""
    for command in commands:
        state.apply(move(command))


def code(state: AnchorState, command: str) -> str:
    """Return the code with which *command* is refused, or an empty word if it is legal."""
    refusal = state.check(move(command))
    return "" if refusal is None else refusal.code


def text(state: AnchorState, command: str) -> str:
    """Return the sentence with which *command* is refused."""
    refusal = state.check(move(command))
    assert refusal is not None, f"{command} is legal"
    return refusal.text


def hand(state: AnchorState, seat: int) -> str:
    """Return the cards of *seat* as text, in the order of their numbers."""
    return " ".join(card_names(state.view(seat).hand))


def market(state: AnchorState) -> str:
    """Return the market as text, the oldest first."""
    return " ".join(card_names(state.view(0).market))
