"""Positions of Wild Rummy as text, and moves as short commands.

A position has one pile, meld or hand a line, in any order; a star marks a seat that has melded:

    wild: 5
    stock: 2C 3C
    discards: 9D
    meld: 4C 5D 6C
    0*: 7C 8D
    1: 2D
"""

from collections.abc import Sequence
from typing import Any

from harbourmaster_engine.cards import card_names, parse_card
from harbourmaster_engine.wild_rummy import (
    GAME,
    AddCard,
    BuyWild,
    Discard,
    Draw,
    End,
    LayMeld,
    Source,
    WildRummyEvent,
    WildRummyMove,
    WildRummyState,
)
from harbourmaster_engine.wild_rummy.melds import cards_of


def position(
    text: str, *, options: dict[str, Any] | None = None, seed: bytes = bytes(32), **setup: Any
) -> WildRummyState:
    """Return the position that *text* draws, wild 5s and the phase `play` unless it says so."""
    given: dict[str, Any] = {"phase": "play", "round": 5, "stock": ["2C", "3C"], "melds": []}
    hands: list[list[str]] = []
    melded: list[bool] = []
    for line in text.strip().splitlines():
        key, _, cards = line.strip().partition(":")
        if key == "wild":
            given["round"] = int(cards)
        elif key == "meld":
            given["melds"].append(cards.split())
        elif key.rstrip("*").isdigit():
            hands.append(cards.split())
            melded.append(key.endswith("*"))
        else:
            given[key] = cards.split()
    seats = len(hands)
    given |= {"hands": hands, "melded": melded} | setup
    state = GAME.notation.from_setup(given, GAME.resolve(seats, options or {}), seats, seed)
    assert isinstance(state, WildRummyState)
    return state


def start(
    seats: int, options: dict[str, Any] | None = None, seed: bytes = bytes(32)
) -> WildRummyState:
    """Return a match that has just been dealt."""
    state = GAME.start(seed, seats, options)
    assert isinstance(state, WildRummyState)
    return state


def move(command: str) -> WildRummyMove:
    """Return the move of *command*: `draw stock`, `meld 3H 4H 5H`, `add 6H 1 high`,
    `buy 4C 1[0]` or `discard 9D`."""
    kind, *words = command.split()
    if kind == "draw":
        return Draw(Source(words[0]))
    if kind == "meld":
        return LayMeld(tuple(parse_card(word) for word in words))
    card = parse_card(words[0])
    if kind == "add":
        return AddCard(int(words[1]), card, End(words[2]) if words[2:] else None)
    if kind == "buy":
        number, _, index = words[1].partition("[")
        return BuyWild(int(number), int(index.rstrip("]")), card)
    assert kind == "discard"
    return Discard(card)


def do(state: WildRummyState, *commands: str) -> list[WildRummyEvent]:
    """Make every move of *commands* and return what happened."""
    return [event for command in commands for event in state.apply(move(command))]


def refused(state: WildRummyState, command: str) -> str:
    """Return the code with which *command* is refused; the state must stay as it was."""
    before = state.fingerprint()
    refusal = state.check(move(command))
    assert refusal is not None, f"{command} is legal"
    assert refusal.code in GAME.codes
    assert state.fingerprint() == before
    return refusal.code


def legal(state: WildRummyState, command: str) -> bool:
    """Tell whether *command* is legal."""
    return state.check(move(command)) is None


def names(cards: Sequence[int]) -> str:
    """Return *cards* as text."""
    return " ".join(card_names(cards))


def discard_top(state: WildRummyState) -> str:
    """Return the top of the discard pile, or `-`."""
    top = state.view(0).discard_top
    return "-" if top is None else names([top])


def hand(state: WildRummyState, seat: int) -> str:
    """Return the hand of *seat*."""
    return names(cards_of(state._hands[seat]))


def melds(state: WildRummyState) -> list[str]:
    """Return the cards of every meld on the table."""
    return [names(meld.cards) for meld in state.view(0).melds]


def stands_for(state: WildRummyState, number: int) -> str:
    """Return the card that each place of meld *number* stands for, `*` for a wild in a set."""
    places = state.view(0).melds[number - 1].stands_for
    return " ".join("*" if card is None else names([card]) for card in places)
