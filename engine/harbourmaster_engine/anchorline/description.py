"""Anchorline: its description and its options."""

from collections.abc import Sequence
from typing import Any, Final

from harbourmaster_engine.anchorline import notation, text
from harbourmaster_engine.anchorline.moves import CODES, DIRECTIONS
from harbourmaster_engine.anchorline.state import AnchorlineState
from harbourmaster_engine.game import Game, Option, true_or_false, whole_number


def parse_arrows(value: Any) -> list[str]:
    """Return *value* if it is a list of different directions; raise `ValueError` otherwise."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError(f"it takes a list of directions out of {' '.join(DIRECTIONS)}")
    unknown = [name for name in value if not isinstance(name, str) or name not in DIRECTIONS]
    if unknown or len(set(value)) < len(value):
        raise ValueError(f"it takes different directions out of {' '.join(DIRECTIONS)}")
    return list(value)


def parse_card_arrows(value: Any) -> list[list[str]]:
    """Return *value* if it is four lists of directions; raise `ValueError` otherwise."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 4:
        raise ValueError("it takes four lists of directions, one for each card of a side")
    return [parse_arrows(arrows) for arrows in value]


OPTIONS: Final = (
    Option(
        "anchor_arrows",
        "the directions of the Anchor's arrows",
        [*DIRECTIONS],
        parse_arrows,
        decided_here=True,
    ),
    Option(
        "card_arrows",
        "the arrows of cards 1 to 4, the same for both sides",
        [
            ["N", "E", "S", "W"],
            ["NE", "SE", "SW", "NW"],
            ["W", "NW", "N", "NE", "E"],
            ["E", "SE", "S", "SW", "W"],
        ],
        parse_card_arrows,
        decided_here=True,
    ),
    Option(
        "arrows_bind_moves",
        "whether the arrow rule holds for moving a card too, not only for placing one",
        True,
        true_or_false,
        decided_here=True,
    ),
    Option("target_score", "the score that wins", 5, whole_number(1, 1000)),
    Option(
        "max_turns",
        "after this many turns the higher score wins, or it is a draw",
        200,
        whole_number(1, 10_000),
        decided_here=True,
    ),
)


GAME: Final = Game(
    id="anchorline",
    name="Anchorline",
    rules_version=1,
    min_seats=2,
    max_seats=2,
    options=OPTIONS,
    reasons=("target", "five", "max_turns"),
    codes=CODES,
    new=AnchorlineState.deal,
    notation=notation,
    text=text,
)
