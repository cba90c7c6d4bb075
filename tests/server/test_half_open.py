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
from support.patience import PATIENCE, wait_for
from support.restarts import SUPPORT

NOTICED_SECONDS = 10.0


def noticed(referee: Live, tmp_path: Path, seconds: float) -> bool:
    """Stop a bot's process in the middle of nothing; return whether its session ends for it."""
    (tmp_path / "seen").mkdir()
    bot = subprocess.Popen(
        [sys.executable, "-m", "support.witness", str(tmp_path / "seen")],
        env=os.environ | {"PYTHONPATH": str(SUPPORT), "HARBOURMASTER_ADDRESS": referee.address},
    )
    try:
        wait_for(lambda: bool(connected(referee)), "the bot to connect")
        bot.send_signal(signal.SIGSTOP)
        began = time.monotonic()
        while connected(referee) and time.monotonic() - began < seconds:
            time.sleep(0.05)
        return not connected(referee)
    finally:
        bot.kill()
        bot.wait()


def connected(referee: Live) -> list[str]:
    """Return the bots whose sessions have a connection."""
    sessions = referee.referee.sessions.all()
    return [session.bot for session in sessions if session.connection is not None]


def test_t60_a_half_open_connection_is_noticed_within_ten_seconds(tmp_path: Path) -> None:
    options = dict(server_module.OPTIONS)
    silent_ms = options["grpc.keepalive_time_ms"] + options["grpc.http2.ping_timeout_ms"]
    assert silent_ms < NOTICED_SECONDS * 1000
    # A busy machine may be later than that by its own delays, but not without end.
    with live(tmp_path) as referee:
        assert noticed(referee, tmp_path, PATIENCE)


def test_twin_without_keepalive_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A ping of the transport's own may be on its way when the process is stopped.
    kept = [
        (name, value)
        for name, value in server_module.OPTIONS
        if "keepalive" not in name and "ping_timeout" not in name
    ]
    monkeypatch.setattr(server_module, "OPTIONS", tuple(kept))
    with live(tmp_path) as referee:
        assert not noticed(referee, tmp_path, NOTICED_SECONDS + 2)


def test_p69_a_client_that_pings_often_is_not_thrown_out(tmp_path: Path) -> None:
    """By default a gRPC server ends connections that ping more than once in five minutes."""
    options = [
        ("grpc.keepalive_time_ms", 1000),
        ("grpc.keepalive_timeout_ms", 100_000),
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
