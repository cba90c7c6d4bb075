"""What a bot is asked and what it answers, against a scripted referee."""

import threading
from typing import Any

import pytest

import harbourmaster
from harbourmaster.v1 import anchorline_pb2, game_pb2
from harbourmaster.v1 import bot_service_pb2 as pb
from support.fake_referee import (
    Call,
    FakeReferee,
    end,
    fact,
    move,
    refused,
    request,
    start,
    welcome,
)
from support.patience import PATIENCE


def play(
    referee: FakeReferee, choose: harbourmaster.Choose = lambda decision: 0, **options: Any
) -> None:
    harbourmaster.play(choose, address=referee.address, name="tester", log=None, **options)


def test_hello_says_who_the_bot_is_and_what_it_wants() -> None:
    def script(call: Call) -> None:
        hello = call.hello
        assert call.metadata["authorization"] == "Bearer secret"
        assert (hello.protocol_version.major, hello.name) == (1, "tester")
        assert (hello.open_matches, hello.open_decisions) == (4, 2)
        assert (hello.offered_moves_wanted, hello.match_events_wanted) == (False, True)
        assert [(game.game, list(game.options)) for game in hello.games] == [("tide", ["*"])]
        assert hello.software_version == "1.2"
        assert not hello.resume_token

    with FakeReferee(script) as referee:
        play(
            referee,
            token="secret",
            games=["tide"],
            open_matches=4,
            open_decisions=2,
            offered_moves=False,
            version="1.2",
            on_event=lambda match, event: None,
        )


def test_hello_of_the_smallest_bot_has_one_match_one_decision_and_offered_moves() -> None:
    def script(call: Call) -> None:
        hello = call.hello
        assert "authorization" not in call.metadata
        assert (hello.open_matches, hello.open_decisions) == (1, 1)
        assert (hello.offered_moves_wanted, hello.match_events_wanted) == (True, False)
        assert not hello.games

    with FakeReferee(script) as referee:
        play(referee)


def test_a_decision_holds_typed_values_and_its_match() -> None:
    seen: list[harbourmaster.Decision] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome())
        call.send(match_start=start(seat=1))
        ready = call.take("match_ready")
        assert (ready.match_id, ready.seat) == ("m1", 1)
        call.send(decision_request=request(2, seat=1, events=[fact(1)]))
        call.take("move_reply")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        seen.append(decision)
        return 2

    with FakeReferee(script) as referee:
        play(referee, choose)
    (decision,) = seen
    assert (decision.number, decision.attempt, decision.seat) == (2, 1, 1)
    assert isinstance(decision.view, anchorline_pb2.AnchorlineView)
    assert [event.card_placed.cell.x for event in decision.events] == [1]
    assert [offered.place.cell.x for offered in decision.offered] == [0, 1, 2]
    assert isinstance(decision.offered[0], anchorline_pb2.AnchorlineMove)
    assert decision.offered_complete
    assert decision.time_left == 1.5
    assert decision.refusal is None
    match = decision.match
    assert (match.id, match.game, match.rules_version, match.seat) == ("m1", "anchorline", 1, 1)
    assert match.players == ("tester", "other")
    assert isinstance(match.options, anchorline_pb2.AnchorlineOptions)
    assert match.options.target_score == 5


def test_without_a_limit_the_time_left_is_none() -> None:
    times: list[float | None] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(micros=None))
        call.take("match_ready")
        call.take("move_reply")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        times.append(decision.time_left)
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    assert times == [None]


class Number:
    """A whole number of some other library."""

    def __index__(self) -> int:
        return 2


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (1, pb.MoveReply(offered_index=1)),
        (Number(), pb.MoveReply(offered_index=2)),
        (move(7).anchorline, pb.MoveReply(move=move(7))),
        (move(7), pb.MoveReply(move=move(7))),
        (
            game_pb2.ExternalGame(game="x"),
            pb.MoveReply(move=game_pb2.Move(external=game_pb2.ExternalGame(game="x"))),
        ),
        (harbourmaster.resign, pb.MoveReply(resignation=pb.Resignation())),
        (harbourmaster.Reply(1, "hm"), pb.MoveReply(offered_index=1, note="hm")),
        (harbourmaster.Reply(1, "h" * 30), pb.MoveReply(offered_index=1, note="h" * 20)),
    ],
    ids=["index", "number", "move", "wrapped", "external", "resign", "note", "long note"],
)
def test_an_answer_is_an_index_a_move_or_a_resignation(answer: Any, reply: pb.MoveReply) -> None:
    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(3, 2))
        call.take("match_ready")
        reply.match_id, reply.decision, reply.attempt = "m1", 3, 2
        assert call.take("move_reply") == reply

    with FakeReferee(script) as referee:
        play(referee, lambda decision: answer)


