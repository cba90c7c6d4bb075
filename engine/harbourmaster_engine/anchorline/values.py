"""What an Anchorline state is built on: its options, its constants and the values it hands out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self

from harbourmaster_engine.anchorline.moves import (
    DIRECTIONS,
    AnchorlineMove,
    AnchorlineTerms,
    CardPlaced,
    CardShifted,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from harbourmaster_engine.anchorline.table import BIT, CELLS, EVERYWHERE, STEPS_OF, number_of
from harbourmaster_engine.game import LegalMoves

POINTS: Final = (0, 0, 0, 1, 2, 5)
"""The points of a line, by its length."""

OWNER: Final = (None, 0, 0, 0, 0, 1, 1, 1, 1)
"""The seat that owns each card; nobody owns the Anchor."""

SIDE: Final = (0b000011110, 0b111100000)
"""The cards of each seat as a set of bits, where card c is the bit 1 << c."""

OWN_OR_ANCHOR: Final = (0b000011111, 0b111100001)
"""For each seat, the set of the cards that its lines are made of."""

ONLY_RETURN: Final[LegalMoves[AnchorlineMove]] = LegalMoves((ReturnCoin(),), True)


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of one match, in the form in which the state uses them."""

    arrows: tuple[int, ...]
    """For each card, the Anchor first, the directions of its arrows as a byte."""
    shift_arrows: tuple[int, ...]
    """For each card with the coin, the directions in which a moved card may go."""
    target_score: int
    max_turns: int
    terms: AnchorlineTerms

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return the rules for resolved *options*."""
        own = [_arrow_byte(names) for names in options["card_arrows"]]
        arrows = (_arrow_byte(options["anchor_arrows"]), *own, *own)
        return cls(
            arrows,
            arrows if options["arrows_bind_moves"] else (EVERYWHERE,) * len(arrows),
            options["target_score"],
            options["max_turns"],
            AnchorlineTerms(
                options["target_score"],
                options["max_turns"],
                tuple(options["anchor_arrows"]),
                tuple([tuple(names) for names in options["card_arrows"]]),
                options["arrows_bind_moves"],
            ),
        )


def _arrow_byte(names: Iterable[str]) -> int:
    return sum(BIT[number_of(DIRECTIONS[name])] for name in names)


# Moves and events are values, so that the few that come up again and again are made only once.


@lru_cache(4096)
def places(coin: int, free: int) -> LegalMoves[AnchorlineMove]:
    """Return the legal moves when cards can be placed in the *free* directions from *coin*."""
    return LegalMoves(tuple(Place(CELLS[coin + step]) for step in STEPS_OF[free]), True)


@lru_cache(1 << 14)
def _shift(start: int, end: int) -> Shift:
    return Shift(CELLS[start], CELLS[end])


@lru_cache(1 << 13)
def shifts(start: int, coin: int, ends: int) -> tuple[Shift, ...]:
    """Return the moves from the cell *start* to those in the directions *ends* from *coin*.

    Equal moves are the same object, which whoever keeps something for each of them may use.
    """
    return tuple([_shift(start, coin + step) for step in STEPS_OF[ends]])


@lru_cache(4096)
def card_placed(card: int, number: int) -> CardPlaced:
    """Return the event of placing *card* on the cell *number*."""
    return CardPlaced(0 if card < 5 else 1, card, CELLS[number])


@lru_cache(1 << 14)
def card_shifted(card: int, start: int, end: int) -> CardShifted:
    """Return the event of moving *card* from the cell *start* to the cell *end*."""
    return CardShifted(0 if card < 5 else 1, card, CELLS[start], CELLS[end])


@lru_cache
def top_turned(seat: int, card: int | None) -> TopTurned:
    """Return the event of *card* becoming the top of the stack of *seat*."""
    return TopTurned(seat, card)
