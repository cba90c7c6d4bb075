"""Tournaments that a serving referee runs beside other matches."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Self

import structlog

from harbourmaster_server.errors import AlreadyExists, BadRequest
from harbourmaster_tournaments.ledger import Ledger, LedgerError
from harbourmaster_tournaments.running.definition import TournamentFile, read_file
from harbourmaster_tournaments.running.house import House
from harbourmaster_tournaments.running.needs import TournamentStopped
from harbourmaster_tournaments.running.service import Hosted
from harbourmaster_tournaments.running.tournament import (
    FILE,
    LEDGER,
    REVEAL,
    begin_tournament,
    load_secret,
    reveal,
)


class TournamentHost:
    """Runs any number of tournaments, each in a folder of its own below one folder.

    Used as `async with`, inside the house. Tournaments that an earlier run did not finish go on.
    """

    def __init__(self, folder: Path, log: structlog.stdlib.BoundLogger) -> None:
        self._folder = folder
        self._log = log
        self._house: House | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self.hosted: dict[str, Hosted] = {}

    async def open(self, house: House) -> Self:
        """Use *house*, and go on with what is not finished."""
        self._house = house
        for path in sorted(self._folder.glob(f"*/{FILE}")):
            if not (path.parent / REVEAL).exists():
                await self._begin(read_file(path), path.parent)
        return self

    async def close(self) -> None:
        """Stop every tournament; what is not finished goes on at the next start."""
        for hosted in self.hosted.values():
            hosted.ledger.hurry()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        for hosted in self.hosted.values():
            hosted.ledger.close()

    async def create(self, file: TournamentFile, text: str) -> Hosted:
        """Begin the tournament of *file*, whose text is *text*."""
        name = file.tournament.name
        folder = self._folder / name
        if name in self.hosted or (folder / FILE).exists():
            raise AlreadyExists(f"there is a tournament {name} already: give this one another name")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / FILE).write_text(text)
        return await self._begin(file, folder)

    async def _begin(self, file: TournamentFile, folder: Path) -> Hosted:
        assert self._house is not None
        try:
            ledger = await asyncio.to_thread(Ledger.open, folder / LEDGER)
            running = begin_tournament(self._house, folder, file, ledger, self._log)
        except LedgerError as error:
            raise BadRequest(str(error)) from None
        name = file.tournament.name
        self.hosted[name] = running.hosted

        def finish() -> None:
            reveal(folder, file, load_secret(folder, file))

        self._running[name] = asyncio.create_task(self._run(running.hosted, finish))
        return running.hosted

    async def _run(self, hosted: Hosted, finish: Callable[[], None]) -> None:
        """Run a tournament to its end."""
        log = self._log.bind(tournament=hosted.file.tournament.name)
        try:
            await hosted.coordinator.run()
        except* (TournamentStopped, LedgerError) as group:
            log.error("tournament stopped", why="; ".join(map(str, group.exceptions)))
        else:
            finish()
            log.info("tournament over", games=hosted.coordinator.standing.done)
        finally:
            hosted.tell()
