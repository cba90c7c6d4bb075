"""A log that nobody reads holds nobody up, and one that is read loses nothing."""

import contextlib
import fcntl
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.unblocked import Unblocked
from support.live import RawBot, Served
from support.patience import PATIENCE, wait_for

LINE = "x" * 99 + "\n"


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Yield the reading and the writing end of a pipe that holds 4 KiB."""
    ends = os.pipe()
    fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
    try:
        yield ends
    finally:
        for end in ends:
            with contextlib.suppress(OSError):
                os.close(end)


def fill(end: int) -> None:
    """Fill the pipe with this *end*, whose other users go on waiting for room."""
    # Opened anew, it is not shared with them.
    own = os.open(f"/proc/self/fd/{end}", os.O_WRONLY | os.O_NONBLOCK)
    try:
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(own, b"-")
    finally:
        os.close(own)


def read_all(end: int) -> str:
    """Return what is in the pipe, up to its end."""
    parts = []
    while part := os.read(end, 65_536):
        parts.append(part)
    return b"".join(parts).decode()


def test_what_is_written_comes_out_whole_and_in_order() -> None:
    with pipe() as (reading, writing):
        out = Unblocked(writing)
        lines = [f"line {number}\n" for number in range(2_000)]
        got: list[str] = []
        reader = threading.Thread(target=lambda: got.append(read_all(reading)))
        reader.start()
        for line in lines:
            out.write(line)
        assert out.drain(PATIENCE)
        os.close(writing)
        reader.join()
    assert "".join(got) == "".join(lines)
    assert out.dropped == 0


def test_with_nobody_reading_it_keeps_so_much_and_counts_the_rest_and_says_so_later() -> None:
    with pipe() as (reading, writing):
        out = Unblocked(writing, most_bytes=10_000)
        fill(writing)
        for _ in range(1_000):
            out.write(LINE)
        assert not out.drain(0.05)
        assert out._held <= 10_000
        assert out.dropped >= 900
        dropped = out.dropped
        got: list[str] = []
        reader = threading.Thread(target=lambda: got.append(read_all(reading)))
        reader.start()
        assert out.drain(PATIENCE)
        out.write("after\n")
        assert out.drain(PATIENCE)
        os.close(writing)
        reader.join()
    text = got[0].lstrip("-")
    assert text.count(LINE) == 1_000 - dropped
    note, after = text.splitlines()[-2:]
    assert note == f"[warning] {dropped} lines were dropped here, because nobody read them"
    assert after == "after"


def test_a_reader_that_is_gone_is_no_error() -> None:
    with pipe() as (reading, writing):
        out = Unblocked(writing)
        os.close(reading)
        for _ in range(100):
            out.write(LINE)
        assert out.drain(PATIENCE)


def play_one_match(served: Served, patience: float) -> None:
    """Let two bots play a match on *served*; fail if it takes longer than *patience* a move."""
    with RawBot(served.address, "a") as first, RawBot(served.address, "b") as second:
        first.next("welcome", patience)
        second.next("welcome", patience)
        request = pb.CreateMatchRequest(
            match_id="m", terms=match_pb2.MatchTerms(game="anchorline"), bots=["a", "b"]
        )
        served.matches().CreateMatch(request, timeout=patience)
        other = threading.Thread(target=second.play_out)
        other.start()
        assert first.play_out().match_id == "m"
        other.join()


def test_a_match_is_played_to_its_end_while_nobody_reads_the_log(tmp_path: Path) -> None:
    with (
        pipe() as (reading, writing),
        Served(tmp_path / "data", stderr=writing) as served,
    ):
        fill(writing)
        play_one_match(served, PATIENCE)
        wait_for(served.record("m").exists, "the record")
        # Nor does the end of the process wait: it would for ever.
        assert served.end(signal.SIGTERM)[0] == 0
        os.close(writing)
        assert "listening" in read_all(reading)


def test_twin_a_log_that_waits_for_its_reader_stops_the_referee(tmp_path: Path) -> None:
    with (
        pipe() as (_, writing),
        Served(tmp_path / "data", fault="log-waits", stderr=writing) as served,
    ):
        fill(writing)
        with pytest.raises(AssertionError, match="no welcome came"):
            play_one_match(served, 3)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=lambda n: n.name)
@pytest.mark.parametrize("form", [[], ["--log-json"]], ids=["text", "JSON"])
def test_a_log_that_is_read_has_everything_to_the_end(
    number: signal.Signals, form: list[str], tmp_path: Path
) -> None:
    with Served(tmp_path / "data", more=form) as served:
        play_one_match(served, PATIENCE)
        code, said = served.end(number)
    assert code == 0
    for event in ("listening", "match begins", "match over", "session opened", "shutting down"):
        assert said.count(event) >= 1


SAYS_MUCH_AND_ENDS = """
import atexit, signal, sys
from harbourmaster_server import unblocked
if sys.argv[1] == "faulty":
    atexit.register = lambda *_: None
def end(*_):
    out = unblocked.standard_error()
    for number in range(5000):
        out.write(f"line {number}\\n")
    sys.exit(0)
if sys.argv[2] == "signal":
    signal.signal(signal.SIGTERM, end)
    signal.raise_signal(signal.SIGTERM)
end()
"""


def said_at_the_end(how: str, at: str) -> list[str]:
    """Return what comes of 5000 lines that a process logs at its very end."""
    with pipe() as (reading, writing):
        process = subprocess.Popen(
            [sys.executable, "-c", SAYS_MUCH_AND_ENDS, how, at], stderr=writing
        )
        os.close(writing)
        if how == "faulty":
            # It does not wait for a reader, so that none need be quick enough to see it.
            process.wait(PATIENCE)
        said = read_all(reading)
        assert process.wait(PATIENCE) == 0
    return said.splitlines()


@pytest.mark.parametrize("at", ["exit", "signal"])
def test_what_is_logged_last_is_not_lost(at: str) -> None:
    assert said_at_the_end("sound", at) == [f"line {number}" for number in range(5000)]


def test_twin_a_process_that_does_not_wait_at_its_end_loses_lines() -> None:
    assert len(said_at_the_end("faulty", "exit")) < 5000


def test_what_libraries_say_goes_into_the_log_and_a_peer_that_went_is_not_told_of() -> None:
    out = StringIO()
    set_up_logging(stream=out)
    logging.getLogger("some.library").error("it has a problem with %s", "pipes")
    logging.getLogger("grpc").error("ExecuteBatchError raised in core by servicer method [/x/Y]")
    [line] = out.getvalue().splitlines()
    assert "it has a problem with pipes" in line
    assert "some.library" in line


def test_a_process_that_says_nothing_comes_to_its_end() -> None:
    """Its file is let go when no thread can be started any more."""
    program = "from harbourmaster_server.unblocked import Messages; messages = Messages()"
    assert subprocess.run([sys.executable, "-c", program], timeout=PATIENCE).returncode == 0
