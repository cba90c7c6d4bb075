"""A peer that is there no more, but whose connection never says so."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest

from harbourmaster_server import server as server_module
from support.live import Live, RawBot, live
from support.restarts import SUPPORT, wait_for

NOTICED_SECONDS = 10.0


def seconds_until_noticed(referee: Live, tmp_path: Path) -> float:
    """Stop a bot's process in the middle of nothing; return how long its session seems alive."""
    (tmp_path / "seen").mkdir()
    bot = subprocess.Popen(
        [sys.executable, "-m", "support.witness", str(tmp_path / "seen")],
        env=os.environ | {"PYTHONPATH": str(SUPPORT), "HARBOURMASTER_ADDRESS": referee.address},
    )
    try:
        wait_for(lambda: bool(connected(referee)), "the bot to connect")
        bot.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        while connected(referee) and time.monotonic() - began < NOTICED_SECONDS + 2:
            time.sleep(0.05)
        return time.monotonic() - began
    finally:
        bot.kill()
        bot.wait()


def connected(referee: Live) -> list[str]:
    """Return the bots whose sessions have a connection."""
    sessions = referee.referee.sessions.all()
    return [session.bot for session in sessions if session.connection is not None]


def test_t60_a_half_open_connection_is_noticed_within_ten_seconds(tmp_path: Path) -> None:
    with live(tmp_path) as referee:
        assert seconds_until_noticed(referee, tmp_path) < NOTICED_SECONDS


def test_twin_without_keepalive_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without = [pair for pair in server_module.OPTIONS if "keepalive" not in pair[0]]
    monkeypatch.setattr(server_module, "OPTIONS", tuple(without))
    with live(tmp_path) as referee:
        assert seconds_until_noticed(referee, tmp_path) > NOTICED_SECONDS


def test_p69_a_client_that_pings_often_is_not_thrown_out(tmp_path: Path) -> None:
    """By default a gRPC server ends connections that ping more than once in five minutes."""
    options = [
        ("grpc.keepalive_time_ms", 1000),
        ("grpc.keepalive_timeout_ms", 1000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    with live(tmp_path) as referee:
        channel = grpc.insecure_channel(referee.address, options=options)
        with RawBot(referee.address, "pinger", channel=channel) as bot:
            bot.next("welcome")
            time.sleep(5)
            assert connected(referee) == ["pinger"]
