"""Tide on the wire and back."""

from collections.abc import Mapping
from typing import Any, Final

from harbourmaster.v1 import tide_pb2 as pb
from harbourmaster_engine import tide as game

REFUSAL_CODES: Final[Mapping[str, int]] = {
    code: pb.TideRefusalCode.Value(f"TIDE_REFUSAL_CODE_{code.upper()}") for code in game.GAME.codes
}

NUMBERS: Final = ("hand_size", "opening_minimum", "target_score", "max_rounds")
"""The options that are numbers; they have the same names on the wire."""

_ONE_MORE: Final = bytes((card + 1) % 256 for card in range(256))
_FORMATS: Final = {name: pb.TideFormat.Value(f"TIDE_FORMAT_{name}") for name in game.FORMATS}
_FORMAT_NAMES: Final = {number: name for name, number in _FORMATS.items()}
_ENDS: Final = {
    how: pb.TideRoundEnd.Value(f"TIDE_ROUND_END_{how.upper()}")
    for how in (game.WENT_OUT, game.BLOCKED)
}
_END_NAMES: Final = {number: how for how, number in _ENDS.items()}


def write_options(options: Mapping[str, Any], out: pb.TideOptions) -> None:
    """Write resolved *options*."""
    out.format = _FORMATS[options["format"]]
    for name in NUMBERS:
        setattr(out, name, options[name])


def read_options(message: pb.TideOptions) -> dict[str, Any]:
    """Return the options that *message* sets."""
    options: dict[str, Any] = {}
    if message.format:
        options["format"] = _FORMAT_NAMES.get(message.format, f"number {message.format}")
    for name in NUMBERS:
        if message.HasField(name):
            options[name] = getattr(message, name)
    return options


def write_view(view: game.TideView, out: pb.TideView) -> None:
    """Write *view*."""
    out.hand.extend(_cards(view.hand))
    out.hand_counts.extend(view.hand_counts)
    out.pile_count = view.pile_count
    out.table.SetInParent()
    _write_table(view.cells, view.cards, view.jokers, out.table)
    out.scores.extend(view.scores)
    out.opened.extend(view.opened)
    out.passed.extend(view.passed)
    out.playing.extend(view.playing)
    out.round = view.round
    if view.to_move is not None:
        out.to_move = view.to_move
    out.turns = view.turns
    out.format = _FORMATS[view.format]
    out.hand_size = view.hand_size
    out.opening_minimum = view.opening_minimum
    out.target_score = view.target_score
    out.max_rounds = view.max_rounds


def read_view(message: pb.TideView) -> game.TideView:
    """Return the view that *message* holds."""
    return game.TideView(
        _read_cards(message.hand),
        tuple(message.hand_counts),
        message.pile_count,
        *_read_table(message.table),
        tuple(message.scores),
        tuple(message.opened),
        tuple(message.passed),
        tuple(message.playing),
        message.round,
        message.to_move if message.HasField("to_move") else None,
        message.turns,
        _FORMAT_NAMES[message.format],
        message.hand_size,
        message.opening_minimum,
        message.target_score,
        message.max_rounds,
    )


def write_move(move: game.TideMove, out: pb.TideMove) -> None:
    """Write *move*."""
    if isinstance(move, game.Rearrange):
        _write_table(move.cells, move.cards, move.declared, out.rearrange.table)
        out.rearrange.table.SetInParent()
    elif isinstance(move, game.Draw):
        out.draw.SetInParent()
    else:
        getattr(out, "pass").SetInParent()


def read_move(message: pb.TideMove) -> game.TideMove:
    """Return the move that *message* holds; raise `ValueError` if it lacks a part."""
    kind = message.WhichOneof("move")
    if kind == "rearrange":
        if not message.rearrange.HasField("table"):
            raise ValueError("the move has no table: it takes the whole table as it shall stand")
        return game.Rearrange(*_read_table(message.rearrange.table))
    if kind == "draw":
        return game.Draw()
    if kind == "pass":
        return game.Pass()
    raise ValueError("the move is empty: set one of rearrange, draw and pass")


def write_event(event: game.TideEvent, out: pb.TideEvent) -> None:
    """Write *event*."""
    match event:
        case game.CardDrawn(seat):
            out.card_drawn.seat = seat
            out.card_drawn.SetInParent()
        case game.Passed(seat):
            out.passed.seat = seat
            out.passed.SetInParent()
        case game.TableRearranged(seat, cells, cards, jokers, added, points):
            rearranged = out.table_rearranged
            rearranged.seat, rearranged.points = seat, points
            _write_table(cells, cards, jokers, rearranged.table)
            rearranged.added.extend(_cards(added))
        case game.RoundEnded(number, how, winners, scores):
            out.round_ended.round, out.round_ended.how = number, _ENDS[how]
            out.round_ended.winners.extend(winners)
            out.round_ended.scores.extend(scores)
        case game.RoundBegan(number, first, hand_counts, pile_count):
            out.round_began.round, out.round_began.first = number, first
            out.round_began.hand_counts.extend(hand_counts)
            out.round_began.pile_count = pile_count


def read_event(message: pb.TideEvent) -> game.TideEvent:
    """Return the event that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("event")
    if kind == "card_drawn":
        return game.CardDrawn(message.card_drawn.seat)
    if kind == "passed":
        return game.Passed(message.passed.seat)
    if kind == "table_rearranged":
        rearranged = message.table_rearranged
        table = _read_table(rearranged.table)
        added = _read_cards(rearranged.added)
        return game.TableRearranged(rearranged.seat, *table, added, rearranged.points)
    if kind == "round_ended":
        ended = message.round_ended
        how = _END_NAMES[ended.how]
        return game.RoundEnded(ended.round, how, tuple(ended.winners), tuple(ended.scores))
    if kind == "round_began":
        began = message.round_began
        counts = tuple(began.hand_counts)
        return game.RoundBegan(began.round, began.first, counts, began.pile_count)
    raise ValueError("the event is empty")


def _cards(cards: tuple[int, ...]) -> Any:
    """Return *cards* as their numbers on the wire, one more than the engine's."""
    return bytes(cards).translate(_ONE_MORE)


def _read_cards(cards: Any) -> tuple[int, ...]:
    return tuple([card - 1 for card in cards])


def _write_table(
    cells: tuple[int, ...],
    cards: tuple[int, ...],
    jokers: tuple[tuple[int, int], ...],
    out: pb.TideTable,
) -> None:
    out.cells.extend(cells)
    out.cards.extend(_cards(cards))
    for cell, card in jokers:
        out.joker_cells.append(cell)
        out.joker_cards.append(card + 1)  # type: ignore[arg-type] # A number of the enum.


def _read_table(
    message: pb.TideTable,
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[tuple[int, int], ...]]:
    if len(message.joker_cells) != len(message.joker_cards):
        raise ValueError(
            f"the table has {len(message.joker_cells)} joker_cells for "
            f"{len(message.joker_cards)} joker_cards: it takes one for each"
        )
    jokers = zip(message.joker_cells, _read_cards(message.joker_cards), strict=True)
    return tuple(message.cells), _read_cards(message.cards), tuple(jokers)
