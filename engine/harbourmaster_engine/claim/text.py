"""Claim in words and pictures for people."""

from harbourmaster_engine.cards import card_name, card_names
from harbourmaster_engine.claim.groups import worth_of
from harbourmaster_engine.claim.moves import (
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
    TurnEnded,
)


def picture(view: ClaimView) -> str:
    """Return the table, one item a row with owner and worth below each card; then the seats."""
    lines = []
    for item in view.items:
        lines.extend(_rows(item))
    if not view.items:
        lines.append("the table is empty")
    for seat, score in enumerate(view.scores):
        lines.append(_seat_line(view, seat, score))
    if view.hand:
        lines.append(f"hand: {' '.join(card_names(view.hand))}")
    return "\n".join(lines)


def describe_move(move: ClaimMove) -> str:
    """Return *move* in a few words."""
    match move:
        case Play(card, None):
            return f"play {card_name(card)} as a single"
        case Play(card, item, side):
            return f"play {card_name(card)} to the {side} of item {item}"
        case Merge(left, right):
            return f"merge item {left} with item {right} on its right"
        case Replace(group, index, card):
            return f"replace place {index} of item {group} with {card_name(card)}"
        case EndTurn():
            return "end the turn"


def describe_event(event: ClaimEvent) -> str:
    """Return *event* as a sentence."""
    match event:
        case CardPlayed(seat, card, item, None):
            return f"Seat {seat} plays {card_name(card)} as item {item}."
        case CardPlayed(seat, card, item, side):
            return f"Seat {seat} plays {card_name(card)} to the {side} of item {item}."
        case ItemsMerged(seat, left, right):
            return f"Seat {seat} merges item {right} into item {left}, on its right."
        case CardReplaced(seat, group, index, card, old):
            names = f"{card_name(old)} at place {index} of item {group} with {card_name(card)}"
            return f"Seat {seat} replaces {names} and takes {card_name(old)}."
        case TurnEnded(seat, drawn):
            return f"Seat {seat} ends its turn and draws {drawn}."


def _rows(item: Item) -> list[str]:
    """Return the cards of *item*, and for a group also who owns them and what they are worth."""
    head = f"{item.id:>3}:"
    cards = "".join(f"{name:>5}" for name in card_names(item.cards))
    if not item.owners:
        return [head + cards]
    worths = zip(item.owners, worth_of(item.cards), strict=True)
    return [head + cards, "    " + "".join(f"{f'{owner}/{worth}':>5}" for owner, worth in worths)]


def _seat_line(view: ClaimView, seat: int, score: int) -> str:
    if seat in view.forfeited:
        return f"seat {seat}: {score} points, out of the match"
    parts = [
        f"seat {seat}: {score} points",
        f"worth {view.worths[seat]}, jokers {view.jokers[seat]}",
        f"hand {view.hand_counts[seat]}, deck {view.deck_counts[seat]}",
    ]
    if view.known_cards[seat]:
        parts.append(f"holds {' '.join(card_names(view.known_cards[seat]))}")
    return ", ".join(parts) + (" (to move)" if seat == view.to_move else "")
