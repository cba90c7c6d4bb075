"""The matches that the contract tests play: every registered game, with seats and options."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import AnyState, Game
from harbourmaster_engine.registry import games

VARIANTS: Final[Mapping[str, tuple[Mapping[str, Any], ...]]] = {
    "anchor": (
        {"target_score": 40, "aces_meld": False, "loose_multiplier": 1, "no_play_rounds": 2},
        {"target_score": 60, "open_meld_limit": 3, "meld_multiplier": 5},
    ),
    "claim": (
        {"hand_size": 3, "idle_turns": 3, "max_actions": 2},
        {"hand_size": 8, "idle_turns": 20},
    ),
    "tide": (
        {"format": "EMPTY_HAND"},
        {"format": "MELD_SCORE"},
        {"hand_size": 6, "opening_minimum": 5, "target_score": 60, "max_rounds": 2},
        {"format": "MELD_SCORE", "hand_size": 8, "opening_minimum": 0, "target_score": 90},
    ),
    "wild_rummy": (
        {"rounds": 3, "return_taken_discard": True},
        {"rounds": 2, "max_turns_per_round": 9},
    ),
    "anchorline": (
        {"arrows_bind_moves": False, "target_score": 1000, "max_turns": 150},
        {"anchor_arrows": ["N", "E", "SW"], "card_arrows": [["N"], ["NE", "S"], ["W"], ["E", "N"]]},
        {"anchor_arrows": [], "max_turns": 7},
    ),
}
"""Options worth matches of their own beside the defaults; a game may have none."""


@dataclass(frozen=True, eq=False)
class Case:
    """A game with a number of seats and the options that differ from the defaults."""

    game: Game
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        named = [f"{name}={_short(value)}" for name, value in self.options.items()]
        return "-".join([self.game.id, str(self.seats), *named])

    def seed(self, number: int) -> bytes:
        """Return the seed of the match with this *number*."""
        return number.to_bytes(32, "big")

    def start(self, number: int = 0) -> AnyState:
        """Deal the match with this *number*."""
        return self.game.start(self.seed(number), self.seats, self.options)

    def rng(self, purpose: str) -> Stream:
        """Return a stream for the choices of a test, which differs with the *purpose*."""
        return Stream(sha256(f"{self}/{purpose}".encode()).digest())


def _short(value: Any) -> str:
    if isinstance(value, list):
        return "+".join(_short(each) for each in value) or "none"
    return str(value)


def cases_of(game: Game) -> Iterator[Case]:
    """Yield the defaults with every number of seats, and variants with few and many in turn."""
    for seats in range(game.min_seats, game.max_seats + 1):
        yield Case(game, seats)
    for number, options in enumerate(VARIANTS.get(game.id, ())):
        yield Case(game, game.max_seats if number % 2 else game.min_seats, options)


@cache
def all_cases() -> tuple[Case, ...]:
    """Return the cases of every registered game."""
    return tuple(case for game in games().values() for case in cases_of(game))
