"""What all matches and sessions of one referee share: time, journal, and the way out.

Nothing leaves the referee before the journal has what it depends on. What is to leave gathers in
the sessions; `flush` runs once at the end of a turn of the loop, writes the journal and then lets
the sessions go.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from harbourmaster_server.limits import Limits
from harbourmaster_server.pacing import Pace
from harbourmaster_server.records import Journal
from harbourmaster_server.tally import Tally
from harbourmaster_server.timekeeping import Timekeeper


class Outlet(Protocol):
    """Somebody with something to send."""

    def release(self) -> None:
        """Send what gathered."""
        ...


class Desk:
    """The shared parts of one referee."""

    RETRY_SECONDS = 1.0

    def __init__(
        self,
        time: Timekeeper,
        journal: Journal,
        limits: Limits,
        log: structlog.stdlib.BoundLogger,
    ) -> None:
        self.time = time
        self.journal = journal
        self.limits = limits
        self.log = log
        self.disk_trouble = ""
        """Why the journal cannot be written at the moment, or an empty word."""
        self.exits: dict[str, str] = {}
        """How the process of a bot ended, for bots whose process is known to be gone."""
        self.on_disk_trouble: Callable[[str], None] = lambda _: None
        """Called when the disk begins to refuse, with why, and when it takes again, with ''."""
        self.tally = Tally()
        self.pace = Pace(limits.watcher_messages_per_second)
        """The turns of all watchers, of matches and of tournaments."""
        self._waiting: dict[Outlet, None] = {}
        self._scheduled = False
        self._retry: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._loop = asyncio.get_running_loop()

    def release_later(self, outlet: Outlet) -> None:
        """Let *outlet* send at the end of this turn of the loop, after the journal is written."""
        self._waiting[outlet] = None
        if not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write the journal, then release everybody who waits."""
        self._scheduled = False
        try:
            self.journal.flush()
        except OSError as error:
            self._refused(error)
            return
        if self.disk_trouble:
            self.disk_trouble = ""
            self._writable.set()
            self.log.info("the disk takes entries again")
            self.on_disk_trouble("")
        waiting, self._waiting = self._waiting, {}
        for outlet in waiting:
            outlet.release()

    async def written(self) -> None:
        """Wait while the disk refuses."""
        await self._writable.wait()

    def _refused(self, error: OSError) -> None:
        text = f"the journal cannot be written: {error.strerror}; trying again every second"
        if not self.disk_trouble:
            self.disk_trouble = text
            self.tally.disk_troubles += 1
            self._writable.clear()
            self.log.error(text)
            self.on_disk_trouble(text)
        if self._retry is not None:
            self._retry.cancel()
        self._scheduled = True
        self._retry = self._loop.call_later(self.RETRY_SECONDS, self.flush)
