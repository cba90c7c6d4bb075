"""Claim: a shared table of rising groups, whose cards the seats own, for two to four players."""

from harbourmaster_engine.claim.description import GAME
from harbourmaster_engine.claim.moves import (
    CardPlayed,
    CardReplaced,
    ClaimEvent,
    ClaimMove,
    ClaimView,
    EndTurn,
    Item,
    ItemsMerged,
    Merge,
    Play,
    Replace,
    Side,
    TurnEnded,
)
from harbourmaster_engine.claim.state import ClaimState

__all__ = [
    "GAME",
    "CardPlayed",
    "CardReplaced",
    "ClaimEvent",
    "ClaimMove",
    "ClaimState",
    "ClaimView",
    "EndTurn",
    "Item",
    "ItemsMerged",
    "Merge",
    "Play",
    "Replace",
    "Side",
    "TurnEnded",
]
