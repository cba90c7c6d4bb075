"""`ask` and `check-bot` as commands."""

import json
from pathlib import Path

from support.commands import GREEDY, RANDOM, faulty, harbourmaster, play


def checks(bot: str) -> tuple[int, dict[str, bool]]:
    done = harbourmaster("check-bot", "--bot", bot, "--game", "anchorline", "--json", check=False)
    return done.returncode, {each["name"]: each["good"] for each in json.loads(done.stdout)}


def test_ask_prints_the_question_both_answers_and_the_verdict(tmp_path: Path) -> None:
    record = play(RANDOM, RANDOM, more=["--data", str(tmp_path)])["record"]

    text = harbourmaster("ask", record, "--decision", "3", "--bot", GREEDY).stdout

    assert "-- decision 3: seat 0 is asked, 60.100 s left" in text
    assert "in the record  Seat 0 (bot0): " in text
    assert "now            " in text
    assert text.rstrip().endswith("The rules accept it.")


def test_a_good_bot_passes_every_check() -> None:
    code, found = checks(GREEDY)

    assert code == 0
    assert set(found) == {
        "connects",
        "plays anchorline at seat 0",
        "plays anchorline at seat 1",
        "plays two matches that begin together, at seat 0",
        "plays two matches that begin together, at seat 1",
        "plays several matches at once",
        "comes back after its connection was cut",
        "answers again after a refused move",
        "ends when it is asked to",
    }
    assert all(found.values())


def test_a_bot_that_answers_illegally_fails_what_it_breaks() -> None:
    code, found = checks(faulty("illegal", "--after", "4"))

    assert code == 1
    assert found["connects"]
    assert not found["plays anchorline at seat 0"]
    assert not found["answers again after a refused move"]


def test_a_bot_that_does_not_come_back_is_told() -> None:
    # The misbehaving house bot plays well until its fault, but does not connect again.
    code, found = checks(faulty("crash", "--after", "100000"))

    assert code == 1
    assert found["plays anchorline at seat 0"]
    assert not found["comes back after its connection was cut"]


def test_a_bot_that_never_connects_is_told_why() -> None:
    done = harbourmaster("check-bot", "--bot", "false", check=False)

    assert done.returncode == 1
    assert done.stdout == (
        "FAIL connects: it did not connect: it ended by itself with exit code 1\n"
        "0 of 1 checks passed\n"
    )


def test_the_sentences_about_a_bot_without_a_name_read_well() -> None:
    done = harbourmaster(
        "check-bot", "--bot", faulty("crash", "--after", "1"), "--game", "anchorline", check=False
    )

    assert done.returncode == 1
    assert "at seat 1: the bot under test did not connect: it ended by itself" in done.stdout


def test_a_bot_without_a_good_move_is_not_told_of_decision_0() -> None:
    done = harbourmaster(
        "check-bot", "--bot", faulty("illegal"), "--game", "anchorline", check=False
    )

    assert "FAIL answers again after a refused move: not tried: no move" in done.stdout
    assert "decision 0" not in done.stdout
    assert done.stdout.splitlines()[-1] == "2 of 8 checks passed"
