"""The two sides of a call of `Play`: when each may be opened and closed."""

from pathlib import Path

import grpc

from harbourmaster.v1 import bot_service_pb2 as pb
from support.live import RawBot, live


def test_a_client_may_wait_for_the_headers_before_it_says_hello(tmp_path: Path) -> None:
    with live(tmp_path) as referee, RawBot(referee.address, say_hello=False) as bot:
        headers = bot.call.initial_metadata()
        bot.send(hello=bot.hello)
        assert bot.next("welcome").bot == "bot"
    assert headers is not None


def test_closing_its_side_with_a_match_open_is_a_drop_that_is_told(tmp_path: Path) -> None:
    with (
        live(tmp_path) as referee,
        RawBot(referee.address, "a") as bot,
        RawBot(referee.address, "b"),
    ):
        token = bot.next("welcome").resume_token
        referee.match("a", "b")
        request = bot.next("decision_request")
        bot.close_own_side()
        code, said = bot.status()
        assert code is grpc.StatusCode.CANCELLED
        assert "keep that side open until the referee ends the call" in said
        with RawBot(referee.address, "a", resume_token=token) as again:
            assert again.next("welcome").resumed
            assert again.next("decision_request").decision == request.decision


def test_closing_its_side_with_no_match_open_ends_the_call_well(tmp_path: Path) -> None:
    with live(tmp_path) as referee, RawBot(referee.address) as bot:
        bot.next("welcome")
        bot.close_own_side()
        assert bot.status()[0] is grpc.StatusCode.OK


def test_a_session_that_left_is_still_leaving_when_it_is_resumed(tmp_path: Path) -> None:
    with (
        live(tmp_path) as referee,
        RawBot(referee.address, "a") as bot,
        RawBot(referee.address, "b"),
    ):
        token = bot.next("welcome").resume_token
        referee.match("a", "b")
        bot.next("decision_request")
        bot.send(leave=pb.Leave())
        bot.send(ping=pb.Ping(payload=7))
        bot.next("pong")
        bot.call.cancel()
        with RawBot(referee.address, "a", resume_token=token) as again:
            request = again.next("decision_request")
            again.send(
                move_reply=pb.MoveReply(
                    match_id=request.match_id,
                    decision=request.decision,
                    attempt=request.attempt,
                    resignation=pb.Resignation(),
                )
            )
            again.next("match_end")
            assert again.status()[0] is grpc.StatusCode.OK
