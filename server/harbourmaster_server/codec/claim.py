"""Claim on the wire and back."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from harbourmaster.v1 import claim_pb2 as pb
from harbourmaster_engine import claim as game

REFUSAL_CODES: Final[Mapping[str, int]] = {
    code: pb.ClaimRefusalCode.Value(f"CLAIM_REFUSAL_CODE_{code.upper()}")
    for code in game.GAME.codes
}

SIDES: Final = {
    game.Side.LEFT: pb.CLAIM_SIDE_LEFT,
    game.Side.RIGHT: pb.CLAIM_SIDE_RIGHT,
}
_SIDE_OF: Final = {number: side for side, number in SIDES.items()}


def write_options(options: Mapping[str, Any], out: pb.ClaimOptions) -> None:
    """Write resolved *options*."""
    out.hand_size = options["hand_size"]
    out.idle_turns = options["idle_turns"]
    out.max_actions = options["max_actions"]


def read_options(message: pb.ClaimOptions) -> dict[str, Any]:
    """Return the options that *message* sets."""
    names = ("hand_size", "idle_turns", "max_actions")
    return {field.name: value for field, value in message.ListFields() if field.name in names}


def write_view(view: game.ClaimView, out: pb.ClaimView) -> None:
    """Write *view*."""
    out.hand.extend([card + 1 for card in view.hand])  # type: ignore[misc]
    add = out.items.add
    for number, cards, owners in view.items:
        add(id=number, cards=[card + 1 for card in cards], owners=owners)
    for cards in view.known_cards:
        known = out.known_cards.add()
        if cards:
            known.cards.extend([card + 1 for card in cards])  # type: ignore[misc]
    out.hand_counts.extend(view.hand_counts)
    out.deck_counts.extend(view.deck_counts)
    out.worths.extend(view.worths)
    out.jokers.extend(view.jokers)
    out.scores.extend(view.scores)
    if view.to_move is not None:
        out.to_move = view.to_move
    out.turns = view.turns
    out.idle = view.idle
    out.actions = view.actions
    out.acted = view.acted
    out.aside_count = view.aside_count
    out.forfeited.extend(view.forfeited)
    out.next_item = view.next_item
    out.hand_size = view.hand_size
    out.idle_turns = view.idle_turns
    out.max_actions = view.max_actions


def read_view(message: pb.ClaimView) -> game.ClaimView:
    """Return the view that *message* holds."""
    return game.ClaimView(
        _cards(message.hand),
        tuple(game.Item(item.id, _cards(item.cards), tuple(item.owners)) for item in message.items),
        tuple(_cards(known.cards) for known in message.known_cards),
        tuple(message.hand_counts),
        tuple(message.deck_counts),
        tuple(message.worths),
        tuple(message.jokers),
        tuple(message.scores),
        message.to_move if message.HasField("to_move") else None,
        message.turns,
        message.idle,
        message.actions,
        message.acted,
        message.aside_count,
        tuple(message.forfeited),
        message.next_item,
        message.hand_size,
        message.idle_turns,
        message.max_actions,
    )


def write_move(move: game.ClaimMove, out: pb.ClaimMove) -> None:
    """Write *move*."""
    if isinstance(move, game.Play):
        out.play.card = move.card + 1  # type: ignore[assignment]
        if move.item is not None:
            out.play.item = move.item
        if move.side is not None:
            out.play.side = SIDES[move.side]
    elif isinstance(move, game.Merge):
        out.merge.left, out.merge.right = move.left, move.right
        out.merge.SetInParent()
    elif isinstance(move, game.Replace):
        out.replace.group, out.replace.index = move.group, move.index
        out.replace.card = move.card + 1  # type: ignore[assignment]
    else:
        out.end_turn.SetInParent()


def read_move(message: pb.ClaimMove) -> game.ClaimMove:
    """Return the move that *message* holds; raise `ValueError` if it lacks a part."""
    kind = message.WhichOneof("move")
    if kind == "play":
        return _read_play(message.play)
    if kind == "merge":
        return game.Merge(message.merge.left, message.merge.right)
    if kind == "replace":
        replace = message.replace
        return game.Replace(replace.group, replace.index, _card(replace))
    if kind == "end_turn":
        return game.EndTurn()
    raise ValueError("the move is empty: set one of play, merge, replace and end_turn")


def write_event(event: game.ClaimEvent, out: pb.ClaimEvent) -> None:
    """Write *event*."""
    match event:
        case game.CardPlayed(seat, card, item, side):
            played = out.card_played
            played.seat, played.item = seat, item
            played.card = card + 1  # type: ignore[assignment]
            if side is not None:
                played.side = SIDES[side]
        case game.ItemsMerged(seat, left, right):
            merged = out.items_merged
            merged.seat, merged.left, merged.right = seat, left, right
        case game.CardReplaced(seat, group, index, card, old):
            replaced = out.card_replaced
            replaced.seat, replaced.group, replaced.index = seat, group, index
            replaced.card = card + 1  # type: ignore[assignment]
            replaced.old = old + 1  # type: ignore[assignment]
        case game.TurnEnded(seat, drawn):
            out.turn_ended.seat, out.turn_ended.drawn = seat, drawn


def read_event(message: pb.ClaimEvent) -> game.ClaimEvent:
    """Return the event that *message* holds; raise `ValueError` if it holds none."""
    kind = message.WhichOneof("event")
    if kind == "card_played":
        played = message.card_played
        return game.CardPlayed(played.seat, played.card - 1, played.item, _SIDE_OF.get(played.side))
    if kind == "items_merged":
        merged = message.items_merged
        return game.ItemsMerged(merged.seat, merged.left, merged.right)
    if kind == "card_replaced":
        done = message.card_replaced
        return game.CardReplaced(done.seat, done.group, done.index, done.card - 1, done.old - 1)
    if kind == "turn_ended":
        return game.TurnEnded(message.turn_ended.seat, message.turn_ended.drawn)
    raise ValueError("the event is empty")


def _read_play(play: pb.ClaimPlay) -> game.Play:
    """Return the play; an item without a side, or a side without an item, is no play."""
    card = _card(play)
    if not play.HasField("item") and not play.side:
        return game.Play(card)
    if not play.HasField("item"):
        raise ValueError("the play has a side and no item: set both, or none for a new single")
    if play.side not in _SIDE_OF:
        raise ValueError("the play has an item and no side, left or right, that the card goes to")
    return game.Play(card, play.item, _SIDE_OF[play.side])


def _card(message: pb.ClaimPlay | pb.ClaimReplace) -> int:
    if not message.card:
        raise ValueError("the move has no card")
    return message.card - 1


def _cards(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple([number - 1 for number in numbers])
