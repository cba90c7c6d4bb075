"""A referee with its real server, in this process, for calls over real connections."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import grpc

from harbourmaster_server.identity import Identity
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import RefereeServer
from harbourmaster_server.timekeeping import new_event_loop

T = TypeVar("T")
Metadata = tuple[tuple[str, str], ...]


SMALL = (("grpc.http2.bdp_probe", 0), ("grpc.http2.lookahead_bytes", 65_536))
"""Take in no more than that before it is read."""


class Served:
    """A referee, its server, and a channel to it."""

    def __init__(self, referee: Referee, server: RefereeServer, channel: grpc.aio.Channel) -> None:
        self.referee = referee
        self.server = server
        self.channel = channel

    def token(self, name: str, *rights: str) -> Metadata:
        """Return the metadata of a caller called *name* who has *rights*."""
        token = self.referee.tokens.issue_passing(Identity(name, rights=rights))
        return (("authorization", f"Bearer {token}"),)


@contextlib.asynccontextmanager
async def serve(folder: Path, **config: Any) -> AsyncIterator[Served]:
    """Serve a referee that needs tokens and keeps its files in *folder*."""
    log = set_up_logging(level="critical")
    async with (
        Referee(RefereeConfig(folder, **config), log) as referee,
        RefereeServer(referee, port=0) as server,
        grpc.aio.insecure_channel(f"127.0.0.1:{server.port}", options=SMALL) as channel,
    ):
        yield Served(referee, server, channel)


def run_served(work: Coroutine[Any, Any, T]) -> T:
    """Run a test's coroutine on a loop that a referee can use."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)


async def refusal(call: Any) -> tuple[grpc.StatusCode, str]:
    """Await *call*, which must fail, and return how it did."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return error.code(), error.details() or ""
    raise AssertionError("the call was not refused")


async def until(what: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until *what* holds."""
    async with asyncio.timeout(seconds):
        while not what():  # noqa: ASYNC110 # What is waited for announces itself to nobody.
            await asyncio.sleep(0.02)
