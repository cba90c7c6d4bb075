"""A rearrangement in the making: parts that each put cards of the hand on the table.

Every part keeps the table legal by where it works: on free cells away from all cards, on a free
cell that touches nothing but the end of a line, or on cards that belong to one line only. Cells
that become free are not used again within the same draft.
"""

from bisect import bisect_left
from collections.abc import Iterable
from typing import Final, TypeVar

from harbourmaster_engine.cards import JOKER
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.tide.lines import (
    CELL_AT,
    FIRST_BYTE,
    JOKER_BYTE,
    MELDS,
    PLACE,
    STRIDE,
    TO_CARDS,
)
from harbourmaster_engine.tide.moves import SIDE, Rearrange
from harbourmaster_engine.tide.prospect import (
    ALONE_IN_LINE,
    INSIDE_LINE,
    PARTNERS,
    TAKEN,
    Meld,
    Prospect,
    ends_of,
)

T = TypeVar("T")

_CLEAR: Final = tuple(bytes(length) for length in range(14))
_TRIES: Final = 4


class Luck:
    """Small choices, several out of each word of a stream."""

    __slots__ = ("_left", "_rng")

    def __init__(self, rng: Stream) -> None:
        self._rng = rng
        self._left = 0

    def below(self, n: int) -> int:
        """Return a number from 0 to *n* - 1, all nearly equally likely; *n* is below 2**16."""
        if self._left < n << 8:
            self._left = self._rng.word()
        self._left, chosen = divmod(self._left, n)
        return chosen


