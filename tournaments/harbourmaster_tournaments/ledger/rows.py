"""What the ledger holds, as values."""

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from harbourmaster_tournaments.schedules.planned import PlannedGame, deal_of_attempt

STALE = "stale attempt"
"""The void cause of a result whose rotation group was begun again before it came."""
CAUSED_VOID = "caused_void"
"""What `forfeits` says, in a void game, of the seat whose own side made it void."""


CORRECTABLE = ("placements", "scores", "forfeits", "reason", "played")
"""The fields of a result that a ruling can correct."""


@dataclass(frozen=True, slots=True)
class GameRow:
    """One finished game, written once. What differs by seat is in seat order."""

    number: int
    """The planned game's number, from 1."""
    stage: str
    """The planned game's stage."""
    group: str
    """The rotation group."""
    seating: int
    """Which rotation of the group's first seating was played, from 0."""
    attempt: int
    """The how many-th time this game was played, from 1."""
    deal: int
    """The index of the deal that was played."""
    match_id: str
    """The match that played it; also names it in logs."""
    pool: str
    """Game, rules version, options and number of seats: what ratings may be fitted over."""
    entrants: tuple[str, ...]
    placements: tuple[int, ...]
    """1 for the best; ties share the better place."""
    scores: tuple[int, ...]
    """The game's own scores."""
    reason: str
    """Why the game ended."""
    forfeits: tuple[str | None, ...]
    """Per seat the reason of its forfeit, or `None`.

    In a void game it is `CAUSED_VOID` for the seat whose own side made it void.
    """
    played: bool = True
    """False for a walkover: it scores, but says nothing about strength."""
    void_cause: str | None = None
    """Why the game does not count and is to be played again, or `None`."""
    think: str = ""
    """Think time as compact JSON, one `[total, count, [[bucket, count], ...]]` per seat, in
    microseconds; empty where it was not measured."""
    game_hash: str = ""
    """The hash of the neutral transcript, in hexadecimal."""
    record: str = ""
    """The name of the match record's file."""
    started: int = 0
    """When the match began, in microseconds since 1970 UTC."""
    finished: int = 0
    """When it ended, likewise."""

    def __post_init__(self) -> None:
        seats = len(self.entrants)
        if not len(self.placements) == len(self.scores) == len(self.forfeits) == seats:
            raise ValueError(
                f"game {self.number}: placements, scores and forfeits need one entry for each of "
                f"its {seats} seats"
            )


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in the tournament."""

    name: str
    owner: str | None = None
    """Whose bot it is, where that matters."""
    definition: Mapping[str, Any] = field(default_factory=dict)
    """What makes it this bot (command, hash, version), as JSON; a change of it is noticed."""
    joined: int = 0
    """How many games had been issued when it joined: 0 for those who were there from the start."""


class RulingKind(enum.StrEnum):
    """What an organiser can decide after the fact."""

    VOID = "void"
    """The game's rotation group does not count and is played again on a fresh deal."""
    CORRECT = "correct"
    """The game's result is another one."""
    DISQUALIFY = "disqualify"
    """None of the entrant's games count, and it plays no more."""
    WITHDRAW = "withdraw"
    """The entrant's finished games count, and it plays no more."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision of an organiser: of what kind, about what, by whom, when and why."""

    kind: RulingKind
    who: str
    why: str
    number: int | None = None
    """The game ruled on (void, correct)."""
    attempt: int | None = None
    """The attempt at it that was ruled on."""
    group: str | None = None
    """The game's rotation group."""
    entrant: str | None = None
    """The entrant ruled on (disqualify, withdraw)."""
    change: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the corrected result: `placements`, `scores`, `forfeits`, `reason`."""
    issued: int = 0
    """How many games had been issued at the time."""
    at: int = 0
    """When, in microseconds since 1970 UTC."""


@dataclass(frozen=True, slots=True)
class ToPlay:
    """A planned game that is still to be played, and which attempt at it this is."""

    game: PlannedGame
    attempt: int = 1

    @property
    def deal(self) -> int:
        """Return the index of the deal to play: a fresh one for every attempt."""
        return deal_of_attempt(self.game.deal, self.attempt)


class Receipt(enum.Enum):
    """What became of a result that was handed in."""

    NEW = "new"
    """It was written down."""
    STALE = "stale"
    """Its group has been begun again meanwhile: it was written down as void."""
    DOUBLE = "double"
    """The same result was there already: nothing happened."""
    CONFLICT = "conflict"
    """Another result of this attempt was there already, and stays: nothing happened."""
