"""What can be done, seen and told in Anchorline: moves, the view, events and refusal codes.

A cell is a pair (x, y) relative to the Anchor at (0, 0); x grows to the right, y upwards. A card is
a number: 0 is the Anchor, 1 to 4 are the Seals of seat 0, 5 to 8 are the Gulls of seat 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

Cell: TypeAlias = tuple[int, int]

ANCHOR: Final = 0
CARD_NAMES: Final = ("Anchor", "S1", "S2", "S3", "S4", "G1", "G2", "G3", "G4")
DIRECTIONS: Final[Mapping[str, Cell]] = MappingProxyType(
    {
        "N": (0, 1),
        "NE": (1, 1),
        "E": (1, 0),
        "SE": (1, -1),
        "S": (0, -1),
        "SW": (-1, -1),
        "W": (-1, 0),
        "NW": (-1, 1),
    }
)
"""The eight directions of arrows, and the step that each one points."""

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "over": "the match is over",
        "malformed": "this is not a move of Anchorline",
        "stack_empty": "a card cannot be placed from an empty stack",
        "stack_not_empty": "a card on the table moves only when the own stack is empty",
        "no_arrow": "no arrow of the card with the coin points to that cell",
        "occupied": "a card lies on that cell",
        "no_card_there": "no card lies on the cell to move from",
        "not_your_card": "the card to move is not the seat's own",
        "disconnects": "a card would no longer be connected to the Anchor",
        "place_possible": "the coin goes back only when no card can be placed",
        "move_possible": "the coin goes back only when no card can be moved",
    }
)


@dataclass(frozen=True, slots=True)
class Place:
    """Puts the top card of the own stack on a free cell that an arrow points to."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Shift:
    """Moves an own card on the table, when the own stack is empty."""

    origin: Cell
    target: Cell


@dataclass(frozen=True, slots=True)
class ReturnCoin:
    """Puts the coin back on the Anchor, when nothing else is possible."""


AnchorlineMove: TypeAlias = Place | Shift | ReturnCoin


@dataclass(frozen=True, slots=True)
class AnchorlineTerms:
    """The options of a match, which stay the same in all its views."""

    target_score: int
    max_turns: int
    anchor_arrows: tuple[str, ...]
    """The directions of the Anchor's arrows."""
    card_arrows: tuple[tuple[str, ...], ...]
    """The directions of the arrows of cards 1 to 4, the same for both sides."""
    arrows_bind_moves: bool
    """Whether the arrows bind a moved card too; if not, it goes anywhere around the coin."""


@dataclass(slots=True)
class AnchorlineView:
    """What anybody may see: both seats and spectators see the same."""

    table: tuple[tuple[Cell, int], ...]
    """The cards on the table but the Anchor, in the order in which they came to lie."""
    coin: Cell
    tops: tuple[int | None, int | None]
    """The top card of each stack, or `None` for an empty one."""
    stack_counts: tuple[int, int]
    """The number of cards in each stack, the top one included."""
    scores: tuple[int, int]
    to_move: int | None
    turns: int
    """The number of finished turns."""
    terms: AnchorlineTerms
    """The same object in every view of a match."""


@dataclass(frozen=True, slots=True)
class CardPlaced:
    """A card went from a stack onto the table, and the coin onto it."""

    seat: int
    card: int
    cell: Cell


@dataclass(frozen=True, slots=True)
class CardShifted:
    """A card on the table moved, and the coin onto it."""

    seat: int
    card: int
    origin: Cell
    target: Cell


@dataclass(frozen=True, slots=True)
class CoinReturned:
    """The coin went back to the Anchor, and the opponent of *seat* scored a point."""

    seat: int


@dataclass(frozen=True, slots=True)
class LinesScored:
    """Lines were made: their cards left the table, and the coin went back to the Anchor."""

    seat: int
    lengths: tuple[int, ...]
    """The length of each line, the Anchor counted."""
    points: int
    removed: tuple[Cell, ...]
    """The cells of all cards that left, those that were cut off included."""


@dataclass(frozen=True, slots=True)
class TopTurned:
    """The top of a stack is another card now, or none."""

    seat: int
    card: int | None
    """The new top card, or `None` when the stack is empty."""


AnchorlineEvent: TypeAlias = CardPlaced | CardShifted | CoinReturned | LinesScored | TopTurned