class Draft:
    """What a rearrangement changes so far."""

    __slots__ = ("counts", "declared", "gone", "luck", "placed", "prospect", "space", "used")

    def __init__(self, prospect: Prospect, luck: Luck) -> None:
        self.prospect = prospect
        self.luck = luck
        self.space = bytearray(prospect.space)
        self.counts = bytearray(prospect.counts)
        self.placed: dict[int, int] = {}
        """The card that comes to lie at each place."""
        self.gone: set[int] = set()
        """The places whose old card lies elsewhere."""
        self.declared: dict[int, int] = {}
        """What jokers are declared to be, by place."""
        self.used: set[int] = set()
        """The numbers of the lines that were changed."""

    def key(self) -> tuple[frozenset[tuple[int, int]], frozenset[int]]:
        """Return what tells this draft from others."""
        return frozenset(self.placed.items()), frozenset(self.gone)

    def move(self) -> Rearrange:
        """Return the whole table as it shall stand."""
        table = self.prospect.table
        cells, cards = table.cells, table.cards
        if self.gone:
            left, kept = list(cells), list(cards)
            for cell in sorted([CELL_AT[place] for place in self.gone], reverse=True):
                at = bisect_left(cells, cell)
                del left[at], kept[at]
            cells, cards = tuple(left), tuple(kept)
        new = tuple([CELL_AT[place] for place in self.placed])
        declared = tuple([(CELL_AT[place], card) for place, card in self.declared.items()])
        return Rearrange(cells + new, cards + tuple(self.placed.values()), declared)

    def lay_meld(self) -> bool:
        """Lay a meld of the hand away from all cards."""
        melds = self.prospect.melds
        for _ in range(min(_TRIES, len(melds))):
            if self.lay(melds[self.luck.below(len(melds))]):
                return True
        return False

    def lay(self, meld: Meld) -> bool:
        """Lay *meld* away from all cards if the hand still has it."""
        cards, stands_for = meld
        counts = self.counts
        if not all(counts[card] for card in cards):
            return False
        places = self._room(len(cards))
        if places is None:
            return False
        for place, card in zip(places, cards, strict=True):
            self._play(place, card)
        if stands_for is not None:
            self.declared[places[cards.index(JOKER)]] = stands_for
        return True

    def extend(self) -> bool:
        """Put a card of the hand at an end of a line, and all that fit beyond it."""
        growing = self.prospect.growing
        count = len(growing)
        if not count:
            return False
        first = self.luck.below(count)
        for number in range(count):
            edge = growing[(first + number) % count]
            if edge[0] not in self.used and self.space[edge[1]] == 1 and self._extend(edge):
                return True
        return False

    def _extend(self, edge: tuple[int, int, int, int]) -> bool:
        number, place, step, fits = edge
        card = self._choose(fits)
        if card is None:
            return False
        line = self.prospect.lines[number][2]
        while card is not None:
            self.used.add(number)
            self._play(place, card)
            place += step
            if self.space[place] != 1:
                break
            byte = bytes((FIRST_BYTE + card,))
            line = line + byte if step > 0 else byte + line
            card = None if JOKER_BYTE in line else self._choose(ends_of(line)[step > 0])
        return True

    def hook(self) -> bool:
        """Lay two cards across a line, in a meld with one of its cards.

        Both are of the hand, or one is taken from a long line.
        """
        return any(map(self._hook, self._turned(self.prospect.hooks)))

    def _hook(self, place: int) -> bool:
        if place in self.gone:
            return False
        space = self.space
        step = STRIDE if (space[place - 1] | space[place + 1]) & TAKEN else 1
        up, down = place - step, place + step
        if (space[up] | space[down]) & TAKEN:
            return False
        for near, far, between in self._turned(self._partners_for(place)):
            if between:
                ends = (up, down)
            elif space[down] == 1 and space[down + step] == 0:
                ends = (down, down + step)
            else:
                ends = (up, up - step)
            if space[ends[0]] == 1 and space[ends[1]] == between:
                self._supply(ends[0], near)
                self._supply(ends[1], far)
                return True
        return False

    def _partners_for(self, place: int) -> list[tuple[int, int, bool]]:
        """Return the pairs that make a meld with the card at *place* and can be had."""
        counts, loose = self.counts, self.prospect.loose
        found = []
        for pair in PARTNERS[self.prospect.table.board[place] - FIRST_BYTE]:
            near, far, _ = pair
            if not counts[near]:
                near, far = far, near
            if counts[near] and (
                counts[far]
                or (far in loose and self._may_take(far) and place not in loose[far][:2])
            ):
                found.append(pair)
        return found

    def _supply(self, place: int, card: int) -> None:
        """Put *card* at *place*, of the hand if it has one, else a loose one."""
        if self.counts[card]:
            self._play(place, card)
        else:
            self._take_out(card)
            self._put(place, card)

    def bridge(self) -> bool:
        """Put a card of a long line at an end of another line, and one of the hand beyond it."""
        for number, place, step, card, fits in self._turned(self.prospect.bridges):
            beyond = self._choose(fits)
            if (
                beyond is not None
                and number not in self.used
                and self._may_take(card)
                and self.space[place] == 1
                and self.space[place + step] == 0
            ):
                self.used.add(number)
                self._take_out(card)
                self._put(place, card)
                self._play(place + step, beyond)
                return True
        return False

    def take(self) -> bool:
        """Take a card of a long line into a new meld with two cards of the hand."""
        loose, wanted = self.prospect.loose, self.prospect.wanted
        able = [card for card in loose if wanted >> card & 1]
        for card in self._turned(able):
            if self._may_take(card):
                for near, far, between in self._pairs(card):
                    meld = (near, card, far) if between else (card, near, far)
                    return self._combine(meld, (card,))
        return False

    def gather(self) -> bool:
        """Take cards of two long lines into a new meld with a card of the hand."""
        for card, near, far, between in self._turned(self.prospect.gathers):
            if self.counts[card] and self._may_take(near) and self._may_take(far):
                meld = (near, card, far) if between else (card, near, far)
                return self._combine(meld, (near, far))
        return False

    def wild_take(self) -> bool:
        """Take a card of a long line into a new meld with a card and a joker of the hand."""
        for meld, stands_for, taken in self._turned(self.prospect.wild_takes):
            held = [card for card in meld if card != taken]
            if all(self.counts[card] for card in held) and self._may_take(taken):
                return self._combine(meld, (taken,), stands_for)
        return False

    def _may_take(self, card: int) -> bool:
        """Return whether the line that *card* can be taken from is still as it was."""
        place, end, number = self.prospect.loose[card]
        space, now = self.prospect.space, self.space
        return number not in self.used and now[place] == space[place] and now[end] == space[end]

    def _combine(
        self, meld: tuple[int, ...], taken: tuple[int, ...], stands_for: int | None = None
    ) -> bool:
        """Lay *meld*, of which the cards *taken* come from long lines, the others from hand.

        *stands_for* is the card of its joker, if it has one.
        """
        room = self._room(len(meld))
        if room is None:
            return False
        for target, card in zip(room, meld, strict=True):
            if card in taken:
                self._take_out(card)
                self._put(target, card)
            else:
                self._play(target, card)
                if card == JOKER and stands_for is not None:
                    self.declared[target] = stands_for
        return True

    def _take_out(self, card: int) -> None:
        """Take *card* from its line, and close the gap with the card at the line's end."""
        place, end, number = self.prospect.loose[card]
        self.used.add(number)
        self.gone.add(place)
        if end != place:
            self.gone.add(end)
            self.placed[place] = self.prospect.table.board[end] - FIRST_BYTE

    def divide(self) -> bool:
        """Cut a run in two and lay the one part elsewhere, longer by a card of the hand."""
        for number in self._turned(self.prospect.long_runs):
            if number in self.used:
                continue
            start, step, line = self.prospect.lines[number]
            end = start + (len(line) - 1) * step
            for first, way, run in self._turned([(start, step, line), (end, -step, line[::-1])]):
                for length in self._turned(list(range(2, len(run) - 2))):
                    if self._cut(first + (len(run) - length) * way, way, run, length):
                        self.used.add(number)
                        return True
        return False

    def _cut(self, start: int, step: int, line: bytes, length: int) -> bool:
        """Lay the last *length* cards of *line*, the first of them at *start*, elsewhere."""
        places = range(start, start + length * step, step)
        part = line[-length:]
        twin, beyond = line[-length - 1 : -length], bytes((2 * line[-1] - line[-2],))
        for longer, byte in ((twin + part, twin), (part + beyond, beyond)):
            card = TO_CARDS[byte[0]]
            if self.counts[card] and byte[0] >= FIRST_BYTE and longer in MELDS:
                return self._free_to_go(places, ends=1) and self._carry(places, longer, card)
        return False

    def shift(self) -> bool:
        """Lay a whole line elsewhere, longer by a card of the hand."""
        growing = self.prospect.growing
        count = len(growing)
        if not count:
            return False
        first = self.luck.below(count)
        for offset in range(count):
            number, _, outward, fits = growing[(first + offset) % count]
            if number in self.used:
                continue
            start, step, line = self.prospect.lines[number]
            places = range(start, start + len(line) * step, step)
            if not self._free_to_go(places, ends=2):
                continue
            card = self._choose(fits)
            if card is not None:
                byte = bytes((FIRST_BYTE + card,))
                longer = line + byte if outward > 0 else byte + line
                if self._carry(places, longer, card):
                    self.used.add(number)
                    return True
        return False

    def swap(self) -> bool:
        """Put a natural card in the place of a joker, and the joker at an end of another line."""
        prospect = self.prospect
        if not prospect.edges:
            return False
        for cell, card in prospect.table.jokers:
            place = PLACE[cell]
            if not self.counts[card] or place in self.gone:
                continue
            crossing = {
                number
                for number, (start, step, line) in enumerate(prospect.lines)
                if place in range(start, start + len(line) * step, step)
            }
            if crossing & self.used:
                continue
            first = self.luck.below(len(prospect.edges))
            for offset in range(len(prospect.edges)):
                number, end, _, fits = prospect.edges[(first + offset) % len(prospect.edges)]
                free = number not in self.used and number not in crossing
                if fits >> JOKER and free and self.space[end] == 1:
                    self.gone.add(place)
                    self.placed[place] = card
                    self.counts[card] -= 1
                    self._put(end, JOKER)
                    self.used |= {number, *crossing}
                    return True
        return False

    def _carry(self, places: Iterable[int], line: bytes, added: int) -> bool:
        """Lay the cards at *places* elsewhere as *line*, which has *added* besides."""
        room = self._room(len(line))
        if room is None:
            return False
        board = self.prospect.table.board
        stood = dict(self.prospect.table.jokers)
        self.gone.update(places)
        self.counts[added] -= 1
        for target, byte in zip(room, line, strict=True):
            self._put(target, byte - FIRST_BYTE)
            if byte == JOKER_BYTE and added != JOKER:
                old = next(place for place in places if board[place] == JOKER_BYTE)
                self.declared[target] = stood[CELL_AT[old]]
        return True

    def _free_to_go(self, places: range, *, ends: int) -> bool:
        """Return whether no line crosses *places*, which hold so many *ends* of their line."""
        expected = [INSIDE_LINE] * len(places)
        expected[-1] = ALONE_IN_LINE
        if ends == 2:
            expected[0] = ALONE_IN_LINE
        space = self.space
        return [space[place] for place in places] == expected

    def _pairs(self, card: int) -> list[tuple[int, int, bool]]:
        """Return the pairs of the hand that make a meld with *card*, beginning anywhere."""
        counts = self.counts
        return self._turned(
            [pair for pair in PARTNERS[card] if counts[pair[0]] and counts[pair[1]]]
        )

    def _turned(self, items: list[T]) -> list[T]:
        """Return *items* in their order, but beginning anywhere."""
        if len(items) < 2:
            return items
        cut = self.luck.below(len(items))
        return items[cut:] + items[:cut]

    def _choose(self, fits: int) -> int | None:
        """Return one of the cards in the mask *fits* that the hand still has."""
        cards = []
        while fits:
            card = (fits & -fits).bit_length() - 1
            fits &= fits - 1
            if self.counts[card]:
                cards.append(card)
        if len(cards) > 1:
            return cards[self.luck.below(len(cards))]
        return cards[0] if cards else None

    def _room(self, length: int) -> range | None:
        """Return places in a row or column for a line of *length* away from all cards."""
        space, clear = self.space, _CLEAR[length]
        if self.luck.below(2):
            for _ in range(_TRIES):
                column = self.luck.below(SIDE)
                row = space[column::STRIDE].find(clear, 1 + self.luck.below(SIDE))
                if row >= 0:
                    start = row * STRIDE + column
                    return range(start, start + length * STRIDE, STRIDE)
        start = space.find(clear, STRIDE * (1 + self.luck.below(SIDE)) + self.luck.below(SIDE))
        if start < 0:
            start = space.find(clear)
        return range(start, start + length) if start >= 0 else None

    def _play(self, place: int, card: int) -> None:
        """Put *card* of the hand at *place*."""
        self.counts[card] -= 1
        self._put(place, card)

    def _put(self, place: int, card: int) -> None:
        self.placed[place] = card
        space = self.space
        space[place] += TAKEN
        space[place - 1] += 1
        space[place + 1] += 1
        space[place - STRIDE] += 1
        space[place + STRIDE] += 1
