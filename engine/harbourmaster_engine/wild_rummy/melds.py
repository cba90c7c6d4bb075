"""Sets and runs: how the cards of a meld are read, and what a meld on the table takes.

Sets of cards are bit masks: card `c` is `1 << c`. A *track* is a suit in the order of runs, with
the ace at both ends, so that a run is a slice of a track.
"""

from functools import lru_cache
from typing import Final

from harbourmaster_engine.cards import NAMES, RANK, RANK_NAMES, SUIT, Card
from harbourmaster_engine.game import Refusal
from harbourmaster_engine.wild_rummy.moves import CODES, End, Meld

SUIT_BITS: Final = 0x1FFF
"""The thirteen bits of one suit."""

BIT: Final = tuple(1 << card for card in range(52))
ALL_CARDS: Final = (1 << 52) - 1
RANK_MASK: Final = (0, *(sum(1 << card for card in range(r, 52, 13)) for r in range(13)))
"""The four cards of each rank, from 1."""

TRACK: Final = tuple((*range(s * 13, s * 13 + 13), s * 13) for s in range(4))
"""The cards of each suit from the low ace to the high ace."""

FACE_VALUE: Final = (0, 10, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)
WILD_VALUE: Final = 15

VALUE: Final = tuple(
    tuple(WILD_VALUE if RANK[card] == wild else FACE_VALUE[RANK[card]] for card in range(52))
    for wild in range(14)
)
"""What each card costs in a hand, by wild rank and card."""

SHORTEST: Final = 3
LONGEST_SET: Final = 4
LONGEST_RUN: Final = 13


def _suit_table(suit: int) -> tuple[tuple[Card, ...], ...]:
    table: list[tuple[Card, ...]] = [()]
    for card in range(suit * 13, suit * 13 + 13):
        table += [(*cards, card) for cards in table]
    return tuple(table)


_CLUBS, _DIAMONDS, _HEARTS, _SPADES = (_suit_table(suit) for suit in range(4))


def cards_of(mask: int) -> tuple[Card, ...]:
    """Return the cards of *mask*, ascending."""
    return (
        _CLUBS[mask & SUIT_BITS]
        + _DIAMONDS[mask >> 13 & SUIT_BITS]
        + _HEARTS[mask >> 26 & SUIT_BITS]
        + _SPADES[mask >> 39]
    )


def value_of(mask: int, wild_rank: int) -> int:
    """Return what the cards of *mask* cost in a hand."""
    value = VALUE[wild_rank]
    return sum([value[card] for card in cards_of(mask)])


def refuse(code: str, text: str) -> Refusal:
    """Return the refusal with *code*, which is one of the game's."""
    assert code in CODES
    return Refusal(code, text)


@lru_cache(maxsize=1 << 12)
def read_meld(cards: tuple[Card, ...], wild_rank: int) -> Meld | Refusal:
    """Return the meld that *cards* (3 to 13 different ones) are in their order, or why not.

    Two cards that are not of the wild rank tell a set from a run: they have the same rank in a set
    and different ones in a run. With one such card only a run can have naturals enough, with none
    only a set.
    """
    plain = [card for card in cards if RANK[card] != wild_rank]
    if not plain or (len(plain) > 1 and RANK[plain[0]] == RANK[plain[1]]):
        return _read_set(cards, RANK[plain[0]] if plain else wild_rank, wild_rank)
    return _read_run(cards, plain[0], wild_rank)


def _read_set(cards: tuple[Card, ...], rank: int, wild_rank: int) -> Meld | Refusal:
    for card in cards:
        if RANK[card] != rank and RANK[card] != wild_rank:
            text = f"{listed(cards)}: {NAMES[card]} does not belong to a set of {_rank(rank)}"
            return refuse("not_a_meld", text)
    if len(cards) > LONGEST_SET:
        return refuse("too_long", f"{listed(cards)}: a set has four cards at most")
    wilds = sum([RANK[card] != rank for card in cards])
    return _too_many(cards, wilds) or make_set(cards, rank, wild_rank)


def _read_run(cards: tuple[Card, ...], anchor: Card, wild_rank: int) -> Meld | Refusal:
    """Read *cards* as a run in which *anchor*, which is not of the wild rank, is natural."""
    place = cards.index(anchor)
    low = RANK[anchor] - place
    if RANK[anchor] == 1 and place:
        low += 13
    suit = SUIT[anchor]
    if low < 1 or low + len(cards) > 15:
        text = f"{listed(cards)}: with {NAMES[anchor]} in that place the run would pass an ace"
        return refuse("not_a_meld", text)
    wilds = 0
    for card, stands_for in zip(cards, TRACK[suit][low - 1 :], strict=False):
        if card != stands_for:
            wilds += 1
            if RANK[card] != wild_rank:
                where = f"the place of {NAMES[stands_for]}"
                text = f"{listed(cards)}: {NAMES[card]} is in {where}, and is not wild"
                return refuse("not_a_meld", text)
    return _too_many(cards, wilds) or make_run(cards, suit, low, wild_rank)


def _too_many(cards: tuple[Card, ...], wilds: int) -> Refusal | None:
    naturals = len(cards) - wilds
    if wilds <= naturals:
        return None
    return refuse("too_many_wilds", f"{listed(cards)}: {wilds} wilds, but naturals: {naturals}")


