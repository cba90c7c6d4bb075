"""The writing half of one stream: one writer, which sends what has gathered."""

import asyncio
from typing import TYPE_CHECKING, Any, Final

import grpc

from harbourmaster_server.timekeeping import Timekeeper

if TYPE_CHECKING:
    from harbourmaster_server.matches.decision import Decision

UNREAD_NANOS: Final = 10_000_000
"""A write that takes longer than this waits for the peer, which does not read."""


class Connection:
    """One call of `Play`, as far as writing goes."""

    def __init__(self, context: Any, time: Timekeeper, unread_bytes: int) -> None:
        self._context = context
        self._time = time
        self._unread_bytes = unread_bytes
        self._batch = b""
        self._waiting_to_start: list[Decision] = []
        self._queued_at = 0
        self._write_began: int | None = None
        self._wake: asyncio.Future[None] | None = None
        self._last: tuple[grpc.StatusCode, str] | None = None
        """How the call shall end when everything is sent."""
        self.status: tuple[grpc.StatusCode, str] | None = None
        """How the call shall end, once something ends it."""
        self.ended = asyncio.Event()
        """Set when the call shall end."""

    def put(self, batch: bytes, to_start: "list[Decision]") -> None:
        """Send *batch*, a `PlayResponse` as bytes.

        The clocks of *to_start* start when it is handed to the transport.
        """
        if self.status is not None:
            return
        if not self._batch:
            self._batch = batch
            self._queued_at = self._time.now()
        else:
            # Messages that are joined as bytes are merged.
            self._batch += batch
            if len(self._batch) > self._unread_bytes:
                text = f"more than {self._unread_bytes} bytes were not read: read faster"
                self.end(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        self._waiting_to_start.extend(to_start)
        self._wake_up()

    def finish(self, code: grpc.StatusCode = grpc.StatusCode.OK, text: str = "") -> None:
        """End the call with *code*, well by default, when everything is sent.

        The first word counts.
        """
        self._last = self._last or (code, text)
        self._wake_up()

    def end(self, code: grpc.StatusCode, text: str) -> None:
        """End the call with *code* as soon as possible; what is not sent yet is dropped.

        A peer that does not read does not see the end either, and the call lasts as long as its
        connection: nothing of any size may hang on it.
        """
        if self.status is None:
            self.status = (code, text)
        self._batch = b""
        self.ended.set()

    async def write(self) -> None:
        """Send what gathers until the call ends."""
        while True:
            if not self._batch:
                if self._last is not None:
                    self.end(*self._last)
                    return
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake
                self._wake = None
                continue
            batch, self._batch = self._batch, b""
            self._start_clocks()
            self._write_began = self._time.now()
            await self._context.write(batch)

    def _start_clocks(self) -> None:
        """Start the clocks of what is handed over now.

        What had to wait behind data that the peer did not read is charged from when it was queued.
        """
        began, now = self._write_began, self._time.now()
        # The date by the rule of `timekeeping`, so that a stall of the referee is not the peer's.
        waited = began is not None and self._queued_at > began
        unread = waited and began is not None and self._time.arrival() - began > UNREAD_NANOS
        for decision in self._waiting_to_start:
            decision.start(self._queued_at if unread else now)
        self._waiting_to_start.clear()

    def _wake_up(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
