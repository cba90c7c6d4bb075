"""What can be done, seen and told in Anchor: moves, the view, events and refusal codes.

A cell is a pair (row, column), each 0 to 14; the centre is (7, 7). A card is a number as in
`harbourmaster_engine.cards`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from harbourmaster_engine.anchor.rules import Rules
from harbourmaster_engine.cards import Card

Cell: TypeAlias = tuple[int, int]
"""A row and a column, from 0."""

SIDE: Final = 15
"""The number of rows, and of columns."""
HAND_SIZE: Final = 7
MARKET_SIZE: Final = 3
MAX_SWAP: Final = 3
"""How many cards a cycle, a pick or an exchange may be about."""

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "over": "the match is over",
        "malformed": "this is not a move of Anchor",
        "group_count": "a play has one or two groups",
        "empty_group": "a group has at least one card",
        "count": "the move takes another number of cards",
        "not_held": "a card that the move names is not in the hand",
        "ace_in_play": "the options allow natural aces only in anchor plays",
        "off_board": "a cell is not on the board",
        "cell_twice": "a cell is named twice",
        "not_one_line": "the cells are not in one row or column",
        "gap": "the cells are not consecutive",
        "occupied": "a card lies on a cell",
        "not_connected": "a group is not next to a card on the board",
        "bad_line": "a line of two cards or more is no meld and could not become one",
        "anchor_line": "a line that touches an anchor is not a complete meld",
        "too_many_open": "the turn leaves more open melds than the options allow",
        "anchor_ace": "an anchor play has exactly one natural ace, on an end cell",
        "anchor_meld": "the other cards of an anchor play are not a complete meld",
        "touches": "a card of an anchor play is next to a card on the board",
        "pile_short": "the draw pile could not give as many cards",
        "pile_empty": "aces are exchanged only while the draw pile has cards",
        "not_in_market": "a card to take is not in the market",
        "not_an_ace": "only natural aces are exchanged",
        "may_not_pass": "another move is legal",
    }
)


@dataclass(frozen=True, slots=True)
class Group:
    """Cards of the hand on consecutive empty cells of one row or column, in any order."""

    cells: tuple[Cell, ...]
    cards: tuple[Card, ...]
    """The card for each of the cells."""


@dataclass(frozen=True, slots=True)
class Play:
    """Places one or two groups, in their order, each next to something on the board."""

    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class AnchorPlay:
    """Starts a new island: a natural ace at the end of a complete meld, touching nothing."""

    cells: tuple[Cell, ...]
    cards: tuple[Card, ...]
    """The card for each of the cells."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Discards one to three cards and draws as many."""

    discard: tuple[Card, ...]
    """In the order in which they go down."""


@dataclass(frozen=True, slots=True)
class Pick:
    """Takes one to three cards from the market and discards as many others."""

    take: tuple[Card, ...]
    discard: tuple[Card, ...]
    """In the order in which they go down."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Shuffles one to three natural aces into the draw pile and draws as many cards."""

    aces: tuple[Card, ...]
    """In the order in which they go on top of the pile."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Does nothing, when nothing else is legal."""


AnchorMove: TypeAlias = Play | AnchorPlay | Cycle | Pick | Exchange | Pass


@dataclass(slots=True)
class AnchorView:
    """What a seat may see; a spectator's view has no hand."""

    board: bytes
    """The 225 cells row by row: 0 if empty, else the card's number plus 1."""
    anchors: tuple[Cell, ...]
    """The cells whose aces are anchors, in the order in which they came."""
    hand: tuple[Card, ...]
    """The own hand, sorted."""
    hand_counts: tuple[int, ...]
    """The number of cards in each hand; 0 for a seat that forfeited."""
    market: tuple[Card, ...]
    """The cards that can be taken, the oldest first."""
    discard_count: int
    """The number of all discards, those of the market included."""
    pile_count: int
    scores: tuple[int, ...]
    completed_melds: tuple[int, ...]
    longest_runs: tuple[int, ...]
    """The length of each seat's longest completed run, 0 without one."""
    to_move: int | None
    turns: int
    """The number of finished turns."""
    passed: tuple[int, ...]
    """The seats that have passed since the last turn that was no pass."""
    idle_rounds: int
    """How many whole rounds of the table in a row put no card on the board."""
    round_played: bool
    """Whether a card was put on the board in the round of the table now running."""
    out: tuple[int, ...]
    """The seats that forfeited, the earliest first."""
    rules: Rules
    """The options in force."""


@dataclass(frozen=True, slots=True)
class CardsPlaced:
    """A group went from a hand to the board."""

    seat: int
    cells: tuple[Cell, ...]
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class AnchorSet:
    """An ace went from a hand to the board and is an anchor."""

    seat: int
    cell: Cell
    card: Card


@dataclass(frozen=True, slots=True)
class Scored:
    """What a play or an anchor play was worth."""

    seat: int
    points: int
    melds: int
    """How many melds it completed."""
    longest_run: int
    """The length of the longest complete run with a card of this turn in it, or 0."""


@dataclass(frozen=True, slots=True)
class CardsDiscarded:
    """Cards went from a hand to the discards, in this order."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class MarketTaken:
    """Cards went from the market to a hand."""

    seat: int
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class AcesReturned:
    """Aces went from a hand into the pile, which was shuffled; which ones, nobody else sees."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class CardsDrawn:
    """Cards went from the pile to a hand."""

    seat: int
    count: int


@dataclass(frozen=True, slots=True)
class PileRebuilt:
    """The discards older than the market were shuffled into a new pile."""

    count: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat had no other legal move."""

    seat: int


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A turn ended, or its seat forfeited, and here is what comes next."""

    seat: int | None
    """The seat to move, or `None` when the match is over."""
    turns: int
    """The number of finished turns."""
    idle_rounds: int
    """How many whole rounds of the table in a row put no card on the board."""
    round_played: bool
    """Whether a card was put on the board in the round of the table now running."""


AnchorEvent: TypeAlias = (
    CardsPlaced
    | AnchorSet
    | Scored
    | CardsDiscarded
    | MarketTaken
    | AcesReturned
    | CardsDrawn
    | PileRebuilt
    | Passed
    | TurnStarted
)
