"""What a table and a hand offer: the places, lines and cards that a rearrangement can start from.

Everything here is about one table and one hand, both of which the seat to move sees.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from harbourmaster_engine.cards import JOKER, RANK, make_card
from harbourmaster_engine.tide.lines import (
    CELL_AT,
    COLUMN_LENGTH,
    FIRST_BYTE,
    FREE,
    JOKER_BYTE,
    MELDS,
    PLACE,
    SIZE,
    STRIDE,
    columns_of,
)
from harbourmaster_engine.tide.table import Table

# The space of a table is a byte for each place of its board: how many cards lie next to it, and
# these bits.
TAKEN: Final = 16
OFF_TABLE: Final = 32

ALONE_IN_LINE: Final = TAKEN + 1
"""The space of a card at an end of a line that no other line crosses there."""
INSIDE_LINE: Final = TAKEN + 2
"""The space of a card inside a line that no other line crosses there."""

_OFF: Final = int.from_bytes(
    bytes(0 if place in CELL_AT else OFF_TABLE for place in range(SIZE)), "little"
)
_IS_CARD: Final = bytes(byte != FREE for byte in range(256))
_LINE: Final = re.compile(rb"[^ ]{2,}")
_SUIT: Final = (1 << 13) - 1


def space_of(board: bytes) -> bytes:
    """Return the space of *board*; a free cell away from all cards has 0."""
    cards = int.from_bytes(board.translate(_IS_CARD), "little")
    beside = (cards << 8) + (cards >> 8) + (cards << 8 * STRIDE) + (cards >> 8 * STRIDE)
    return (beside + (cards << 4) + _OFF).to_bytes(SIZE, "little")


def lines_of(board: bytes) -> list[tuple[int, int, bytes]]:
    """Return every line of *board*: the place where it starts, its step and its cards."""
    lines = [(found.start(), 1, found[0]) for found in _LINE.finditer(board)]
    for found in _LINE.finditer(columns_of(board)):
        column, row = divmod(found.start(), COLUMN_LENGTH)
        lines.append((row * STRIDE + column, STRIDE, found[0]))
    return lines


@cache
def ends_of(meld: bytes) -> tuple[int, int]:
    """Return the cards, as bit masks, that may be put before and after *meld*."""
    before = after = 0
    for card in range(JOKER + 1):
        byte = bytes((FIRST_BYTE + card,))
        before |= (byte + meld in MELDS) << card
        after |= (meld + byte in MELDS) << card
    return before, after


@cache
def runs_in(ranks: int) -> tuple[tuple[int, int], ...]:
    """Return lowest rank (from 0) and length of every run within *ranks*, a mask of 13 bits."""
    return tuple(
        (low, length)
        for low in range(11)
        for length in range(3, 14 - low)
        if (window := ((1 << length) - 1) << low) & ranks == window
    )


@cache
def gapped_runs_in(ranks: int) -> tuple[tuple[int, int, int], ...]:
    """Return lowest rank, length (3 or 4) and missing rank of every run that lacks one rank."""
    return tuple(
        (low, length, missing.bit_length() - 1)
        for low in range(11)
        for length in (3, 4)
        if low + length <= 13 and (missing := ((1 << length) - 1) << low & ~ranks).bit_count() == 1
    )


def _sets_in(suits: int) -> tuple[tuple[int, ...], ...]:
    """Return every set, as suits, of which all suits are in the mask *suits*."""
    subsets = (tuple(s for s in range(4) if bits >> s & 1) for bits in range(16))
    return tuple(
        subset for subset in subsets if len(subset) >= 3 and all(suits >> s & 1 for s in subset)
    )


SETS_IN: Final = tuple(_sets_in(suits) for suits in range(16))
MAKES_SET: Final = tuple(
    sum(1 << 13 * suit for suit in range(4) if (suits & ~(1 << suit)).bit_count() >= 2)
    for suits in range(16)
)
"""For each mask of suits held of a rank, the cards that would make a set with two of them, as a
bit mask that stands for aces."""


def _partners(card: int) -> tuple[tuple[int, int, bool], ...]:
    """Return the pairs that make a meld with *card*: the nearer card, the farther, whether the
    card lies between them.
    """
    suit, rank = divmod(card, 13)
    low, high = suit * 13, suit * 13 + 12
    pairs = [(card - 1, card - 2, False)] if card - 2 >= low else []
    pairs += [(card + 1, card + 2, False)] if card + 2 <= high else []
    pairs += [(card - 1, card + 1, True)] if low < card < high else []
    others = [make_card(rank + 1, other) for other in range(4) if other != suit]
    pairs += [(a, b, False) for a in others for b in others if a < b]
    return tuple(pairs)


PARTNERS: Final = tuple(_partners(card) for card in range(52))


class Prospect:
    """What a table and a hand offer."""

    __slots__ = (
        "bridges",
        "counts",
        "edges",
        "gathers",
        "growing",
        "hooks",
        "lines",
        "long_runs",
        "loose",
        "mask",
        "melds",
        "space",
        "table",
        "wanted",
        "wild_takes",
    )

    def __init__(self, table: Table, hand: tuple[int, ...], *, opened: bool) -> None:
        """Look at *hand*, and at the lines of *table* if the seat has *opened*."""
        self.table = table
        self.space = space_of(table.board)
        counts = bytearray(JOKER + 1)
        mask = 0
        for card in hand:
            counts[card] += 1
            mask |= 1 << card
        self.counts = bytes(counts)
        self.mask = mask
        suits = [mask >> 13 * suit & _SUIT for suit in range(4)]
        ranks = [0] * 13
        for card in hand:
            if card != JOKER:
                ranks[card % 13] |= 1 << card // 13
        self.melds = [*_runs(suits), *_sets(ranks)]
        """Pairs of a meld that the hand can lay and its joker's card, or `None` without one."""
        if mask >> JOKER:
            self.melds += [*_wild_runs(suits), *_wild_sets(ranks)]
        self.lines: list[tuple[int, int, bytes]] = []
        self.edges: list[tuple[int, int, int, int]] = []
        """For both ends of each line, its number, the place beyond, the outward step and the
        cards that may lie there."""
        self.growing: list[tuple[int, int, int, int]] = []
        """The edges where a card of the hand fits, with only the fitting cards of the hand."""
        self.bridges: list[tuple[int, int, int, int, int]] = []
        """As `growing`, where a loose card fits and cards of the hand beyond it: with the loose
        card before the fitting ones."""
        self.loose: dict[int, tuple[int, int, int]] = {}
        """For cards that can be taken from a line that stays a meld, their place, the place of the
        card that closes the gap (the same if none has to), and the number of the line."""
        self.long_runs: list[int] = []
        """The numbers of runs of five or more without a joker."""
        self.gathers: list[tuple[int, int, int, bool]] = []
        """Cards of the hand that make a meld with two loose ones of different lines, and those as
        `PARTNERS` has them."""
        self.wild_takes: list[tuple[tuple[int, int, int], int, int]] = []
        """Melds of a card and a joker of the hand with a loose card, what the joker stands for,
        and the loose card."""
        self.hooks: list[int] = []
        """The places of cards that make a meld with two cards, each of the hand or loose."""
        self.wanted = 0
        """The cards that make a meld with two of the hand, as a bit mask."""
        if opened and table.cells:
            self.wanted = _wanted(suits, ranks)
            self._look_at_lines()
            for card in self.loose:
                suits[card // 13] |= 1 << card % 13
                ranks[card % 13] |= 1 << card // 13
            wanted = _wanted(suits, ranks)
            self.hooks = [
                PLACE[cell]
                for cell, card in zip(table.cells, table.cards, strict=True)
                if wanted >> card & 1
            ]

    def _look_at_lines(self) -> None:
        self.lines = lines_of(self.table.board)
        stood = {PLACE[cell]: card for cell, card in self.table.jokers}
        edges = self.edges
        for number, (start, step, line) in enumerate(self.lines):
            before, after = ends_of(line)
            if JOKER_BYTE in line:
                # The card of the joker stays free for it, so that it need not change.
                others = ~(1 << stood[start + line.index(JOKER_BYTE) * step])
                before &= others
                after &= others
            if before:
                edges.append((number, start - step, -step, before))
            if after:
                edges.append((number, start + len(line) * step, step, after))
            if len(line) > 3 and JOKER_BYTE not in line:
                self._look_for_loose(number, start, step, len(line))
                if len(line) > 4:
                    self.long_runs.append(number)
        mask = self.mask
        self.growing = [(n, at, step, fits & mask) for n, at, step, fits in edges if fits & mask]
        if len(self.loose) > 1:
            self._look_for_gathers()
        if mask >> JOKER:
            self._look_for_wild_takes()
        loose = sum(1 << card for card in self.loose)
        for number, at, step, fits in edges:
            if fits & loose:
                self._look_for_bridge(number, at, step, fits & loose)

    def _look_for_bridge(self, number: int, at: int, step: int, loose: int) -> None:
        line = self.lines[number][2]
        while loose:
            card = (loose & -loose).bit_length() - 1
            loose &= loose - 1
            byte = bytes((FIRST_BYTE + card,))
            beyond = ends_of(line + byte)[1] if step > 0 else ends_of(byte + line)[0]
            if beyond & self.mask and self.loose[card][2] != number:
                self.bridges.append((number, at, step, card, beyond & self.mask))

    def _look_for_gathers(self) -> None:
        loose = self.loose
        for card in range(JOKER):
            if self.counts[card]:
                for near, far, between in PARTNERS[card]:
                    if near in loose and far in loose and loose[near][2] != loose[far][2]:
                        self.gathers.append((card, near, far, between))

    def _look_for_wild_takes(self) -> None:
        for card in range(JOKER):
            if self.counts[card]:
                for near, far, between in PARTNERS[card]:
                    for loose, wild in ((near, far), (far, near)):
                        if loose in self.loose:
                            pair = (loose, JOKER) if loose == near else (JOKER, loose)
                            meld = (pair[0], card, pair[1]) if between else (card, *pair)
                            self.wild_takes.append((meld, wild, loose))

    def _look_for_loose(self, number: int, start: int, step: int, length: int) -> None:
        """Note which cards of a line of four or more without a joker can be taken from it."""
        board, space = self.table.board, self.space
        for end, inner in ((start, step), (start + (length - 1) * step, -step)):
            if space[end] == ALONE_IN_LINE:
                self.loose[board[end] - FIRST_BYTE] = (end, end, number)
                inside = end + inner
                is_set = (board[inside] - board[end]) % 13 == 0
                if is_set and space[inside] == INSIDE_LINE:
                    self.loose[board[inside] - FIRST_BYTE] = (inside, end, number)
        for place in range(start + 3 * step, start + (length - 3) * step, step):
            if space[place] == INSIDE_LINE:
                self.loose[board[place] - FIRST_BYTE] = (place, place, number)


Meld = tuple[tuple[int, ...], int | None]


def value_of(meld: Meld) -> int:
    """Return what *meld* counts towards the opening minimum."""
    cards, stands_for = meld
    return sum(map(RANK.__getitem__, cards)) + (0 if stands_for is None else RANK[stands_for])


def _runs(suits: list[int]) -> Iterator[Meld]:
    for suit, ranks in enumerate(suits):
        for low, length in runs_in(ranks):
            first = 13 * suit + low
            yield tuple(range(first, first + length)), None


def _sets(ranks: list[int]) -> Iterator[Meld]:
    for rank, suits in enumerate(ranks):
        for chosen in SETS_IN[suits]:
            yield tuple([13 * suit + rank for suit in chosen]), None


def _wild_runs(suits: list[int]) -> Iterator[Meld]:
    for suit, ranks in enumerate(suits):
        for low, length, missing in gapped_runs_in(ranks):
            card = 13 * suit + missing
            first = 13 * suit + low
            run = range(first, first + length)
            yield tuple([JOKER if each == card else each for each in run]), card


def _wild_sets(ranks: list[int]) -> Iterator[Meld]:
    for rank, suits in enumerate(ranks):
        for suit in range(4):
            others = suits & ~(1 << suit)
            if others.bit_count() >= 2:
                cards = [13 * other + rank for other in range(4) if others >> other & 1]
                yield (*cards, JOKER), 13 * suit + rank


def _wanted(suits: list[int], ranks: list[int]) -> int:
    """Return the cards, as a bit mask, that make a meld with two cards of the hand."""
    wanted = 0
    for suit, held in enumerate(suits):
        run = held << 1 & held << 2 | held >> 1 & held >> 2 | held << 1 & held >> 1
        wanted |= (run & _SUIT) << 13 * suit
    for rank, held in enumerate(ranks):
        wanted |= MAKES_SET[held] << rank
    return wanted
