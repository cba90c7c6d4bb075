"""Tournaments that a serving referee runs beside other matches."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Self

import structlog

from harbourmaster_server.errors import (
    AlreadyExists,
    BadRequest,
    CannotStart,
    NotNow,
    RefereeError,
    ShuttingDown,
)
from harbourmaster_server.files import PUBLIC, write_whole
from harbourmaster_tournaments.ledger import Ledger, LedgerError
from harbourmaster_tournaments.running.definition import (
    BadTournamentFile,
    TournamentFile,
    read_file,
)
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
from harbourmaster_tournaments.schedules import ScheduleError


class TournamentHost:
    """Runs any number of tournaments, each in a folder of its own below one folder.

    Used as `async with`, inside the house. Tournaments that an earlier run did not finish go on.
    """

    def __init__(self, folder: Path, log: structlog.stdlib.BoundLogger) -> None:
        self._folder = folder
        self._log = log
        self._house: House | None = None
        self._running: dict[str, asyncio.Task[None]] = {}
        self._beginning: dict[str, asyncio.Task[Hosted]] = {}
        """Those that are being made, by name."""
        self.hosted: dict[str, Hosted] = {}

    async def open(self, house: House) -> Self:
        """Use *house*, and go on with what is not finished."""
        self._house = house
        for path in sorted(self._folder.glob(f"*/{FILE}")):
            if not (path.parent / REVEAL).exists():
                await self._go_on(house, path)
        return self

    async def _go_on(self, house: House, path: Path) -> None:
        """Go on with the tournament of the file at *path*; if it cannot, everything else does."""
        try:
            await self._begin(house, read_file(path), path.parent)
        except (BadTournamentFile, RefereeError) as error:
            self._log.error("tournament cannot go on", folder=str(path.parent), why=str(error))

    async def close(self) -> None:
        """Stop every tournament; what is not finished goes on at the next start."""
        self._house = None
        await asyncio.gather(*self._beginning.values(), return_exceptions=True)
        for hosted in self.hosted.values():
            hosted.ledger.hurry()
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)
        for hosted in self.hosted.values():
            hosted.ledger.close()

    async def create(self, file: TournamentFile, text: str) -> Hosted:
        """Begin the tournament of *file*, whose text is *text*.

        It is begun or not there at all, also when the caller does not wait for the end of that.
        """
        name = file.tournament.name
        if self._house is None:
            raise ShuttingDown("the referee starts or shuts down: try again in a moment")
        if name in self.hosted or name in self._beginning or (self._folder / name / FILE).exists():
            raise AlreadyExists(f"there is a tournament {name} already: give this one another name")
        beginning = self._beginning[name] = asyncio.create_task(
            self._create(self._house, file, text)
        )
        beginning.add_done_callback(lambda _: self._beginning.pop(name))
        return await asyncio.shield(beginning)

    async def _create(self, house: House, file: TournamentFile, text: str) -> Hosted:
        folder = self._folder / file.tournament.name
        fresh = not folder.exists()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(folder / FILE, text.encode(), mode=PUBLIC)
            return await self._begin(house, file, folder)
        except BaseException as error:
            if fresh:
                shutil.rmtree(folder, ignore_errors=True)
            else:
                (folder / FILE).unlink(missing_ok=True)
            if isinstance(error, OSError):
                raise NotNow(f"cannot write in {folder}: {error.strerror}") from None
            raise

    async def _begin(self, house: House, file: TournamentFile, folder: Path) -> Hosted:
        """Begin the tournament of *file* in *folder*, or go on with it.

        Raises `RefereeError` if that cannot be; then its ledger is closed.
        """
        with contextlib.ExitStack() as failing:
            try:
                ledger = await asyncio.to_thread(Ledger.open, folder / LEDGER)
                failing.callback(ledger.close)
                running = begin_tournament(house, folder, file, ledger, self._log)
            except (LedgerError, ScheduleError) as error:
                raise BadRequest(str(error)) from None
            except (CannotStart, BadTournamentFile) as error:
                raise NotNow(str(error)) from None
            except OSError as error:
                raise NotNow(f"cannot use {folder}: {error.strerror}") from None
            failing.pop_all()
        name = file.tournament.name
        self.hosted[name] = running.hosted
        running.hosted.go_on_paused()

        def finish() -> None:
            reveal(folder, file, load_secret(folder, file))

        self._running[name] = asyncio.create_task(self._run(running.hosted, finish))
        return running.hosted

    async def _run(self, hosted: Hosted, finish: Callable[[], None]) -> None:
        """Run a tournament to its end."""
        log = self._log.bind(tournament=hosted.file.tournament.name)
        try:
            await hosted.coordinator.run()
            finish()
            log.info("tournament over", games=hosted.coordinator.standing.done)
        except* (TournamentStopped, LedgerError) as group:
            hosted.stopped = "; ".join(map(str, group.exceptions))
            log.error("tournament stopped", why=hosted.stopped)
        except* Exception as group:
            hosted.stopped = "the referee failed at it: see its log"
            log.error("tournament failed", exc_info=group)
        finally:
            hosted.tell()
