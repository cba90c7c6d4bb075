"""Anchorline on the wire and back."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from harbourmaster.v1 import anchorline_pb2 as pb
from harbourmaster_engine import anchorline as game
from harbourmaster_server.codec._kept import by_identity
from harbourmaster_server.wire import counters, nested

DIRECTIONS: Final = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
"""The names of the directions, in the order of their numbers on the wire, from 1."""

REFUSAL_CODES: Final[Mapping[str, int]] = {
    code: pb.AnchorlineRefusalCode.Value(f"ANCHORLINE_REFUSAL_CODE_{code.upper()}")
    for code in game.GAME.codes
}


def write_options(options: Mapping[str, Any], out: pb.AnchorlineOptions) -> None:
    """Write resolved *options*."""
    _write_arrows(options["anchor_arrows"], out.anchor_arrows)
    for arrows in options["card_arrows"]:
        _write_arrows(arrows, out.card_arrows.add())
    out.arrows_bind_moves = options["arrows_bind_moves"]
    out.target_score = options["target_score"]
    out.max_turns = options["max_turns"]


def read_options(message: pb.AnchorlineOptions) -> dict[str, Any]:
    """Return the options that *message* sets."""
    options: dict[str, Any] = {}
    if message.HasField("anchor_arrows"):
        options["anchor_arrows"] = _read_arrows(message.anchor_arrows)
    if message.card_arrows:
        options["card_arrows"] = [_read_arrows(arrows) for arrows in message.card_arrows]
    if message.HasField("arrows_bind_moves"):
        options["arrows_bind_moves"] = message.arrows_bind_moves
    if message.HasField("target_score"):
        options["target_score"] = message.target_score
    if message.HasField("max_turns"):
        options["max_turns"] = message.max_turns
    return options


def write_view(view: game.AnchorlineView, out: pb.AnchorlineView) -> None:
    """Write *view*."""
    out.MergeFromString(view_bytes(view))


def view_bytes(view: game.AnchorlineView) -> bytes:
    """Return the bytes of *view*, put together from parts that recur."""
    parts = [_placed(cell, card) for cell, card in view.table]
    parts += (
        _coin(view.coin),
        _tops(view.tops),
        _counts(view.stack_counts, view.scores),
        _turn(view.to_move, view.turns),
        *_terms((view.terms,)),
    )
    return b"".join(parts)


def read_view(message: pb.AnchorlineView) -> game.AnchorlineView:
    """Return the view that *message* holds."""
    low, high = message.tops
    return game.AnchorlineView(
        tuple(((placed.x, placed.y), int(placed.card)) for placed in message.table),
        (message.coin.x, message.coin.y),
        (low or None, high or None),
        (message.stack_counts[0], message.stack_counts[1]),
        (message.scores[0], message.scores[1]),
        message.to_move if message.HasField("to_move") else None,
        message.turns,
        game.AnchorlineTerms(
            message.target_score,
            message.max_turns,
            tuple(_read_arrows(message.anchor_arrows)),
            tuple([tuple(_read_arrows(arrows)) for arrows in message.card_arrows]),
            message.arrows_bind_moves,
        ),
    )


def write_move(move: game.AnchorlineMove, out: pb.AnchorlineMove) -> None:
    """Write *move*."""
    if isinstance(move, game.Place):
        out.place.cell.x, out.place.cell.y = move.cell
    elif isinstance(move, game.Shift):
        out.shift.origin.x, out.shift.origin.y = move.origin
        out.shift.target.x, out.shift.target.y = move.target
    else:
        out.return_coin.SetInParent()


def read_move(message: pb.AnchorlineMove) -> game.AnchorlineMove:
    """Return the move that *message* holds; raise `ValueError` if it lacks a part."""
    kind = message.WhichOneof("move")
    if kind == "place":
        return game.Place(_read_cell(message.place, "cell"))
    if kind == "shift":
        return game.Shift(_read_cell(message.shift, "origin"), _read_cell(message.shift, "target"))
    if kind == "return_coin":
        return game.ReturnCoin()
    raise ValueError("the move is empty: set one of place, shift and return_coin")


def write_event(event: game.AnchorlineEvent, out: pb.AnchorlineEvent) -> None:
    """Write *event*."""
    match event:
        case game.CardPlaced(seat, card, (x, y)):
            out.card_placed.seat, out.card_placed.card = seat, card  # type: ignore[assignment]
            out.card_placed.cell.x, out.card_placed.cell.y = x, y
        case game.CardShifted(seat, card, (x, y), target):
            out.card_shifted.seat, out.card_shifted.card = seat, card  # type: ignore[assignment]
            out.card_shifted.origin.x, out.card_shifted.origin.y = x, y
            out.card_shifted.target.x, out.card_shifted.target.y = target
        case game.CoinReturned(seat):
            out.coin_returned.seat = seat
        case game.LinesScored(seat, lengths, points, removed):
            out.lines_scored.seat, out.lines_scored.points = seat, points
            out.lines_scored.lengths.extend(lengths)
            for x, y in removed:
                out.lines_scored.removed.add(x=x, y=y)
        case game.TopTurned(seat, top):
            out.top_turned.seat = seat
            out.top_turned.card = top or 0  # type: ignore[assignment]


def read_event(message: pb.AnchorlineEvent) -> game.AnchorlineEvent:
    """Return the event that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("event")
    if kind == "card_placed":
        placed = message.card_placed
        return game.CardPlaced(placed.seat, int(placed.card), (placed.cell.x, placed.cell.y))
    if kind == "card_shifted":
        moved = message.card_shifted
        origin, target = (moved.origin.x, moved.origin.y), (moved.target.x, moved.target.y)
        return game.CardShifted(moved.seat, int(moved.card), origin, target)
    if kind == "coin_returned":
        return game.CoinReturned(message.coin_returned.seat)
    if kind == "lines_scored":
        scored = message.lines_scored
        removed = tuple((cell.x, cell.y) for cell in scored.removed)
        return game.LinesScored(scored.seat, tuple(scored.lengths), scored.points, removed)
    if kind == "top_turned":
        return game.TopTurned(message.top_turned.seat, int(message.top_turned.card) or None)
    raise ValueError("the event is empty")


