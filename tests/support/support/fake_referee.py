"""A referee that plays a script: what it says and what it expects are written down call by call."""

import queue
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self, TypeAlias

import grpc
from google.protobuf.duration_pb2 import Duration

from harbourmaster.v1 import anchorline_pb2, game_pb2, match_pb2
from harbourmaster.v1 import bot_service_pb2 as pb
from support.patience import PATIENCE

SERVICE = "harbourmaster.v1.BotService"


class Ending(Exception):
    """Ends a call with a status."""

    def __init__(self, code: grpc.StatusCode, text: str = "scripted") -> None:
        super().__init__(code, text)
        self.code = code
        self.text = text


class Call:
    """One call of `Play`, as a script sees it."""

    def __init__(self, requests: Iterator[pb.PlayRequest], context: grpc.ServicerContext) -> None:
        self.metadata = dict(context.invocation_metadata())
        self.messages: list[pb.PlayRequest] = []
        """Every message that the bot sent so far."""
        self.out: queue.SimpleQueue[pb.PlayResponse | Ending | None] = queue.SimpleQueue()
        self._in: queue.SimpleQueue[pb.BotEvent | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(requests,), daemon=True).start()
        self.hello: pb.Hello = self.take("hello")

    def _read(self, requests: Iterator[pb.PlayRequest]) -> None:
        try:
            for request in requests:
                self.messages.append(request)
                for event in request.events:
                    self._in.put(event)
        except grpc.RpcError:
            pass
        finally:
            self._in.put(None)

    def send(self, **events: Any) -> None:
        """Send *events*, given as `name=message` or `name=[messages]`, in one message."""
        message = pb.PlayResponse()
        for name, values in events.items():
            for value in values if isinstance(values, list) else [values]:
                message.events.add(**{name: value})
        self.out.put(message)

    def take(self, kind: str) -> Any:
        """Return the bot's next event, which must be of *kind*."""
        event = self._in.get(timeout=PATIENCE)
        found = None if event is None else event.WhichOneof("event")
        assert found == kind, f"expected {kind}, got {found}"
        return getattr(event, kind)

    def quiet(self, seconds: float) -> None:
        """Assert that the bot sends nothing for *seconds*."""
        try:
            event = self._in.get(timeout=seconds)
        except queue.Empty:
            return
        raise AssertionError(f"expected nothing, got {event}")

    def take_end(self) -> None:
        """Wait until the bot has closed the call."""
        assert self._in.get(timeout=PATIENCE) is None


Script: TypeAlias = Callable[[Call], None]


