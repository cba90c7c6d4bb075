"""What turns a game's values into the messages that all games share."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final, Protocol

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2 as pb
from harbourmaster.v1 import record_pb2
from harbourmaster_engine.anchorline.moves import CoinReturned, LinesScored
from harbourmaster_engine.game import ForfeitReason, Game, LegalMoves, Refusal, SeatForfeited
from harbourmaster_engine.registry import find_game
from harbourmaster_server.codec import anchor, anchorline, claim, tide, wild_rummy
from harbourmaster_server.codec._external import ExternalArm
from harbourmaster_server.codec._kept import KEPT_VALUES, Many, by_identity, by_value
from harbourmaster_server.wire import VARINT, nested, tag

SEAT_END_REASONS: Final[Mapping[ForfeitReason, pb.SeatEndReason.ValueType]] = {
    reason: pb.SeatEndReason.Value(f"SEAT_END_REASON_{reason.name}") for reason in ForfeitReason
}
"""Why a seat forfeited, as the wire has it."""

FORFEIT_REASONS: Final = {number: reason for reason, number in SEAT_END_REASONS.items()}
"""The engine's reason of each wire value that stands for a forfeit."""


class GameModule(Protocol):
    """What each game's codec module has."""

    REFUSAL_CODES: Mapping[str, Any]

    def write_options(self, options: Mapping[str, Any], out: Any) -> None: ...
    def read_options(self, message: Any) -> dict[str, Any]: ...
    def write_view(self, view: Any, out: Any) -> None: ...
    def read_view(self, message: Any) -> Any: ...
    def write_move(self, move: Any, out: Any) -> None: ...
    def read_move(self, message: Any) -> Any: ...
    def write_event(self, event: Any, out: Any) -> None: ...
    def read_event(self, message: Any) -> Any: ...


MODULES: Final[Mapping[str, Any]] = {
    "anchor": anchor,
    "claim": claim,
    "tide": tide,
    "wild_rummy": wild_rummy,
    "anchorline": anchorline,
}
"""The codec module of each of our games; the name is also the arm's."""


SMALL_VALUES: Final = frozenset({"anchorline", "claim", "wild_rummy"})
"""The games whose moves and events are small and recur, so that their messages are kept: making a
message costs ten times what copying it does."""

SAME_OBJECTS: Final[Mapping[str, tuple[type, ...]]] = {
    "anchorline": (CoinReturned, LinesScored, SeatForfeited),
}
"""The games whose engine keeps its moves and events, so that equal ones are the same object, and
the classes of which it does not."""

_OFFERED: Final = tag(bot_pb.DecisionRequest, "offered")
_COMPLETE: Final = bot_pb.OfferedMoves(complete=True).SerializeToString()


class WrongGame(ValueError):
    """A message holds the arm of another game, or none."""