def move_bytes(move: game.AnchorlineMove) -> bytes:
    """Return the bytes of *move*."""
    if isinstance(move, game.Place):
        return _as_place(_cell(move.cell))
    if isinstance(move, game.Shift):
        return _as_shift(_as_origin(_cell(move.origin)) + _as_target(_cell(move.target)))
    return _RETURN


def event_bytes(event: game.AnchorlineEvent) -> bytes:
    """Return the bytes of *event*."""
    match event:
        case game.CardPlaced(seat, card, cell):
            return _as_placed(_placed_by(seat, card) + _as_placed_cell(_cell(cell)))
        case game.CardShifted(seat, card, origin, target):
            cells = _as_shifted_origin(_cell(origin)) + _as_shifted_target(_cell(target))
            return _as_shifted(_shifted_by(seat, card) + cells)
        case _:
            message = pb.AnchorlineEvent()
            write_event(event, message)
            return message.SerializeToString()


_as_place = nested((pb.AnchorlineMove, "place"), (pb.AnchorlinePlace, "cell"))
_as_shift = nested((pb.AnchorlineMove, "shift"))
_as_origin = nested((pb.AnchorlineShift, "origin"))
_as_target = nested((pb.AnchorlineShift, "target"))
_RETURN: Final = pb.AnchorlineMove(return_coin=pb.AnchorlineReturnCoin()).SerializeToString()

_placed_by = counters(pb.AnchorlineCardPlaced, "seat", "card")
_as_placed_cell = nested((pb.AnchorlineCardPlaced, "cell"))
_as_placed = nested((pb.AnchorlineEvent, "card_placed"))
_shifted_by = counters(pb.AnchorlineCardShifted, "seat", "card")
_as_shifted_origin = nested((pb.AnchorlineCardShifted, "origin"))
_as_shifted_target = nested((pb.AnchorlineCardShifted, "target"))
_as_shifted = nested((pb.AnchorlineEvent, "card_shifted"))


@lru_cache(maxsize=1024)
def _cell(cell: game.Cell) -> bytes:
    return pb.AnchorlineCell(x=cell[0], y=cell[1]).SerializeToString()


# The parts of a view recur. Each of these functions returns the bytes of a view that has only its
# part; joined in the order of the fields, they are those of the whole.


@lru_cache(maxsize=4096)
def _placed(cell: game.Cell, card: int) -> bytes:
    placed = pb.AnchorlinePlacedCard(card=card, x=cell[0], y=cell[1])  # type: ignore[arg-type]
    return pb.AnchorlineView(table=[placed]).SerializeToString()


@lru_cache(maxsize=1024)
def _coin(cell: game.Cell) -> bytes:
    coin = pb.AnchorlineCell(x=cell[0], y=cell[1])
    return pb.AnchorlineView(coin=coin).SerializeToString()


@lru_cache(maxsize=128)
def _tops(tops: tuple[int | None, int | None]) -> bytes:
    cards: Any = [card or 0 for card in tops]
    return pb.AnchorlineView(tops=cards).SerializeToString()


@lru_cache(maxsize=4096)
def _counts(stacks: tuple[int, int], scores: tuple[int, int]) -> bytes:
    return pb.AnchorlineView(stack_counts=stacks, scores=scores).SerializeToString()


@lru_cache(maxsize=4096)
def _turn(to_move: int | None, turns: int) -> bytes:
    return pb.AnchorlineView(to_move=to_move, turns=turns).SerializeToString()


def _write_terms(terms: game.AnchorlineTerms) -> bytes:
    view = pb.AnchorlineView(target_score=terms.target_score, max_turns=terms.max_turns)
    _write_arrows(terms.anchor_arrows, view.anchor_arrows)
    for arrows in terms.card_arrows:
        _write_arrows(arrows, view.card_arrows.add())
    view.arrows_bind_moves = terms.arrows_bind_moves
    return view.SerializeToString()


_terms = by_identity(_write_terms, most=1024)


def _write_arrows(names: Sequence[str], out: pb.AnchorlineArrows) -> None:
    out.SetInParent()
    out.directions.extend(
        [DIRECTIONS.index(name) + 1 for name in names]  # type: ignore[misc]
    )


def _read_arrows(message: pb.AnchorlineArrows) -> list[str]:
    return [DIRECTIONS[n - 1] if 1 <= n <= 8 else f"number {n}" for n in message.directions]


def _read_cell(message: pb.AnchorlinePlace | pb.AnchorlineShift, field: str) -> tuple[int, int]:
    if not message.HasField(field):  # type: ignore[arg-type] # The name is a variable.
        raise ValueError(f"the move has no {field}")
    cell = getattr(message, field)
    return cell.x, cell.y
