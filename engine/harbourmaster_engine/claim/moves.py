"""What can be done, seen and told in Claim: moves, the view, events and refusal codes.

An item is what lies on the table by itself: a single (one card, which is nobody's) or a group (two
to thirteen cards, each of which belongs to a seat). Items have ids from 1, given once and never
used again. Cards are numbered as in `harbourmaster_engine.cards`.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from harbourmaster_engine.cards import Card

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "over": "the match is over",
        "malformed": "this is not a move of Claim",
        "not_held": "the seat does not hold the card",
        "no_such_item": "no item on the table has that id",
        "group_full": "the group would have more than thirteen cards",
        "not_a_sequence": "the ranks would not rise by one from left to right",
        "same_item": "an item cannot be merged with itself",
        "not_a_group": "the item is a single, and a single is never replaced",
        "no_such_place": "the group has no card at that index",
        "joker_replaces_nothing": "a joker cannot replace a card",
        "joker_without_rank": "in a group of jokers only no joker has a rank, nor can be replaced",
        "wrong_rank": "the card does not have the rank that stands there",
        "not_worth_more": "the card would not be worth more there than the one it replaces",
    }
)


class Side(enum.StrEnum):
    """An end of an item."""

    LEFT = "left"
    """Where the ranks are lowest."""
    RIGHT = "right"
    """Where the ranks are highest."""


@dataclass(frozen=True, slots=True)
class Play:
    """Puts a hand card on the table: as a new single, or to an end of an item."""

    card: Card
    item: int | None = None
    """The id of the item that is added to; `None` for a new single."""
    side: Side | None = None
    """The end that the card goes to; `None` for a new single."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Puts two items together; the new group has the id of the left one."""

    left: int
    right: int


@dataclass(frozen=True, slots=True)
class Replace:
    """Puts a hand card in the place of a card in a group, which goes to the hand."""

    group: int
    index: int
    """The place in the group, from 0, left to right."""
    card: Card


@dataclass(frozen=True, slots=True)
class EndTurn:
    """Ends the turn: the seat draws up to its full hand, and the next one begins."""


ClaimMove: TypeAlias = Play | Merge | Replace | EndTurn


class Item(NamedTuple):
    """A single or a group on the table."""

    id: int
    cards: tuple[Card, ...]
    """From left to right."""
    owners: tuple[int, ...]
    """The seat that each card belongs to; empty for a single, which is nobody's."""


@dataclass(slots=True)
class ClaimView:
    """What a seat may see; a spectator sees the same but for a hand. Tuples are by seat."""

    hand: tuple[Card, ...]
    """The own cards in hand, sorted; empty for a spectator."""
    items: tuple[Item, ...]
    """What lies on the table, by id."""
    known_cards: tuple[tuple[Card, ...], ...]
    """The cards in each hand that everybody has seen go there, by a replacement; of a seat that
    forfeited those that it took out of play."""
    hand_counts: tuple[int, ...]
    deck_counts: tuple[int, ...]
    worths: tuple[int, ...]
    """The worth of all cards that each seat owns."""
    jokers: tuple[int, ...]
    """The number of jokers that each seat owns."""
    scores: tuple[int, ...]
    to_move: int | None
    turns: int
    """The number of finished turns."""
    idle: int
    """The number of turns in a row, up to now, in which no card was played or replaced."""
    actions: int
    """The number of actions in this turn so far."""
    acted: bool
    """Whether a card was played or replaced in this turn."""
    aside_count: int
    """The number of cards that were set aside, unseen, at the deal."""
    forfeited: tuple[int, ...]
    """The seats that forfeited, the earliest first."""
    next_item: int
    """The id that the next new single will have."""
    hand_size: int
    idle_turns: int
    max_actions: int


@dataclass(frozen=True, slots=True)
class CardPlayed:
    """A card went from a hand onto the table."""

    seat: int
    card: Card
    item: int
    """The id of the new single, or of the item that was added to."""
    side: Side | None
    """The end that the card was added to; `None` if it is a new single."""


@dataclass(frozen=True, slots=True)
class ItemsMerged:
    """Two items became one group, with the id of the left one."""

    seat: int
    left: int
    right: int


@dataclass(frozen=True, slots=True)
class CardReplaced:
    """A card in a group was replaced and went to the hand of *seat*."""

    seat: int
    group: int
    index: int
    card: Card
    """The card that lies there now."""
    old: Card
    """The card that went to the hand."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """A seat ended its turn and drew from its own deck."""

    seat: int
    drawn: int
    """The number of cards that it drew."""


ClaimEvent: TypeAlias = CardPlayed | ItemsMerged | CardReplaced | TurnEnded
