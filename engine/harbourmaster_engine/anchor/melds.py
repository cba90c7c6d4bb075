"""Every line of cards that is a meld, in tables built at import.

A line is the bytes of its cards from cell to cell, each a card's number plus 1. Any part of a meld
that is two cards or longer is a meld or an open meld itself: so a line in neither table can never
become one by adding cards to it.
"""

from collections.abc import Iterator
from itertools import permutations
from typing import Final

from harbourmaster_engine.cards import JOKER, make_card

OPEN: Final = 1
SET: Final = 2
JOKER_CODE: Final = JOKER + 1
ALL_CARDS: Final = (1 << 54) - 2
"""A mask with the bit of every card's code."""


def _runs() -> Iterator[bytes]:
    for suit in range(4):
        for length in (3, 4, 5):
            for low in range(1, 15 - length):
                run = bytes(make_card(rank, suit) + 1 for rank in range(low, low + length))
                yield run
                yield run[::-1]


def _sets() -> Iterator[bytes]:
    for rank in range(1, 14):
        for length in (3, 4):
            for suits in permutations(range(4), length):
                yield bytes(make_card(rank, suit) + 1 for suit in suits)


def _with_jokers(line: bytes) -> Iterator[bytes]:
    """Yield *line* with jokers in place of every choice of its cards."""
    for jokers in range(1 << len(line)):
        yield bytes(JOKER_CODE if jokers >> i & 1 else code for i, code in enumerate(line))


def _kinds() -> dict[bytes, int]:
    kinds: dict[bytes, int] = {}
    for line in _sets():
        kinds.update(dict.fromkeys(_with_jokers(line), SET))
    # After the sets, because a line that can be read as a run counts as one.
    for line in _runs():
        kinds.update(dict.fromkeys(_with_jokers(line), len(line)))
    pairs = {line[i : i + 2] for line in kinds for i in range(len(line) - 1)}
    return kinds | dict.fromkeys(pairs, OPEN)


def _fillers(kinds: dict[bytes, int]) -> dict[bytes, int]:
    fillers: dict[bytes, int] = {}
    for line in kinds:
        for i, code in enumerate(line):
            gap = line[:i] + b"\0" + line[i + 1 :]
            fillers[gap] = fillers.get(gap, 0) | 1 << code
    return fillers


KIND: Final[dict[bytes, int]] = _kinds()
"""Each meld's kind: `OPEN`, `SET`, or for a run its length, 3 to 5. A greater kind is complete."""

FILLERS: Final[dict[bytes, int]] = _fillers(KIND)
"""For a line with one empty cell (0) in it, the mask of the cards that make it a meld there.

With two cells it would be an open meld, with three or more a complete one.
"""
