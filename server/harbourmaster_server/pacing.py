"""Turns for all that is sent to watchers, whatever they watch."""

import asyncio
from collections import deque
from functools import partial
from typing import Final

from harbourmaster_server.news import News

AHEAD: Final = 20
"""So many messages may go out at once after a time without any."""


class Pace:
    """Gives turns to all that is sent to watchers, so many a second.

    A turn is given when the loop comes by, and one at a time: what bots sent goes before, and a
    thousand watchers who wait for the same move do not all wake at it.
    """

    def __init__(self, per_second: int) -> None:
        self._interval = 1 / per_second
        self._ahead = AHEAD * self._interval
        self._next = 0.0
        self._queue: deque[asyncio.Future[None]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    async def turn(self, news: News, seen: int) -> None:
        """Wait until there is more than *seen* in *news*, and then for a turn.

        Turns are given in the order in which there was something to tell.
        """
        turn = asyncio.get_running_loop().create_future()
        call_off = news.call_above(seen, partial(self._ask, turn))
        try:
            await turn
        finally:
            call_off()

    def _ask(self, turn: asyncio.Future[None]) -> None:
        """Have *turn* set when it is due, unless it is cancelled before."""
        self._queue.append(turn)
        if self._timer is None:
            self._wait()

    def _wait(self) -> None:
        loop = asyncio.get_running_loop()
        due = max(self._next, loop.time() - self._ahead)
        self._next = due + self._interval
        self._timer = loop.call_at(due, self._give)

    def _give(self) -> None:
        """Give the first turn that somebody still waits for."""
        self._timer = None
        while self._queue:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                break
        if self._queue:
            self._wait()
