"""Tide in words and pictures for people."""

from collections.abc import Sequence

from harbourmaster_engine.cards import JOKER, NAMES, card_names
from harbourmaster_engine.tide.moves import (
    BLOCKED,
    SIDE,
    CardDrawn,
    Draw,
    Pass,
    Passed,
    RoundBegan,
    RoundEnded,
    TableRearranged,
    TideEvent,
    TideMove,
    TideView,
    show_cell,
)


def picture(view: TideView) -> str:
    """Return the part of the table that has cards as a grid, then the seats and the hand.

    A joker is shown as the card that it stands for, with a star.
    """
    lines = [f"{view.format}, round {view.round} of {view.max_rounds}, pile {view.pile_count}"]
    lines += _grid(view) if view.cells else ["the table is empty"]
    for seat, count in enumerate(view.hand_counts):
        notes = [f"{view.scores[seat]} points, {count} cards"]
        if not view.playing[seat]:
            notes = [f"{view.scores[seat]} points, left the match"]
        elif view.opened[seat]:
            notes.append("opened")
        if view.passed[seat]:
            notes.append("passed")
        if seat == view.to_move:
            notes.append("to move")
        lines.append(f"seat {seat}: {', '.join(notes)}")
    if view.hand:
        lines.append(f"hand: {' '.join(card_names(view.hand))}")
    return "\n".join(lines)


def describe_move(move: TideMove) -> str:
    """Return *move* in a few words."""
    if isinstance(move, Draw):
        return "draw"
    if isinstance(move, Pass):
        return "pass"
    declared = "".join(
        f", the joker at {show_cell(cell)} as {NAMES[card]}" for cell, card in move.declared
    )
    return f"rearrange: a table of {len(move.cells)} cards{declared}"


def describe_event(event: TideEvent) -> str:
    """Return *event* as a sentence."""
    match event:
        case CardDrawn(seat):
            return f"Seat {seat} draws a card."
        case Passed(seat):
            return f"Seat {seat} passes."
        case TableRearranged(seat=seat, added=added, points=points):
            scored = f" for {points}" if points else ""
            return f"Seat {seat} lays {' '.join(card_names(added))}{scored}."
        case RoundEnded(number, how, winners, scores):
            won = " and ".join(f"seat {seat}" for seat in winners)
            why = "is blocked; it goes to" if how == BLOCKED else "ends: out went"
            return f"Round {number} {why} {won}. Scores: {_list(scores)}."
        case RoundBegan(number, first, counts, pile):
            return (
                f"Round {number} begins with seat {first}; hands of {_list(counts)} cards, "
                f"{pile} in the pile."
            )


def _grid(view: TideView) -> list[str]:
    stands_for = dict(view.jokers)
    names = {
        cell: f"{NAMES[stands_for[cell]]}*" if card == JOKER else NAMES[card]
        for cell, card in zip(view.cells, view.cards, strict=True)
    }
    columns = range(
        min(cell % SIDE for cell in view.cells), max(cell % SIDE for cell in view.cells) + 1
    )
    rows = range(min(view.cells) // SIDE, max(view.cells) // SIDE + 1)
    lines = ["   " + "".join(f"{column:>5}" for column in columns)]
    for row in rows:
        squares = (names.get(row * SIDE + column, ".") for column in columns)
        lines.append(f"{row:>3}" + "".join(f"{name:>5}" for name in squares))
    return lines


def _list(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
