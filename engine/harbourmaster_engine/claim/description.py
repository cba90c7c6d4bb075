"""Claim: its description and its options."""

from typing import Final

from harbourmaster_engine.claim import notation, text
from harbourmaster_engine.claim.moves import CODES
from harbourmaster_engine.claim.state import ClaimState
from harbourmaster_engine.game import Game, Option, whole_number

OPTIONS: Final = (
    Option("hand_size", "the cards that a seat draws up to", 5, whole_number(1, 54)),
    Option(
        "idle_turns",
        "the match ends after this many turns in a row without a card played or replaced",
        10,
        whole_number(1, 10_000),
        decided_here=True,
    ),
    Option(
        "max_actions",
        "the actions in one turn; the one that reaches it also ends the turn",
        200,
        whole_number(1, 10_000),
        decided_here=True,
    ),
)


GAME: Final = Game(
    id="claim",
    name="Claim",
    rules_version=1,
    min_seats=2,
    max_seats=4,
    options=OPTIONS,
    reasons=("empty_hand", "idle"),
    codes=CODES,
    new=ClaimState.deal,
    notation=notation,
    text=text,
)