@pytest.mark.parametrize("answer", [None, "1", 1.0, -1, 2**32, anchorline_pb2.AnchorlineCell()])
def test_what_cannot_be_sent_is_an_error_that_says_so(answer: Any) -> None:
    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(decision_request=request())
        call.take_end()

    with FakeReferee(script) as referee, pytest.raises(harbourmaster.errors.BadAnswer) as caught:
        play(referee, lambda decision: answer)
    assert "decision.offered" in str(caught.value)


def test_a_refused_answer_is_asked_for_again_with_the_refusal_and_no_events_twice() -> None:
    asked: list[harbourmaster.Decision] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(decision_request=request(5, events=[fact(1)]))
        assert call.take("move_reply").attempt == 1
        call.send(move_receipt=refused(5, 1))
        assert call.take("move_reply").attempt == 2
        call.send(move_receipt=refused(5, 2, tries_left=0))
        call.quiet(0.2)

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        asked.append(decision)
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    first, second = asked
    assert first.refusal is None
    assert second.refusal == harbourmaster.Refusal("no arrow points there", "no_arrow", 1)
    assert (second.number, second.time_left, second.events) == (5, 1.0, ())
    assert second.view == first.view


def test_a_request_that_repeats_a_refused_attempt_as_the_next_is_asked_once() -> None:
    """A referee may send the receipt and the request of the next attempt."""
    attempts: list[int] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(5))
        call.take("match_ready")
        call.take("move_reply")
        call.send(move_receipt=refused(5, 1), decision_request=request(5, 2))
        assert call.take("move_reply").attempt == 2
        call.send(decision_request=request(7))
        while call.take("move_reply").decision != 7:
            pass

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        attempts.append(decision.attempt)
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    assert attempts == [1, 2, 1]


def test_several_events_in_one_message_are_taken_in_order() -> None:
    numbers: list[tuple[str, int]] = []

    def script(call: Call) -> None:
        call.send(
            welcome=welcome(),
            match_start=[start("a"), start("b")],
            decision_request=[request(1, match_id="a"), request(1, match_id="b")],
            ping=pb.Ping(payload=9),
        )
        kinds = [call.take("match_ready").match_id for _ in range(2)]
        assert kinds == ["a", "b"]
        assert call.take("pong").payload == 9
        assert [call.take("move_reply").match_id for _ in range(2)] == ["a", "b"]

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        numbers.append((decision.match.id, decision.number))
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose, open_matches=2)
    assert numbers == [("a", 1), ("b", 1)]


def test_answers_that_gather_go_out_in_few_messages() -> None:
    matches = [f"m{number}" for number in range(60)]

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=[start(match) for match in matches])
        for match in matches:
            assert call.take("match_ready").match_id == match
        assert len(call.messages) < 10

    with FakeReferee(script) as referee:
        play(referee)


def test_with_several_open_decisions_choose_is_called_at_the_same_time() -> None:
    together = threading.Barrier(3, timeout=PATIENCE)

    def script(call: Call) -> None:
        matches = ["a", "b", "c"]
        call.send(welcome=welcome(), match_start=[start(match) for match in matches])
        for _ in matches:
            call.take("match_ready")
        call.send(decision_request=[request(1, match_id=match) for match in matches])
        assert sorted(call.take("move_reply").match_id for _ in matches) == matches

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        together.wait()
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose, open_matches=3, open_decisions=3)


def test_with_one_open_decision_choose_is_called_in_the_thread_of_play() -> None:
    threads: list[threading.Thread] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request())
        call.take("match_ready")
        call.take("move_reply")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        threads.append(threading.current_thread())
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    assert threads == [threading.current_thread()]