class Codec:
    """Turns the values of one game into messages and back."""

    def __init__(self, game: Game) -> None:
        """Make the codec of *game*; raise `ValueError` if it has none."""
        self.game = game
        own = game.id in MODULES
        self._arm: Any = game.id if own else "external"
        self._module: GameModule = MODULES[game.id] if own else ExternalArm(game)
        self._make_view: Callable[[Any], bytes] = self._bytes_of("view", pb.View)
        self._make_move: Callable[[Any], bytes] = self._bytes_of("move", pb.Move)
        self._make_event: Callable[[Any], bytes] = self._bytes_of("event", pb.Event)
        self._as_view = nested((bot_pb.DecisionRequest, "view"), (pb.View, self._arm))
        self._as_event = nested((bot_pb.DecisionRequest, "events"), (pb.Event, self._arm))
        self._as_offered = nested((bot_pb.OfferedMoves, "moves"), (pb.Move, self._arm))
        self._as_recorded = nested((record_pb2.RecordMove, "move"), (pb.Move, self._arm))
        keep = lru_cache(KEPT_VALUES if game.id in SMALL_VALUES else 0)
        self.move: Callable[[Any], pb.Move] = keep(self._move)
        """Returns a move as a message, which is not to be changed."""
        self.event: Callable[[Any], pb.Event] = keep(self._event)
        """Returns an event as a message, which is not to be changed."""
        self._offered = self._kept(self._make_offered)
        self._recorded = self._kept(self._make_recorded)
        self.event_chunks = self._kept(self._make_requested)
        """Returns for each event the part of a `DecisionRequest` that it is."""

    def _kept(self, make: Callable[[Any], bytes]) -> Many:
        if self.game.id in SAME_OBJECTS:
            return by_identity(make, anew=SAME_OBJECTS[self.game.id])
        return by_value(make, KEPT_VALUES if self.game.id in SMALL_VALUES else 0)

    def _bytes_of(self, kind: str, message_class: Any) -> Callable[[Any], bytes]:
        """Return what makes the bytes of a view, move or event: the module's own, if it has one."""
        write = getattr(self._module, f"write_{kind}")

        def make(value: Any) -> bytes:
            arm = getattr(message_class(), self._arm)
            write(value, arm)
            data: bytes = arm.SerializeToString()
            return data

        own: Callable[[Any], bytes] | None = getattr(self._module, f"{kind}_bytes", None)
        return own or make

    def options(self, options: Mapping[str, Any]) -> pb.GameOptions:
        """Return resolved *options* as a message."""
        message = pb.GameOptions()
        arm = getattr(message, self._arm)
        arm.SetInParent()
        self._module.write_options(options, arm)
        return message

    def read_options(self, message: pb.GameOptions) -> dict[str, Any]:
        """Return the options that *message* sets; none if it is empty."""
        if message.WhichOneof("options") is None:
            return {}
        return self._module.read_options(self._own_arm(message, "options"))

    def write_view(self, view: Any, out: pb.View) -> None:
        """Write *view* into *out*."""
        arm = getattr(out, self._arm)
        arm.SetInParent()
        self._module.write_view(view, arm)

    def view_part(self, view: Any) -> bytes:
        """Return the part of a `DecisionRequest` that is *view*."""
        return self._as_view(self._make_view(view))

    def read_view(self, message: pb.View) -> Any:
        """Return the view that *message* holds."""
        return self._module.read_view(self._own_arm(message, "view"))

    def _move(self, move: Any) -> pb.Move:
        message = pb.Move()
        arm = getattr(message, self._arm)
        arm.SetInParent()
        self._module.write_move(move, arm)
        return message

    def offered_part(self, offered: LegalMoves[Any]) -> bytes:
        """Return the part of a `DecisionRequest` that is the *offered* moves."""
        moves = b"".join(self._offered(offered.moves))
        if offered.complete:
            moves += _COMPLETE
        return _OFFERED + VARINT[len(moves)] + moves

    def _make_offered(self, move: Any) -> bytes:
        return self._as_offered(self._make_move(move))

    def recorded(self, move: Any) -> bytes:
        """Return the part of a `RecordMove` that is *move*."""
        return self._recorded((move,))[0]

    def _make_recorded(self, move: Any) -> bytes:
        return self._as_recorded(self._make_move(move))

    def read_move(self, message: pb.Move) -> Any:
        """Return the move that *message* holds.

        Raises `WrongGame` for another game's move and `ValueError` for one that lacks a part.
        """
        return self._module.read_move(self._own_arm(message, "move"))

    def events(self, events: Iterable[Any]) -> list[pb.Event]:
        """Return *events* as messages."""
        return [self.event(event) for event in events]

    def _make_requested(self, event: Any) -> bytes:
        if type(event) is SeatForfeited:
            return bot_pb.DecisionRequest(events=[self.event(event)]).SerializeToString()
        return self._as_event(self._make_event(event))

    def _event(self, event: Any) -> pb.Event:
        message = pb.Event()
        if type(event) is SeatForfeited:
            message.seat_forfeited.seat = event.seat
            message.seat_forfeited.reason = SEAT_END_REASONS[event.reason]
        else:
            arm = getattr(message, self._arm)
            arm.SetInParent()
            self._module.write_event(event, arm)
        return message

    def read_event(self, message: pb.Event) -> Any:
        """Return the event that *message* holds."""
        if message.WhichOneof("event") == "seat_forfeited":
            seat_forfeited = message.seat_forfeited
            return SeatForfeited(seat_forfeited.seat, FORFEIT_REASONS[seat_forfeited.reason])
        return self._module.read_event(self._own_arm(message, "event"))

    def refusal(self, refusal: Refusal) -> pb.Refusal:
        """Return *refusal* as a message."""
        message = pb.Refusal(text=refusal.text)
        setattr(message, self._arm, self._module.REFUSAL_CODES[refusal.code])
        return message

    def _own_arm(self, message: Any, oneof: str) -> Any:
        arm = message.WhichOneof(oneof)
        if arm != self._arm:
            found = "nothing" if arm is None else f"{oneof} of {arm}"
            raise WrongGame(f"the match is of {self.game.id}, but the message holds {found}")
        return getattr(message, arm)


@cache
def codec_for(game_id: str) -> Codec:
    """Return the codec of the game called *game_id*; raise `ValueError` if there is none."""
    return Codec(find_game(game_id))
