"""Anchor on the wire and back.

A card on the wire is the engine's number and 1, a cell is one number, row * 15 + column. A cell off
the board stays off the board: its row is 15 or more.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harbourmaster.v1 import anchor_pb2 as pb
from harbourmaster_engine import anchor as game
from harbourmaster_engine.anchor.moves import SIDE
from harbourmaster_engine.cards import RANK_NAMES

REFUSAL_CODES: Final[Mapping[str, int]] = {
    code: pb.AnchorRefusalCode.Value(f"ANCHOR_REFUSAL_CODE_{code.upper()}")
    for code in game.GAME.codes
}

_PLAIN_OPTIONS: Final = tuple(
    option.name for option in game.GAME.options if option.name != "card_values"
)


def write_options(options: Mapping[str, Any], out: pb.AnchorOptions) -> None:
    """Write resolved *options*."""
    for name in _PLAIN_OPTIONS:
        setattr(out, name, options[name])
    out.card_values.extend([options["card_values"][name] for name in RANK_NAMES])


def read_options(message: pb.AnchorOptions) -> dict[str, Any]:
    """Return the options that *message* sets; raise `ValueError` for a wrong number of values."""
    options: dict[str, Any] = {
        name: getattr(message, name)
        for name in _PLAIN_OPTIONS
        if message.HasField(name)  # type: ignore[arg-type] # The name is a variable.
    }
    if message.card_values:
        if len(message.card_values) != len(RANK_NAMES):
            count = len(message.card_values)
            raise ValueError(f"card_values has {count} values: it takes 13, the ace's first")
        options["card_values"] = dict(zip(RANK_NAMES, message.card_values, strict=True))
    return options


def write_view(view: game.AnchorView, out: pb.AnchorView) -> None:
    """Write *view*."""
    out.board.extend(view.board)  # type: ignore[arg-type] # A cell's byte is the card's number.
    out.anchors.extend(_cells_out(view.anchors))
    out.hand.extend(_cards_out(view.hand))
    out.hand_counts.extend(view.hand_counts)
    out.market.extend(_cards_out(view.market))
    out.discard_count = view.discard_count
    out.pile_count = view.pile_count
    out.scores.extend(view.scores)
    out.completed_melds.extend(view.completed_melds)
    out.longest_runs.extend(view.longest_runs)
    if view.to_move is not None:
        out.to_move = view.to_move
    out.turns = view.turns
    out.passed.extend(view.passed)
    out.idle_rounds = view.idle_rounds
    out.round_played = view.round_played
    out.forfeited.extend(view.out)
    rules = view.rules
    out.target_score = rules.target_score
    out.open_meld_limit = rules.open_meld_limit
    out.card_values.extend(rules.card_values)
    out.meld_multiplier = rules.meld_multiplier
    out.loose_multiplier = rules.loose_multiplier
    out.aces_meld = rules.aces_meld
    out.no_play_rounds = rules.no_play_rounds


def read_view(message: pb.AnchorView) -> game.AnchorView:
    """Return the view that *message* holds."""
    options = {name: getattr(message, name) for name in _PLAIN_OPTIONS}
    options["card_values"] = dict(zip(RANK_NAMES, message.card_values, strict=True))
    return game.AnchorView(
        bytes(message.board),
        _cells_in(message.anchors),
        _cards_in(message.hand),
        tuple(message.hand_counts),
        _cards_in(message.market),
        message.discard_count,
        message.pile_count,
        tuple(message.scores),
        tuple(message.completed_melds),
        tuple(message.longest_runs),
        message.to_move if message.HasField("to_move") else None,
        message.turns,
        tuple(message.passed),
        message.idle_rounds,
        message.round_played,
        tuple(message.forfeited),
        game.Rules.from_options(options),
    )


def write_move(move: game.AnchorMove, out: pb.AnchorMove) -> None:
    """Write *move*."""
    if isinstance(move, game.Play):
        for group in move.groups:
            _write_placed(group, out.play.groups.add())
    elif isinstance(move, game.AnchorPlay):
        _write_placed(move, out.anchor_play)
    elif isinstance(move, game.Cycle):
        out.cycle.discard.extend(_cards_out(move.discard))
    elif isinstance(move, game.Pick):
        out.pick.take.extend(_cards_out(move.take))
        out.pick.discard.extend(_cards_out(move.discard))
    elif isinstance(move, game.Exchange):
        out.exchange.aces.extend(_cards_out(move.aces))
    else:
        getattr(out, "pass").SetInParent()


def read_move(message: pb.AnchorMove) -> game.AnchorMove:
    """Return the move that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("move")
    if kind == "play":
        return game.Play(tuple([_read_group(group) for group in message.play.groups]))
    if kind == "anchor_play":
        group = _read_group(message.anchor_play)
        return game.AnchorPlay(group.cells, group.cards)
    if kind == "cycle":
        return game.Cycle(_cards_in(message.cycle.discard))
    if kind == "pick":
        return game.Pick(_cards_in(message.pick.take), _cards_in(message.pick.discard))
    if kind == "exchange":
        return game.Exchange(_cards_in(message.exchange.aces))
    if kind == "pass":
        return game.Pass()
    kinds = "play, anchor_play, cycle, pick, exchange and pass"
    raise ValueError(f"the move is empty: set one of {kinds}")


