"""Wild Rummy on the wire and back. A card on the wire is the engine's number and 1."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harbourmaster.v1 import wild_rummy_pb2 as pb
from harbourmaster_engine import wild_rummy as game
from harbourmaster_engine.wild_rummy.melds import read_meld

REFUSAL_CODES: Final[Mapping[str, int]] = {
    code: pb.WildRummyRefusalCode.Value(f"WILD_RUMMY_REFUSAL_CODE_{code.upper()}")
    for code in game.GAME.codes
}

PHASES: Final[Mapping[game.Phase, pb.WildRummyPhase.ValueType]] = {
    phase: pb.WildRummyPhase.Value(f"WILD_RUMMY_PHASE_{phase.name}") for phase in game.Phase
}
SOURCES: Final[Mapping[game.Source, pb.WildRummySource.ValueType]] = {
    source: pb.WildRummySource.Value(f"WILD_RUMMY_SOURCE_{source.name}") for source in game.Source
}
ENDS: Final[Mapping[game.End | None, pb.WildRummyEnd.ValueType]] = {
    None: pb.WILD_RUMMY_END_UNSPECIFIED
} | {end: pb.WildRummyEnd.Value(f"WILD_RUMMY_END_{end.name}") for end in game.End}

_PHASE_OF: Final = {number: phase for phase, number in PHASES.items()}
_SOURCE_OF: Final = {number: source for source, number in SOURCES.items()}
_END_OF: Final = {number: end for end, number in ENDS.items()}

WASH: Final = -1
"""Stands for the winner of a round without one."""


def write_options(options: Mapping[str, Any], out: pb.WildRummyOptions) -> None:
    """Write resolved *options*."""
    out.rounds = options["rounds"]
    out.return_taken_discard = options["return_taken_discard"]
    out.max_turns_per_round = options["max_turns_per_round"]


def read_options(message: pb.WildRummyOptions) -> dict[str, Any]:
    """Return the options that *message* sets."""
    options: dict[str, Any] = {}
    if message.HasField("rounds"):
        options["rounds"] = message.rounds
    if message.HasField("return_taken_discard"):
        options["return_taken_discard"] = message.return_taken_discard
    if message.HasField("max_turns_per_round"):
        options["max_turns_per_round"] = message.max_turns_per_round
    return options


def write_view(view: game.WildRummyView, out: pb.WildRummyView) -> None:
    """Write *view*."""
    out.round, out.wild_rank, out.dealer = view.round, view.wild_rank, view.dealer
    out.phase = PHASES[view.phase]
    if view.to_move is not None:
        out.to_move = view.to_move
    out.hand.extend(_cards_out(view.hand))
    out.hand_counts.extend(view.hand_counts)
    out.stock_count, out.discards_below = view.stock_count, view.discards_below
    out.discard_top = _card_out(view.discard_top)
    for meld in view.melds:
        _write_meld(meld, out.melds.add())
    out.melded.extend(view.melded)
    out.taken = _card_out(view.taken)
    out.scores.extend(view.scores)
    out.turns, out.round_turns = view.turns, view.round_turns
    out.round_winners.extend([WASH if seat is None else seat for seat in view.round_winners])
    out.forfeited.extend(view.forfeited)
    out.rounds, out.max_turns_per_round = view.rounds, view.max_turns_per_round
    out.return_taken_discard = view.return_taken_discard


def read_view(message: pb.WildRummyView) -> game.WildRummyView:
    """Return the view that *message* holds; raise `ValueError` if a meld in it is none."""
    return game.WildRummyView(
        message.round,
        message.wild_rank,
        message.dealer,
        _PHASE_OF[message.phase],
        message.to_move if message.HasField("to_move") else None,
        _cards_in(message.hand),
        tuple(message.hand_counts),
        message.stock_count,
        _card_or_none(message.discard_top),
        message.discards_below,
        tuple(_read_meld(meld, message.wild_rank) for meld in message.melds),
        tuple(message.melded),
        _card_or_none(message.taken),
        tuple(message.scores),
        message.turns,
        message.round_turns,
        tuple(None if seat == WASH else seat for seat in message.round_winners),
        tuple(message.forfeited),
        message.rounds,
        message.return_taken_discard,
        message.max_turns_per_round,
    )


def write_move(move: game.WildRummyMove, out: pb.WildRummyMove) -> None:
    """Write *move*."""
    if isinstance(move, game.Discard):
        out.discard.card = _card_out(move.card)
    elif isinstance(move, game.Draw):
        out.draw.source = SOURCES[move.source]
    elif isinstance(move, game.LayMeld):
        out.meld.cards.extend(_cards_out(move.cards))
    elif isinstance(move, game.AddCard):
        out.add.meld, out.add.card, out.add.end = move.meld, _card_out(move.card), ENDS[move.end]
    else:
        out.buy.meld, out.buy.index, out.buy.card = move.meld, move.index, _card_out(move.card)


def read_move(message: pb.WildRummyMove) -> game.WildRummyMove:
    """Return the move that *message* holds; raise `ValueError` if it lacks a part."""
    kind = message.WhichOneof("move")
    if kind == "draw":
        if message.draw.source not in _SOURCE_OF:
            raise ValueError("the draw has no source: set the stock or the discard pile")
        return game.Draw(_SOURCE_OF[message.draw.source])
    if kind == "meld":
        return game.LayMeld(_cards_in(message.meld.cards))
    if kind == "add":
        if message.add.end not in _END_OF:
            raise ValueError("the addition has an unknown end: set low or high, or none for a set")
        card = _card_in(message.add.card, "addition")
        return game.AddCard(message.add.meld, card, _END_OF[message.add.end])
    if kind == "buy":
        if not message.buy.HasField("index"):
            raise ValueError("the purchase has no index: set the place of the wild, from 0")
        card = _card_in(message.buy.card, "purchase")
        return game.BuyWild(message.buy.meld, message.buy.index, card)
    if kind == "discard":
        return game.Discard(_card_in(message.discard.card, "discard"))
    raise ValueError("the move is empty: set one of draw, meld, add, buy and discard")


def write_event(event: game.WildRummyEvent, out: pb.WildRummyEvent) -> None:
    """Write *event*."""
    match event:
        case game.StockDrawn(seat):
            out.stock_drawn.seat = seat
        case game.DiscardTaken(seat, card):
            out.discard_taken.seat, out.discard_taken.card = seat, _card_out(card)
        case game.MeldLaid(seat, meld, cards):
            out.meld_laid.seat, out.meld_laid.meld = seat, meld
            out.meld_laid.cards.extend(_cards_out(cards))
        case game.CardAdded(seat, meld, card, end):
            out.card_added.seat, out.card_added.meld = seat, meld
            out.card_added.card, out.card_added.end = _card_out(card), ENDS[end]
        case game.WildBought(seat, meld, index, card, wild):
            bought = out.wild_bought
            bought.seat, bought.meld, bought.index = seat, meld, index
            bought.card, bought.wild = _card_out(card), _card_out(wild)
        case game.CardDiscarded(seat, card):
            out.card_discarded.seat, out.card_discarded.card = seat, _card_out(card)
        case game.StockRenewed(count):
            out.stock_renewed.count = count
        case game.RoundEnded(number, winner, points, scores):
            out.round_ended.round, out.round_ended.points = number, points
            if winner is not None:
                out.round_ended.winner = winner
            out.round_ended.scores.extend(scores)
        case game.RoundBegan(number, dealer):
            out.round_began.round, out.round_began.dealer = number, dealer


def read_event(message: pb.WildRummyEvent) -> game.WildRummyEvent:
    """Return the event that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("event")
    if kind == "stock_drawn":
        return game.StockDrawn(message.stock_drawn.seat)
    if kind == "discard_taken":
        taken = message.discard_taken
        return game.DiscardTaken(taken.seat, taken.card - 1)
    if kind == "meld_laid":
        laid = message.meld_laid
        return game.MeldLaid(laid.seat, laid.meld, _cards_in(laid.cards))
    if kind == "card_added":
        added = message.card_added
        return game.CardAdded(added.seat, added.meld, added.card - 1, _END_OF[added.end])
    if kind == "wild_bought":
        got = message.wild_bought
        return game.WildBought(got.seat, got.meld, got.index, got.card - 1, got.wild - 1)
    if kind == "card_discarded":
        return game.CardDiscarded(message.card_discarded.seat, message.card_discarded.card - 1)
    if kind == "stock_renewed":
        return game.StockRenewed(message.stock_renewed.count)
    if kind == "round_ended":
        ended = message.round_ended
        winner = ended.winner if ended.HasField("winner") else None
        return game.RoundEnded(ended.round, winner, ended.points, tuple(ended.scores))
    if kind == "round_began":
        return game.RoundBegan(message.round_began.round, message.round_began.dealer)
    raise ValueError("the event is empty")


def _write_meld(meld: game.Meld, out: pb.WildRummyMeld) -> None:
    out.kind = pb.WILD_RUMMY_MELD_KIND_RUN if meld.run else pb.WILD_RUMMY_MELD_KIND_SET
    out.cards.extend(_cards_out(meld.cards))
    out.stands_for.extend([_card_out(card) for card in meld.stands_for])


def _read_meld(message: pb.WildRummyMeld, wild_rank: int) -> game.Meld:
    meld = read_meld(_cards_in(message.cards), wild_rank)
    if not isinstance(meld, game.Meld):
        raise ValueError(meld.text)
    return meld


def _card_out(card: int | None) -> Any:
    """Return the wire's value of *card*, UNSPECIFIED for none."""
    return 0 if card is None else card + 1


def _cards_out(cards: Iterable[int]) -> Any:
    return [card + 1 for card in cards]


def _card_or_none(card: int) -> int | None:
    return card - 1 if card else None


def _card_in(card: int, what: str) -> int:
    if not card:
        raise ValueError(f"the {what} has no card")
    return card - 1


def _cards_in(cards: Iterable[int]) -> tuple[int, ...]:
    return tuple([card - 1 for card in cards])
