"""`play`: what the options say is in the record, and is what happens."""

from pathlib import Path
from typing import Any

import pytest

from harbourmaster.v1 import match_pb2
from harbourmaster_server.records import check_chain, read_record
from support.commands import RANDOM, faulty, harbourmaster, play

SLOW = faulty("slow", "--after", "4", "--delay", "5")
SHORT = ["--bank", "3s", "--increment", "0s", "--first-turn", "0s", "--grace", "20ms"]


def recorded(result: dict[str, Any]) -> match_pb2.MatchTerms:
    (start, *_) = check_chain(read_record(Path(result["record"])))
    return start.start.terms


def test_t9_the_policy_for_timeouts_is_in_the_help_and_the_record_and_both_settings_hold(
    tmp_path: Path,
) -> None:
    text = " ".join(harbourmaster("play", "--help").stdout.split())
    assert "--on-timeout" in text
    assert "forfeit|default_move" in text
    settings = {
        "forfeit": (match_pb2.FAULT_ACTION_FORFEIT, 0),
        "default_move": (match_pb2.FAULT_ACTION_DEFAULT_MOVE, 3),
    }
    for word, (action, strikes) in settings.items():
        more = [*SHORT, "--on-timeout", word, "--data", str(tmp_path / word)]
        result = play(SLOW, RANDOM, more=more)
        assert recorded(result).policy.timeout.action == action
        assert result["seats"][0]["reason"] == "timeout"
        assert result["seats"][0]["strikes"] == strikes


def test_p7_p39_every_time_limit_of_the_options_is_in_the_record(tmp_path: Path) -> None:
    more = [*("--turn-limit", "7s", "--first-turn", "3s", "--grace", "5ms"), "--data"]
    clock = recorded(play(RANDOM, RANDOM, more=[*more, str(tmp_path)])).clock

    assert clock.turn.time.ToMilliseconds() == 7000
    assert clock.first_turn_allowance.ToMilliseconds() == 3000
    assert clock.grace.ToMilliseconds() == 5


def test_p84_there_is_a_mode_without_a_clock(tmp_path: Path) -> None:
    slow = faulty("slow", "--delay", "0.06")
    result = play(slow, RANDOM, more=["--no-clock", "--grace", "0s", "--data", str(tmp_path)])

    assert recorded(result).clock.WhichOneof("limit") == "none"
    assert result["reason"] != "last_seat"


def test_p84_a_debug_pause_stops_the_clock_of_its_seat_and_of_no_other(tmp_path: Path) -> None:
    slow = faulty("slow", "--delay", "0.4")
    more = [*SHORT, "--data", str(tmp_path)]
    assert play(slow, RANDOM, more=more)["seats"][0]["reason"] == "timeout"

    more += ["--debug-pause", "0"]
    assert play(slow, RANDOM, more=[*more, "--seed", "00" * 32])["reason"] != "last_seat"
    assert play(RANDOM, slow, more=more)["seats"][1]["reason"] == "timeout"


def test_a_debug_pause_of_a_seat_that_there_is_not_is_refused() -> None:
    done = harbourmaster(
        *("play", "anchorline", "--bot", RANDOM, "--bot", RANDOM, "--debug-pause", "2"), check=False
    )
    assert done.returncode == 1
    assert "--debug-pause is 2: there are the seats 0 to 1" in done.stderr


def test_p87_a_bot_that_takes_too_much_memory_is_ended_and_its_peak_is_told(
    tmp_path: Path,
) -> None:
    hog = tmp_path / "hog.py"
    hog.write_text("import time\nx = bytearray(300 * 2**20)\ntime.sleep(1000)\n")

    result = play(f"python {hog}", RANDOM, more=["--memory-mb", "200", "--connect-time", "15s"])

    seat = result["seats"][0]
    assert seat["reason"] == "not_connected"
    assert "memory" in seat["text"]
    assert seat["peak_memory_bytes"] > 200 * 2**20
    assert 10 * 2**20 < result["seats"][1]["peak_memory_bytes"] < 200 * 2**20


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--bank", "soon", "--bank: 'soon' is not a duration"),
        ("--grace", "11s", "grace is 11 s: it takes 0 s to 10 s"),
        ("--turn-limit", "2000m", "turn.time is 120000 s"),
        ("--on-timeout", "scold", "'scold' is not one of"),
    ],
)
def test_p25_a_limit_out_of_range_is_refused(option: str, value: str, why: str) -> None:
    done = harbourmaster(
        *("play", "anchorline", "--bot", RANDOM, "--bot", RANDOM, option, value), check=False
    )

    assert done.returncode == 1
    assert why in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_match_in_which_nobody_was_asked_for_a_move_is_no_success() -> None:
    done = harbourmaster("play", "anchorline", "--bot", "false", "--bot", "false", check=False)

    assert done.returncode == 1
    assert "was not played" in done.stdout
