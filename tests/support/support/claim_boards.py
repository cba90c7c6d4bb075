"""Positions of Claim as text, and moves as short commands.

A board has one item a line: its id, then its cards from left to right, each card of a group with
its owner behind a slash:

    1: 5S/1 6S/0 7C/1
    2: 10D
"""

from collections.abc import Sequence
from textwrap import dedent
from typing import Any

from harbourmaster_engine.cards import card_name, parse_card
from harbourmaster_engine.claim import (
    GAME,
    ClaimEvent,
    ClaimMove,
    ClaimState,
    EndTurn,
    Merge,
    Play,
    Replace,
    Side,
)


def board(
    table: str = "",
    *,
    hands: Sequence[str] = ("2C", "2D"),
    decks: Sequence[str] = (),
    options: dict[str, int] | None = None,
    **setup: Any,
) -> ClaimState:
    """Return the position with this table, hands and decks (bottom first) by seat."""
    seats = len(hands)
    given = {
        "items": [_item(line) for line in dedent(table).strip().splitlines()],
        "hands": [hand.split() for hand in hands],
        "decks": [deck.split() for deck in decks or [""] * seats],
    }
    state = GAME.notation.from_setup(
        given | setup, GAME.resolve(seats, options or {}), seats, bytes(32)
    )
    assert isinstance(state, ClaimState)
    return state


def table(state: ClaimState) -> str:
    """Return the table of *state* as text."""
    lines = []
    for item in state.view(0).items:
        owners = [f"/{owner}" for owner in item.owners] or [""]
        cards = [card_name(card) + owner for card, owner in zip(item.cards, owners, strict=True)]
        lines.append(f"{item.id}: {' '.join(cards)}")
    return "\n".join(lines)


def rows(text: str) -> str:
    """Return a table written in a test as `table` writes it."""
    return dedent(text).strip()


def hand(state: ClaimState, seat: int) -> str:
    """Return the hand of *seat* as text."""
    return " ".join(card_name(card) for card in state.view(seat).hand)


def move(command: str) -> ClaimMove:
    """Return the move for `play 5S`, `play 5S left 3`, `merge 1 2`, `replace 3 0 5S` or `end`."""
    match command.split():
        case ["play", card]:
            return Play(parse_card(card))
        case ["play", card, side, item]:
            return Play(parse_card(card), int(item), Side(side))
        case ["merge", left, right]:
            return Merge(int(left), int(right))
        case ["replace", group, index, card]:
            return Replace(int(group), int(index), parse_card(card))
        case ["end"]:
            return EndTurn()
    raise AssertionError(command)


def do(state: ClaimState, *commands: str) -> tuple[ClaimEvent, ...]:
    """Make the moves of *commands* and return the events of the last one."""
    events: tuple[ClaimEvent, ...] = ()
    for command in commands:
        events = state.apply(move(command))
    return events


def refused(state: ClaimState, command: str) -> str:
    """Return the code with which *state* refuses *command*, which changes nothing."""
    before = state.fingerprint()
    refusal = state.check(move(command))
    assert refusal is not None, f"{command} is legal"
    assert state.fingerprint() == before
    return refusal.code


def legal(state: ClaimState, command: str) -> bool:
    """Return whether *command* is legal, by `check` and by the list of moves alike."""
    wanted = move(command)
    fine = state.check(wanted) is None
    assert fine == (wanted in state.legal_moves().moves)
    return fine


def _item(line: str) -> dict[str, Any]:
    number, cards = line.split(":")
    pairs = [card.split("/") for card in cards.split()]
    owners = [int(pair[1]) if len(pair) > 1 else None for pair in pairs]
    return {"id": int(number), "cards": [pair[0] for pair in pairs], "owners": owners}
