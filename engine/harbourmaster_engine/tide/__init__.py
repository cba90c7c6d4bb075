"""Tide: rummy on a table of 26 by 26 cells where everything may be moved, for 2 to 6 players."""

from harbourmaster_engine.tide.description import GAME
from harbourmaster_engine.tide.moves import (
    BLOCKED,
    FORMATS,
    WENT_OUT,
    CardDrawn,
    Draw,
    Pass,
    Passed,
    Rearrange,
    RoundBegan,
    RoundEnded,
    TableRearranged,
    TideEvent,
    TideMove,
    TideView,
)
from harbourmaster_engine.tide.state import TideState

__all__ = [
    "BLOCKED",
    "FORMATS",
    "GAME",
    "WENT_OUT",
    "CardDrawn",
    "Draw",
    "Pass",
    "Passed",
    "Rearrange",
    "RoundBegan",
    "RoundEnded",
    "TableRearranged",
    "TideEvent",
    "TideMove",
    "TideState",
    "TideView",
]
