"""The legal moves of Claim, made from masks; equal moves are one object, made once."""

from collections.abc import Mapping, Sequence
from typing import Final

from harbourmaster_engine.cards import Card
from harbourmaster_engine.claim.groups import MAX_CARDS, Fit
from harbourmaster_engine.claim.moves import ClaimMove, EndTurn, Merge, Play, Replace, Side

KEPT_IDS: Final = 128
"""Moves with ids below this are kept; few matches get that far, and memory stays bounded."""

END_TURN: Final = EndTurn()
SINGLES: Final = tuple(Play(card) for card in range(53))
"""The move that plays each card as a new single."""

BIT: Final = tuple(1 << card for card in range(53))
_CARD_OF: Final = {1 << card: card for card in range(53)}

# A link, which is a legal merge, is one number: the left id, then the right id in these bits.
LEFT_SHIFT: Final = 24
RIGHT_MASK: Final = (1 << LEFT_SHIFT) - 1

_lefts: dict[int, Play] = {}
_rights: dict[int, Play] = {}
_merges: dict[int, Merge] = {}
_replaces: dict[int, Replace] = {}


def _left(key: int, item: int, card: Card) -> Play:
    move = Play(card, item, Side.LEFT)
    if item < KEPT_IDS:
        _lefts[key] = move
    return move


def _right(key: int, item: int, card: Card) -> Play:
    move = Play(card, item, Side.RIGHT)
    if item < KEPT_IDS:
        _rights[key] = move
    return move


def _merge(link: int) -> Merge:
    move = Merge(link >> LEFT_SHIFT, link & RIGHT_MASK)
    if move.left < KEPT_IDS and move.right < KEPT_IDS:
        _merges[link] = move
    return move


def _replace(key: int, group: int, index: int, card: Card) -> Replace:
    move = Replace(group, index, card)
    if group < KEPT_IDS:
        _replaces[key] = move
    return move


def all_moves(
    hand: Sequence[Card], fits: Mapping[int, Fit], links: Sequence[int]
) -> tuple[ClaimMove, ...]:
    """Return the end of the turn, singles, what can be added item by item, then merges."""
    held = 0
    moves: list[ClaimMove] = [END_TURN]
    for card in hand:
        if not held & BIT[card]:
            held |= BIT[card]
            moves.append(SINGLES[card])
    for item, fit in fits.items():
        if wanted := held & fit.wants:
            _add_moves(moves, item, fit, wanted)
    for link in links:
        moves.append(_merges.get(link) or _merge(link))
    return tuple(moves)


def _add_moves(moves: list[ClaimMove], item: int, fit: Fit, wanted: int) -> None:
    """Add the moves that bring one of the cards *wanted* to *item*."""
    base = item << 6
    if mask := wanted & fit.before:
        while mask:
            bit = mask & -mask
            mask ^= bit
            card = _CARD_OF[bit]
            moves.append(_lefts.get(base | card) or _left(base | card, item, card))
    if mask := wanted & fit.after:
        while mask:
            bit = mask & -mask
            mask ^= bit
            card = _CARD_OF[bit]
            moves.append(_rights.get(base | card) or _right(base | card, item, card))
    for index, better in enumerate(fit.better):
        mask = wanted & better
        while mask:
            bit = mask & -mask
            mask ^= bit
            card = _CARD_OF[bit]
            key = (base | card) << 4 | index
            moves.append(_replaces.get(key) or _replace(key, item, index, card))


def relink(links: list[int], fits: Mapping[int, Fit], item: int, gone: int = 0) -> list[int]:
    """Return the *links* after *item* has changed or come, and *gone* (if any) has left.

    Links are sorted, so that the order of the moves depends on nothing but the table.
    """
    fit = fits[item]
    after, starts, room = fit.ends << 1, fit.starts, MAX_CARDS - fit.size
    links = [
        link
        for link in links
        if (left := link >> LEFT_SHIFT) != item
        and (right := link & RIGHT_MASK) != item
        and left != gone
        and right != gone
    ]
    for other, its in fits.items():
        if its.size <= room and other != item:
            if its.starts & after:
                links.append(item << LEFT_SHIFT | other)
            if its.ends << 1 & starts:
                links.append(other << LEFT_SHIFT | item)
    links.sort()
    return links
