"""What can be done, seen and told in Tide: moves, the view, events and refusal codes.

The table has 26 rows and 26 columns, both numbered from 0. A cell is one number, `26 * row +
column`, 0 to 675, so that a whole table is two rows of small numbers: the cells, and the card on
each. A card is a number as in `harbourmaster_engine.cards`; 52 is a joker.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

SIDE: Final = 26
"""The number of rows, and of columns."""
CELLS: Final = SIDE * SIDE
MOST_CARDS: Final = 106
"""The number of cards in a match: two decks and two jokers."""

EMPTY_HAND: Final = "EMPTY_HAND"
CLASSIC: Final = "CLASSIC"
MELD_SCORE: Final = "MELD_SCORE"
FORMATS: Final = (EMPTY_HAND, CLASSIC, MELD_SCORE)

WENT_OUT: Final = "went_out"
BLOCKED: Final = "blocked"

CODES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "over": "the match is over",
        "malformed": "this is not a move of Tide",
        "off_table": "a cell is not on the table",
        "two_on_a_cell": "two cards share a cell",
        "declared_natural": "a card that is no joker is declared",
        "card_missing": "a card that was on the table is no longer on it",
        "not_held": "a card was added that the seat does not hold",
        "nothing_added": "no card was added from the hand",
        "two_jokers": "a line has two jokers",
        "bad_line": "a line is neither a run nor a set",
        "loose_card": "a card is in no meld",
        "joker_two_cards": "a joker would have to be a different card for each of its lines",
        "joker_sits": "a joker whose lines did not change stays the card it was",
        "joker_declaration": "a joker is declared to be a card that does not fit its lines",
        "joker_undeclared": "the lines leave a joker more than one card, and none is declared",
        "moved_before_opening": "before opening every card on the table stays where it is",
        "touches_before_opening": "before opening no new card lies next to one on the table",
        "opening_too_small": "the first cards of a round are not worth the opening minimum",
        "pile_empty": "a card cannot be drawn from an empty pile",
        "pile_not_empty": "a seat passes only when the pile is empty",
    }
)


@dataclass(frozen=True, slots=True)
class Rearrange:
    """Submits the whole table as it shall stand, with a card or more of the own hand on it."""

    cells: tuple[int, ...]
    """The cell of every card, in any order."""
    cards: tuple[int, ...]
    """The card on each of `cells`."""
    declared: tuple[tuple[int, int], ...] = ()
    """Pairs of a joker's cell and the card that it shall stand for."""


@dataclass(frozen=True, slots=True)
class Draw:
    """Takes the top card of the pile."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Does nothing, when the pile is empty."""


TideMove: TypeAlias = Rearrange | Draw | Pass


@dataclass(slots=True)
class TideView:
    """What a seat may see; spectators, and seats that have left, see it without a hand."""

    hand: tuple[int, ...]
    """The seat's own cards in the order of their numbers; empty for a spectator."""
    hand_counts: tuple[int, ...]
    """The number of cards in each hand; 0 for a seat that left the match."""
    pile_count: int
    cells: tuple[int, ...]
    """The cell of every card on the table, in rising order."""
    cards: tuple[int, ...]
    """The card on each of `cells`."""
    jokers: tuple[tuple[int, int], ...]
    """For each joker on the table, its cell and the card that it stands for."""
    scores: tuple[int, ...]
    opened: tuple[bool, ...]
    """Which seats have opened in this round."""
    passed: tuple[bool, ...]
    """Which seats have passed since the last turn that was no pass."""
    playing: tuple[bool, ...]
    """Which seats are still in the match."""
    round: int
    """The number of the round, from 1."""
    to_move: int | None
    turns: int
    """The number of finished turns of the match."""
    format: str
    hand_size: int
    opening_minimum: int
    target_score: int
    max_rounds: int


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """A seat took the top card of the pile, which only that seat saw."""

    seat: int


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat passed."""

    seat: int


@dataclass(frozen=True, slots=True)
class TableRearranged:
    """A seat put cards on the table; from now on it has opened."""

    seat: int
    cells: tuple[int, ...]
    """The cell of every card now on the table, in rising order."""
    cards: tuple[int, ...]
    """The card on each of `cells`."""
    jokers: tuple[tuple[int, int], ...]
    """For each joker on the table, its cell and the card that it stands for."""
    added: tuple[int, ...]
    """The cards that came out of the hand."""
    points: int
    """What the turn scored at once: always 0 but in Meld Score."""


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round is over, and was settled where the format settles it."""

    round: int
    how: str
    """`went_out` or `blocked`."""
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    """The score of each seat after it."""


@dataclass(frozen=True, slots=True)
class RoundBegan:
    """A round was dealt: the table is empty and no seat has opened."""

    round: int
    first: int
    """The seat whose turn it is."""
    hand_counts: tuple[int, ...]
    pile_count: int


TideEvent: TypeAlias = CardDrawn | Passed | TableRearranged | RoundEnded | RoundBegan


def cell_at(row: int, column: int) -> int:
    """Return the number of the cell in *row* and *column*, both 0 to 25."""
    return row * SIDE + column


def show_cell(cell: int) -> str:
    """Return *cell* as people write it, or its bare number if it is not on the table."""
    if 0 <= cell < CELLS:
        return "({}, {})".format(*divmod(cell, SIDE))
    return str(cell) if -1_000_000 < cell < 1_000_000 else "a number of many digits"
