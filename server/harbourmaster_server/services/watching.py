"""What a watcher of a match is sent, and how one that does not read is dropped.

A watcher has a task of its own and only reads what the match has published, so that it can be slow
or stuck without the match noticing. All watchers together are sent so many messages a second at
most: where they are many, each is told less often, of more at a time.

The word that a watcher is dropped waits behind what it has not read; until then, or until its
connection is gone, the call counts as one of its caller's `unread` ones.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final

from harbourmaster.v1 import bot_service_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import LimitExceeded, NotRead
from harbourmaster_server.matches.match import Match
from harbourmaster_server.referee import Referee
from harbourmaster_server.wire import nested

EVENTS_PER_MESSAGE: Final = 1000
"""A long history goes in several messages: clients take at most 4 MiB each by default."""
AHEAD: Final = 20
"""So many messages may go out at once after a time without any."""
_as_news = nested((pb.WatchMatchResponse, "events"))
Write = Callable[[pb.WatchMatchResponse], Awaitable[None]]
"""Hands a message to the transport; returns when there is room for the next."""


class Pace:
    """Gives turns to all that is sent to watchers, so many a second."""

    def __init__(self, per_second: int) -> None:
        self._interval = 1 / per_second
        self._ahead = AHEAD * self._interval
        self._next = 0.0

    async def turn(self) -> None:
        """Wait for a turn; they are given in the order in which they were asked for."""
        now = asyncio.get_running_loop().time()
        due = max(self._next, now - self._ahead)
        self._next = due + self._interval
        if due > now:
            await asyncio.sleep(due - now)


async def watch(match: Match, write: Write, pace: Pace) -> None:
    """Send a watcher all that is public of *match*, in its turns, until the match is over.

    Raises `NotRead` if it does not read.
    """
    seconds = match.desk.limits.watcher_stall_seconds
    async for message in _messages(match, pace):
        await _write_in_time(write, message, seconds)


async def _messages(match: Match, pace: Pace) -> AsyncIterator[pb.WatchMatchResponse]:
    """Yield what is public: what the match is, its first view, its events, its outcome."""
    await pace.turn()
    yield pb.WatchMatchResponse(match=_public_info(match))
    yield pb.WatchMatchResponse(view=match.first_view)
    shown, head = 0, bot_service_pb2.MatchEvents(match_id=match.id).SerializeToString()
    while True:
        await match.publication.wait(shown)
        await pace.turn()
        new, over = match.publication.since(shown, EVENTS_PER_MESSAGE)
        if new:
            shown += len(new)
            yield pb.WatchMatchResponse.FromString(_as_news(head + b"".join(new)))
        elif over:
            yield pb.WatchMatchResponse(outcome=match.outcome)
            return


def _public_info(match: Match) -> pb.MatchInfo:
    """Return what the match is; with a delay, nothing that tells how far it really is."""
    info = match.info()
    if match.desk.limits.watch_delay_seconds:
        info.ClearField("decisions")
        info.ClearField("waiting_for")
    return info


async def _write_in_time(write: Write, message: pb.WatchMatchResponse, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await write(message)
    except TimeoutError:
        raise NotRead(
            f"what was sent was not read for {seconds:g} s: read faster, or watch again for the "
            "whole history"
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
