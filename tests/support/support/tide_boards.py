"""Positions of Tide as text, and rearrangements as what they change.

A picture has a line for each row and a word for each cell; a dot is a free cell. A joker is `JK`,
or, with the card it stands for, `JK=5D`. The first word of the first row lies at the given cell.
"""

from collections.abc import Sequence
from typing import Any

from harbourmaster_engine.cards import JOKER, NAMES, parse_card
from harbourmaster_engine.game import Refusal
from harbourmaster_engine.tide import GAME, Rearrange, TideEvent, TideState
from harbourmaster_engine.tide.moves import SIDE

PILE = "2C 2D 2H 9S KC"
RUN = "3S 4S 5S"
"""A table that many tests begin with; it lies at (5, 5)."""


def placed(picture: str, row: int = 5, column: int = 5) -> list[dict[str, Any]]:
    """Return the cards of *picture* as the neutral notation lists them."""
    found = []
    lines = [line.split() for line in picture.splitlines() if line.strip()]
    for down, words in enumerate(lines):
        for right, word in enumerate(words):
            if word != ".":
                card, _, stands_for = word.partition("=")
                item = {"cell": [row + down, column + right], "card": card}
                found.append(item | {"as": stands_for} if stands_for else item)
    return found


def position(
    picture: str = "",
    *,
    hands: Sequence[str] = ("6S", "KS"),
    pile: str = PILE,
    options: dict[str, Any] | None = None,
    **setup: Any,
) -> TideState:
    """Return the position with *picture* at (5, 5), in which all seats have opened."""
    seats = len(hands)
    given = {
        "table": placed(picture),
        "hands": [hand.split() for hand in hands],
        "pile": pile.split(),
        "opened": [True] * seats,
    }
    state = GAME.notation.from_setup(
        given | setup, GAME.resolve(seats, options or {}), seats, bytes(32)
    )
    assert isinstance(state, TideState)
    return state


def table_of(*pictures: str | tuple[int, int, str]) -> Rearrange:
    """Return the move whose table has these pictures: at (5, 5), or at a row and column."""
    items = []
    for each in pictures:
        items += placed(each) if isinstance(each, str) else placed(each[2], each[0], each[1])
    move = GAME.notation.move_from_json({"rearrange": items})
    assert isinstance(move, Rearrange)
    return move


def lay(state: TideState, *pictures: str | tuple[int, int, str]) -> tuple[TideEvent, ...]:
    """Submit these pictures as the whole table."""
    return state.apply(table_of(*pictures))


def refusal_of(state: TideState, move: object) -> Refusal:
    """Return the refusal of *move*, which must be illegal and change nothing."""
    before = state.fingerprint()
    refusal = state.check(move)
    assert refusal is not None, "the move is legal"
    assert state.fingerprint() == before
    return refusal


def code_of(state: TideState, *pictures: str | tuple[int, int, str]) -> str | None:
    """Return the code with which this table is refused, or `None` if it is legal."""
    move = table_of(*pictures)
    return None if state.check(move) is None else refusal_of(state, move).code


def shown(state: TideState) -> dict[tuple[int, int], str]:
    """Return the table of *state*: by row and column each card, a joker as `JK=5D`."""
    view = state.view(0)
    stands_for = dict(view.jokers)
    return {
        divmod(cell, SIDE): f"JK={NAMES[stands_for[cell]]}" if card == JOKER else NAMES[card]
        for cell, card in zip(view.cells, view.cards, strict=True)
    }


def hand(state: TideState, seat: int) -> str:
    """Return the hand of *seat* as text, in the order of the cards' numbers."""
    return " ".join(NAMES[card] for card in state.view(seat).hand)


def cards(text: str) -> tuple[int, ...]:
    """Return the cards that *text* names."""
    return tuple(map(parse_card, text.split()))
