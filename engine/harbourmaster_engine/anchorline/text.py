"""Anchorline in words and pictures for people."""

from harbourmaster_engine.anchorline.moves import (
    ANCHOR,
    CARD_NAMES,
    AnchorlineEvent,
    AnchorlineMove,
    AnchorlineView,
    CardPlaced,
    CardShifted,
    CoinReturned,
    LinesScored,
    Place,
    Shift,
    TopTurned,
)

SIDES = ("Seals", "Gulls")


def picture(view: AnchorlineView) -> str:
    """Return the table as a grid, y upwards, the coin in brackets, its arrows, and the stacks."""
    names = {cell: CARD_NAMES[card] for cell, card in view.table} | {(0, 0): "##"}
    xs = [x for x, _ in names]
    ys = [y for _, y in names]
    columns = range(min(xs) - 1, max(xs) + 2)
    lines = []
    for y in range(max(ys) + 1, min(ys) - 2, -1):
        row = "".join(_square(names.get((x, y), ". "), (x, y) == view.coin) for x in columns)
        lines.append(f"{y:>3} {row}".rstrip())
    lines.append("    " + "".join(f"{x:^4}" for x in columns).rstrip())
    lines.append(_coin(view))
    for seat in (0, 1):
        top = view.tops[seat]
        shown = "empty" if top is None else f"{view.stack_counts[seat]}, top {CARD_NAMES[top]}"
        lines.append(f"seat {seat} ({SIDES[seat]}): {view.scores[seat]} points, stack {shown}")
    return "\n".join(lines)


def describe_move(move: AnchorlineMove) -> str:
    """Return *move* in a few words."""
    if isinstance(move, Place):
        return f"place at {_pair(move.cell)}"
    if isinstance(move, Shift):
        return f"move {_pair(move.origin)} to {_pair(move.target)}"
    return "return the coin"


def describe_event(event: AnchorlineEvent) -> str:
    """Return *event* as a sentence."""
    match event:
        case CardPlaced(seat, card, cell):
            return f"Seat {seat} places {CARD_NAMES[card]} at {_pair(cell)}."
        case CardShifted(seat, card, origin, target):
            return f"Seat {seat} moves {CARD_NAMES[card]} from {_pair(origin)} to {_pair(target)}."
        case CoinReturned(seat):
            return f"Seat {seat} returns the coin; seat {1 - seat} scores 1."
        case LinesScored(seat, lengths, points, removed):
            made = " and ".join(str(length) for length in lengths)
            gone = ", ".join(_pair(cell) for cell in removed)
            return f"Seat {seat} makes a line of {made} for {points}; cleared: {gone}."
        case TopTurned(seat, card):
            if card is None:
                return f"Seat {seat}'s stack is empty."
            return f"Seat {seat}'s next card is {CARD_NAMES[card]}."


def _coin(view: AnchorlineView) -> str:
    card = next((card for cell, card in view.table if cell == view.coin), ANCHOR)
    arrows = view.terms.card_arrows[(card - 1) % 4] if card else view.terms.anchor_arrows
    return f"coin on {CARD_NAMES[card]}, arrows {' '.join(arrows) or 'none'}"


def _square(name: str, coin: bool) -> str:
    return f"[{name}]" if coin else f" {name} "


def _pair(cell: tuple[int, int]) -> str:
    return f"({cell[0]}, {cell[1]})"
