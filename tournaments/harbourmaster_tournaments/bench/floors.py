"""What the engine has to reach: the project's own floors for a single process."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

LISTED_STEP: Final = "random step with list and view"
BARE_STEP: Final = "step and view, no list"
FULL_BOARD: Final = "check of a play, full board"
FULL_TABLE: Final = "check of a table of 104 cards"
CLONE: Final = "clone"
VIEW: Final = "view"
WORST_CHECK: Final = "worst check"
WORST_LIST: Final = "worst legal_moves"

PER_SECOND: Final = "/s"
MICROS: Final = "µs"

EVERY_GAME: Final[Mapping[str, float]] = MappingProxyType(
    {CLONE: 3, VIEW: 10, WORST_CHECK: 5_000, WORST_LIST: 5_000}
)
"""Microseconds that no game may exceed."""

OF_A_GAME: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "anchor": {LISTED_STEP: 5_000, BARE_STEP: 25_000, FULL_BOARD: 60},
        "claim": {LISTED_STEP: 50_000},
        "tide": {LISTED_STEP: 3_000, BARE_STEP: 10_000, FULL_TABLE: 100, VIEW: 40},
        "wild_rummy": {LISTED_STEP: 50_000},
        "anchorline": {LISTED_STEP: 100_000},
    }
)
"""Steps a second that a game has to reach, and microseconds that it may not exceed."""


def floor_of(game: str, what: str) -> float | None:
    """Return the floor of *what* in *game*, or `None` if there is none."""
    return OF_A_GAME.get(game, {}).get(what, EVERY_GAME.get(what))
