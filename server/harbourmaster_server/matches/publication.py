"""What of a match is public so far, for watchers who read at their own pace.

Watchers share one list and only keep their place in it: one that does not read costs nothing and
slows nobody.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster_server.news import ALL, News
from harbourmaster_server.wire import tag

if TYPE_CHECKING:
    from harbourmaster_server.matches.match import Match


_ASKED: Final = tag(bot_pb.DecisionRequest, "events")
_TOLD: Final = tag(bot_pb.MatchEvents, "events")


class Publication:
    """The part of a match's events that the journal already has, and watchers may see."""

    def __init__(self, match: "Match") -> None:
        self._match = match
        self._published = 0
        self._written = bytearray()
        self._ends: list[int] = [0]
        """Where each event ends in what is written, behind the start of the first."""
        self._over = False
        self._delay = round(match.desk.limits.watch_delay_seconds * 1e9)
        self.followed = self._delay > 0
        """Whether everything that happens must be told at once; without watchers it need not."""
        self._growing_old: deque[tuple[int, bool]] = deque()
        """How much there was, and whether that was all, at moments not yet old enough."""
        self._news = News()

    def since(self, shown: int, most: int) -> tuple[bytes, int, bool]:
        """Return up to *most* public events after the first *shown*, and if the match is over.

        The events are the bytes of a `MatchEvents` with them alone, and how many they are. Each
        is written once for all watchers.
        """
        self._follow()
        for event in self._match.events[len(self._ends) - 1 : self._published]:
            self._written += _TOLD
            self._written += event[len(_ASKED) :]
            self._ends.append(len(self._written))
        upto = max(shown, min(self._published, shown + most))
        return bytes(self._written[self._ends[shown] : self._ends[upto]]), upto - shown, self._over

    @property
    def news(self) -> News:
        """How many events are public; all of them, once the match is over."""
        self._follow()
        return self._news

    async def wait(self, shown: int) -> None:
        """Return when there are more than *shown* events, or the match is over."""
        come = asyncio.Event()
        call_off = self.news.call_above(shown, come.set)
        try:
            await come.wait()
        finally:
            call_off()

    def _follow(self) -> None:
        """Publish from now on; what nobody follows is not published."""
        if not self.followed:
            self.followed = True
            self._match.desk.release_later(self)

    def release(self) -> None:
        """Publish what happened so far, which the journal has; now or after the delay."""
        count, over = len(self._match.events), self._match.outcome is not None
        if not self._delay:
            self._show(count, over)
            return
        self._growing_old.append((count, over))
        time = self._match.desk.time
        time.call_at(time.now() + self._delay, self._grow_old)

    def _grow_old(self) -> None:
        """Show what is old enough now: for each that was put in, this is called once, in order."""
        self._show(*self._growing_old.popleft())

    def _show(self, count: int, over: bool) -> None:
        self._published, self._over = count, over
        self._news.grow(ALL if over else count)
