"""The house bots, and the command that runs them."""

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

import grpc
import pytest
from google.protobuf.message import DecodeError

import harbourmaster
from harbourmaster import _messages
from harbourmaster.__main__ import main
from harbourmaster.bots import faulty, greedy, greedy_anchorline
from harbourmaster.bots.random import random_bot
from harbourmaster.v1 import anchorline_pb2 as pb
from harbourmaster.v1 import bot_service_pb2
from support.fake_referee import (
    Call,
    Ending,
    FakeReferee,
    move,
    refused,
    request,
    start,
    welcome,
)
from support.patience import PATIENCE, wait_for

ARROWS = ("N E S W", "NE SE SW NW", "W NW N NE E", "E SE S SW W")
ALL = "N NE E SE S SW W NW"


def arrows(names: str) -> pb.AnchorlineArrows:
    values = [
        pb.AnchorlineDirection.Value(f"ANCHORLINE_DIRECTION_{name}") for name in names.split()
    ]
    return pb.AnchorlineArrows(directions=values)


def anchorline(
    table: dict[tuple[int, int], int],
    coin: tuple[int, int],
    tops: Sequence[int],
    moves: Sequence[tuple[int, int]],
    *,
    scores: Sequence[int] = (0, 0),
) -> harbourmaster.Decision:
    """Return a decision of seat 0 that may place its top card on each of *moves*."""
    begun = start()
    options = begun.terms.options.anchorline
    options.anchor_arrows.CopyFrom(arrows(ALL))
    options.card_arrows.extend(arrows(names) for names in ARROWS)
    options.arrows_bind_moves = True
    asked = request(moves=0)
    asked.offered.moves.extend(move(x, y) for x, y in moves)
    view = asked.view.anchorline
    for (x, y), card in table.items():
        view.table.add(card=pb.AnchorlineCard.ValueType(card), x=x, y=y)
    view.coin.x, view.coin.y = coin
    view.tops.extend(pb.AnchorlineCard.ValueType(top) for top in tops)
    view.stack_counts.extend([1, 1])
    view.scores.extend(scores)
    view.target_score = 5
    return _messages.read_decision(asked, _messages.read_match(begun), ())


def test_the_random_bot_takes_every_offered_move_and_the_same_ones_again() -> None:
    match = _messages.read_match(start())
    choose, again, other = random_bot(), random_bot(), random_bot(7)
    asked = [
        _messages.read_decision(request(number, moves=5), match, ()) for number in range(1, 200)
    ]
    chosen = [choose(decision) for decision in asked]
    assert set(chosen) == {0, 1, 2, 3, 4}
    assert chosen == [again(decision) for decision in asked]
    assert chosen != [other(decision) for decision in asked]


def test_the_random_bot_does_not_look_at_the_id_of_the_match() -> None:
    def chosen(match_id: str) -> list[harbourmaster.Answer]:
        match = _messages.read_match(start(match_id))
        asked = [request(number, match_id=match_id, moves=9) for number in range(1, 50)]
        return [random_bot()(_messages.read_decision(each, match, ())) for each in asked]

    assert chosen("a") == chosen("b")


def test_greedy_anchorline_scores_a_line_of_three() -> None:
    r"""Its card at (1, 0) and the Anchor make a line with (2, 0); S1 points there.

    . . .
    A S .      A: the Anchor, S: the Seal with the coin
    """
    decision = anchorline({(1, 0): 1}, (1, 0), (2, 5), [(1, 1), (2, 0), (1, -1)])
    assert greedy.choose(decision) == 1


def test_greedy_anchorline_keeps_the_other_from_a_line() -> None:
    """The coin on a card whose arrows point to (2, 0) would give the other seat a line.

    The other seat's Gull lies at (1, 0). From (2, -1), S1 points north to (2, 0); from (0, 1) it
    points to no cell beside the Gull that makes a line with it and the Anchor.
    """
    decision = anchorline({(1, 0): 5}, (1, 0), (1, 6), [(2, -1), (0, 1)])
    assert greedy.choose(decision) == 1


def test_greedy_anchorline_wins_rather_than_scoring_only_a_point() -> None:
    """With four points, any line wins; the first of two lines that win is taken."""
    table = {(1, 0): 1, (0, 1): 2}
    decision = anchorline(table, (1, 0), (3, 5), [(1, 1), (2, 0)], scores=(4, 4))
    assert greedy.choose(decision) == 1


def test_a_line_counts_its_cards_and_the_anchor() -> None:
    table = {(0, 0): 0, (1, 0): 1, (2, 0): 2, (3, 0): 3, (-1, 0): 4, (0, 1): 5}
    assert greedy_anchorline.lines_through(table, (3, 0), 0) == (
        5,
        {(-1, 0), (0, 0), (1, 0), (2, 0), (3, 0)},
    )
    del table[(-1, 0)]
    assert greedy_anchorline.lines_through(table, (3, 0), 0)[0] == 2
    del table[(1, 0)]
    assert greedy_anchorline.lines_through(table, (3, 0), 0) == (0, set())


def test_cards_that_a_line_cuts_off_leave_with_it() -> None:
    table = {(0, 0): 0, (1, 0): 1, (2, 0): 2, (3, 1): 5, (0, 1): 6}
    assert greedy_anchorline.after_lines(table, {(0, 0), (1, 0), (2, 0)}) == {(0, 0): 0, (0, 1): 6}


def test_a_game_without_a_greedy_bot_is_an_error_that_lists_the_others() -> None:
    assert "anchorline" in greedy.known_games()
    with pytest.raises(ValueError, match="anchorline"):
        greedy.greedy_bot("tiddlywinks")