class FakeReferee:
    """Serves one call after the other, each by its script. Used as a context manager."""

    def __init__(self, *scripts: Script, address: str = "127.0.0.1:0") -> None:
        self._scripts = list(scripts)
        self._errors: list[BaseException] = []
        self._pool = ThreadPoolExecutor(8)
        self._server = grpc.server(self._pool)
        play: Any = grpc.stream_stream_rpc_method_handler(
            self._play,
            request_deserializer=pb.PlayRequest.FromString,
            response_serializer=pb.PlayResponse.SerializeToString,
        )
        handler = grpc.method_handlers_generic_handler(SERVICE, {"Play": play})
        self._server.add_generic_rpc_handlers((handler,))
        self.port = self._server.add_insecure_port(address)
        self.address = f"{address.rpartition(':')[0]}:{self.port}"

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        self.stop()
        if self._errors:
            raise self._errors[0]
        if kind is None:
            assert not self._scripts, f"{len(self._scripts)} calls did not come"

    def stop(self) -> None:
        """Cut every connection and stop."""
        self._server.stop(None).wait(PATIENCE)
        self._pool.shutdown(wait=True)

    def _play(
        self, requests: Iterator[pb.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[pb.PlayResponse]:
        script = self._scripts.pop(0) if self._scripts else _unexpected
        try:
            call = Call(requests, context)
        except BaseException as error:
            self._errors.append(error)
            raise
        context.add_callback(lambda: call.out.put(None))
        threading.Thread(target=self._run, args=(script, call), daemon=True).start()
        while isinstance(message := call.out.get(), pb.PlayResponse):
            yield message
        if isinstance(message, Ending):
            context.abort(message.code, message.text)

    def _run(self, script: Script, call: Call) -> None:
        try:
            script(call)
            call.out.put(None)
        except Ending as ending:
            call.out.put(ending)
        except BaseException as error:
            self._errors.append(error)
            # A status that ends the bot too.
            call.out.put(Ending(grpc.StatusCode.ABORTED, f"the script failed: {error!r}"))


def unused_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _unexpected(call: Call) -> None:
    raise AssertionError("a call came that no script expects")


# What a referee says.


def welcome(token: bytes = b"token-1", *, resumed: bool = False, major: int = 1) -> pb.Welcome:
    """Return a welcome."""
    return pb.Welcome(
        session_id="s",
        resume_token=token,
        protocol_version=pb.ProtocolVersion(major=major),
        server_version="0.0.0",
        limits=pb.SessionLimits(
            open_matches=8,
            open_decisions=8,
            note_characters=20,
            message_bytes=1000,
            messages_per_second=100,
            resume_time=Duration(seconds=1),
        ),
        resumed=resumed,
        bot="tester",
    )


def start(
    match_id: str = "m1", seat: int = 0, *, history: Iterable[game_pb2.Event] = ()
) -> pb.MatchStart:
    """Return the start of a match of Anchorline; with *history* one that is taken up again."""
    options = game_pb2.GameOptions(anchorline=anchorline_pb2.AnchorlineOptions(target_score=5))
    terms = match_pb2.MatchTerms(game="anchorline", rules_version=1, options=options)
    events = list(history)
    return pb.MatchStart(
        match_id=match_id,
        terms=terms,
        seat=seat,
        players=[match_pb2.Player(seat=1, name="other"), match_pb2.Player(seat=0, name="tester")],
        deal_commitment=b"c" * 32,
        resumed=bool(events),
        history=events,
    )


def move(x: int, y: int = 0) -> game_pb2.Move:
    """Return the move that places a card."""
    cell = anchorline_pb2.AnchorlineCell(x=x, y=y)
    place = anchorline_pb2.AnchorlinePlace(cell=cell)
    return game_pb2.Move(anchorline=anchorline_pb2.AnchorlineMove(place=place))


def fact(turn: int) -> game_pb2.Event:
    """Return an event that can be told from others by its number."""
    cell = anchorline_pb2.AnchorlineCell(x=turn)
    placed = anchorline_pb2.AnchorlineCardPlaced(seat=0, card=1, cell=cell)  # type: ignore[arg-type]
    return game_pb2.Event(anchorline=anchorline_pb2.AnchorlineEvent(card_placed=placed))


def request(
    decision: int = 1,
    attempt: int = 1,
    *,
    match_id: str = "m1",
    seat: int = 0,
    events: Iterable[game_pb2.Event] = (),
    moves: int = 3,
    micros: int | None = 1_500_000,
) -> pb.DecisionRequest:
    """Return the request for a decision with *moves* offered moves."""
    view = game_pb2.View(anchorline=anchorline_pb2.AnchorlineView(turns=decision - 1))
    offered = pb.OfferedMoves(moves=[move(x) for x in range(moves)], complete=True)
    return pb.DecisionRequest(
        match_id=match_id,
        decision=decision,
        attempt=attempt,
        seat=seat,
        view=view,
        events=events,
        offered=offered,
        time_left_micros=micros,
    )


def refused(decision: int, attempt: int, *, tries_left: int = 1) -> pb.MoveReceipt:
    """Return the receipt of a refused answer."""
    code = anchorline_pb2.ANCHORLINE_REFUSAL_CODE_NO_ARROW
    return pb.MoveReceipt(
        match_id="m1",
        decision=decision,
        attempt=attempt,
        status=pb.MOVE_RECEIPT_STATUS_REFUSED,
        refusal=game_pb2.Refusal(text="no arrow points there", anchorline=code),
        tries_left=tries_left,
        next_attempt=attempt + 1 if tries_left else 0,
        time_left_micros=1_000_000,
    )


def end(match_id: str = "m1", seat: int = 0) -> pb.MatchEnd:
    """Return the end of a match that seat 0 won by 5 to 2."""
    rules = game_pb2.SEAT_END_REASON_RULES
    seats = [
        match_pb2.SeatResult(seat=0, placement=1, score=5, reason=rules),
        match_pb2.SeatResult(seat=1, placement=2, score=2, reason=rules),
    ]
    return pb.MatchEnd(
        match_id=match_id,
        seat=seat,
        outcome=match_pb2.MatchOutcome(seats=seats, reason="target", text="tester has 5 points"),
        reveal=match_pb2.DealReveal(seed=b"s" * 32, salt=b"t" * 32),
    )
