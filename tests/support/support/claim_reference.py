"""Claim's rules once more, as plainly as the page has them and as slowly as that makes them.

The engine keeps masks and tables up to date; this looks at the cards each time.
"""

from collections.abc import Iterator, Sequence

from harbourmaster_engine.cards import JOKER, RANK, SUIT
from harbourmaster_engine.claim import (
    CardPlayed,
    CardReplaced,
    ClaimEvent,
    ClaimMove,
    ClaimView,
    EndTurn,
    Item,
    ItemsMerged,
    Merge,
    Play,
    Replace,
    Side,
    TurnEnded,
)


def ranks_of(cards: Sequence[int]) -> list[int] | None:
    """Return the rank of each card of a group, zeros if all are jokers, `None` if it is none."""
    if all(card == JOKER for card in cards):
        return [0] * len(cards)
    for start in range(1, 16 - len(cards)):
        ranks = list(range(start, start + len(cards)))
        if all(_may_be(card, rank) for card, rank in zip(cards, ranks, strict=True)):
            return ranks
    return None


def worth_at(cards: Sequence[int], place: int) -> int:
    """Return the worth of the card at *place*."""
    if len(cards) == 1:
        return 0
    beside = [n for n in (place - 1, place + 1) if 0 <= n < len(cards)]
    if len(cards) == 13:
        beside = [(place - 1) % 13, (place + 1) % 13]
    return sum(_worth_beside(cards[place], cards[n]) for n in beside)


def legal_moves(view: ClaimView) -> set[ClaimMove]:
    """Return all legal moves of the seat to move, whose view this is."""
    moves: set[ClaimMove] = {EndTurn()}
    moves.update(Play(card) for card in view.hand)
    for item in view.items:
        for card in view.hand:
            if _is_group((card, *item.cards)):
                moves.add(Play(card, item.id, Side.LEFT))
            if _is_group((*item.cards, card)):
                moves.add(Play(card, item.id, Side.RIGHT))
        for other in view.items:
            if other.id != item.id and _is_group(item.cards + other.cards):
                moves.add(Merge(item.id, other.id))
        moves.update(_replacements(view.hand, item))
    return moves


def scores(view: ClaimView) -> list[int]:
    """Return the score of each seat, of which none has forfeited."""
    counts = zip(view.hand_counts, view.deck_counts, strict=True)
    found = [-5 * (hand + deck) for hand, deck in counts]
    for item in view.items:
        for place, owner in enumerate(item.owners):
            found[owner] += worth_at(item.cards, place) + 40 * (item.cards[place] == JOKER)
    return found


def fold(view: ClaimView, event: ClaimEvent) -> None:
    """Change the public part of a spectator's *view* as *event* says; no seat forfeits."""
    items = {item.id: item for item in view.items}
    hands, known = list(view.hand_counts), [list(cards) for cards in view.known_cards]
    decks = list(view.deck_counts)
    seat = event.seat
    match event:
        case CardPlayed(_, card, number, side):
            single = Item(number, (card,), ())
            hands[seat] -= 1
            _forget(known[seat], card)
            if side is None:
                items[number] = single
                view.next_item += 1
            else:
                pair = [items[number], single] if side is Side.RIGHT else [single, items[number]]
                items[number] = _joined(seat, number, *pair)
        case ItemsMerged(_, left, right):
            items[left] = _joined(seat, left, items[left], items.pop(right))
        case CardReplaced(_, group, index, card, old):
            cards, owners = list(items[group].cards), list(items[group].owners)
            cards[index], owners[index] = card, seat
            items[group] = Item(group, tuple(cards), tuple(owners))
            _forget(known[seat], card)
            known[seat] = sorted([*known[seat], old])
        case TurnEnded(_, drawn):
            hands[seat] += drawn
            decks[seat] -= drawn
    view.items = tuple(items.values())
    view.hand_counts, view.deck_counts = tuple(hands), tuple(decks)
    view.known_cards = tuple(tuple(cards) for cards in known)
    _fold_turn(view, event)
    _fold_sums(view)


def _fold_turn(view: ClaimView, event: ClaimEvent) -> None:
    if not isinstance(event, TurnEnded):
        view.actions += 1
        view.acted = view.acted or not isinstance(event, ItemsMerged)
        return
    view.turns += 1
    view.idle = 0 if view.acted else view.idle + 1
    view.actions, view.acted = 0, False
    next_seat = (event.seat + 1) % len(view.scores)
    over = view.idle >= view.idle_turns or not view.hand_counts[next_seat]
    view.to_move = None if over else next_seat


def _fold_sums(view: ClaimView) -> None:
    worths, jokers = [0] * len(view.scores), [0] * len(view.scores)
    for item in view.items:
        for place, owner in enumerate(item.owners):
            worths[owner] += worth_at(item.cards, place)
            jokers[owner] += item.cards[place] == JOKER
    view.worths, view.jokers = tuple(worths), tuple(jokers)
    view.scores = tuple(scores(view))


def _may_be(card: int, rank: int) -> bool:
    return card == JOKER or RANK[card] == rank or (RANK[card] == 1 and rank == 14)


def _is_group(cards: Sequence[int]) -> bool:
    return 2 <= len(cards) <= 13 and ranks_of(cards) is not None


def _worth_beside(card: int, other: int) -> int:
    if JOKER in (card, other):
        return 0
    if SUIT[card] == SUIT[other]:
        return 5
    return 2 if {SUIT[card], SUIT[other]} in ({0, 3}, {1, 2}) else 1


def _replacements(hand: Sequence[int], item: Item) -> Iterator[Replace]:
    ranks = ranks_of(item.cards)
    if len(item.cards) == 1 or ranks is None:
        return
    for index, old in enumerate(item.cards):
        for card in hand:
            if card == JOKER or not ranks[index] or not _may_be(card, ranks[index]):
                continue
            after = [*item.cards[:index], card, *item.cards[index + 1 :]]
            if old == JOKER or worth_at(after, index) > worth_at(item.cards, index):
                yield Replace(item.id, index, card)


def _joined(seat: int, number: int, left: Item, right: Item) -> Item:
    owners = (left.owners or (seat,)) + (right.owners or (seat,))
    return Item(number, left.cards + right.cards, owners)


def _forget(known: list[int], card: int) -> None:
    if card in known:
        known.remove(card)