def test_a_bot_may_hold_two_seats_of_one_match() -> None:
    seats: list[tuple[int, int]] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=[start(seat=0), start(seat=1)])
        assert [call.take("match_ready").seat for _ in range(2)] == [0, 1]
        call.send(decision_request=request(1, seat=0))
        call.take("move_reply")
        call.send(decision_request=request(2, seat=1))
        call.take("move_reply")
        call.send(match_end=[end(seat=0), end(seat=1)])

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        seats.append((decision.seat, decision.match.seat))
        return 0

    results: list[harbourmaster.Result] = []
    with FakeReferee(script) as referee:
        play(referee, choose, on_end=results.append)
    assert seats == [(0, 0), (1, 1)]
    assert [result.placement for result in results] == [1, 2]


def test_no_clock_runs_before_on_start_has_returned() -> None:
    loaded = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.quiet(0.2)
        loaded.set()
        call.take("match_ready")

    def on_start(match: harbourmaster.Match) -> None:
        assert match.id == "m1"
        assert loaded.wait(PATIENCE)

    with FakeReferee(script) as referee:
        play(referee, on_start=on_start)


def test_events_and_ends_are_told_to_who_wishes() -> None:
    told: list[object] = []

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(match_events=pb.MatchEvents(match_id="m1", events=[fact(1), fact(2)]))
        call.send(match_end=end())

    with FakeReferee(script) as referee:
        play(
            referee,
            on_event=lambda match, event: told.append((match.id, event.card_placed.cell.x)),
            on_end=told.append,
        )
    *events, result = told
    assert events == [("m1", 1), ("m1", 2)]
    assert isinstance(result, harbourmaster.Result)
    assert (result.placement, result.score, result.reason) == (1, 5, "rules")
    assert (result.text, result.void) == ("tester has 5 points", False)
    assert (result.seed, result.salt) == (b"s" * 32, b"t" * 32)


def test_a_sealed_deal_has_no_seed() -> None:
    results: list[harbourmaster.Result] = []

    def script(call: Call) -> None:
        sealed = end()
        sealed.sealed.text = "the deal is used again"
        call.send(welcome=welcome(), match_start=start(), match_end=sealed)
        call.take("match_ready")

    with FakeReferee(script) as referee:
        play(referee, on_end=results.append)
    assert [(result.seed, result.salt) for result in results] == [(None, None)]


def test_an_unknown_event_and_an_unknown_game_do_no_harm() -> None:
    views: list[object] = []

    def script(call: Call) -> None:
        newer = request()
        newer.view.Clear()
        call.send(welcome=welcome(), match_start=start(), pong=pb.Pong())
        call.out.put(pb.PlayResponse(events=[pb.RefereeEvent()]))
        call.take("match_ready")
        call.send(decision_request=newer)
        call.take("move_reply")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        views.append(decision.view)
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    assert views == [game_pb2.View()]


def test_a_decision_whose_match_ended_meanwhile_is_not_chosen_for() -> None:
    chosen: list[str] = []
    ended = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=[start("a"), start("b")])
        call.take("match_ready")
        call.take("match_ready")
        call.send(decision_request=[request(match_id="a"), request(match_id="b")])
        call.send(match_end=end("b"), ping=pb.Ping())
        call.take("pong")
        ended.set()
        assert call.take("move_reply").match_id == "a"
        call.quiet(0.2)

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        chosen.append(decision.match.id)
        assert ended.wait(PATIENCE)
        return 0

    with FakeReferee(script) as referee:
        play(referee, choose)
    assert chosen == ["a"]


def test_an_answer_that_came_too_late_is_not_sent_to_the_next_decision() -> None:
    asked_again = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request(1))
        call.take("match_ready")
        call.send(decision_request=request(3), ping=pb.Ping())
        call.take("pong")
        asked_again.set()
        reply = call.take("move_reply")
        assert (reply.decision, reply.offered_index) == (3, 2)

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        assert asked_again.wait(PATIENCE)
        return decision.number - 1

    with FakeReferee(script) as referee:
        play(referee, choose)
