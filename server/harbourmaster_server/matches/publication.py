"""What of a match is public so far, for watchers who read at their own pace.

Watchers share one list and only keep their place in it: one that does not read costs nothing and
slows nobody.
"""

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

from harbourmaster.v1 import bot_service_pb2 as bot_pb
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
        self._parts: list[bytes] = []
        self._over = False
        self._delay = round(match.desk.limits.watch_delay_seconds * 1e9)
        self.followed = self._delay > 0
        """Whether everything that happens must be told at once; without watchers it need not."""
        self._growing_old: deque[tuple[int, bool]] = deque()
        """How much there was, and whether that was all, at moments not yet old enough."""
        self._news: asyncio.Future[None] | None = None

    def since(self, shown: int, most: int) -> tuple[list[bytes], bool]:
        """Return up to *most* public events after the first *shown*, and if the match is over.

        Each event is the part of a `MatchEvents` that it is, made once for all watchers.
        """
        self._follow()
        self._parts += [
            _TOLD + event[len(_ASKED) :]
            for event in self._match.events[len(self._parts) : self._published]
        ]
        return self._parts[shown : min(self._published, shown + most)], self._over

    async def wait(self, shown: int) -> None:
        """Return when there are more than *shown* events, or the match is over."""
        self._follow()
        while self._published <= shown and not self._over:
            if self._news is None:
                self._news = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._news)

    def _follow(self) -> None:
        """Publish from now on; what nobody follows is not published."""
        if not self.followed:
            self.followed = True
            self._match.desk.release_later(self)

    @property
    def watched(self) -> bool:
        """Whether somebody waits for news."""
        return self._news is not None

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
        if self._news is not None:
            self._news.set_result(None)
            self._news = None
