"""Bots that were built from an older description of the protocol play on.

`protocol-1.0.binpb` is the description as it was at version 1.0, and stays what it is: a
`FileDescriptorSet` of `bot_service.proto` and all that it imports.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

import grpc
import pytest
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorSet

from harbourmaster.v1 import bot_service_pb2 as today
from harbourmaster.v1 import game_pb2
from support.live import PLAY, live

OLD: Final = Path(__file__).parents[1] / "data" / "protocol-1.0.binpb"
PACKAGE: Final = "harbourmaster.v1"


def old_pool() -> descriptor_pool.DescriptorPool:
    """Return the messages of version 1.0, apart from today's."""
    pool = descriptor_pool.DescriptorPool()
    for file in FileDescriptorSet.FromString(OLD.read_bytes()).file:
        pool.Add(file)
    return pool


class OldBot:
    """A bot that knows version 1.0 alone, and takes the first offered move."""

    def __init__(self, address: str, name: str) -> None:
        pool = old_pool()
        self._request = self._class(pool, "PlayRequest")
        self._response = self._class(pool, "PlayResponse")
        self._out: SimpleQueue[bytes | None] = SimpleQueue()
        self.ends: list[Any] = []
        self._channel = grpc.insecure_channel(address)
        play: Any = self._channel.stream_stream(PLAY)
        self._call = play(iter(self._out.get, None))
        hello = {"name": name, "protocol_version": {"major": 1}, "offered_moves_wanted": True}
        self._say({"hello": hello})
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    @staticmethod
    def _class(pool: descriptor_pool.DescriptorPool, name: str) -> Any:
        return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{name}"))

    def _say(self, event: dict[str, Any]) -> None:
        self._out.put(self._request(events=[event]).SerializeToString())

    def _events(self) -> Iterator[Any]:
        for data in self._call:
            yield from self._response.FromString(data).events

    def _play(self) -> None:
        for event in self._events():
            kind = event.WhichOneof("event")
            if kind == "match_start":
                start = event.match_start
                self._say({"match_ready": {"match_id": start.match_id, "seat": start.seat}})
            elif kind == "decision_request":
                asked = event.decision_request
                assert asked.offered.moves
                reply = {
                    "match_id": asked.match_id,
                    "decision": asked.decision,
                    "attempt": asked.attempt,
                    "offered_index": 0,
                }
                self._say({"move_reply": reply})
            elif kind == "match_end":
                self.ends.append(event.match_end)
                self._out.put(None)
                return

    def close(self) -> None:
        """Wait for the end of the match and let go of the call."""
        self._thread.join()
        self._call.cancel()
        self._channel.close()


@pytest.mark.parametrize("game", ["anchorline", "claim"])
def test_p19_p88_bots_of_version_1_0_play_a_match_to_its_end(game: str, tmp_path: Path) -> None:
    with live(tmp_path) as referee:
        bots = [OldBot(referee.address, name) for name in ("one", "two")]
        made = referee.match("one", "two", terms=today_terms(game))
        for bot in bots:
            bot.close()
        info = referee.wait(made.match_id)

    assert {seat.reason for seat in info.outcome.seats} == {game_pb2.SEAT_END_REASON_RULES}
    assert [len(bot.ends) for bot in bots] == [1, 1]


def today_terms(game: str) -> Any:
    terms = today.MatchStart().terms
    terms.game = game
    return terms


def messages(pool: descriptor_pool.DescriptorPool) -> Iterator[Descriptor]:
    """Yield every message of version 1.0."""
    names = [file.name for file in FileDescriptorSet.FromString(OLD.read_bytes()).file]
    for name in names:
        if name.startswith("harbourmaster/"):
            yield from pool.FindFileByName(name).message_types_by_name.values()


def fields(message: Descriptor) -> dict[str, tuple[object, ...]]:
    """Return what of each field a bot depends on."""
    found = DescriptorProto()
    message.CopyToProto(found)
    return {
        field.name: (
            field.number,
            field.label,
            field.type,
            field.type_name,
            found.oneof_decl[field.oneof_index].name if field.HasField("oneof_index") else None,
        )
        for field in found.field
    }


def changed(old: Descriptor, new: Descriptor) -> list[str]:
    """Return the fields of *old* that are not in *new* as they were."""
    now = fields(new)
    return [
        f"{old.full_name}.{name}" for name, field in fields(old).items() if now.get(name) != field
    ]


def test_p88_nothing_of_version_1_0_was_taken_away_or_changed() -> None:
    now = descriptor_pool.Default()
    found = list(messages(old_pool()))

    assert len(found) > 50
    assert [
        name for old in found for name in changed(old, now.FindMessageTypeByName(old.full_name))
    ] == []


def test_twin_a_field_with_another_number_is_noticed() -> None:
    described = FileDescriptorSet.FromString(OLD.read_bytes())
    for file in described.file:
        for message in file.message_type:
            if message.name == "MoveReply":
                message.field[0].number = 77
    pool = descriptor_pool.DescriptorPool()
    for file in described.file:
        pool.Add(file)
    old = old_pool().FindMessageTypeByName(f"{PACKAGE}.MoveReply")

    assert changed(old, pool.FindMessageTypeByName(old.full_name)) == [
        f"{PACKAGE}.MoveReply.match_id"
    ]
