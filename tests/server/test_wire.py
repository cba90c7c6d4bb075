"""What is put together from bytes is what protobuf would write."""

import hashlib
from typing import Any
from weakref import WeakSet

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbourmaster.v1 import anchorline_pb2, record_pb2
from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import LegalMoves
from harbourmaster_engine.registry import find_game, games
from harbourmaster_server.codec import Codec, codec_for
from harbourmaster_server.codec._kept import by_identity
from harbourmaster_server.matches.wording import Wording
from harbourmaster_server.records import Chain
from harbourmaster_server.wire import VARINT, nested, tag

MICROS = st.one_of(st.just(0), st.integers(0, 1 << 40))
NUMBERS = st.integers(1, 1 << 20)
LEFT = st.one_of(st.none(), MICROS)


@given(st.one_of(st.integers(0, (1 << 64) - 1), st.integers(0, 40_000)))
def test_a_number_is_written_as_protobuf_writes_it(number: int) -> None:
    written = bot_pb.Ping(payload=number).SerializeToString()

    assert written == (tag(bot_pb.Ping, "payload") + VARINT[number] if number else b"")


@given(st.binary(max_size=40_000))
def test_a_message_in_messages_is_behind_the_length_of_each(payload: bytes) -> None:
    hello = bot_pb.Hello(resume_token=payload)
    whole = bot_pb.PlayRequest(events=[bot_pb.BotEvent(hello=hello)])

    put_in = nested((bot_pb.PlayRequest, "events"), (bot_pb.BotEvent, "hello"))

    assert put_in(hello.SerializeToString()) == whole.SerializeToString()


def test_a_field_of_a_kind_that_is_not_known_here_is_an_error() -> None:
    with pytest.raises(ValueError, match="x of AnchorlineCell is of a kind"):
        tag(anchorline_pb2.AnchorlineCell, "x")


def positions(game_id: str) -> Any:
    """Yield the states of one random match with the events and the move that led to each."""
    game = find_game(game_id)
    state = game.start(hashlib.sha256(game_id.encode()).digest(), game.min_seats)
    rng = Stream(b"words")
    for _ in range(150):
        if state.to_move is None:
            return
        move = state.sample_move(rng)
        yield state, state.apply(move), move


def plain_request(
    codec: Codec, state: Any, events: Any, left: int | None, offered: LegalMoves[Any] | None
) -> bytes:
    message = bot_pb.PlayResponse()
    request = message.events.add().decision_request
    request.match_id, request.decision, request.attempt, request.seat = "match", 300, 1, 0
    codec.write_view(state.view(0), request.view)
    request.events.extend(codec.events(events))
    if left is not None:
        request.time_left_micros = left
    if offered is not None:
        request.offered.moves.extend([codec.move(move) for move in offered.moves])
        request.offered.complete = offered.complete
    return message.SerializeToString()


@pytest.mark.parametrize("game_id", sorted(games()))
def test_a_request_is_the_message_built_the_plain_way(game_id: str) -> None:
    codec = codec_for(game_id)
    wording = Wording("match", codec)
    for turn, (state, events, _) in enumerate(positions(game_id)):
        left = (None, 0, 70_000_000)[turn % 3]
        offered = state.legal_moves() if turn % 4 else None
        chunks = codec.event_chunks(events)

        words = wording.request((300, 1, 0), state.view(0), chunks, left, offered)

        assert words == plain_request(codec, state, events, left, offered)


@pytest.mark.parametrize("game_id", sorted(games()))
def test_the_entry_of_a_move_is_the_message_built_the_plain_way(game_id: str) -> None:
    codec = codec_for(game_id)
    wording = Wording("match", codec)
    for _, _, move in positions(game_id):
        entry = record_pb2.RecordEntry(elapsed_micros=5_000_000)
        entry.move.decision, entry.move.attempt, entry.move.seat = 7, 2, 1
        entry.move.move.CopyFrom(codec.move(move))
        entry.move.thought_micros = 12_345_678

        words = wording.move_entry(
            5_000_000, (7, 2, 1), move, (12_345_678, 0, 0), 0, None, "", None
        )

        assert words == entry.SerializeToString()


