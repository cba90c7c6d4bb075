"""The legal moves of Claim, made from masks; equal moves are one object, made once."""

from collections.abc import Mapping, Sequence
from typing import Final

from harbourmaster_engine.cards import Card
from harbourmaster_engine.claim.groups import MAX_CARDS, RANKS_IN, Fit
from harbourmaster_engine.claim.moves import ClaimMove, EndTurn, Merge, Play, Replace, Side

KEPT_IDS: Final = 128
"""Moves with ids below this are kept; few matches get that far, and memory stays bounded."""

END_TURN: Final = EndTurn()
SINGLES: Final = tuple(Play(card) for card in range(53))
"""The move that plays each card as a new single."""

BIT: Final = tuple(1 << card for card in range(53))
_CARD_OF: Final = {1 << card: card for card in range(53)}

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


def _merge(key: int, left: int, right: int) -> Merge:
    move = Merge(left, right)
    if left < KEPT_IDS and right < KEPT_IDS:
        _merges[key] = move
    return move


def _replace(key: int, group: int, index: int, card: Card) -> Replace:
    move = Replace(group, index, card)
    if group < KEPT_IDS:
        _replaces[key] = move
    return move


def legal_plays(hand: Sequence[Card], fits: Mapping[int, Fit]) -> list[ClaimMove]:
    """Return every move but merges: ending the turn, then singles, then item by item."""
    held = 0
    moves: list[ClaimMove] = [END_TURN]
    for card in hand:
        if not held & BIT[card]:
            held |= BIT[card]
            moves.append(SINGLES[card])
    for item, fit in fits.items():
        if wanted := held & fit.wants:
            _add_moves(moves, item, fit, wanted)
    return moves


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


def legal_merges(fits: Mapping[int, Fit]) -> tuple[Merge, ...]:
    """Return every legal merge, by left and then by right item."""
    starting: list[list[int]] = [[] for _ in range(16)]
    for item, fit in fits.items():
        for rank in RANKS_IN[fit.starts]:
            starting[rank].append(item)
    moves = []
    for left, fit in fits.items():
        ranks = RANKS_IN[fit.ends]
        rights = starting[ranks[0] + 1]
        if len(ranks) > 1:
            rights = sorted({item for rank in ranks for item in starting[rank + 1]})
        room = MAX_CARDS - fit.size
        for right in rights:
            if right != left and fits[right].size <= room:
                key = left << 20 | right
                moves.append(_merges.get(key) or _merge(key, left, right))
    return tuple(moves)
