"""Bots as processes: signals, exit codes, and a referee that falls silent."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest

import harbourmaster
from harbourmaster import _connection
from support.fake_referee import (
    Call,
    Ending,
    FakeReferee,
    end,
    request,
    start,
    unused_port,
    welcome,
)
from support.patience import PATIENCE

SUPPORT = str(Path(__file__).parents[1] / "support")


@contextmanager
def running(address: str, code: str) -> Iterator["subprocess.Popen[str]"]:
    """Run *code*, a bot, as a process that is gone afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import time, harbourmaster\n" + textwrap.dedent(code)],
        env=os.environ
        | {"HARBOURMASTER_ADDRESS": address, "HARBOURMASTER_TOKEN": "", "PYTHONPATH": SUPPORT},
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


PLAIN = "harbourmaster.play(lambda decision: 0)"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_makes_the_bot_leave_and_end_well(number: signal.Signals) -> None:
    there = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), ping={})
        call.take("pong")
        there.set()
        call.take("leave")

    with FakeReferee(script) as referee, running(referee.address, PLAIN) as bot:
        assert there.wait(PATIENCE)
        bot.send_signal(number)
        _, said = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0
    assert "leaving" in said
    assert "Traceback" not in said


def test_a_bot_that_leaves_plays_its_open_match_to_the_end() -> None:
    there = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        there.set()
        call.take("leave")
        call.send(decision_request=request())
        call.take("move_reply")
        call.send(match_end=end())

    with FakeReferee(script) as referee, running(referee.address, PLAIN) as bot:
        assert there.wait(PATIENCE)
        bot.terminate()
        bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0


def test_a_second_signal_ends_the_bot_at_once() -> None:
    there = threading.Event()
    left = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request())
        call.take("match_ready")
        there.set()
        call.take("leave")
        left.set()
        call.take_end()

    code = "harbourmaster.play(lambda decision: time.sleep(1000))"
    with FakeReferee(script) as referee, running(referee.address, code) as bot:
        assert there.wait(PATIENCE)
        bot.terminate()
        assert left.wait(PATIENCE)
        bot.terminate()
        assert bot.wait(PATIENCE) == 128 + signal.SIGTERM


def test_a_signal_ends_a_bot_that_has_no_referee() -> None:
    with running(f"127.0.0.1:{unused_port()}", PLAIN) as bot:
        assert bot.stderr is not None
        assert "trying again" in bot.stderr.readline()
        bot.terminate()
        assert bot.wait(PATIENCE) == 0


def test_a_bot_that_left_does_not_wait_for_ever_for_the_referee() -> None:
    there = threading.Event()

    def script(call: Call) -> None:
        call.send(welcome=welcome(), ping={})
        call.take("pong")
        there.set()
        call.take("leave")
        call.take_end()

    code = "from harbourmaster import _session\n_session.LINGER_SECONDS = 0.2\n" + PLAIN
    with FakeReferee(script) as referee, running(referee.address, code) as bot:
        assert there.wait(PATIENCE)
        bot.terminate()
        assert bot.wait(PATIENCE) == 0


@pytest.mark.parametrize("open_decisions", [1, 3])
def test_an_exception_in_choose_shows_its_traceback_and_exits_with_1(open_decisions: int) -> None:
    code = f"""
        def choose(decision):
            return decision.offered[99]

        harbourmaster.play(choose, open_decisions={open_decisions})
    """

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start())
        call.take("match_ready")
        call.send(decision_request=request())
        call.take_end()

    with FakeReferee(script) as referee, running(referee.address, code) as bot:
        _, said = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert "in choose" in said
    assert "IndexError" in said


def test_an_exception_in_one_thread_ends_a_bot_whose_other_threads_hang() -> None:
    code = """
        def choose(decision):
            if decision.match.id == "a":
                time.sleep(1000)
            raise KeyError("gone")

        harbourmaster.play(choose, open_matches=2, open_decisions=2)
    """

    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=[start("a"), start("b")])
        call.take("match_ready")
        call.take("match_ready")
        call.send(decision_request=[request(match_id="a"), request(match_id="b")])
        call.take_end()

    with FakeReferee(script) as referee, running(referee.address, code) as bot:
        assert bot.wait(PATIENCE) == 1


def test_a_bot_may_resign_instead_of_ending_on_an_exception(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def script(call: Call) -> None:
        call.send(welcome=welcome(), match_start=start(), decision_request=request())
        call.take("match_ready")
        assert call.take("move_reply").HasField("resignation")

    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        raise ZeroDivisionError("mine")

    with FakeReferee(script) as referee:
        harbourmaster.play(choose, address=referee.address, resign_on_error=True, log=None)
    assert "ZeroDivisionError: mine" in capsys.readouterr().err


def test_a_refusal_makes_main_end_in_one_sentence() -> None:
    def script(call: Call) -> None:
        raise Ending(grpc.StatusCode.UNAUTHENTICATED, "a token is needed")

    code = "harbourmaster.main(lambda decision: 0)"
    with FakeReferee(script) as referee, running(referee.address, code) as bot:
        _, said = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 1
    assert said.count("\n") == 1
    assert said.startswith("harbourmaster: the referee refused: a token is needed; give the token")


def test_a_referee_that_falls_silent_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """P76: a referee that stands still, with its connections open, is not waited for."""
    options = dict(_connection._OPTIONS)
    assert options["grpc.keepalive_time_ms"] + options["grpc.http2.ping_timeout_ms"] <= 15_000
    options |= {"grpc.keepalive_time_ms": 500, "grpc.http2.ping_timeout_ms": 3000}
    monkeypatch.setattr(_connection, "_OPTIONS", tuple(options.items()))
    with running("", SILENT_REFEREE) as referee:
        assert referee.stderr is not None
        address = f"127.0.0.1:{int(referee.stderr.readline())}"
        began = time.monotonic()
        with pytest.raises(harbourmaster.ConnectionLost, match="ping timeout"):
            harbourmaster.play(
                lambda decision: 0,
                address=address,
                reconnect=False,
                log=lambda sentence: referee.send_signal(signal.SIGSTOP),
            )
        assert time.monotonic() - began < PATIENCE


SILENT_REFEREE = """
    import sys
    from support.fake_referee import FakeReferee, welcome

    def script(call):
        call.send(welcome=welcome())
        call.take_end()

    with FakeReferee(script) as referee:
        sys.stderr.write(f"{referee.port}\\n")
        sys.stderr.flush()
        time.sleep(1000)
"""
