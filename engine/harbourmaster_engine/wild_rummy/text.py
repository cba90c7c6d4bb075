"""Wild Rummy in words and pictures for people."""

from harbourmaster_engine.cards import NAMES, RANK_NAMES
from harbourmaster_engine.wild_rummy.melds import listed
from harbourmaster_engine.wild_rummy.moves import (
    AddCard,
    BuyWild,
    CardAdded,
    CardDiscarded,
    Discard,
    DiscardTaken,
    Draw,
    End,
    LayMeld,
    Meld,
    MeldLaid,
    Phase,
    RoundBegan,
    RoundEnded,
    Source,
    StockDrawn,
    StockRenewed,
    WildBought,
    WildRummyEvent,
    WildRummyMove,
    WildRummyView,
)

PHASES = {
    Phase.OPEN: "to open with a discard",
    Phase.DRAW: "to draw",
    Phase.PLAY: "to play and discard",
}


def picture(view: WildRummyView) -> str:
    """Return the table: the piles, the melds with what wilds stand for, the seats, the hand."""
    wild = RANK_NAMES[view.wild_rank - 1]
    top = "empty" if view.discard_top is None else NAMES[view.discard_top]
    below = f" on {view.discards_below} more" if view.discards_below else ""
    lines = [
        f"round {view.round} of {view.rounds}, every {wild} is wild; "
        f"turn {view.round_turns + 1} of {view.max_turns_per_round} at most",
        f"stock {view.stock_count}, discards {top}{below}",
    ]
    lines += [f"meld {number}: {_meld(meld)}" for number, meld in enumerate(view.melds, 1)]
    lines += [_seat(view, seat) for seat in range(len(view.scores))]
    if view.hand:
        lines.append(f"hand: {listed(view.hand)}")
    if view.taken is not None:
        lines.append(f"{NAMES[view.taken]} was taken from the discard pile in this turn")
    return "\n".join(lines)


def describe_move(move: WildRummyMove) -> str:
    """Return *move* in a few words."""
    match move:
        case Draw(source):
            return f"draw from the {_pile(source)}"
        case LayMeld(cards):
            return f"meld {listed(cards)}"
        case AddCard(meld, card, end):
            return f"add {NAMES[card]} to {_end(end)}meld {meld}"
        case BuyWild(meld, index, card):
            return f"buy the wild in place {index} of meld {meld} for {NAMES[card]}"
        case Discard(card):
            return f"discard {NAMES[card]}"


def describe_event(event: WildRummyEvent) -> str:
    """Return *event* as a sentence."""
    match event:
        case StockDrawn(seat):
            return f"Seat {seat} draws from the stock."
        case DiscardTaken(seat, card):
            return f"Seat {seat} takes {NAMES[card]} from the discard pile."
        case MeldLaid(seat, meld, cards):
            return f"Seat {seat} lays down meld {meld}: {listed(cards)}."
        case CardAdded(seat, meld, card, end):
            return f"Seat {seat} adds {NAMES[card]} to {_end(end)}meld {meld}."
        case WildBought(seat, meld, index, card, wild):
            place = f"place {index} of meld {meld}"
            return f"Seat {seat} buys {NAMES[wild]} in {place} for {NAMES[card]}."
        case CardDiscarded(seat, card):
            return f"Seat {seat} discards {NAMES[card]}."
        case StockRenewed(count):
            return f"The discards but the top one are shuffled into a new stock of {count}."
        case RoundEnded(number, None, _, _):
            return f"Round {number} is a wash: nobody scores."
        case RoundEnded(number, winner, points, scores):
            now = ", ".join(str(score) for score in scores)
            return f"Seat {winner} wins round {number} and scores {points}; scores: {now}."
        case RoundBegan(number, dealer):
            return f"Seat {dealer} deals round {number}: every {RANK_NAMES[number - 1]} is wild."


def _pile(source: Source) -> str:
    return "stock" if source is Source.STOCK else "discard pile"


def _end(end: End | None) -> str:
    return "" if end is None else f"the {end.value} end of "


def _meld(meld: Meld) -> str:
    """Return the cards of *meld*, each wild of a run with what it stands for."""
    shown = []
    for card, stands_for in zip(meld.cards, meld.stands_for, strict=True):
        if card == stands_for:
            shown.append(NAMES[card])
        else:
            shown.append(f"{NAMES[card]}={'*' if stands_for is None else NAMES[stands_for]}")
    return " ".join(shown)


def _seat(view: WildRummyView, seat: int) -> str:
    count = view.hand_counts[seat]
    notes = [f"{view.scores[seat]} points", f"{count} card{'s' * (count != 1)}"]
    if view.melded[seat]:
        notes.append("has melded")
    if seat == view.dealer:
        notes.append("dealer")
    if view.forfeited[seat]:
        notes.append("out of the match")
    if seat == view.to_move:
        notes.append(PHASES[view.phase])
    return f"seat {seat}: {', '.join(notes)}"
