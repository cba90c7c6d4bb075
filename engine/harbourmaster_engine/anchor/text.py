"""Anchor in words and pictures for people."""

from typing import Any

from harbourmaster_engine.anchor.moves import (
    SIDE,
    AcesReturned,
    AnchorMove,
    AnchorPlay,
    AnchorSet,
    AnchorView,
    CardsDiscarded,
    CardsDrawn,
    CardsPlaced,
    Cell,
    Cycle,
    Exchange,
    MarketTaken,
    Passed,
    Pick,
    PileRebuilt,
    Play,
    Scored,
    TurnStarted,
)
from harbourmaster_engine.cards import NAMES, Card, card_names
from harbourmaster_engine.game import SeatForfeited


def picture(view: AnchorView) -> str:
    """Return the board as a grid, anchors in brackets; then the hand, the market, the seats."""
    lines = ["     " + "".join(f"{column:>4} " for column in range(SIDE)).rstrip()]
    for row in range(SIDE):
        cells = "".join(_square(view, (row, column)) for column in range(SIDE))
        lines.append(f"{row:>4} {cells}".rstrip())
    market = _cards(view.market) or "empty"
    lines.append(
        f"pile {view.pile_count}, discards {view.discard_count}, market (oldest first) {market}"
    )
    if view.hand:
        lines.append(f"your hand {_cards(view.hand)}")
    for seat, score in enumerate(view.scores):
        marks = ", to move" if seat == view.to_move else ", out" if seat in view.out else ""
        lines.append(
            f"seat {seat}: {score} points, {view.completed_melds[seat]} melds, "
            f"longest run {view.longest_runs[seat]}, {view.hand_counts[seat]} cards{marks}"
        )
    return "\n".join(lines)


def describe_move(move: AnchorMove) -> str:
    """Return *move* in a few words."""
    match move:
        case Play(groups):
            return "play " + " and ".join(_placed(group.cells, group.cards) for group in groups)
        case AnchorPlay(cells, cards):
            return "anchor play " + _placed(cells, cards)
        case Cycle(discard):
            return f"cycle {_cards(discard)}"
        case Pick(take, discard):
            return f"pick {_cards(take)} for {_cards(discard)}"
        case Exchange(aces):
            return f"exchange {_cards(aces)}"
    return "pass"


def describe_event(event: Any) -> str:
    """Return *event* as a sentence."""
    match event:
        case CardsPlaced(seat, cells, cards):
            return f"Seat {seat} places {_placed(cells, cards)}."
        case AnchorSet(seat, cell, card):
            return f"Seat {seat} sets {NAMES[card]} at {_pair(cell)} as an anchor."
        case Scored(seat, points, melds, longest_run):
            run = f", longest run {longest_run}" if longest_run else ""
            return f"Seat {seat} scores {points}; melds completed: {melds}{run}."
        case MarketTaken(seat, cards):
            return f"Seat {seat} takes {_cards(cards)} from the market."
        case _:
            return _describe_swap(event)


def _describe_swap(event: Any) -> str:
    match event:
        case CardsDiscarded(seat, cards):
            return f"Seat {seat} discards {_cards(cards)}."
        case AcesReturned(seat, count):
            return f"Seat {seat} shuffles {count} of its aces into the pile."
        case CardsDrawn(seat, count):
            return f"Seat {seat} draws {count}."
        case PileRebuilt(count):
            return f"The {count} older discards are shuffled into a new pile."
        case Passed(seat):
            return f"Seat {seat} passes."
        case SeatForfeited(seat, reason):
            return f"Seat {seat} is out: {reason}."
        case TurnStarted(None, turns):
            return f"The match is over after {turns} turns."
        case TurnStarted(seat, turns):
            return f"It is the turn of seat {seat}; turns so far: {turns}."
    raise TypeError(f"{type(event).__name__} is not an event of Anchor")


def _square(view: AnchorView, cell: Cell) -> str:
    code = view.board[cell[0] * SIDE + cell[1]]
    name = NAMES[code - 1] if code else "."
    return f"[{name:>3}]" if cell in view.anchors else f"{name:>4} "


def _placed(cells: tuple[Cell, ...], cards: tuple[Card, ...]) -> str:
    return " ".join(
        f"{NAMES[card]} at {_pair(cell)}" for cell, card in zip(cells, cards, strict=True)
    )


def _cards(cards: tuple[Card, ...]) -> str:
    return " ".join(card_names(cards))


def _pair(cell: Cell) -> str:
    return f"({cell[0]}, {cell[1]})"
