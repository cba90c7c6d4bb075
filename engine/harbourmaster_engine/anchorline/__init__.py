"""Anchorline: nine cards, a coin and an unbounded grid, for two players."""

from harbourmaster_engine.anchorline.description import GAME
from harbourmaster_engine.anchorline.moves import (
    AnchorlineEvent,
    AnchorlineMove,
    AnchorlineTerms,
    AnchorlineView,
    CardPlaced,
    CardShifted,
    Cell,
    CoinReturned,
    LinesScored,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from harbourmaster_engine.anchorline.state import AnchorlineState

__all__ = [
    "GAME",
    "AnchorlineEvent",
    "AnchorlineMove",
    "AnchorlineState",
    "AnchorlineTerms",
    "AnchorlineView",
    "CardPlaced",
    "CardShifted",
    "Cell",
    "CoinReturned",
    "LinesScored",
    "Place",
    "ReturnCoin",
    "Shift",
    "TopTurned",
]
