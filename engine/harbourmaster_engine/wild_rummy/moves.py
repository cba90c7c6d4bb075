"""What can be done, seen and told in Wild Rummy: moves, the view, events and refusal codes.

Cards are numbers from 0 to 51 (see `harbourmaster_engine.cards`). Melds are numbered from 1 in the
order in which they were laid down in a round; places inside a meld count from 0.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from harbourmaster_engine.cards import Card

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "over": "the match is over",
        "malformed": "this is not a move of Wild Rummy",
        "opening_discard_only": "the dealer opens the round with a discard, and nothing else",
        "draw_first": "a turn begins with a draw",
        "already_drawn": "a turn has one draw",
        "nothing_to_draw": "the pile to draw from is empty",
        "not_held": "the seat does not hold that card, or not as often as it is named",
        "taken_discard": "the card taken from the discard pile is not discarded in the same turn",
        "too_short": "a meld has three cards at least",
        "too_long": "a set has four cards at most, a run thirteen",
        "not_a_meld": "the cards are neither a set nor a run from low to high",
        "too_many_wilds": "a meld never holds more wilds than naturals",
        "round_the_corner": "a run ends at an ace: it never goes round the corner",
        "not_melded": "adding and buying come after a meld of the seat's own in this round",
        "no_such_meld": "no meld on the table has that number",
        "set_full": "a set of four takes no further card",
        "run_full": "a run of thirteen takes no further card",
        "does_not_fit": "the card does not belong to that meld at that end",
        "no_such_place": "the meld has no place with that number",
        "not_a_wild": "the card in that place is natural, and not for sale",
        "not_that_card": "the wild does not stand for that card",
    }
)


class Source(enum.StrEnum):
    """Where a card is drawn from."""

    STOCK = "stock"
    DISCARD = "discard"


class End(enum.StrEnum):
    """An end of a run."""

    LOW = "low"
    HIGH = "high"


class Phase(enum.StrEnum):
    """What the seat to move may do."""

    OPEN = "open"
    """The dealer opens the round with a discard."""
    DRAW = "draw"
    """The turn begins with a draw."""
    PLAY = "play"
    """It has drawn: it melds, adds and buys as it likes, then discards."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Draws the top card of the stock or of the discard pile."""

    source: Source


@dataclass(frozen=True, slots=True)
class LayMeld:
    """Lays down a set, or a run from low to high; the order settles what a wild stands for."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class AddCard:
    """Adds a hand card to a meld on the table."""

    meld: int
    """The number of the meld."""
    card: Card
    end: End | None = None
    """The end of a run; `None` for a set."""


@dataclass(frozen=True, slots=True)
class BuyWild:
    """Puts a hand card in the place of a wild that stands for it, and takes the wild."""

    meld: int
    """The number of the meld."""
    index: int
    """The place of the wild, from 0."""
    card: Card


@dataclass(frozen=True, slots=True)
class Discard:
    """Discards a hand card, which ends the turn."""

    card: Card


WildRummyMove: TypeAlias = Draw | LayMeld | AddCard | BuyWild | Discard


@dataclass(slots=True)
class Meld:
    """A meld on the table, which nothing changes: an addition or a purchase makes another one.

    Sets of cards are bit masks here: card `c` is `1 << c`.
    """

    cards: tuple[Card, ...]
    """The cards in their order; a run from low to high."""
    stands_for: tuple[Card | None, ...]
    """The card that each place stands for, or `None` for a wild in a set."""
    run: bool
    """Whether it is a run; otherwise it is a set."""
    wilds: int
    """How many of its cards are wild."""
    low: int
    """The cards that a run takes at its low end."""
    high: int
    """The cards that a run takes at its high end."""
    takes: int
    """The cards that it takes at all."""
    sells_for: int
    """The cards that buy one of its wilds."""


@dataclass(slots=True)
class WildRummyView:
    """What a seat may see; a spectator sees the same without a hand."""

    round: int
    """The round, from 1."""
    wild_rank: int
    """The wild rank: 1 for aces to 13 for kings."""
    dealer: int
    phase: Phase
    to_move: int | None
    hand: tuple[Card, ...]
    """The own cards, ascending."""
    hand_counts: tuple[int, ...]
    """The number of cards of each seat."""
    stock_count: int
    discard_top: Card | None
    """The top of the discard pile, or `None` when it is empty."""
    discards_below: int
    """The number of discards below the top one."""
    melds: tuple[Meld, ...]
    """The melds on the table; the first one has number 1."""
    melded: tuple[bool, ...]
    """Whether each seat has laid down a meld of its own in this round."""
    taken: Card | None
    """The card taken from the discard pile in this turn that has not left the hand since."""
    scores: tuple[int, ...]
    turns: int
    """The number of finished turns of the match."""
    round_turns: int
    """The number of finished turns of this round."""
    round_winners: tuple[int | None, ...]
    """Who won each finished round, or `None` for a wash."""
    forfeited: tuple[bool, ...]
    """Whether each seat is out of the match."""
    rounds: int
    return_taken_discard: bool
    max_turns_per_round: int


@dataclass(frozen=True, slots=True)
class StockDrawn:
    """A seat drew the top card of the stock, which only it has seen."""

    seat: int


@dataclass(frozen=True, slots=True)
class DiscardTaken:
    """A seat took the top card of the discard pile."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class MeldLaid:
    """A seat laid down a meld."""

    seat: int
    meld: int
    """The number of the new meld."""
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class CardAdded:
    """A seat added a card to a meld."""

    seat: int
    meld: int
    card: Card
    end: End | None


@dataclass(frozen=True, slots=True)
class WildBought:
    """A seat put a card in the place of a wild, and took the wild."""

    seat: int
    meld: int
    index: int
    card: Card
    wild: Card


@dataclass(frozen=True, slots=True)
class CardDiscarded:
    """A seat discarded a card; unless that ended the round, the turn passes to the left."""

    seat: int
    card: Card


@dataclass(frozen=True, slots=True)
class StockRenewed:
    """All discards but the top one were shuffled into a new stock."""

    count: int
    """The number of cards in it."""


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round is over."""

    round: int
    winner: int | None
    """The seat without cards, or `None` for a wash."""
    points: int
    """What the winner scores."""
    scores: tuple[int, ...]
    """The scores of all seats after it."""


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """A round was dealt: seven cards for each seat that remains, eight for the dealer."""

    round: int
    dealer: int


WildRummyEvent: TypeAlias = (
    StockDrawn
    | DiscardTaken
    | MeldLaid
    | CardAdded
    | WildBought
    | CardDiscarded
    | StockRenewed
    | RoundEnded
    | RoundBegan
)
