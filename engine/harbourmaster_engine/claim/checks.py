"""Why a move of Claim is refused: every code with the sentence that names what is at fault.

The checks take whatever a move holds: they look at the type of a part before they use it, and never
show one that is not what it should be, which may be of any size.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from harbourmaster_engine.cards import JOKER, NAMES, RANK_NAMES, Card
from harbourmaster_engine.claim.groups import CARDS_OF_RANK, MAX_CARDS, Fit, rank_at, worth_of
from harbourmaster_engine.claim.moves import CODES, Item, Side
from harbourmaster_engine.game import Refusal

LARGEST_SHOWN: Final = 1_000_000
"""Numbers beyond this are not shown in a refusal."""


def refuse(code: str, text: str) -> Refusal:
    """Return the refusal with *code*, which is one of the game's."""
    assert code in CODES
    return Refusal(code, text)


def check_play(
    items: Mapping[int, Item],
    fits: Mapping[int, Fit],
    hand: Sequence[Card],
    card: Any,
    item: Any,
    side: Any,
) -> Refusal | None:
    """Return why *card* cannot be played to *side* of *item*, or as a single if both are none."""
    if type(card) is not int or card not in hand:
        return _not_held(card)
    if item is None and side is None:
        return None
    if type(item) is not int:
        return refuse("malformed", "the item of a play is a whole number, with a side, or none")
    if side is not Side.LEFT and side is not Side.RIGHT:
        return refuse("malformed", "the side of a play to an item is left or right")
    fit = fits.get(item)
    if fit is None:
        return _no_such_item(item)
    if (fit.before if side is Side.LEFT else fit.after) >> card & 1:
        return None
    if fit.size == MAX_CARDS:
        return refuse("group_full", f"{show(items[item])} has 13 cards: nothing can be added")
    return refuse(
        "not_a_sequence", f"{NAMES[card]} does not go to the {side} of {show(items[item])}"
    )


def check_merge(
    items: Mapping[int, Item], fits: Mapping[int, Fit], left: Any, right: Any
) -> Refusal | None:
    """Return why the item *left* cannot go to the left of the item *right*, or `None`."""
    if type(left) is not int or type(right) is not int:
        return refuse("malformed", "the left and the right item of a merge are whole numbers")
    first, second = fits.get(left), fits.get(right)
    if first is None or second is None:
        return _no_such_item(left if first is None else right)
    if left == right:
        return refuse("same_item", f"{show(items[left])} cannot be merged with itself")
    size = first.size + second.size
    if size > MAX_CARDS:
        text = f"{show(items[left])} and {show(items[right])} would make {size} cards, more than 13"
        return refuse("group_full", text)
    if not first.starts & second.starts >> first.size:
        text = f"{show(items[left])} does not go to the left of {show(items[right])}"
        return refuse("not_a_sequence", text)
    return None


def check_replace(
    items: Mapping[int, Item],
    fits: Mapping[int, Fit],
    hand: Sequence[Card],
    group: Any,
    index: Any,
    card: Any,
) -> Refusal | None:
    """Return why *card* cannot replace the card at *index* of *group*, or `None`."""
    if type(card) is not int or card not in hand:
        return _not_held(card)
    if type(group) is not int or type(index) is not int:
        return refuse("malformed", "the group and the index of a replacement are whole numbers")
    fit = fits.get(group)
    if fit is None:
        return _no_such_item(group)
    item = items[group]
    if fit.size == 1:
        return refuse("not_a_group", f"{show(item)} is a single, and a single is never replaced")
    if not 0 <= index < fit.size:
        text = f"{show(item)} has no place {_number(index)}: it has 0 to {fit.size - 1}"
        return refuse("no_such_place", text)
    if fit.better[index] >> card & 1:
        return None
    return _why_not_better(item, fit, index, card)


def _why_not_better(item: Item, fit: Fit, index: int, card: Card) -> Refusal:
    """Return why a held *card* cannot replace the card at a place that there is."""
    old = NAMES[item.cards[index]]
    where = f"place {index} of {show(item)}"
    if card == JOKER:
        return refuse("joker_replaces_nothing", f"a joker cannot replace {old} at {where}")
    rank = rank_at(fit, index)
    if not rank:
        text = f"{where} has no rank, as the group is of jokers only: it cannot be replaced"
        return refuse("joker_without_rank", text)
    if not CARDS_OF_RANK[rank] >> card & 1:
        name = RANK_NAMES[(rank - 1) % 13]
        return refuse("wrong_rank", f"{NAMES[card]} is not of rank {name}, which stands at {where}")
    after = (*item.cards[:index], card, *item.cards[index + 1 :])
    now, then = worth_of(item.cards)[index], worth_of(after)[index]
    text = f"{NAMES[card]} would be worth {then} at {where}, and {old} is worth {now} there"
    return refuse("not_worth_more", text)


def show(item: Item) -> str:
    """Return *item* as people write it."""
    return f"item {item.id} ({' '.join(NAMES[card] for card in item.cards)})"


def _not_held(card: object) -> Refusal:
    if type(card) is not int or not 0 <= card <= JOKER:
        return refuse("malformed", "the card of the move is none of the 52 and no joker")
    return refuse("not_held", f"you do not hold {NAMES[card]}")


def _no_such_item(item: int) -> Refusal:
    return refuse("no_such_item", f"there is no item {_number(item)} on the table")


def _number(number: int) -> str:
    return str(number) if -LARGEST_SHOWN <= number <= LARGEST_SHOWN else "with so large a number"
