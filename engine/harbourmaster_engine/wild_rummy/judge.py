"""Whether the rules allow a move, whatever values its fields have.

A meld, an addition or a purchase is judged by the meld that it makes on the table. A hand is a bit
mask: card `c` is `1 << c`.
"""

from collections.abc import Sequence
from typing import Any

from harbourmaster_engine.cards import NAMES, Card
from harbourmaster_engine.game import Refusal
from harbourmaster_engine.wild_rummy.melds import (
    BIT,
    LONGEST_RUN,
    SHORTEST,
    listed,
    read_meld,
    refuse,
    why_not_added,
    why_not_bought,
    with_added,
    with_bought,
)
from harbourmaster_engine.wild_rummy.moves import (
    AddCard,
    BuyWild,
    End,
    LayMeld,
    Meld,
    Phase,
    Source,
)


def wrong_phase(phase: Phase) -> Refusal:
    """Return why a move of another phase is illegal in *phase*."""
    if phase is Phase.OPEN:
        text = "you open the round with a discard, and do nothing else"
        return refuse("opening_discard_only", text)
    if phase is Phase.DRAW:
        return refuse("draw_first", "draw a card first")
    return refuse("already_drawn", "you have drawn a card in this turn")


def judge_card(card: Any, hand: int) -> Refusal | None:
    """Return why *card* is not a card in *hand*, or `None`."""
    if type(card) is not int or not 0 <= card < 52:
        return refuse("malformed", "a move names its cards by their numbers, from 0 to 51")
    if not hand & BIT[card]:
        return refuse("not_held", f"you do not hold {NAMES[card]}")
    return None


def judge_draw(
    source: object, phase: Phase, stock: Sequence[Card], discards: Sequence[Card]
) -> Refusal | None:
    """Return why no card is drawn from *source*, or `None`."""
    if phase is not Phase.DRAW:
        return wrong_phase(phase)
    if source is not Source.STOCK and source is not Source.DISCARD:
        return refuse("malformed", "a draw names its source: the stock or the discard pile")
    if not (stock if source is Source.STOCK else discards):
        return refuse("nothing_to_draw", f"there is no card to draw from the {source} pile")
    return None


def judge_discard(card: Card, phase: Phase, hand: int, barred: Card | None) -> Refusal | None:
    """Return why *card* is not discarded, or `None`; *barred* goes only as the last card."""
    if phase is Phase.DRAW:
        return wrong_phase(phase)
    refusal = judge_card(card, hand)
    if not refusal and card == barred and hand != BIT[card]:
        text = f"{NAMES[card]} was taken from the discard pile in this turn: discard another"
        return refuse("taken_discard", text)
    return refusal


def judge_meld(move: LayMeld, hand: int, wild_rank: int) -> Refusal | Meld:
    """Return the meld that *move* lays down, or why not."""
    cards: Any = move.cards
    if type(cards) is not tuple:
        return refuse("malformed", "a meld lists its cards, a run from low to high")
    if len(cards) < SHORTEST:
        return refuse("too_short", f"a meld has three cards at least, not {len(cards)}")
    if len(cards) > LONGEST_RUN:
        return refuse("too_long", f"a meld has thirteen cards at most, not {len(cards)}")
    mask = 0
    for card in cards:
        if refusal := judge_card(card, hand):
            return refusal
        mask |= BIT[card]
    if mask.bit_count() < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        text = f"{listed(cards)}: {NAMES[twice]} is named twice, and you hold one"
        return refuse("not_held", text)
    return read_meld(cards, wild_rank)


def judge_addition(
    move: AddCard, hand: int, melds: Sequence[Meld], wild_rank: int
) -> Refusal | Meld:
    """Return the meld that *move* makes of one of *melds*, or why not."""
    if refusal := judge_card(move.card, hand) or _judge_number(move.meld, melds):
        return refusal
    meld, end = melds[move.meld - 1], move.end
    if meld.run:
        if end is not End.LOW and end is not End.HIGH:
            text = f"meld {move.meld} is a run: name its end, low or high"
            return refuse("malformed", text)
        fits = meld.low if end is End.LOW else meld.high
    elif end is None:
        fits = meld.takes
    else:
        return refuse("malformed", f"meld {move.meld} is a set, which has no ends: name none")
    if not fits & BIT[move.card]:
        return why_not_added(meld, move.meld, move.card, end, wild_rank)
    return with_added(meld, move.card, end, wild_rank)


def judge_purchase(
    move: BuyWild, hand: int, melds: Sequence[Meld], wild_rank: int
) -> Refusal | Meld:
    """Return the meld that *move* makes of one of *melds*, or why not."""
    if refusal := judge_card(move.card, hand) or _judge_number(move.meld, melds):
        return refusal
    meld = melds[move.meld - 1]
    index: Any = move.index
    if type(index) is not int:
        return refuse("malformed", "a place in a meld is a whole number, from 0")
    if not 0 <= index < len(meld.cards):
        text = f"meld {move.meld} ({listed(meld.cards)}) has the places 0 to {len(meld.cards) - 1}"
        return refuse("no_such_place", text)
    refusal = why_not_bought(meld, move.meld, index, move.card)
    return refusal or with_bought(meld, index, move.card, wild_rank)


def _judge_number(number: Any, melds: Sequence[Meld]) -> Refusal | None:
    if type(number) is not int:
        return refuse("malformed", "a meld's number is a whole number, from 1")
    if not 0 < number <= len(melds):
        there = f"1 to {len(melds)}" if melds else "none"
        return refuse("no_such_meld", f"no meld has that number: there are {there}")
    return None
