"""A recorded decision is put to a bot again exactly as it was."""

from pathlib import Path

import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster_engine.registry import games
from harbourmaster_server.codec import codec_for
from harbourmaster_tournaments.asking import CannotAsk, ask, find_question
from support.arena import run
from support.commands import GREEDY, RANDOM, faulty
from support.patience import PATIENCE
from support.records import play_some


@pytest.mark.parametrize("game", sorted(games()))
def test_the_question_is_what_the_bot_was_sent(game: str, tmp_path: Path) -> None:
    entries, bots = play_some(tmp_path, game, 20)
    for request in [request for bot in bots for request in bot.all("decision_request")]:
        question = find_question(entries, request.decision, request.seat)
        part = codec_for(game).offered_part(question.offered)
        offered = pb.DecisionRequest.FromString(part).offered

        assert question.asked.view == request.view
        assert list(question.asked.events) == list(request.events)
        assert question.asked.time_left_micros == request.time_left_micros
        assert offered == request.offered
        assert question.start.seat == request.seat


def test_history_and_new_events_are_all_events_before_the_decision(tmp_path: Path) -> None:
    entries, bots = play_some(tmp_path, "wild_rummy", 20)
    sent = [event for request in bots[0].all("decision_request") for event in request.events]
    last = bots[0].request.decision

    question = find_question(entries, last)

    assert [*question.start.history, *question.asked.events] == sent


def test_a_good_bot_answers_with_a_move_that_the_rules_accept(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 9)

    answer = run(ask(find_question(entries, 6), GREEDY, seconds=PATIENCE))

    assert (answer.accepted, answer.refusal, answer.in_time) == (True, "", True)
    assert answer.text.startswith(("place at ", "move ", "return "))
    assert 0 <= answer.seconds < PATIENCE


def test_a_refused_bot_is_asked_once_more(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 9)

    answer = run(ask(find_question(entries, 6), RANDOM, seconds=PATIENCE, doubt=True))

    assert (answer.attempt, answer.accepted) == (2, True)


def test_an_answer_that_the_rules_refuse_is_told_with_why(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 9)

    answer = run(ask(find_question(entries, 6), faulty("illegal"), seconds=PATIENCE))

    assert not answer.accepted
    assert "is not one of the" in answer.refusal


@pytest.mark.parametrize(
    ("bot", "seconds", "why"),
    [
        (faulty("crash"), PATIENCE, "the bot gave no answer: it ended by itself with exit code 3"),
        (faulty("hang"), 3, "the bot gave no answer within 3 s"),
    ],
)
def test_a_bot_that_does_not_answer_is_told_from_one_that_does(
    bot: str, seconds: float, why: str, tmp_path: Path
) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 9)

    with pytest.raises(CannotAsk, match=why):
        run(ask(find_question(entries, 6), bot, seconds=seconds))


def test_a_decision_that_is_not_there_or_another_seats_is_refused(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 3)

    with pytest.raises(CannotAsk, match="there is no decision 9 in the record: it has 1 to 4"):
        find_question(entries, 9)
    with pytest.raises(CannotAsk, match="decision 1 was put to seat 0, not to 1"):
        find_question(entries, 1, 1)
