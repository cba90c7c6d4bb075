"""Where the referee's time comes from, and how it keeps its own delays off the bots' clocks.

The rule: a reply is dated at the moment when it can first have been waiting for the referee. If
the loop was asleep and the reply woke it, that is the moment when it woke. If the loop was busy,
the reply may have come at any time since it last looked, and is dated at that last look. So a
stall of the referee, however long, is charged to nobody, and a loop that is not busy charges to
the microsecond. A look that was not to wait never slept, even if a busy machine made it long.

A loop that sleeps wakes up every few milliseconds. If it wakes much later than it wanted, the
machine had no time for it (or it was stopped), and that counts as a stall from when it wanted.

What is read right after a stall may have come during it, but hung in the transport, and is dated
when the stall began; the clock of a request that was handed to the transport right before a stall
starts when the stall ended. "Right" is as long as the stall was, within 5 and 100 ms.

Of one stream only one message is read at a time, so that after a stall several may be waiting one
behind the other. One that is there as soon as it is read for may have waited since the stall began,
and is dated then, for as long after the stall as the stall was long.
"""

import asyncio
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

ASLEEP_NANOS: Final = 50_000
"""A look that takes longer than this has slept: the loop had nothing to do."""
HEARTBEAT_SECONDS: Final = 0.005
"""The longest that the loop sleeps at a stretch."""
STALL_NANOS: Final = 5_000_000
"""A turn that is busy for longer than this, or a sleep that is too long by this, is a stall."""
MOST_CATCHING_UP_NANOS: Final = 100_000_000
"""The longest time that the transport is thought to need after a stall."""
PROMPT_LOOKS: Final = 3
"""A message that the loop has after so many looks was waiting already when it was read for."""
COUNTED_STALL_NANOS: Final = 50_000_000
"""A busy turn that is longer than this is counted, for the metrics."""


class Timekeeper(Protocol):
    """The time as matches and sessions see it, in nanoseconds of a clock that never goes back."""

    def now(self) -> int:
        """Return the time."""
        ...

    def arrival(self, mark: int | None = None) -> int:
        """Return the date of what has just been read, by the rule of this module.

        *mark* is what `mark` returned before the reading began.
        """
        ...

    def mark(self) -> int:
        """Return what `arrival` needs to know of when a reading began."""
        ...

    def stall(self) -> "Stall":
        """Return the last stall."""
        ...

    def call_at(self, when: int, callback: Callable[[], object]) -> "Cancellable":
        """Call *callback* at *when* or soon after."""
        ...


@dataclass(frozen=True, slots=True)
class Stall:
    """A time in which the referee did nothing, in nanoseconds of its clock."""

    began: int = 0
    ended: int = 0

    @property
    def near(self) -> int:
        """How long before and after it the transport may have been held up too."""
        return min(max(self.ended - self.began, STALL_NANOS), MOST_CATCHING_UP_NANOS)

    def handed_over(self, when: int) -> int:
        """Return when a request that was handed to the transport at *when* can first have left."""
        return self.ended if self.began - self.near <= when < self.ended else when


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
        """How many times between two looks were longer than `COUNTED_STALL_NANOS`."""
        self.looks = 0
        self.stall = Stall()

    def select(self, timeout: float | None = None) -> list[Any]:
        """Look for news, as the loop does once a turn."""
        began = time.monotonic_ns()
        self.stalls += began - self.looked > COUNTED_STALL_NANOS
        wanted = HEARTBEAT_SECONDS if timeout is None else min(timeout, HEARTBEAT_SECONDS)
        news = super().select(wanted)
        ended = time.monotonic_ns()
        self.looks += 1
        self.earlier_origin = self.origin
        self.origin = self._origin(began, ended, round(max(0.0, wanted) * 1e9))
        self.longest_turn = max(self.longest_turn, began - self.looked)
        self.looked = ended
        return news

    def _origin(self, began: int, ended: int, wanted: int) -> int:
        """Return the earliest date of what a look brought that was to sleep for *wanted* at most.

        How long it took says little where it was not to sleep: on a busy machine any call may.
        """
        if began - self.looked > STALL_NANOS:
            self.stall = Stall(self.looked, ended)
            return self.looked
        due = began + wanted
        overslept = ended - due > STALL_NANOS
        if overslept:
            self.stall = Stall(due, ended)
        if not wanted or ended - began <= ASLEEP_NANOS:
            return self.looked
        return due if overslept else ended

    def date(self, *, waited: bool) -> int:
        """Return the date of what the look before the last one brought.

        *waited* says that it was there already when it was read for.
        """
        stall = self.stall
        reach = max(stall.near, stall.ended - stall.began) if waited else stall.near
        if self.earlier_origin <= stall.ended + reach:
            return min(stall.began, self.earlier_origin)
        return self.earlier_origin


class LoopTime:
    """The time of the running loop, which must have been made by `new_event_loop`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, selector: WatchedSelector) -> None:
        self._loop = loop
        self._selector = selector
        self.now = time.monotonic_ns

    def arrival(self, mark: int | None = None) -> int:
        """Return the date of what the running task has just read."""
        # The look in one turn completes the read, and the reader runs in the next turn.
        waited = mark is not None and self._selector.looks - mark <= PROMPT_LOOKS
        return self._selector.date(waited=waited)

    def stall(self) -> Stall:
        """Return the last stall."""
        return self._selector.stall

    def mark(self) -> int:
        """Return how often the loop has looked for news."""
        return self._selector.looks

    def call_at(self, when: int, callback: Callable[[], object]) -> Cancellable:
        """Call *callback* at *when*, or soon after."""
        return self._loop.call_later(max(0, when - self.now()) / 1e9, callback)

    @property
    def stalls(self) -> int:
        """How many turns of the loop were busy for longer than `COUNTED_STALL_NANOS`."""
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
