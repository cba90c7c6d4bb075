"""A bot that misbehaves on purpose, to see what a referee makes of it.

It speaks to the referee without the client, which would not let it. Until the fault begins it makes
random moves.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from queue import SimpleQueue
from random import Random
from typing import Final

import grpc

from harbourmaster._settings import Settings
from harbourmaster.v1 import bot_service_pb2 as pb

METHOD: Final = "/harbourmaster.v1.BotService/Play"
EXIT_CRASH: Final = 3
"""The exit code of a crash that is meant."""
GARBAGE: Final = b"\xff" * 64
"""Not a message: it begins with a field number that there is not."""


class Wire:
    """The stream to the referee, over which anything can be sent."""

    def __init__(self, settings: Settings, delay: float) -> None:
        self._out: SimpleQueue[bytes] = SimpleQueue()
        self.delay = delay
        self.channel = grpc.insecure_channel(settings.address)
        play = self.channel.stream_stream(
            METHOD,
            request_serializer=bytes,
            response_deserializer=pb.PlayResponse.FromString,
        )
        metadata = (("authorization", f"Bearer {settings.token}"),) if settings.token else ()
        self.call = play(iter(self._out.get, None), metadata=metadata)

    def send_bytes(self, message: bytes) -> None:
        """Send *message*, whatever it is."""
        self._out.put(message)

    def send(self, *events: pb.BotEvent) -> None:
        """Send *events* in one message."""
        self.send_bytes(pb.PlayRequest(events=events).SerializeToString())

    def read(self) -> Iterator[pb.RefereeEvent]:
        """Yield every event of the referee until the call ends, however it does."""
        try:
            for message in self.call:
                yield from message.events
        except grpc.RpcError:
            sys.stderr.write(f"faulty: the call ended: {self.call.code()}\n")


def reply_to(request: pb.DecisionRequest) -> pb.MoveReply:
    """Return a good answer to *request*: any of the offered moves."""
    rng = Random(f"{request.seat}/{request.decision}")
    return pb.MoveReply(
        match_id=request.match_id,
        decision=request.decision,
        attempt=request.attempt,
        offered_index=rng.randrange(len(request.offered.moves)),
    )


def answer_well(wire: Wire, request: pb.DecisionRequest) -> None:
    """Answer as one should."""
    wire.send(pb.BotEvent(move_reply=reply_to(request)))


def crash(wire: Wire, request: pb.DecisionRequest) -> None:
    """End at once, as after a fault in memory."""
    os._exit(EXIT_CRASH)


def hang(wire: Wire, request: pb.DecisionRequest) -> None:
    """Stay, and do not answer."""


def answer_illegally(wire: Wire, request: pb.DecisionRequest) -> None:
    """Answer with a move that was not offered."""
    reply = reply_to(request)
    reply.offered_index = len(request.offered.moves) + 7
    wire.send(pb.BotEvent(move_reply=reply))


def answer_twice(wire: Wire, request: pb.DecisionRequest) -> None:
    """Answer, and answer again."""
    event = pb.BotEvent(move_reply=reply_to(request))
    wire.send(event)
    wire.send(event)


def answer_old(wire: Wire, request: pb.DecisionRequest) -> None:
    """Answer the decision before this one, and this one never."""
    reply = reply_to(request)
    reply.decision -= 1
    wire.send(pb.BotEvent(move_reply=reply))


def send_garbage(wire: Wire, request: pb.DecisionRequest) -> None:
    """Send bytes that are no message."""
    wire.send_bytes(GARBAGE)


def close_stream(wire: Wire, request: pb.DecisionRequest) -> None:
    """Close the stream while a decision is open."""
    wire.call.cancel()


def answer_slowly(wire: Wire, request: pb.DecisionRequest) -> None:
    """Answer well, but after the delay."""
    time.sleep(wire.delay)
    answer_well(wire, request)


ON_DECISION: Final[Mapping[str, Callable[[Wire, pb.DecisionRequest], None]]] = {
    "crash": crash,
    "hang": hang,
    "illegal": answer_illegally,
    "twice": answer_twice,
    "stale": answer_old,
    "garbage": send_garbage,
    "close": close_stream,
    "slow": answer_slowly,
}
"""What happens at a decision, by the name of the fault."""

FAULTS: Final = ("silent", "never-ready", *ON_DECISION)
"""The names of all faults. `silent` connects and does not even say hello."""


def play(fault: str, settings: Settings, *, after: int = 1, delay: float = 0.2) -> int:
    """Misbehave by *fault* from the decision *after* on, counted over all matches from 1.

    Return the exit code. *delay* is how many seconds `slow` takes for an answer.
    """
    wire = Wire(settings, delay)
    asked = count(1)
    if fault != "silent":
        wire.send(pb.BotEvent(hello=settings.hello(b"")))
    for event in wire.read():
        kind = event.WhichOneof("event")
        if kind == "match_start" and fault != "never-ready":
            start = event.match_start
            ready = pb.MatchReady(match_id=start.match_id, seat=start.seat)
            wire.send(pb.BotEvent(match_ready=ready))
        elif kind == "decision_request":
            act = ON_DECISION[fault] if next(asked) >= after else answer_well
            act(wire, event.decision_request)
        elif kind == "move_receipt":
            _try_again(wire, fault, event.move_receipt)
    wire.channel.close()
    return 0 if wire.call.code() is grpc.StatusCode.OK else 1


def _try_again(wire: Wire, fault: str, receipt: pb.MoveReceipt) -> None:
    """Use every further try for another illegal move."""
    if receipt.next_attempt and fault == "illegal":
        again = pb.MoveReply(
            match_id=receipt.match_id,
            decision=receipt.decision,
            attempt=receipt.next_attempt,
            offered_index=2**31,
        )
        wire.send(pb.BotEvent(move_reply=again))
