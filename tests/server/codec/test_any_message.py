"""Whatever a bot sends as a move is a move or an error, and never a surprise."""

from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.game import AnyState
from harbourmaster_engine.registry import games
from harbourmaster_server.codec import Codec, WrongGame, codec_for
from support.cases import Case
from support.checks import assert_check_agrees_with_apply
from support.messages import filled
from support.play import walk

GAMES = sorted(games())
ARMS = {game: getattr(pb.Move(), game) for game in GAMES}


def in_its_arm(game: str, move: Any) -> pb.Move:
    message = pb.Move()
    arm = getattr(message, game)
    arm.SetInParent()
    arm.CopyFrom(move)
    return message


def judge(case: Case, codec: Codec, state: AnyState, message: pb.Move) -> bool:
    """Read *message* and check what it says in *state*; return whether it was a move."""
    try:
        move = codec.read_move(message)
    except ValueError:
        return False
    assert_check_agrees_with_apply(case, state, move)
    return True


def fuzz(game: str, examples: int) -> None:
    """Judge *examples* random messages, and as many made by changing bytes of right ones."""
    case, codec = Case(games()[game], games()[game].max_seats), codec_for(game)
    states = [position.state for position in walk(case).some(6)]
    right = [codec.move(m).SerializeToString() for s in states for m in s.legal_moves().moves]
    read = [0, 0]
    quick = settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )

    @quick
    @given(filled(ARMS[game]), st.sampled_from(states))
    def any_fields(move: Any, state: AnyState) -> None:
        read[0] += judge(case, codec, state, in_its_arm(game, move))

    @quick
    @given(
        st.sampled_from(right),
        st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=3),
        st.sampled_from(states),
    )
    def changed_bytes(data: bytes, changes: list[tuple[int, int]], state: AnyState) -> None:
        changed = bytearray(data)
        for place, value in changes:
            changed[place % len(changed)] = value
        try:
            message = pb.Move.FromString(bytes(changed))
        except DecodeError:
            return
        read[1] += judge(case, codec, state, message)

    any_fields()
    changed_bytes()
    assert min(read) > examples // 20, f"hardly anything was read as a move: {read}"


@pytest.mark.parametrize("game", GAMES)
def test_any_message_is_a_move_or_an_error(game: str) -> None:
    fuzz(game, 120)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("game", GAMES)
def test_any_message_is_a_move_or_an_error_for_a_long_time(game: str) -> None:
    fuzz(game, 5_000)


@pytest.mark.parametrize(
    ("game", "other"),
    [(game, other) for game in GAMES for other in (*GAMES, None) if game != other],
)
def test_a_move_of_another_game_is_told_to_be_one(game: str, other: str | None) -> None:
    message = pb.Move() if other is None else in_its_arm(other, ARMS[other])
    with pytest.raises(WrongGame, match=r"\w"):
        codec_for(game).read_move(message)


def test_a_reader_that_lets_an_error_through_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    codec = codec_for("anchorline")
    monkeypatch.setattr(codec, "read_move", lambda message: [0][message.anchorline.ByteSize()])
    with pytest.raises(IndexError):
        fuzz("anchorline", 50)