def make_set(cards: tuple[Card, ...], rank: int, wild_rank: int) -> Meld:
    """Return the set of *rank* that *cards*, which are one, make."""
    shown = 0
    for card in cards:
        if RANK[card] == rank:
            shown |= BIT[card]
    wilds = len(cards) - shown.bit_count()
    missing = RANK_MASK[rank] & ~shown
    return Meld(
        cards,
        tuple([card if RANK[card] == rank else None for card in cards]),
        False,
        wilds,
        0,
        0,
        missing | RANK_MASK[wild_rank] & ~shown if len(cards) < LONGEST_SET else 0,
        missing if wilds else 0,
    )


def make_run(cards: tuple[Card, ...], suit: int, low: int, wild_rank: int) -> Meld:
    """Return the run in *suit* from the rank *low* on that *cards*, which are one, make."""
    length = len(cards)
    track = TRACK[suit]
    stands_for = track[low - 1 : low - 1 + length]
    sells_for = wilds = 0
    for card, stood_for in zip(cards, stands_for, strict=True):
        if card != stood_for:
            wilds += 1
            sells_for |= BIT[stood_for]
    low_end = high_end = 0
    if length < LONGEST_RUN:
        wild_fits = RANK_MASK[wild_rank] if 2 * wilds + 1 <= length else 0
        if low > 1:
            low_end = BIT[track[low - 2]] | wild_fits
        if low + length < 15:
            high_end = BIT[track[low - 1 + length]] | wild_fits
    return Meld(cards, stands_for, True, wilds, low_end, high_end, low_end | high_end, sells_for)


def with_added(meld: Meld, card: Card, end: End | None, wild_rank: int) -> Meld:
    """Return *meld* with *card*, which fits, at its *end*."""
    if not meld.run:
        return make_set((*meld.cards, card), set_rank(meld), wild_rank)
    first = meld.stands_for[0]
    assert first is not None
    if end is End.LOW:
        return make_run((card, *meld.cards), SUIT[first], RANK[first] - 1, wild_rank)
    return make_run((*meld.cards, card), SUIT[first], RANK[first], wild_rank)


def with_bought(meld: Meld, index: int, card: Card, wild_rank: int) -> Meld:
    """Return *meld* with *card* in place *index* instead of the wild there."""
    cards = (*meld.cards[:index], card, *meld.cards[index + 1 :])
    if not meld.run:
        return make_set(cards, RANK[card], wild_rank)
    first = meld.stands_for[0]
    assert first is not None
    return make_run(cards, SUIT[first], RANK[first], wild_rank)


def set_rank(meld: Meld) -> int:
    """Return the rank of a set."""
    return next(RANK[card] for card in meld.stands_for if card is not None)


def why_not_added(meld: Meld, number: int, card: Card, end: End | None, wild_rank: int) -> Refusal:
    """Return why *meld* does not take *card* at *end*."""
    where = f"meld {number} ({listed(meld.cards)})"
    if not meld.run:
        if len(meld.cards) == LONGEST_SET:
            return refuse("set_full", f"{where} is a set of four: it does not take {NAMES[card]}")
        text = f"{NAMES[card]} does not fit {where}, a set of {_rank(set_rank(meld))}"
        return refuse("does_not_fit", text)
    if len(meld.cards) == LONGEST_RUN:
        return refuse("run_full", f"{where} is a run of thirteen: it does not take {NAMES[card]}")
    low_end = end is End.LOW
    edge = meld.stands_for[0 if low_end else -1]
    assert edge is not None
    if not (meld.low if low_end else meld.high):
        text = f"{where} ends at {NAMES[edge]}: {NAMES[card]} would go round the corner"
        return refuse("round_the_corner", text)
    if RANK[card] == wild_rank:
        text = f"{where} has as many wilds as naturals: it does not take {NAMES[card]} as a wild"
        return refuse("too_many_wilds", text)
    next_card = TRACK[SUIT[edge]][RANK[edge] - 1 + (-1 if low_end else 1)]
    text = f"{NAMES[card]} does not fit the {end} end of {where}, which takes {NAMES[next_card]}"
    return refuse("does_not_fit", text)


def why_not_bought(meld: Meld, number: int, index: int, card: Card) -> Refusal | None:
    """Return why *card* does not buy what lies in place *index* of *meld*, or `None`."""
    where = f"place {index} of meld {number} ({listed(meld.cards)})"
    there = meld.cards[index]
    stands_for = meld.stands_for[index]
    if there == stands_for:
        return refuse("not_a_wild", f"{NAMES[there]} in {where} is natural, and not for sale")
    if not BIT[card] & meld.sells_for or (meld.run and card != stands_for):
        what = "a suit that the set lacks" if stands_for is None else NAMES[stands_for]
        text = f"the wild in {where} stands for {what}, not for {NAMES[card]}"
        return refuse("not_that_card", text)
    return None


def listed(cards: tuple[Card, ...]) -> str:
    """Return the names of *cards* with spaces between them."""
    return " ".join([NAMES[card] for card in cards])


def _rank(rank: int) -> str:
    return f"{RANK_NAMES[rank - 1]}s"
