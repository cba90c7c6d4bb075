"""Drops, resuming and giving up, against a scripted referee."""

import threading
import time
from typing import Any

import grpc
import pytest

import harbourmaster
from harbourmaster import _session
from harbourmaster.v1 import bot_service_pb2 as pb
from support.fake_referee import (
    Call,
    Ending,
    FakeReferee,
    end,
    fact,
    refused,
    request,
    start,
    unused_port,
    welcome,
)
from support.patience import PATIENCE, wait_for

CUT = Ending(grpc.StatusCode.UNAVAILABLE, "cut")


def play(
    referee: FakeReferee | str, choose: harbourmaster.Choose = lambda decision: 0, **options: Any
) -> list[str]:
    said: list[str] = []
    address = referee if isinstance(referee, str) else referee.address
    harbourmaster.play(choose, address=address, name="tester", log=said.append, **options)
    return said


def test_an_answer_that_was_lost_is_sent_again_and_not_chosen_again() -> None:
    chosen: list[int] = []

    def before(call: Call) -> None:
        call.send(welcome=welcome(b"first"), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        assert call.take("move_reply").offered_index == 2
        raise CUT

    def after(call: Call) -> None:
        assert call.hello.resume_token == b"first"
        call.send(welcome=welcome(b"second", resumed=True))
        call.send(match_start=start(history=[fact(1)]), decision_request=request(4))
        call.take("match_ready")
        reply = call.take("move_reply")
        assert (reply.decision, reply.attempt, reply.offered_index) == (4, 1, 2)

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        chosen.append(decision.number)
        return 2

    with FakeReferee(before, after) as referee:
        said = play(referee, choose)
    assert chosen == [4]
    assert any("trying again" in sentence for sentence in said)
    assert any(sentence.startswith("connected again") for sentence in said)


def test_an_answer_chosen_during_the_drop_is_sent_when_it_is_asked_for_again() -> None:
    back = threading.Event()

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        raise CUT

    def after(call: Call) -> None:
        call.send(welcome=welcome(resumed=True), match_start=start())
        call.take("match_ready")
        back.set()
        # The connection over which it was asked is gone: nothing may come unasked.
        call.quiet(0.2)
        call.send(decision_request=request(4))
        assert call.take("move_reply").decision == 4

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        assert back.wait(PATIENCE)
        return 0

    with FakeReferee(before, after) as referee:
        play(referee, choose)


def test_a_long_thought_does_not_keep_the_bot_from_coming_back() -> None:
    resumed = threading.Event()

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        raise CUT

    def after(call: Call) -> None:
        call.send(welcome=welcome(resumed=True), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        resumed.set()
        call.take("move_reply")
        call.quiet(0.2)

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        assert resumed.wait(PATIENCE)
        return 0

    with FakeReferee(before, after) as referee:
        play(referee, choose)


def test_a_retry_after_the_drop_is_chosen_for_with_its_refusal() -> None:
    refusals: list[str] = []

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        call.take("move_reply")
        call.send(move_receipt=refused(4, 1))
        assert call.take("move_reply").attempt == 2
        raise CUT

    def after(call: Call) -> None:
        call.send(welcome=welcome(resumed=True), match_start=start())
        call.take("match_ready")
        call.send(decision_request=request(4, 2))
        assert call.take("move_reply").attempt == 2

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        refusals.append(decision.refusal.code if decision.refusal else "")
        return 0

    with FakeReferee(before, after) as referee:
        play(referee, choose)
    assert refusals == ["", "no_arrow"]


def test_events_lost_with_the_connection_come_with_the_next_decision_and_none_twice() -> None:
    seen: list[list[int]] = []

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(decision_request=request(1, events=[fact(1), fact(2)]))
        call.take("move_reply")
        raise CUT

    def after(call: Call) -> None:
        history = [fact(turn) for turn in range(1, 5)]
        call.send(welcome=welcome(resumed=True), match_start=start(history=history))
        call.take("match_ready")
        call.send(decision_request=request(3, events=[fact(5)]))
        call.take("move_reply")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        seen.append([event.card_placed.cell.x for event in decision.events])
        return 0

    with FakeReferee(before, after) as referee:
        play(referee, choose)
    assert seen == [[1, 2], [3, 4, 5]]


def test_events_lost_with_the_connection_are_told_as_well() -> None:
    told: list[int] = []

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(match_events=pb.MatchEvents(match_id="m1", events=[fact(1)]))
        call.send(ping=pb.Ping())
        call.take("pong")
        raise CUT

    def after(call: Call) -> None:
        history = [fact(1), fact(2), fact(3)]
        call.send(welcome=welcome(resumed=True), match_start=start(history=history))
        call.take("match_ready")
        call.send(match_events=pb.MatchEvents(match_id="m1", events=[fact(4)]))

    with FakeReferee(before, after) as referee:
        play(referee, on_event=lambda match, event: told.append(event.card_placed.cell.x))
    assert told == [1, 2, 3, 4]


def test_all_open_matches_are_taken_up_again_and_the_missed_end_is_told() -> None:
    started: list[str] = []
    ended: list[str] = []

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=[start("a"), start("b"), start("c")])
        for _ in range(3):
            call.take("match_ready")
        raise CUT

    def after(call: Call) -> None:
        call.send(welcome=welcome(resumed=True), match_start=[start("a"), start("b")])
        call.send(match_end=end("c"))
        assert [call.take("match_ready").match_id for _ in range(2)] == ["a", "b"]
        call.send(match_end=[end("a"), end("b")])

    with FakeReferee(before, after) as referee:
        play(
            referee,
            open_matches=3,
            on_start=lambda match: started.append(match.id),
            on_end=lambda result: ended.append(result.match.id),
        )
    assert started == ["a", "b", "c"]
    assert ended == ["c", "a", "b"]


def test_a_referee_that_forgot_the_session_is_greeted_anew_and_the_match_goes_on() -> None:
    def before(call: Call) -> None:
        call.send(welcome=welcome(b"old"), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        call.take("move_reply")
        raise CUT

    def forgot(call: Call) -> None:
        assert call.hello.resume_token == b"old"
        raise Ending(grpc.StatusCode.NOT_FOUND, "the resume token is not known")

    def anew(call: Call) -> None:
        assert not call.hello.resume_token
        call.send(welcome=welcome(b"new"), match_start=start(), decision_request=request(4))
        call.take("match_ready")
        assert call.take("move_reply").decision == 4

    with FakeReferee(before, forgot, anew) as referee:
        play(referee)


def test_a_referee_that_dies_and_comes_back_on_its_port_is_found_again() -> None:
    gone = threading.Event()

    def before(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        gone.set()
        call.take_end()

    def after(call: Call) -> None:
        call.send(welcome=welcome(resumed=True), match_end=end())

    first = FakeReferee(before)
    second: list[FakeReferee] = []

    def restart() -> None:
        assert gone.wait(PATIENCE)
        first.stop()
        time.sleep(0.3)
        second.append(FakeReferee(after, address=f"127.0.0.1:{first.port}"))
        second[0].__enter__()

    restarting = threading.Thread(target=restart)
    results: list[harbourmaster.Result] = []
    with first:
        restarting.start()
        play(first, on_end=results.append)
        restarting.join()
    second[0].__exit__(None)
    assert [result.match.id for result in results] == ["m1"]


def test_a_referee_that_starts_later_is_waited_for() -> None:
    port = unused_port()
    late: list[FakeReferee] = []
    said: list[str] = []

    def start_late() -> None:
        wait_for(lambda: any("trying again" in sentence for sentence in said), "a first try")
        late.append(FakeReferee(lambda call: None, address=f"127.0.0.1:{port}"))
        late[0].__enter__()

    starting = threading.Thread(target=start_late)
    starting.start()
    harbourmaster.play(
        lambda decision: 0, address=f"127.0.0.1:{port}", name="tester", log=said.append
    )
    starting.join()
    # It insists that its call came.
    late[0].__exit__(None)
    assert "trying again" in said[0]


def test_after_a_time_without_a_referee_the_bot_gives_up_with_a_sentence() -> None:
    began = time.monotonic()
    with pytest.raises(harbourmaster.ConnectionLost, match="check that the referee runs"):
        play(f"127.0.0.1:{unused_port()}", give_up_after=0.5)
    assert time.monotonic() - began < PATIENCE


def test_without_reconnect_the_first_drop_is_an_error() -> None:
    def script(call: Call) -> None:
        call.send(welcome=welcome())
        raise CUT

    with (
        FakeReferee(script) as referee,
        pytest.raises(harbourmaster.ConnectionLost, match="cut"),
    ):
        play(referee, reconnect=False)


class Enough(Exception):
    """Ends a bot that has tried often enough."""


def test_pauses_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_session, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(_session, "LONGEST_PAUSE", 0.05)
    said: list[str] = []

    def log(sentence: str) -> None:
        said.append(sentence)
        if len(said) == 7:
            raise Enough

    address = f"127.0.0.1:{unused_port()}"
    with pytest.raises(Enough):
        harbourmaster.play(lambda decision: 0, address=address, give_up_after=PATIENCE, log=log)
    pauses = [sentence.rpartition("within ")[2] for sentence in said]
    assert pauses == ["0.01 s", "0.02 s", "0.04 s", *["0.05 s"] * 4]


def test_a_referee_that_says_no_welcome_counts_as_unreachable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("harbourmaster._connection.WELCOME_SECONDS", 0.2)
    with (
        FakeReferee(Call.take_end) as referee,
        pytest.raises(harbourmaster.ConnectionLost, match="no welcome"),
    ):
        play(referee, reconnect=False)


@pytest.mark.parametrize(
    ("code", "kind", "advice"),
    [
        ("UNAUTHENTICATED", "BadToken", "HARBOURMASTER_TOKEN"),
        ("PERMISSION_DENIED", "NotAllowed", "ask the organiser"),
        ("INVALID_ARGUMENT", "BadRequest", "correct"),
        ("FAILED_PRECONDITION", "VersionMismatch", "install"),
        ("NOT_FOUND", "UnknownGame", "ask for a game"),
        ("ALREADY_EXISTS", "AlreadyConnected", "stop the other bot"),
        ("RESOURCE_EXHAUSTED", "LimitExceeded", "ask for less"),
        ("ABORTED", "TakenOver", "only one bot"),
        ("UNIMPLEMENTED", "NotAReferee", "check the address"),
    ],
)
def test_a_refusal_is_an_error_of_its_own_and_not_tried_again(
    code: str, kind: str, advice: str
) -> None:
    def script(call: Call) -> None:
        raise Ending(grpc.StatusCode[code], "the reason")

    with FakeReferee(script) as referee, pytest.raises(harbourmaster.Refused) as caught:
        play(referee)
    assert type(caught.value) is getattr(harbourmaster.errors, kind)
    assert "the reason" in str(caught.value)
    assert advice in str(caught.value)


def test_another_major_version_of_the_protocol_is_refused_by_the_client_too() -> None:
    def script(call: Call) -> None:
        call.send(welcome=welcome(major=2))
        call.take_end()

    with (
        FakeReferee(script) as referee,
        pytest.raises(harbourmaster.errors.VersionMismatch, match="install"),
    ):
        play(referee)


def test_two_hundred_matches_on_one_session_leave_nothing_behind() -> None:
    """P72: a session that has seen many matches goes on as at first."""
    ended: list[str] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome())
        for number in range(200):
            match_id = f"m{number}"
            call.send(match_start=start(match_id), decision_request=request(match_id=match_id))
            call.take("match_ready")
            call.take("move_reply")
            call.send(match_end=end(match_id))

    with FakeReferee(script) as referee:
        play(referee, on_end=lambda result: ended.append(result.match.id))
    assert len(ended) == 200
    assert not [thread for thread in threading.enumerate() if thread.name == "harbourmaster"]
