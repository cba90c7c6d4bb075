"""Bots that do one bad thing at one moment, each in a process of its own.

Run as `python -m support.chaos ADDRESS FAULT/PHASE[/NUMBER]…` for bots that dial in, one forked
process each, named after their cell; or as `python -m support.chaos FAULT/PHASE` for one that is
launched.
"""

import os
import random
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

from harbourmaster.v1 import bot_service_pb2 as pb

PHASES: Final = ("connect", "hello", "ready", "decision", "between", "end")
FLUSH_SECONDS: Final = 0.05
"""How long a message needs to leave this process at least."""
FLOOD: Final = int(os.environ.get("CHAOS_FLOOD", "20000"))
"""How many messages a flood has."""


def crash(wire: "Wire") -> None:
    """End at once, as after a fault in memory."""
    os.kill(os.getpid(), signal.SIGKILL)


def hang(wire: "Wire") -> None:
    """Stay and do nothing."""
    time.sleep(1000)


def flood(wire: "Wire") -> None:
    """Send one message after the other."""
    ping = pb.PlayRequest(events=[pb.BotEvent(ping=pb.Ping(payload=1))]).SerializeToString()
    for _ in range(FLOOD):
        wire.send_bytes(ping)
    hang(wire)


def garbage(wire: "Wire") -> None:
    """Send what is no message."""
    wire.send_bytes(b"\xff" * 64)
    hang(wire)


def huge(wire: "Wire") -> None:
    """Send a message of a megabyte."""
    note = pb.MoveReply(note="x" * 1_000_000)
    wire.send(move_reply=note)
    hang(wire)


def slow_reader(wire: "Wire") -> None:
    """Read nothing any more."""
    hang(wire)


def half_open(wire: "Wire") -> None:
    """Stop the whole process, its transport too."""
    os.kill(os.getpid(), signal.SIGSTOP)


def leave(wire: "Wire") -> None:
    """Exit as if all were well, right after the last answer."""
    time.sleep(wire.flush_seconds)
    os._exit(0)


FAULTS: Final[Mapping[str, Callable[["Wire"], None]]] = {
    "crash": crash,
    "hang": hang,
    "flood": flood,
    "garbage": garbage,
    "huge": huge,
    "slow_reader": slow_reader,
    "half_open": half_open,
    "exit": leave,
}
CELLS: Final = [f"{fault}/{phase}" for fault in FAULTS for phase in PHASES]


class Wire:
    """The stream to the referee."""

    flush_seconds = FLUSH_SECONDS

    def __init__(self, address: str, token: str) -> None:
        from queue import SimpleQueue

        import grpc  # Only in the forked process.

        self._out: SimpleQueue[bytes] = SimpleQueue()
        channel = grpc.insecure_channel(address)
        play = channel.stream_stream(
            "/harbourmaster.v1.BotService/Play",
            request_serializer=bytes,
            response_deserializer=pb.PlayResponse.FromString,
        )
        metadata = (("authorization", f"Bearer {token}"),) if token else ()
        self.call: Any = play(iter(self._out.get, None), metadata=metadata)

    def send_bytes(self, data: bytes) -> None:
        self._out.put(data)

    def send(self, **event: Any) -> None:
        self.send_bytes(pb.PlayRequest(events=[pb.BotEvent(**event)]).SerializeToString())


def play(cell: str, address: str, token: str = "") -> None:
    """Play well up to the phase of *cell*, and then do what its fault is."""
    fault, phase, *_ = cell.split("/")
    act = FAULTS[fault]
    if phase == "connect":
        _at_connect(fault, address, token)
    wire = Wire(address, token)
    instead = fault in ("flood", "garbage", "huge")
    if phase == "hello" and instead:
        act(wire)
    version = pb.ProtocolVersion(major=1)
    wire.send(hello=pb.Hello(protocol_version=version, name=cell, offered_moves_wanted=True))
    if phase == "hello":
        time.sleep(FLUSH_SECONDS)
        act(wire)
    began = time.monotonic()
    for message in wire.call:
        # On a busy machine a message leaves as slowly as the first answer came.
        wire.flush_seconds = max(wire.flush_seconds, time.monotonic() - began)
        began = time.monotonic()
        for event in message.events:
            _on_event(wire, event, fault, phase)


def _on_event(wire: Wire, event: pb.RefereeEvent, fault: str, phase: str) -> None:
    act = FAULTS[fault]
    kind = event.WhichOneof("event")
    if kind == "match_start":
        start = event.match_start
        if phase == "ready" and fault != "exit":
            act(wire)
        wire.send(match_ready=pb.MatchReady(match_id=start.match_id, seat=start.seat))
        if phase == "ready":
            act(wire)
    elif kind == "decision_request":
        request = event.decision_request
        reply = pb.MoveReply(
            match_id=request.match_id,
            decision=request.decision,
            attempt=request.attempt,
            offered_index=random.randrange(len(request.offered.moves)),
        )
        if phase == "decision":
            if fault == "exit":
                reply.resignation.SetInParent()
                wire.send(move_reply=reply)
            act(wire)
        wire.send(move_reply=reply)
        if phase == "between":
            time.sleep(wire.flush_seconds)
            act(wire)
    elif kind == "match_end" and phase == "end":
        act(wire)


def _at_connect(fault: str, address: str, token: str) -> None:
    """Do what *fault* is before there is a call, and never come further."""
    if fault in ("flood", "huge"):
        # The first message of a call that has not said hello.
        FAULTS[fault](Wire(address, token))
    host, _, port = address.rpartition(":")
    peer = socket.create_connection((host.strip("[]"), int(port)))
    if fault == "garbage":
        peer.sendall(os.urandom(4096))
    if fault in ("crash", "half_open", "exit"):
        FAULTS[fault](None)  # type: ignore[arg-type]
    time.sleep(1000)


def main(arguments: list[str]) -> None:
    """Start the processes and wait for them, or be one."""
    if len(arguments) == 1:
        play(arguments[0], os.environ["HARBOURMASTER_ADDRESS"], os.environ["HARBOURMASTER_TOKEN"])
        return
    address, *cells = arguments
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    children = []
    for cell in cells:
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            try:
                play(cell, address)
            finally:
                os._exit(1)
        children.append(child)
    try:
        signal.sigwait({signal.SIGTERM})
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        for child in children:
            os.waitpid(child, 0)


if __name__ == "__main__":
    main(sys.argv[1:])
