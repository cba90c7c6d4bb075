"""The one source of chance: streams of numbers made from a match's seed with SHA-256.

The construction is simple enough to write again in any language, so that anybody can re-deal a
finished match and check it:

- the stream seed of round `k` (from 1) is `SHA-256("harbourmaster/round" || seed || uint64 k)`;
- block `i` (from 0) of a stream is `SHA-256(stream seed || uint64 i)`;
- each block gives eight 32-bit words, used in order. All numbers are big-endian.
"""

import struct
from hashlib import sha256
from typing import Final, Self, TypeVar

T = TypeVar("T")

SEED_BYTES: Final = 32
"""The length of a match's seed."""

_WORDS: Final = struct.Struct(">8I")
_COUNTER: Final = struct.Struct(">Q")


class Stream:
    """A stream of 32-bit words that its seed alone decides.

    `position` is the number of words used so far, which is all that there is to save.
    """

    __slots__ = ("_block", "_seed", "_words", "position")

    def __init__(self, stream_seed: bytes, position: int = 0) -> None:
        self._seed = stream_seed
        self._block = -1
        self._words: tuple[int, ...] = ()
        self.position = position

    @classmethod
    def for_round(cls, seed: bytes, number: int) -> Self:
        """Return the stream of round *number* (from 1) of the match with the 32-byte *seed*."""
        if len(seed) != SEED_BYTES:
            raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
        return cls(sha256(b"harbourmaster/round" + seed + _COUNTER.pack(number)).digest())

    def word(self) -> int:
        """Return the next 32-bit word."""
        position = self.position
        if position >> 3 != self._block:
            self._block = position >> 3
            self._words = _WORDS.unpack(sha256(self._seed + _COUNTER.pack(self._block)).digest())
        self.position = position + 1
        return self._words[position & 7]

    def below(self, n: int) -> int:
        """Return a number from 0 to *n* - 1, every one equally likely; *n* is 1 to 2**32."""
        word = self.word()
        # Words from the last, incomplete run of n would make the low numbers too likely.
        while word >= 0x1_0000_0000 - n and word >= 0x1_0000_0000 - 0x1_0000_0000 % n:
            word = self.word()
        return word % n

    def shuffle(self, items: list[T]) -> None:
        """Shuffle *items* in place, by Fisher-Yates from the end."""
        below = self.below
        for i in range(len(items) - 1, 0, -1):
            j = below(i + 1)
            items[i], items[j] = items[j], items[i]

    def choice(self, items: "tuple[T, ...] | list[T]") -> T:
        """Return one of *items*, every one equally likely."""
        return items[self.below(len(items))]

    def fork(self) -> "Stream":
        """Return a stream of its own, whose seed is the next eight words of this one."""
        return Stream(_WORDS.pack(*(self.word() for _ in range(8))))

    def clone(self) -> "Stream":
        """Return an independent stream that goes on from the same word."""
        twin = Stream.__new__(Stream)
        twin._seed = self._seed
        twin._block = self._block
        twin._words = self._words
        twin.position = self.position
        return twin

    def key(self) -> bytes:
        """Return what decides every word still to come: the seed and the position."""
        return self._seed + _COUNTER.pack(self.position)