@given(NUMBERS, st.tuples(MICROS, MICROS, MICROS), MICROS, LEFT, st.booleans(), st.text())
def test_the_times_notes_and_strikes_of_an_entry_are_written_too(
    decision: int,
    times: tuple[int, int, int],
    taken: int,
    left: int | None,
    default: bool,
    note: str,
) -> None:
    codec = codec_for("anchorline")
    move = find_game("anchorline").start(bytes(32), 2).default_move()
    entry = record_pb2.RecordEntry(elapsed_micros=taken)
    out = entry.move
    out.decision, out.attempt, out.note = decision, 1, note
    out.move.CopyFrom(codec.move(move))
    out.thought_micros, out.queued_micros, out.referee_micros = times
    out.taken_micros = taken
    if left is not None:
        out.time_left_micros = out.allowance_micros = left
    if default:
        out.default_move, out.strikes = True, 3

    words = Wording("match", codec).move_entry(
        taken,
        (decision, 1, 0),
        move,
        times,
        taken,
        None if left is None else (left, left),
        note,
        3 if default else None,
    )

    assert words == entry.SerializeToString()


@given(NUMBERS, st.tuples(MICROS, MICROS, MICROS), LEFT)
def test_a_receipt_is_the_message_built_the_plain_way(
    decision: int, times: tuple[int, int, int], left: int | None
) -> None:
    message = bot_pb.PlayResponse()
    receipt = message.events.add().move_receipt
    receipt.match_id, receipt.decision, receipt.attempt = "match", decision, 2
    receipt.status = bot_pb.MOVE_RECEIPT_STATUS_ACCEPTED
    receipt.thought_micros, receipt.queued_micros, receipt.referee_micros = times
    if left is not None:
        receipt.time_left_micros = left

    words = Wording("match", codec_for("anchorline")).accepted((decision, 2), times, left)

    assert words == message.SerializeToString()


def test_bytes_are_chained_as_entries_are() -> None:
    plain, joined = Chain(), Chain()
    for number in range(3):
        entry = record_pb2.RecordEntry(elapsed_micros=number, begin=record_pb2.RecordBegin())
        unchained = entry.SerializeToString()
        entry.previous_hash = plain.head
        plain.entries.append(entry.SerializeToString())
        plain.head = hashlib.sha256(plain.entries[-1]).digest()

        assert joined.append_bytes(unchained) == plain.entries[-1]


class Fleeting:
    """What an engine makes anew each time."""

    def __repr__(self) -> str:
        return "fleeting"


class Counted:
    """Makes bytes, and counts how often."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self, value: object) -> bytes:
        self.made += 1
        return repr(value).encode()


def test_of_a_class_whose_objects_are_made_anew_none_is_kept() -> None:
    alive = WeakSet[Fleeting]()

    def bytes_of(anew: tuple[type, ...]) -> int:
        of = by_identity(Counted(), anew=anew)
        for _ in range(100):
            value = Fleeting()
            alive.add(value)
            assert of([value, value]) == [b"fleeting"] * 2
        del value
        return len(alive)

    assert bytes_of((Fleeting,)) == 0
    assert bytes_of(()) == 100


def test_an_object_that_is_met_again_is_not_made_again_and_never_taken_for_another() -> None:
    make = Counted()
    of = by_identity(make, most=3)
    same = (1, 2)

    assert of([same, same]) == [b"(1, 2)"] * 2
    assert make.made == 1
    for number in range(1000):
        # Objects that are let go of leave their place, and so their id, to the next one.
        assert of([[number]]) == [f"[{number}]".encode()]
    assert of([same]) == [b"(1, 2)"]
