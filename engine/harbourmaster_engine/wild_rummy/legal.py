"""The melds, additions and purchases that a hand allows, all of them.

A set is listed once, naturals first and ascending: the order of its cards changes nothing. Of a
run every window is listed with every choice of the places that wilds take, also places whose own
card is held, and every order of the wilds.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, islice, permutations
from typing import Final

from harbourmaster_engine.cards import Card
from harbourmaster_engine.wild_rummy.melds import (
    LONGEST_RUN,
    LONGEST_SET,
    RANK_MASK,
    SHORTEST,
    SUIT_BITS,
    TRACK,
    cards_of,
)
from harbourmaster_engine.wild_rummy.moves import (
    AddCard,
    BuyWild,
    End,
    LayMeld,
    Meld,
    WildRummyMove,
)

MOST_MOVES: Final = 1500
"""How many melds are listed at most. A hand of eight cards, which is the largest that a turn
brings about, has 1227 at most: 5H 6H 7H 8H and all the 4s, when these are wild."""


def hand_melds(hand: int, wild_rank: int) -> list[LayMeld]:
    """Return the melds that the cards of *hand* make."""
    wilds = hand & RANK_MASK[wild_rank]
    suits = (hand & SUIT_BITS, hand >> 13 & SUIT_BITS, hand >> 26 & SUIT_BITS, hand >> 39)
    c, d, h, s = suits
    moves: list[LayMeld] = []
    ranks = c & d & (h | s) | h & s & (c | d)
    if wilds:
        ranks |= c & d | h & s | (c | d) & (h | s)
    while ranks:
        lowest = ranks & -ranks
        ranks ^= lowest
        rank = lowest.bit_length()
        moves += set_moves(hand & RANK_MASK[rank], 0 if rank == wild_rank else wilds)
    for suit, bits in enumerate(suits):
        if len(moves) >= MOST_MOVES:
            break
        track = bits | (bits & 1) << 13
        if wilds:
            # A run with wilds has two naturals with two wilds between them at most.
            if track & (track >> 1 | track >> 2 | track >> 3):
                moves += run_moves(suit, bits, wilds)
        elif track & track >> 1 & track >> 2:
            moves += run_moves(suit, bits, 0)
    return moves


def table_moves(hand: int, melds: Sequence[Meld]) -> list[WildRummyMove]:
    """Return the additions and purchases that *hand* allows, meld by meld."""
    moves: list[WildRummyMove] = []
    for number, meld in enumerate(melds, 1):
        if hand & meld.takes:
            if meld.run:
                moves += [AddCard(number, card, End.LOW) for card in cards_of(hand & meld.low)]
                moves += [AddCard(number, card, End.HIGH) for card in cards_of(hand & meld.high)]
            else:
                moves += [AddCard(number, card) for card in cards_of(hand & meld.takes)]
        if hand & meld.sells_for:
            moves += [
                BuyWild(number, index, card)
                for card in cards_of(hand & meld.sells_for)
                for index, stands_for in enumerate(meld.stands_for)
                if meld.cards[index] != stands_for and (stands_for is None or stands_for == card)
            ]
    return moves


@lru_cache(maxsize=1 << 12)
def set_moves(naturals: int, wilds: int) -> tuple[LayMeld, ...]:
    """Return the sets of some of *naturals*, which have one rank, and some of *wilds*."""
    own, wild = cards_of(naturals), cards_of(wilds)
    return tuple(
        [
            LayMeld(plain + extra)
            for size in range(2, len(own) + 1)
            for plain in combinations(own, size)
            for more in range(max(0, SHORTEST - size), LONGEST_SET - size + 1)
            for extra in combinations(wild, more)
        ]
    )


@lru_cache(maxsize=1 << 14)
def run_moves(suit: int, bits: int, wilds: int) -> tuple[LayMeld, ...]:
    """Return the runs in *suit* of the held ranks *bits* and *wilds*, at most `MOST_MOVES`."""
    held = bits | (bits & 1) << 13
    wild = cards_of(wilds)
    moves: list[LayMeld] = []
    for low in range(15 - SHORTEST):
        for end in range(low + SHORTEST, min(14, low + LONGEST_RUN) + 1):
            missing = [place for place in range(low, end) if not held >> place & 1]
            if len(missing) > len(wild):
                break
            if 2 * len(missing) <= end - low:
                window = _window(TRACK[suit], low, end, missing, wild)
                moves += islice(window, MOST_MOVES - len(moves))
    return tuple(moves)


def _window(
    track: tuple[Card, ...],
    low: int,
    end: int,
    missing: list[int],
    wild: tuple[Card, ...],
) -> Iterator[LayMeld]:
    """Yield the runs from place *low* of *track* to before *end*, with wilds in *missing*."""
    held = [place for place in range(low, end) if place not in missing]
    own = next((place for place in range(low, end) if track[place] in wild), None)
    most = min(len(wild), (end - low) // 2) - len(missing)
    for extra in range(most + 1):
        for chosen in combinations(held, extra):
            places = (*missing, *chosen)
            free = wild
            if own is not None and own not in places:
                free = tuple(card for card in wild if card != track[own])
            for order in permutations(free, len(places)):
                cards = list(track[low:end])
                for place, card in zip(places, order, strict=True):
                    cards[place - low] = card
                # A card of the wild rank in its own place is natural: listed without the choice.
                if own is None or own not in places or cards[own - low] != track[own]:
                    yield LayMeld(tuple(cards))
