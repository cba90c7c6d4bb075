"""Runs and sets: the lines that may lie on the table, as byte strings.

A card is the byte `64 + card`, and a free cell is a space. A board is a byte string of rows that a
free cell ends, so that `bytes.split` finds its lines, and looking a line up in `MELDS` judges it.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations
from types import MappingProxyType
from typing import Final

from harbourmaster_engine.cards import JOKER, NAMES, RANK, make_card
from harbourmaster_engine.tide.moves import CELLS, SIDE

FIRST_BYTE: Final = 64
FREE: Final = ord(" ")
JOKER_BYTE: Final = FIRST_BYTE + JOKER

TO_BYTES: Final = bytes(FIRST_BYTE + card if card <= JOKER else 0 for card in range(256))
"""Translates cards to their bytes."""
TO_CARDS: Final = bytes(max(0, byte - FIRST_BYTE) for byte in range(256))
"""Translates bytes of cards to cards."""

STRIDE: Final = SIDE + 1
SIZE: Final = STRIDE * (SIDE + 2)
"""The length of a board: a free row above and below, and a free cell after each row."""
EMPTY_BOARD: Final = b" " * SIZE
PLACE: Final = tuple(STRIDE * (cell // SIDE + 1) + cell % SIDE for cell in range(CELLS))
"""The place of each cell on a board."""
CELL_AT: Final[Mapping[int, int]] = MappingProxyType({p: cell for cell, p in enumerate(PLACE)})
"""The cell at each place of a board that is on the table."""
COLUMN_LENGTH: Final = SIDE + 2
"""The length of a column of a board, with the free cells above and below."""


def as_bytes(cards: tuple[int, ...]) -> bytes:
    """Return *cards*, which are 0 to 52, as a line has them."""
    return bytes(cards).translate(TO_BYTES)


def columns_of(board: bytes) -> bytes:
    """Return the columns of *board* from left to right, each `COLUMN_LENGTH` long."""
    return b"".join([board[column::STRIDE] for column in range(SIDE)])


def _natural_melds() -> Iterator[tuple[int, ...]]:
    """Yield every run and every set without a joker, in every order."""
    for suit in range(4):
        for low in range(1, 12):
            for high in range(low + 2, 14):
                run = tuple(make_card(rank, suit) for rank in range(low, high + 1))
                yield from (run, run[::-1])
    for rank in range(1, 14):
        cards = [make_card(rank, suit) for suit in range(4)]
        yield from permutations(cards, 3)
        yield from permutations(cards, 4)


def _melds() -> dict[bytes, int]:
    melds: dict[bytes, int] = {}
    for cards in _natural_melds():
        line = as_bytes(cards)
        melds[line] = 0
        for place, card in enumerate(cards):
            wild = line[:place] + bytes((JOKER_BYTE,)) + line[place + 1 :]
            melds[wild] = melds.get(wild, 0) | 1 << card
    return melds


MELDS: Final[Mapping[bytes, int]] = MappingProxyType(_melds())
"""Every meld, with the cards that its joker may stand for as a bit mask: 0 without a joker."""

LEGAL_LINES: Final = frozenset((*MELDS, *(bytes((FIRST_BYTE + card,)) for card in range(53))))
"""Every meld, and every card alone."""


def names_of(line: bytes) -> str:
    """Return the cards of *line* as text."""
    return " ".join(NAMES[card] for card in line.translate(TO_CARDS))


def fault_of(line: bytes) -> str:
    """Return in words why *line*, which is no meld, is none."""
    cards = line.translate(TO_CARDS)
    naturals = [card for card in cards if card != JOKER]
    if len(cards) == 2:
        return "two cards are not a meld"
    if len(cards) - len(naturals) > 1:
        return "a meld has at most one joker"
    ranks = {RANK[card] for card in naturals}
    if len(ranks) == 1:
        if len(cards) > 4:
            return "a set has at most four cards"
        return "a set has no suit twice"
    if len(cards) > 13:
        return "a run has at most thirteen cards"
    if len({card // 13 for card in naturals}) > 1:
        return "it is neither of one suit nor of one rank"
    return "its ranks do not rise or fall by one each from ace to king"
