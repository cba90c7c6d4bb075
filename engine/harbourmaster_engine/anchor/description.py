"""Anchor: its description and its options."""

from collections.abc import Mapping
from typing import Any, Final

from harbourmaster_engine.anchor import notation, text
from harbourmaster_engine.anchor.moves import CODES
from harbourmaster_engine.anchor.state import AnchorState
from harbourmaster_engine.cards import RANK_NAMES
from harbourmaster_engine.game import Game, Option, true_or_false, whole_number

CARD_VALUES: Final[Mapping[str, int]] = {name: rank for rank, name in enumerate(RANK_NAMES, 1)}
MOST_WORTH: Final = 1000


def parse_card_values(value: Any) -> dict[str, int]:
    """Return *value*, which names ranks, with the default of every rank that it leaves out."""
    if not isinstance(value, Mapping) or not all(name in RANK_NAMES for name in value):
        raise ValueError(f"it takes values by rank: {' '.join(RANK_NAMES)}")
    parse = whole_number(0, MOST_WORTH)
    return {name: parse(value.get(name, CARD_VALUES[name])) for name in RANK_NAMES}


def default_target(seats: int, before: Mapping[str, Any]) -> int:
    """Return the target score for a number of *seats*."""
    if seats == 2:
        return 200
    return 150 if seats <= 4 else 100


def default_open_melds(seats: int, before: Mapping[str, Any]) -> int:
    """Return the limit of open melds for a number of *seats*."""
    return 2 if seats <= 3 else 1


OPTIONS: Final = (
    Option(
        "target_score",
        "the score that ends the match once its round of the table is finished",
        default_target,
        whole_number(1, 1_000_000),
        decided_here=True,
    ),
    Option(
        "open_meld_limit",
        "how many open melds a turn may leave",
        default_open_melds,
        whole_number(0, 14),
        decided_here=True,
    ),
    Option(
        "card_values",
        "the value of each rank",
        dict(CARD_VALUES),
        parse_card_values,
        decided_here=True,
    ),
    Option(
        "meld_multiplier",
        "what a card in a complete meld scores, times its value",
        2,
        whole_number(0, 100),
    ),
    Option(
        "loose_multiplier",
        "what any other card scores, times its value",
        0,
        whole_number(0, 100),
        decided_here=True,
    ),
    Option(
        "aces_meld",
        "whether a natural ace may also be played as an ordinary card of rank 1",
        True,
        true_or_false,
        decided_here=True,
    ),
    Option(
        "no_play_rounds",
        "the match ends after so many rounds of the table in a row without a card for the board",
        5,
        whole_number(1, 1000),
        decided_here=True,
    ),
)

GAME: Final = Game(
    id="anchor",
    name="Anchor",
    rules_version=1,
    min_seats=2,
    max_seats=6,
    options=OPTIONS,
    reasons=("target", "all_passed", "no_play"),
    codes=CODES,
    new=AnchorState.deal,
    notation=notation,
    text=text,
)
