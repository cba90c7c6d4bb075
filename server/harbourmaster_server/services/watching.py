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
from typing import Final, TypeVar

from harbourmaster.v1 import bot_service_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.errors import LimitExceeded, NotRead
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.match import Match
from harbourmaster_server.pacing import Pace
from harbourmaster_server.referee import Referee
from harbourmaster_server.wire import nested

EVENTS_PER_MESSAGE: Final = 1000
"""A long history goes in several messages: clients take at most 4 MiB each by default."""
T = TypeVar("T")
_as_news = nested((pb.WatchMatchResponse, "events"))
Write = Callable[[bytes], Awaitable[None]]
"""Hands a `WatchMatchResponse` to the transport; returns when there is room for the next."""


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
