"""Tide: its description and its options."""

from collections.abc import Mapping
from typing import Any, Final

from harbourmaster_engine.game import Game, Option, one_of, whole_number
from harbourmaster_engine.tide import notation, text
from harbourmaster_engine.tide.moves import (
    CLASSIC,
    CODES,
    EMPTY_HAND,
    FORMATS,
    MELD_SCORE,
    MOST_CARDS,
)
from harbourmaster_engine.tide.state import TideState

ROUNDS: Final = {EMPTY_HAND: 1, CLASSIC: 5, MELD_SCORE: 10}
"""The default of `max_rounds` for each format."""


def default_rounds(_seats: int, options: Mapping[str, Any]) -> int:
    """Return the default of `max_rounds`, which depends on the format."""
    return ROUNDS[options["format"]]


def check_together(seats: int, options: Mapping[str, Any]) -> None:
    """Raise `ValueError` if *options*, each good by itself, do not fit each other or *seats*."""
    if options["hand_size"] * seats > MOST_CARDS:
        raise ValueError(
            f"tide: option hand_size is {options['hand_size']}: {seats} seats can be dealt at "
            f"most {MOST_CARDS // seats} cards each"
        )
    if options["format"] == EMPTY_HAND and options["max_rounds"] != 1:
        raise ValueError(
            f"tide: option max_rounds is {options['max_rounds']}: a match of {EMPTY_HAND} is "
            "always 1 round"
        )


OPTIONS: Final = (
    Option("format", "how a match is won", CLASSIC, one_of(*FORMATS)),
    Option(
        "hand_size",
        "how many cards each seat is dealt; times the seats at most 106",
        14,
        whole_number(1, MOST_CARDS // 2),
        decided_here=True,
    ),
    Option(
        "opening_minimum",
        "what the first cards that a seat lays in a round must be worth",
        30,
        whole_number(0, 1000),
    ),
    Option(
        "target_score",
        "the score that ends a match of Classic or Meld Score",
        200,
        whole_number(1, 100_000),
        decided_here=True,
    ),
    Option(
        "max_rounds",
        "after this many rounds the match ends: Classic 5, Meld Score 10, Empty Hand always 1",
        default_rounds,
        whole_number(1, 100),
        decided_here=True,
    ),
)


GAME: Final = Game(
    id="tide",
    name="Tide",
    rules_version=1,
    min_seats=2,
    max_seats=6,
    options=OPTIONS,
    reasons=("one_round", "target", "max_rounds"),
    codes=CODES,
    new=TideState.deal,
    notation=notation,
    text=text,
    check_together=check_together,
)
