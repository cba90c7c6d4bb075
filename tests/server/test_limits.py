"""What peers are held to, on real sockets. Going over a limit is answered, and costs the sender."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import grpc
import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import record_pb2 as record_pb
from harbourmaster_server.limits import Limits
from harbourmaster_server.sessions.registry import SecondSession
from harbourmaster_server.terms import to_duration
from support.live import PLAY, Live, RawBot, live
from support.patience import wait_for

Offend = Callable[[RawBot], object]
SMALL = Limits(
    message_bytes=10_000,
    events_per_message=8,
    messages_per_second=20,
    complaints=5,
    unread_bytes=200_000,
    open_matches=4,
    open_decisions=3,
    sessions=6,
    sessions_per_bot=2,
    note_characters=20,
)
PING = pb.BotEvent(ping=pb.Ping(payload=1))


def too_large(bot: RawBot) -> None:
    bot.send(hello=pb.Hello(software_version="x" * 20_000))


def too_large_for_the_transport(bot: RawBot) -> None:
    bot.send_bytes(b"x" * (17 * 1024 * 1024))


def too_many_events(bot: RawBot) -> None:
    bot.send_all(*[PING] * 9)


def too_fast(bot: RawBot) -> None:
    for _ in range(300):
        bot.send_all(PING)


def out_of_place(bot: RawBot) -> None:
    for _ in range(6):
        bot.send(match_ready=pb.MatchReady(match_id="elsewhere"))


def not_a_message(bot: RawBot) -> None:
    bot.send_bytes(b"\xff" * 40)


@pytest.mark.parametrize(
    ("offend", "code", "text"),
    [
        (too_large, "RESOURCE_EXHAUSTED", "bytes: at most 10000"),
        (too_large_for_the_transport, "RESOURCE_EXHAUSTED", "larger than max"),
        (too_many_events, "INVALID_ARGUMENT", "9 events: at most 8"),
        (too_fast, "RESOURCE_EXHAUSTED", "more than 20 messages a second"),
        (out_of_place, "RESOURCE_EXHAUSTED", "more than 5 events were out of place"),
        (not_a_message, "INVALID_ARGUMENT", "cannot be read"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_p34_going_over_a_limit_ends_the_session_with_a_reason_and_costs_the_sender_alone(
    offend: Offend, code: str, text: str, tmp_path: Path
) -> None:
    with (
        live(tmp_path, limits=SMALL, level="error") as referee,
        RawBot(referee.address, "offender") as offender,
        RawBot(referee.address, "victim", open_matches=2, open_decisions=2) as victim,
        RawBot(referee.address, "other") as other,
    ):
        for bot in (offender, victim, other):
            bot.next("welcome")
        policy = match_pb2.FaultPolicy(reconnect_time=to_duration(500_000))
        terms = match_pb2.MatchTerms(game="anchorline", policy=policy)
        spoilt = referee.match("offender", "victim", terms=terms).match_id
        offender.next("decision_request")
        untouched = referee.match("victim", "other").match_id
        victim.next("decision_request")

        offend(offender)

        assert offender.status()[0] is grpc.StatusCode[code]
        assert text in offender.status()[1]
        info = referee.wait(spoilt)
        reasons = [seat.reason for seat in info.outcome.seats]
        assert reasons[1] == game_pb2.SEAT_END_REASON_LAST_SEAT
        assert reasons[0] in (
            game_pb2.SEAT_END_REASON_PROTOCOL_ERROR,
            game_pb2.SEAT_END_REASON_DISCONNECTED,
        )
        assert not referee.referee.get_match(untouched).HasField("outcome")
        assert victim.next("match_end").match_id == spoilt


def test_p85_an_honest_bot_is_far_below_the_rate_that_is_allowed(tmp_path: Path) -> None:
    """Ten thousand messages as fast as they go, and a thousand moves a second all day."""
    assert Limits().messages_per_second >= 10 * 1000
    with live(tmp_path, level="error") as referee, RawBot(referee.address, "quick") as quick:
        quick.next("welcome")
        for number in range(10_000):
            quick.send(ping=pb.Ping(payload=number))
        for number in range(10_000):
            assert quick.next("pong").payload == number


def test_p58_a_bot_that_does_not_read_is_ended_when_too_much_is_unread(tmp_path: Path) -> None:
    with (
        live(tmp_path, limits=Limits(unread_bytes=100_000), level="error") as referee,
        SlowReader(referee.address) as slow,
    ):
        wait_for(lambda: referee.referee.sessions.all(), "a session")
        wait_for(lambda: connected(referee) == [], "the end of the connection")
        code, said = slow.read_on()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "bytes were not read: read faster" in said


def test_calls_that_are_not_read_to_their_end_are_limited(tmp_path: Path) -> None:
    limits = Limits(unread_bytes=100_000, sessions_per_bot=1, resume_seconds=0.01)
    with live(tmp_path, limits=limits, level="error") as referee, contextlib.ExitStack() as open_:
        for _ in range(2):
            open_.enter_context(SlowReader(referee.address))
            wait_for(lambda: referee.referee.sessions.all(), "a session")
            wait_for(lambda: not referee.referee.sessions.all(), "the end of the session")
        with RawBot(referee.address, "slow") as third:
            code, said = third.status()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "slow has 2 calls that are not over" in said


class SlowReader:
    """A bot that asks for answer after answer and reads none of them."""

    def __init__(self, address: str) -> None:
        # Without these the client's side of the transport would read ahead, megabytes of it.
        options = [("grpc.http2.bdp_probe", 0), ("grpc.use_local_subchannel_pool", 1)]
        self.channel = grpc.insecure_channel(address, options=options)
        play = self.channel.stream_stream(
            PLAY, request_serializer=bytes, response_deserializer=bytes
        )
        self.over = False
        self.call = play(self.messages())

    def messages(self) -> Iterator[bytes]:
        hello = pb.Hello(protocol_version=pb.ProtocolVersion(major=1), name="slow")
        yield pb.PlayRequest(events=[pb.BotEvent(hello=hello)]).SerializeToString()
        flood = pb.PlayRequest(events=[PING] * 256).SerializeToString()
        while not self.over:
            time.sleep(0.001)
            yield flood

    def read_on(self) -> tuple[grpc.StatusCode, str]:
        """Read all that waits and return how the call ended."""
        self.over = True
        with contextlib.suppress(grpc.RpcError):
            for _ in self.call:
                pass
        return self.call.code(), self.call.details()

    def __enter__(self) -> "SlowReader":
        return self

    def __exit__(self, *error: object) -> None:
        self.over = True
        self.call.cancel()
        self.channel.close()


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"open_matches": 5}, "open_matches is 5: at most 4"),
        ({"open_decisions": 4}, "open_decisions is 4: at most 3"),
        ({"name": "x" * 65}, "1 to 64 printable characters"),
        ({"name": ""}, "1 to 64 printable characters"),
        ({"software_version": "x" * 65}, "software_version has more than 64"),
        ({"features": ["x"] * 33}, "more than 32 features"),
        ({"games": [pb.GameSupport(game="whist")]}, "there is no game 'whist'"),
    ],
    ids=lambda value: "",
)
def test_t27_a_hello_out_of_range_is_refused_with_the_field_and_its_range(
    fields: dict[str, object], text: str, tmp_path: Path
) -> None:
    with live(tmp_path, limits=SMALL) as referee:
        version = pb.ProtocolVersion(major=1)
        hello = pb.Hello(protocol_version=version, **({"name": "bot"} | fields))  # type: ignore[arg-type]
        with RawBot(referee.address, hello=hello) as bot:
            code, said = bot.status()
    assert code in (grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND)
    assert text in said


def test_another_major_version_is_told_which_to_use(tmp_path: Path) -> None:
    with live(tmp_path) as referee:
        hello = pb.Hello(protocol_version=pb.ProtocolVersion(major=2), name="bot")
        with RawBot(referee.address, hello=hello) as bot:
            code, said = bot.status()
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "use a client of major version 1" in said


def test_a_peer_that_says_no_hello_is_sent_away_in_time(tmp_path: Path) -> None:
    limits = Limits(hello_seconds=1.0)
    with live(tmp_path, limits=limits) as referee, RawBot(referee.address, say_hello=False) as bot:
        code, said = bot.status()
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "no hello came within 1 s" in said


def test_sessions_of_one_bot_and_sessions_in_all_are_limited(tmp_path: Path) -> None:
    with live(tmp_path, limits=SMALL) as referee:
        bots = [RawBot(referee.address, name) for name in ("a", "a", "b", "b", "c")]
        for bot in bots:
            bot.next("welcome")
        with RawBot(referee.address, "a") as third:
            assert "a has 2 sessions; a bot may have 2" in third.status()[1]
        bots.append(RawBot(referee.address, "c"))
        bots[-1].next("welcome")
        with RawBot(referee.address, "d") as seventh:
            code, said = seventh.status()
        for bot in bots:
            bot.close()
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "has 6 sessions and takes no more" in said


def test_sessions_that_are_gone_for_nothing_do_not_count(tmp_path: Path) -> None:
    with live(tmp_path, limits=SMALL) as referee:
        for _ in range(8):
            with RawBot(referee.address, "a") as bot:
                bot.next("welcome")
            wait_for(lambda: connected(referee) == [], "the end of the connection")


def test_a_bot_that_was_started_again_comes_back_where_a_second_session_is_refused(
    tmp_path: Path,
) -> None:
    with (
        live(tmp_path, second_session=SecondSession.REFUSE) as referee,
        RawBot(referee.address, "foe") as foe,
    ):
        foe.next("welcome")
        with RawBot(referee.address, "bot") as bot:
            bot.next("welcome")
            referee.match("bot", "foe")
            bot.next("decision_request")
        wait_for(lambda: connected(referee) == ["foe"], "the end of the connection")
        with RawBot(referee.address, "bot") as again:
            assert again.next("welcome").resumed
            assert again.next("decision_request").decision == 1


def test_a_long_note_is_cut_in_the_record(tmp_path: Path) -> None:
    with (
        live(tmp_path, limits=SMALL) as referee,
        RawBot(referee.address, "first") as first,
        RawBot(referee.address, "second") as second,
    ):
        match_id = referee.match("first", "second").match_id
        first.answer(first.next("decision_request"), note="x" * 500)
        second.next("decision_request")
        entries = referee.referee._matches[match_id].chain.entries
    moves = [record_pb.RecordEntry.FromString(data) for data in entries]
    assert [m.move.note for m in moves if m.HasField("move")] == ["x" * 20]


def test_limits_in_force_are_in_the_welcome(tmp_path: Path) -> None:
    with live(tmp_path, limits=SMALL) as referee, RawBot(referee.address) as bot:
        limits = bot.next("welcome").limits
    assert (limits.message_bytes, limits.messages_per_second) == (10_000, 20)
    assert (limits.open_matches, limits.open_decisions, limits.note_characters) == (1, 1, 20)


@pytest.mark.parametrize("policy", SecondSession)
def test_a_second_session_of_a_bot_is_what_the_policy_says(
    policy: SecondSession, tmp_path: Path
) -> None:
    with (
        live(tmp_path, second_session=policy) as referee,
        RawBot(referee.address, "bot") as first,
        RawBot(referee.address, "foe") as foe,
    ):
        token = first.next("welcome").resume_token
        foe.next("welcome")
        referee.match("bot", "foe")
        first.next("decision_request")
        with RawBot(referee.address, "bot") as second:
            if policy is SecondSession.REFUSE:
                assert second.status()[0] is grpc.StatusCode.ALREADY_EXISTS
            elif policy is SecondSession.ALLOW:
                assert not second.next("welcome").resumed
            else:
                assert second.next("welcome").resumed
                second.next("decision_request")
                assert first.status()[0] is grpc.StatusCode.ABORTED
            if policy is SecondSession.REPLACE:
                return
        with RawBot(referee.address, "bot", resume_token=token) as twin:
            assert twin.next("welcome").resumed
            assert twin.next("decision_request").decision == 1
            assert first.status()[0] is grpc.StatusCode.ABORTED


def test_a_resume_token_of_somebody_else_opens_nothing(tmp_path: Path) -> None:
    with live(tmp_path) as referee, RawBot(referee.address, "bot") as bot:
        token = bot.next("welcome").resume_token
        with RawBot(referee.address, "thief", resume_token=token) as thief:
            assert thief.status()[0] is grpc.StatusCode.NOT_FOUND
        assert connected(referee) == ["bot"]


def connected(referee: Live) -> list[str]:
    return [s.bot for s in referee.referee.sessions.all() if s.connection is not None]