def write_event(event: game.AnchorEvent, out: pb.AnchorEvent) -> None:
    """Write *event*."""
    match event:
        case game.CardsPlaced(seat):
            out.cards_placed.seat = seat
            _write_placed(event, out.cards_placed)
        case game.AnchorSet(seat, cell, card):
            out.anchor_set.seat, out.anchor_set.cell = seat, cell[0] * SIDE + cell[1]
            out.anchor_set.card = card + 1  # type: ignore[assignment]
        case game.Scored(seat, points, melds, longest_run):
            out.scored.seat, out.scored.points = seat, points
            out.scored.melds, out.scored.longest_run = melds, longest_run
        case game.TurnStarted(next_seat, turns, idle_rounds, round_played):
            started = out.turn_started
            started.turns, started.idle_rounds = turns, idle_rounds
            started.round_played = round_played
            if next_seat is not None:
                started.seat = next_seat
        case _:
            _write_swap(event, out)


def _write_swap(event: game.AnchorEvent, out: pb.AnchorEvent) -> None:
    match event:
        case game.CardsDiscarded(seat, cards):
            out.cards_discarded.seat = seat
            out.cards_discarded.cards.extend(_cards_out(cards))
        case game.MarketTaken(seat, cards):
            out.market_taken.seat = seat
            out.market_taken.cards.extend(_cards_out(cards))
        case game.AcesReturned(seat, count):
            out.aces_returned.seat, out.aces_returned.count = seat, count
        case game.CardsDrawn(seat, count):
            out.cards_drawn.seat, out.cards_drawn.count = seat, count
        case game.PileRebuilt(count):
            out.pile_rebuilt.count = count
        case game.Passed(seat):
            out.passed.seat = seat


def read_event(message: pb.AnchorEvent) -> game.AnchorEvent:
    """Return the event that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("event")
    if kind == "cards_placed":
        group = _read_group(message.cards_placed)
        return game.CardsPlaced(message.cards_placed.seat, group.cells, group.cards)
    if kind == "anchor_set":
        anchor = message.anchor_set
        return game.AnchorSet(anchor.seat, divmod(anchor.cell, SIDE), anchor.card - 1)
    if kind == "scored":
        scored = message.scored
        return game.Scored(scored.seat, scored.points, scored.melds, scored.longest_run)
    if kind == "turn_started":
        started = message.turn_started
        seat = started.seat if started.HasField("seat") else None
        return game.TurnStarted(seat, started.turns, started.idle_rounds, started.round_played)
    return _read_swap(message, kind)


def _read_swap(message: pb.AnchorEvent, kind: str | None) -> game.AnchorEvent:
    if kind == "cards_discarded":
        discarded = message.cards_discarded
        return game.CardsDiscarded(discarded.seat, _cards_in(discarded.cards))
    if kind == "market_taken":
        return game.MarketTaken(message.market_taken.seat, _cards_in(message.market_taken.cards))
    if kind == "aces_returned":
        return game.AcesReturned(message.aces_returned.seat, message.aces_returned.count)
    if kind == "cards_drawn":
        return game.CardsDrawn(message.cards_drawn.seat, message.cards_drawn.count)
    if kind == "pile_rebuilt":
        return game.PileRebuilt(message.pile_rebuilt.count)
    if kind == "passed":
        return game.Passed(message.passed.seat)
    raise ValueError("the event is empty")


def _write_placed(placed: Any, out: Any) -> None:
    out.cells.extend(_cells_out(placed.cells))
    out.cards.extend(_cards_out(placed.cards))


def _read_group(message: Any) -> game.Group:
    return game.Group(_cells_in(message.cells), _cards_in(message.cards))


def _cells_out(cells: Iterable[tuple[int, int]]) -> list[int]:
    return [row * SIDE + column for row, column in cells]


def _cells_in(cells: Iterable[int]) -> tuple[tuple[int, int], ...]:
    return tuple([divmod(cell, SIDE) for cell in cells])


def _cards_out(cards: Iterable[int]) -> list[Any]:
    return [card + 1 for card in cards]


def _cards_in(cards: Iterable[Any]) -> tuple[int, ...]:
    """Return engine cards; what is no card on the wire is none in the engine either."""
    return tuple([card - 1 for card in cards])
