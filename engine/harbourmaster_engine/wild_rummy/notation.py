"""The neutral JSON form of Wild Rummy: moves, positions and what a transcript compares."""

from collections.abc import Mapping
from typing import Any

from harbourmaster_engine.cards import JOKER, NAMES, Card, card_names, parse_card
from harbourmaster_engine.game import Refusal
from harbourmaster_engine.notation import common_summary, one_key
from harbourmaster_engine.wild_rummy.melds import BIT, LONGEST_RUN, SHORTEST, cards_of, read_meld
from harbourmaster_engine.wild_rummy.moves import (
    AddCard,
    BuyWild,
    Discard,
    Draw,
    End,
    LayMeld,
    Meld,
    Phase,
    Source,
    WildRummyMove,
)
from harbourmaster_engine.wild_rummy.state import WildRummyState


def move_to_json(move: WildRummyMove) -> dict[str, Any]:
    """Return *move* in the neutral form."""
    match move:
        case Draw(source):
            return {"draw": {"from": source.value}}
        case LayMeld(cards):
            return {"meld": {"cards": card_names(cards)}}
        case AddCard(meld, card, end):
            fields = {"meld": meld, "card": NAMES[card]}
            return {"add": fields if end is None else fields | {"end": end.value}}
        case BuyWild(meld, index, card):
            return {"buy": {"meld": meld, "index": index, "card": NAMES[card]}}
        case Discard(card):
            return {"discard": {"card": NAMES[card]}}


def move_from_json(data: object) -> WildRummyMove:
    """Return the move that *data* describes; raise `ValueError` if it describes none."""
    kind, fields = one_key(data)
    if kind == "draw":
        return Draw(Source(str(fields.get("from"))))
    if kind == "meld":
        return LayMeld(tuple(_cards(fields.get("cards"))))
    if kind == "add":
        end = fields.get("end")
        card = _card(fields.get("card"))
        return AddCard(_number(fields, "meld"), card, None if end is None else End(str(end)))
    if kind == "buy":
        card = _card(fields.get("card"))
        return BuyWild(_number(fields, "meld"), _number(fields, "index"), card)
    if kind == "discard":
        return Discard(_card(fields.get("card")))
    raise ValueError(f"{kind!r} is not a move: there are draw, meld, add, buy and discard")


def from_setup(
    setup: Mapping[str, Any], options: Mapping[str, Any], seats: int, seed: bytes
) -> WildRummyState:
    """Return the position that *setup* fixes; what it leaves out has the notation's default."""
    state = WildRummyState(options, seats, seed, setup.get("round", 1))
    state._hands = [_mask(_cards(names)) for names in setup["hands"]]
    state._stock = _cards(setup.get("stock", []))
    state._discards = _cards(setup.get("discards", []))
    state._melds = [_meld(names, state._round) for names in setup.get("melds", [])]
    state._melded = tuple(setup.get("melded", [False] * seats))
    state._scores = tuple(setup.get("scores", [0] * seats))
    state._round_turns = setup.get("round_turns", 0)
    turn, phase = setup.get("turn", 0), Phase(setup.get("phase", "draw"))
    if phase is Phase.DRAW:
        state._begin_turn(turn)
        return state
    taken = setup.get("taken")
    state._to_move, state._phase = turn, phase
    if taken is not None:
        state._taken = _card(taken)
        state._known[turn] = BIT[state._taken]
    return state


def deal(state: WildRummyState) -> list[list[str]]:
    """Return the hand of each seat, sorted by text."""
    return [_sorted_names(hand) for hand in state._hands]


def facts(state: WildRummyState) -> dict[str, Any]:
    """Return the number of cards in the stock."""
    return {"stock": len(state._stock)}


def summary(state: WildRummyState) -> dict[str, Any]:
    """Return every key that a transcript's `final` may name."""
    rounds = zip(state._winners, state._round_scores, strict=True)
    return common_summary(state) | {
        "rounds": state._round,
        "round": state._round,
        "phase": state._phase.value,
        "hands": deal(state),
        "melds": [card_names(meld.cards) for meld in state._melds],
        "discard_top": NAMES[state._discards[-1]] if state._discards else None,
        "discard_count": len(state._discards),
        "stock_count": len(state._stock),
        "round_log": [{"winner": winner, "scores": list(scores)} for winner, scores in rounds],
    }


def _sorted_names(hand: int) -> list[str]:
    return sorted(card_names(cards_of(hand)))


def _mask(cards: list[Card]) -> int:
    mask = sum([BIT[card] for card in set(cards)])
    if mask.bit_count() < len(cards):
        raise ValueError("the setup has a card twice in a hand")
    return mask


def _card(name: object) -> Card:
    card = parse_card(name)
    if card == JOKER:
        raise ValueError("JK is not a card of Wild Rummy, which has no jokers")
    return card


def _cards(names: object) -> list[Card]:
    if not isinstance(names, list):
        raise ValueError("cards are a list of names, such as 10H")
    return [_card(name) for name in names]


def _number(fields: Mapping[str, Any], name: str) -> int:
    number = fields.get(name)
    if type(number) is not int:
        raise ValueError(f"{name} takes a whole number")
    return number


def _meld(names: object, wild_rank: int) -> Meld:
    cards = tuple(_cards(names))
    fits = SHORTEST <= len(cards) <= LONGEST_RUN
    meld = read_meld(cards, wild_rank) if fits else None
    if not isinstance(meld, Meld):
        why = f": {meld.text}" if isinstance(meld, Refusal) else ""
        raise ValueError(f"the setup has a meld that is none{why}")
    return meld
