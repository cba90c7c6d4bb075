"""Writing to standard error without ever waiting for whoever should read it.

A pipe that nobody reads is full after 64 KiB, and a terminal can be stopped by a key; a referee
that wrote there itself would then stand still, with every clock running. So a thread writes, from a
bounded store. What does not fit is dropped and counted, and the count is said when there is room.
"""

import atexit
import contextlib
import io
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Final, TextIO, cast

MOST_BYTES: Final = 4 * 1024 * 1024
"""How much is kept for a reader that is slow, in bytes."""
PIECE_BYTES: Final = 4096
LAST_SECONDS: Final = 0.5
"""How long the end of the process waits for a reader that takes nothing, in seconds."""
MOST_LAST_SECONDS: Final = 2.0
"""How long it waits for one that is slow."""
FLUSH_SECONDS: Final = 0.05
"""How long a flush waits at most, so that a terminal shows things in their order."""
STANDARD_ERROR: Final = 2


def _note(lines: int) -> str:
    return f"[warning] {lines} lines were dropped here, because nobody read them"


class Unblocked(io.TextIOBase):
    """A text file on a file descriptor, to which writing never waits and never fails."""

    def __init__(self, descriptor: int, most_bytes: int = MOST_BYTES) -> None:
        self._descriptor = descriptor
        self._most = most_bytes
        self._waiting: deque[bytes] = deque()
        self._held = 0
        """How many bytes wait, those that are being written included."""
        self._untold = 0
        """Lines that were dropped and not yet told of."""
        self.dropped = 0
        """How many lines were dropped so far."""
        self.note: Callable[[int], str] = _note
        """Says how many lines were dropped, in the manner of the log."""
        self._changed = threading.Condition()
        threading.Thread(target=self._run, name="stderr", daemon=True).start()

    def write(self, text: str) -> int:
        """Keep *text* to be written, or drop it if too much is kept already."""
        data = text.encode("utf-8", "backslashreplace")
        with self._changed:
            if self._held + len(data) > self._most:
                lines = max(1, data.count(b"\n"))
                self.dropped += lines
                self._untold += lines
                return len(text)
            self._tell()
            self._keep(data)
            self._changed.notify_all()
        return len(text)

    def flush(self) -> None:
        """Do nothing: `drain` waits."""

    def drain(self, seconds: float) -> bool:
        """Wait until everything is written, *seconds* at most; return whether it is."""
        with self._changed:
            if not self._held:
                return True
            return self._changed.wait_for(lambda: not self._held, seconds)

    def close_down(self) -> None:
        """Tell what was dropped, and wait while somebody reads; for the end of the process."""
        end = time.monotonic() + MOST_LAST_SECONDS
        with self._changed:
            self._tell()
            self._changed.notify_all()
            before = self._held
            while before and time.monotonic() < end:
                self._changed.wait_for(lambda: self._held < before, LAST_SECONDS)  # noqa: B023
                if self._held == before:
                    return
                before = self._held

    def fileno(self) -> int:
        """Return the file descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        with contextlib.suppress(OSError):
            return os.isatty(self._descriptor)
        return False

    def _tell(self) -> None:
        if self._untold:
            note, self._untold = self.note(self._untold), 0
            self._keep(f"{note}\n".encode())

    def _keep(self, data: bytes) -> None:
        self._waiting.append(data)
        self._held += len(data)

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                data = b"".join(self._waiting)
                self._waiting.clear()
            left = memoryview(data)
            while left:
                written = _write_some(self._descriptor, left)
                left = left[written:]
                with self._changed:
                    self._held -= written
                    self._changed.notify_all()


def _write_some(descriptor: int, data: memoryview) -> int:
    """Write a part of *data*, however long that takes; return how much."""
    try:
        return os.write(descriptor, data[:PIECE_BYTES])
    except BlockingIOError:
        # Somebody else with this terminal or pipe made it so.
        select.select([], [descriptor], [], 1)
        return 0
    except OSError:
        # A reader that is gone wants none of it.
        return len(data)


@cache
def _on_standard_error() -> Unblocked:
    made = Unblocked(STANDARD_ERROR)
    atexit.register(made.close_down)
    return made


def standard_error() -> TextIO:
    """Return what writes to standard error: unblocked, or `sys.stderr` if that is elsewhere.

    When the interpreter ends no thread can be started any more, and would be waited for in vain.
    """
    with contextlib.suppress(OSError, ValueError, AttributeError):
        there = sys.stderr.fileno() == STANDARD_ERROR
        if there and (_is_made() or not sys.is_finalizing()):
            return cast(TextIO, _on_standard_error())
    return sys.stderr


def _is_made() -> bool:
    return _on_standard_error.cache_info().currsize > 0


def dropped_lines() -> int:
    """Return how many lines for standard error were dropped so far."""
    return _on_standard_error().dropped if _is_made() else 0


class Messages(io.TextIOBase):
    """Standard error for a program's own remarks, in their order with what it prints elsewhere."""

    def __init__(self) -> None:
        self._stuck_until = 0.0

    def write(self, text: str) -> int:
        """Write *text* to what standard error is now."""
        return standard_error().write(text)

    def flush(self) -> None:
        """Wait a moment for what was written to be out, unless nobody has read for a while."""
        out = standard_error()
        if not isinstance(out, Unblocked):
            # At the very end of the interpreter there may be none any more.
            if out is not None:
                out.flush()
        elif time.monotonic() >= self._stuck_until and not out.drain(FLUSH_SECONDS):
            self._stuck_until = time.monotonic() + 1

    def fileno(self) -> int:
        """Return the file descriptor."""
        return standard_error().fileno()

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return standard_error().isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]  # A property, as it changes with the stream.
        """The encoding of standard error."""
        return sys.stderr.encoding or "utf-8"
