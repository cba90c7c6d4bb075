"""What a watcher of a match is sent, and how one that does not read is dropped.

A watcher has a task of its own and only reads what the match has published, so that it can be slow
or stuck without the match noticing. All watchers together are sent so many messages a second at
most: where they are many, each is told less often, of more at a time.

The word that a watcher is dropped waits behind what it has not read; until then, or until its
connection is gone, the call counts as one of its caller's `unread` ones.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Final, TypeVar

from harbourmaster.v1 import bot_service_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import LimitExceeded, NotRead
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.match import Match
from harbourmaster_server.news import News
from harbourmaster_server.referee import Referee
from harbourmaster_server.wire import nested

EVENTS_PER_MESSAGE: Final = 1000
"""A long history goes in several messages: clients take at most 4 MiB each by default."""
T = TypeVar("T")
AHEAD: Final = 20
"""So many messages may go out at once after a time without any."""
_as_news = nested((pb.WatchMatchResponse, "events"))
Write = Callable[[bytes], Awaitable[None]]
"""Hands a `WatchMatchResponse` to the transport; returns when there is room for the next."""


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


async def watch(match: Match, write: Write, pace: Pace) -> None:
    """Send a watcher all that is public of *match*, in its turns, until the match is over.

    Raises `NotRead` if it does not read.
    """
    seconds = match.desk.limits.watcher_stall_seconds
    async for message in _messages(match, pace):
        await write_in_time(write, message, seconds)


async def _messages(match: Match, pace: Pace) -> AsyncIterator[bytes]:
    """Yield what is public: what the match is, its first view, its events, its outcome."""
    await pace.turn(match.publication.news, -1)
    info = public_info(match.info(), match.desk.limits)
    yield pb.WatchMatchResponse(match=info).SerializeToString()
    yield pb.WatchMatchResponse(view=match.first_view).SerializeToString()
    shown, head = 0, bot_service_pb2.MatchEvents(match_id=match.id).SerializeToString()
    while True:
        await pace.turn(match.publication.news, shown)
        events, count, over = match.publication.since(shown, EVENTS_PER_MESSAGE)
        if count:
            shown += count
            yield _as_news(head + events)
        elif over:
            yield pb.WatchMatchResponse(outcome=match.outcome).SerializeToString()
            return


def public_info(info: pb.MatchInfo, limits: Limits) -> pb.MatchInfo:
    """Return *info* for watchers: with a delay, nothing tells how far an open match really is."""
    if limits.watch_delay_seconds and not info.HasField("outcome"):
        info.ClearField("decisions")
        info.ClearField("waiting_for")
    return info


async def write_in_time(write: Callable[[T], Awaitable[None]], message: T, seconds: float) -> None:
    """Write a *message*; raise `NotRead` if there is no room for it for so many *seconds*."""
    try:
        async with asyncio.timeout(seconds):
            await write(message)
    except TimeoutError:
        raise NotRead(
            f"what was sent was not read for {seconds:g} s: read faster, or watch again"
        ) from None


@contextlib.contextmanager
def counted(referee: Referee) -> Iterator[None]:
    """Count one watcher more; raise `LimitExceeded` if there are too many."""
    limit = referee.config.limits.watchers
    if referee.watchers >= limit:
        raise LimitExceeded(f"the referee has {limit} watchers and takes no more")
    referee.watchers += 1
    try:
        yield
    finally:
        referee.watchers -= 1
