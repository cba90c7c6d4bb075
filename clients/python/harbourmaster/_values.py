"""What a bot is given and what it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from google.protobuf.message import Message

from harbourmaster.v1 import match_pb2


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """A match, as one of its seats knows it from the start."""

    id: str
    """Names the match; it tells nothing of the deal."""
    game: str
    """The game's id, such as `anchorline`."""
    rules_version: int
    """The version of the game's rules that decides the match."""
    options: Any
    """The game's options, every one of them set: `AnchorlineOptions` and so on."""
    seat: int
    """The bot's seat, from 0."""
    players: tuple[str, ...]
    """The names of the bots, by seat."""
    terms: match_pb2.MatchTerms = field(repr=False)
    """What the match is played under: clock and fault policy."""
    deal_commitment: bytes = field(repr=False)
    """SHA-256(match id, salt, seed), which fixes the deal before the first move."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the previous answer to a decision was refused."""

    text: str
    """A sentence that names the card, cell or line at fault."""
    code: str
    """The game's code for it in lower case, such as `no_arrow`; empty if there is none."""
    tries_left: int
    """How many more tries the decision has, this one included."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """One question to the bot. The view holds all that the seat may know: no memory is needed."""

    match: Match
    """The match that it belongs to."""
    number: int
    """Counts the decisions of the match, of all seats, from 1."""
    attempt: int
    """Counts the tries of this decision, from 1."""
    seat: int
    """The seat that decides: the bot's own."""
    view: Any
    """What the seat may see: `AnchorlineView` and so on."""
    events: tuple[Any, ...] = field(repr=False)
    """What happened since the last decision of this seat: `AnchorlineEvent` and so on, or
    `SeatForfeited`. Over all decisions of a match no event is missing and none comes twice."""
    offered: tuple[Any, ...] = field(repr=False)
    """Legal moves to choose from, `AnchorlineMove` and so on, in an order that tells nothing."""
    offered_complete: bool
    """Whether these are all legal moves; otherwise they are a sample."""
    time_left: float | None
    """The seconds left when the referee asked, grace not counted; `None` without a limit."""
    refusal: Refusal | None = None
    """Why the previous attempt was refused; `None` on the first."""


@dataclass(frozen=True, slots=True)
class Resign:
    """Gives up the match, as an answer."""


resign: Final = Resign()
"""Gives up the match, as an answer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer with a word for the record, which nobody is shown before the end."""

    answer: int | Message | Resign
    """An index into the offered moves, a move, or `resign`."""
    note: str = ""
    """The word; the referee cuts it at its limit, 200 characters by default."""


Answer: TypeAlias = int | Message | Resign | Reply
"""An index into the offered moves, a typed move such as `AnchorlineMove`, `resign`, or a `Reply`
around one of them."""

Choose: TypeAlias = Callable[[Decision], Answer]
"""A bot: a function that answers a decision."""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """How a match ended for one of its seats."""

    match: Match
    """The match."""
    placement: int
    """1 for the best; ties share the better number. 0 if the match is void."""
    score: int
    """The score by the game's rules."""
    reason: str
    """Why it was over for the seat, in lower case: `rules`, `timeout`, `illegal_move`…"""
    text: str
    """A plain sentence that tells how it ended."""
    void: bool
    """Whether the referee itself failed, so that the match counts for nobody."""
    outcome: match_pb2.MatchOutcome = field(repr=False)
    """The results of all seats."""
    clock: match_pb2.ClockStatistics = field(repr=False)
    """How the seat used its time."""
    record_hash: bytes = field(repr=False)
    """SHA-256 over the end of the record."""
    game_hash: bytes = field(repr=False)
    """What two plays of the same game share; empty while the deal is sealed."""
    seed: bytes | None = field(repr=False)
    """What the match was dealt from; `None` while the deal is sealed."""
    salt: bytes | None = field(repr=False)
    """The salt of the commitment; `None` while the deal is sealed."""
