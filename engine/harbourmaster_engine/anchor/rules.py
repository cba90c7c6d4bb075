"""The options of one match of Anchor, in the form in which its states use them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from harbourmaster_engine.cards import RANK_NAMES


@dataclass(frozen=True, slots=True)
class Rules:
    """Resolved options."""

    target_score: int
    open_meld_limit: int
    card_values: tuple[int, ...]
    """The value of each rank, ace first."""
    meld_multiplier: int
    loose_multiplier: int
    aces_meld: bool
    no_play_rounds: int
    worth: tuple[int, ...]
    """The value of each card by its number plus 1; a joker's is 0."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return the rules for resolved *options*."""
        values = tuple(options["card_values"][name] for name in RANK_NAMES)
        return cls(
            options["target_score"],
            options["open_meld_limit"],
            values,
            options["meld_multiplier"],
            options["loose_multiplier"],
            options["aces_meld"],
            options["no_play_rounds"],
            (0, *values * 4, 0),
        )