def run(referee: FakeReferee, *arguments: str) -> int:
    """Run the command with *arguments* and return its exit code."""
    command = [sys.executable, "-m", "harbourmaster", *arguments, "--address", referee.address]
    return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode


def begin(call: Call, decision: int = 1) -> None:
    call.send(welcome=welcome(), match_start=start(), decision_request=request(decision))
    call.take("match_ready")


def one_answer(call: Call) -> None:
    begin(call)
    assert call.take("move_reply").HasField("offered_index")


def test_the_command_plays_as_a_house_bot() -> None:
    def script(call: Call) -> None:
        assert call.hello.name == "random"
        assert [game.game for game in call.hello.games] == ["anchorline"]
        one_answer(call)

    with FakeReferee(script) as referee:
        assert run(referee, "bot", "random", "--seed", "3", "--game", "anchorline") == 0


def illegally(call: Call) -> None:
    begin(call)
    assert call.take("move_reply").offered_index >= 3
    call.send(move_receipt=refused(1, 1))
    again = call.take("move_reply")
    assert (again.attempt, again.offered_index >= 3) == (2, True)


def twice(call: Call) -> None:
    begin(call)
    assert call.take("move_reply") == call.take("move_reply")


def stale(call: Call) -> None:
    begin(call, decision=6)
    assert call.take("move_reply").decision == 5


def never_ready(call: Call) -> None:
    call.send(welcome=welcome(), match_start=start())
    call.quiet(0.3)


def hang(call: Call) -> None:
    begin(call)
    call.quiet(0.3)


def gone(call: Call) -> None:
    call.send(welcome=welcome(), match_start=start())
    call.take("match_ready")
    call.send(decision_request=request())
    call.take_end()


@pytest.mark.parametrize(
    ("fault", "script", "code"),
    [
        ("never-ready", never_ready, 0),
        ("crash", gone, faulty.EXIT_CRASH),
        ("hang", hang, 0),
        ("illegal", illegally, 0),
        ("twice", twice, 0),
        ("stale", stale, 0),
        ("garbage", gone, 1),
        ("close", gone, 1),
        ("slow", one_answer, 0),
    ],
)
def test_a_faulty_bot_does_what_its_fault_says(fault: str, script: object, code: int) -> None:
    assert callable(script)
    with FakeReferee(script) as referee:
        assert run(referee, "bot", "faulty", "--fault", fault, "--delay", "0.01") == code


class Listener(FakeReferee):
    """Takes a call, and only listens."""

    def __init__(self) -> None:
        super().__init__()
        self.called = threading.Event()
        self.heard: list[bot_service_pb2.PlayRequest] = []

    def _play(
        self,
        requests: Iterator[bot_service_pb2.PlayRequest],
        context: grpc.ServicerContext,
    ) -> Iterator[bot_service_pb2.PlayResponse]:
        self.called.set()
        with suppress(grpc.RpcError):
            for request in requests:
                self.heard.append(request)
        yield from ()


@pytest.mark.parametrize(("fault", "messages"), [("silent", 0), ("hang", 1)])
def test_a_silent_bot_connects_and_does_not_even_say_hello(fault: str, messages: int) -> None:
    command = [sys.executable, "-m", "harbourmaster", "bot", "faulty", "--fault", fault]
    with Listener() as referee:
        bot = subprocess.Popen([*command, "--address", referee.address], stderr=subprocess.DEVNULL)
        try:
            assert referee.called.wait(PATIENCE)
            wait_for(lambda: len(referee.heard) >= messages, "what it says first")
            with pytest.raises(subprocess.TimeoutExpired):
                bot.wait(0.5)
        finally:
            bot.kill()
            bot.wait()
    assert len(referee.heard) == messages


def test_a_faulty_bot_plays_well_until_its_fault_begins() -> None:
    def script(call: Call) -> None:
        one_answer(call)
        call.send(decision_request=request(3))
        call.take_end()

    with FakeReferee(script) as referee:
        done = run(referee, "bot", "faulty", "--fault", "crash", "--after", "2")
    assert done == faulty.EXIT_CRASH


def test_garbage_is_no_message() -> None:
    with pytest.raises(DecodeError):
        bot_service_pb2.PlayRequest.FromString(faulty.GARBAGE)


def test_version_prints_client_and_protocol(capsys: pytest.CaptureFixture[str]) -> None:
    main(["version"])
    printed = capsys.readouterr().out
    assert printed.startswith(f"harbourmaster {harbourmaster.__version__}, protocol 1.0, grpcio ")


def test_check_prints_what_the_referee_answered(capsys: pytest.CaptureFixture[str]) -> None:
    def script(call: Call) -> None:
        call.take("leave")
        call.send(welcome=welcome())

    with FakeReferee(script) as referee:
        main(["check", "--address", referee.address])
    printed = capsys.readouterr().out
    assert f"{referee.address} answers: referee 0.0.0, protocol 1.0" in printed
    assert "it knows this bot as 'tester'" in printed


@pytest.mark.parametrize(
    ("code", "says"), [("UNAUTHENTICATED", "give the token"), ("UNAVAILABLE", "cannot be reached")]
)
def test_check_says_in_one_sentence_what_is_wrong(code: str, says: str) -> None:
    def script(call: Call) -> None:
        raise Ending(grpc.StatusCode[code])

    with FakeReferee(script) as referee, pytest.raises(SystemExit, match=says):
        main(["check", "--address", referee.address])
