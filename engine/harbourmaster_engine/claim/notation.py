"""The neutral JSON form of Claim: moves, positions and what a transcript compares."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from harbourmaster_engine.cards import JOKER, Card, card_name, card_names, parse_card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim.groups import fit_of, worth_of
from harbourmaster_engine.claim.legal import relink
from harbourmaster_engine.claim.moves import (
    ClaimMove,
    EndTurn,
    Item,
    Merge,
    Play,
    Replace,
    Side,
)
from harbourmaster_engine.claim.state import ClaimState
from harbourmaster_engine.notation import common_summary, one_key

LARGEST_ID: Final = 1_000_000
"""The largest id of an item in a setup."""


def move_to_json(move: ClaimMove) -> dict[str, Any]:
    """Return *move* in the neutral form."""
    match move:
        case Play(card, None, None):
            return {"play": {"card": card_name(card)}}
        case Play(card, item, side):
            return {"play": {"card": card_name(card), "item": item, "side": str(side)}}
        case Merge(left, right):
            return {"merge": {"left": left, "right": right}}
        case Replace(group, index, card):
            return {"replace": {"group": group, "index": index, "card": card_name(card)}}
        case EndTurn():
            return {"end_turn": {}}


def move_from_json(data: object) -> ClaimMove:
    """Return the move that *data* describes; raise `ValueError` if it describes none."""
    kind, fields = one_key(data)
    if kind == "play":
        card = parse_card(fields.get("card"))
        if fields.get("item") is None and fields.get("side") is None:
            return Play(card)
        return Play(card, _number(fields, "item"), _side(fields.get("side")))
    if kind == "merge":
        return Merge(_number(fields, "left"), _number(fields, "right"))
    if kind == "replace":
        card = parse_card(fields.get("card"))
        return Replace(_number(fields, "group"), _number(fields, "index"), card)
    if kind == "end_turn":
        return EndTurn()
    raise ValueError(f"{kind!r} is not a move: there are play, merge, replace and end_turn")


def from_setup(
    setup: Mapping[str, Any], options: Mapping[str, Any], seats: int, seed: bytes
) -> ClaimState:
    """Return the position that *setup* fixes; what it leaves out has the notation's default."""
    state = ClaimState(options, seats, Stream.for_round(seed, 1))
    for item in sorted((_item(data, seats) for data in setup.get("items", [])), key=_id_of):
        if item.id in state._items or not 1 <= item.id <= LARGEST_ID:
            raise ValueError(f"id {item.id} is used twice, or is not from 1 to {LARGEST_ID}")
        state._items[item.id] = item
        state._fits[item.id] = fit_of(item.cards)
        _count_in(state, item)
    for number in state._fits:
        state._links = relink(state._links, state._fits, number)
    least_id = max(state._items, default=0) + 1
    state._next_item = setup.get("next_id", least_id)
    if not least_id <= state._next_item <= LARGEST_ID:
        raise ValueError(f"next_id is {state._next_item}, but every id below {least_id} is used")
    hands = _by_seat(setup, "hands", seats)
    decks = _by_seat(setup, "decks", seats)
    state._hands = [tuple(sorted(cards)) for cards in hands]
    state._decks = tuple(decks)
    state._deck_counts = [len(cards) for cards in decks]
    state._to_move = setup.get("turn", 0)
    state._idle = setup.get("idle", 0)
    state._actions = setup.get("actions", 0)
    state._acted = setup.get("acted", False)
    if state._to_move not in range(seats):
        raise ValueError(f"there is no seat {state._to_move}, which is to move")
    _check_pack(
        card
        for cards in (*(item.cards for item in state._items.values()), *hands, *decks)
        for card in cards
    )
    return state


def deal(state: ClaimState) -> list[list[str]]:
    """Return the hands, each sorted by its text."""
    return [sorted(card_names(hand)) for hand in state._hands]


def facts(state: ClaimState) -> dict[str, Any]:
    """Return the number of cards in each deck and of those set aside."""
    return {"decks": list(state._deck_counts), "aside": state._set_aside}


def summary(state: ClaimState) -> dict[str, Any]:
    """Return every key that a transcript's `final` may name."""
    items = [
        {
            "id": item.id,
            "cards": card_names(item.cards),
            "owners": list(item.owners) or [None],
        }
        for item in state._items.values()
    ]
    return common_summary(state) | {
        "rounds": 1,
        "hands": deal(state),
        "worth": list(state._worths),
        "jokers": list(state._jokers),
        "deck_counts": list(state._deck_counts),
        "items": items,
    }


def _id_of(item: Item) -> int:
    return item.id


def _number(fields: Mapping[str, Any], name: str) -> int:
    value = fields.get(name)
    if type(value) is not int:
        raise ValueError(f"{name} takes a whole number")
    return value


def _side(data: object) -> Side:
    if data not in ("left", "right"):
        raise ValueError("side takes left or right")
    return Side(str(data))


def _item(data: Mapping[str, Any], seats: int) -> Item:
    """Return the item that *data* describes; a single has the owners `[null]`, or none."""
    cards = tuple(parse_card(name) for name in data["cards"])
    owners = tuple(data.get("owners", [None] * len(cards)))
    if len(cards) == 1 and owners in ((), (None,)):
        return Item(_number(data, "id"), cards, ())
    if len(owners) != len(cards) or not set(owners) <= set(range(seats)) or len(cards) < 2:
        raise ValueError("each card of a group belongs to a seat, and a single to nobody")
    return Item(_number(data, "id"), cards, owners)


def _count_in(state: ClaimState, item: Item) -> None:
    """Add the worth and the jokers of *item* to those of their owners."""
    for card, owner, worth in zip(item.cards, item.owners, worth_of(item.cards), strict=False):
        state._worths[owner] += worth
        state._jokers[owner] += card == JOKER


def _by_seat(setup: Mapping[str, Any], name: str, seats: int) -> list[tuple[Card, ...]]:
    lists = setup.get(name, [[]] * seats)
    if len(lists) != seats:
        raise ValueError(f"{name} takes a list of cards for each of {seats} seats")
    return [tuple(parse_card(card) for card in cards) for cards in lists]


def _check_pack(cards: Iterable[Card]) -> None:
    """Raise `ValueError` if *cards* are more than one pack has."""
    for card, count in Counter(cards).items():
        if count > 1 + (card == JOKER):
            raise ValueError(f"there are {count} cards {card_name(card)} in the setup")
