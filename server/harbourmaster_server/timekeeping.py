"""Where the referee's time comes from, and how it keeps its own delays off the bots' clocks.

The rule: a reply is dated at the moment when it can first have been waiting for the referee. If
the loop was asleep and the reply woke it, that is the moment when it woke. If the loop was busy,
the reply may have come at any time since it last looked, and is dated at that last look. So a
stall of the referee, however long, is charged to nobody, and a loop that is not busy charges to
the microsecond.
"""

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any, Protocol

ASLEEP_NANOS = 50_000
"""A look that takes longer than this has slept: the loop had nothing to do."""
STALL_NANOS = 50_000_000
"""A turn of the loop that is busy for longer than this counts as a stall."""


class Timekeeper(Protocol):
    """The time as matches and sessions see it, in nanoseconds of a clock that never goes back."""

    def now(self) -> int:
        """Return the time."""
        ...

    def arrival(self) -> int:
        """Return the date of what has just been read, by the rule of this module."""
        ...

    def call_at(self, when: int, callback: Callable[[], object]) -> "Cancellable":
        """Call *callback* at *when* or soon after."""
        ...


class Cancellable(Protocol):
    """A call that can still be taken back."""

    def cancel(self) -> None:
        """Take it back."""
        ...


class WatchedSelector(selectors.DefaultSelector):
    """The loop's selector, which notes when the loop looked for news and whether it slept."""

    def __init__(self) -> None:
        super().__init__()
        now = time.monotonic_ns()
        self.looked = now
        """When the loop last looked for news."""
        self.origin = now
        """The earliest date of the news that the last look brought."""
        self.earlier_origin = now
        """The earliest date of the news that the look before the last one brought."""
        self.longest_turn = 0
        """The longest time between two looks, sleep not counted; reset by who reads it."""
        self.stalls = 0
        """How many times between two looks were longer than `STALL_NANOS`."""

    def select(self, timeout: float | None = None) -> list[Any]:
        """Look for news, as the loop does once a turn."""
        began = time.monotonic_ns()
        busy = began - self.looked
        if busy > self.longest_turn:
            self.longest_turn = busy
        if busy > STALL_NANOS:
            self.stalls += 1
        news = super().select(timeout)
        ended = time.monotonic_ns()
        self.earlier_origin = self.origin
        self.origin = ended if ended - began > ASLEEP_NANOS else self.looked
        self.looked = ended
        return news


class LoopTime:
    """The time of the running loop, which must have been made by `new_event_loop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, selector: WatchedSelector) -> None:
        self._loop = loop
        self._selector = selector
        self.now = time.monotonic_ns

    def arrival(self) -> int:
        """Return the date of what the running task has just read."""
        # The look in one turn completes the read, and the reader runs in the next turn.
        return self._selector.earlier_origin

    def call_at(self, when: int, callback: Callable[[], object]) -> Cancellable:
        """Call *callback* at *when*, or soon after."""
        return self._loop.call_later(max(0, when - self.now()) / 1e9, callback)

    @property
    def stalls(self) -> int:
        """How many turns of the loop were busy for longer than `STALL_NANOS`."""
        return self._selector.stalls

    def take_longest_turn(self) -> int:
        """Return the longest busy turn since the last call, in nanoseconds."""
        longest, self._selector.longest_turn = self._selector.longest_turn, 0
        return longest


def new_event_loop() -> asyncio.SelectorEventLoop:
    """Return an event loop whose selector is watched; for `asyncio.Runner(loop_factory=…)`."""
    return asyncio.SelectorEventLoop(WatchedSelector())


def loop_time() -> LoopTime:
    """Return the time of the running loop; raise `RuntimeError` if it is not a watched one."""
    loop = asyncio.get_running_loop()
    selector = getattr(loop, "_selector", None)
    if not isinstance(selector, WatchedSelector):
        raise RuntimeError("the referee runs only on a loop made by timekeeping.new_event_loop")
    return LoopTime(loop, selector)
