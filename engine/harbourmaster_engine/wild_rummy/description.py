"""Wild Rummy: its description and its options."""

from typing import Final

from harbourmaster_engine.game import Game, Option, true_or_false, whole_number
from harbourmaster_engine.wild_rummy import notation, text
from harbourmaster_engine.wild_rummy.moves import CODES
from harbourmaster_engine.wild_rummy.state import WildRummyState

OPTIONS: Final = (
    Option("rounds", "how many rounds, from wild aces on", 13, whole_number(1, 13)),
    Option(
        "return_taken_discard",
        "whether the card taken from the discard pile may be discarded in the same turn",
        False,
        true_or_false,
        decided_here=True,
    ),
    Option(
        "max_turns_per_round",
        "after this many turns the round is a wash: nobody scores",
        200,
        whole_number(1, 10_000),
        decided_here=True,
    ),
)

GAME: Final = Game(
    id="wild_rummy",
    name="Wild Rummy",
    rules_version=1,
    min_seats=2,
    max_seats=4,
    options=OPTIONS,
    reasons=("rounds",),
    codes=CODES,
    new=WildRummyState.deal,
    notation=notation,
    text=text,
)
