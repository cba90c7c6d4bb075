"""What `tournament run` shows while it goes on: how far it is, who leads, and tables on the way."""

import contextlib
import time
from collections.abc import Iterator
from typing import Final

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from harbourmaster_tournaments.cli.common import messages
from harbourmaster_tournaments.cli.tables import make_report, print_report
from harbourmaster_tournaments.ledger import GameRow, Ledger, Ruling
from harbourmaster_tournaments.ratings import Tally
from harbourmaster_tournaments.reports import leader
from harbourmaster_tournaments.running import Standing, TournamentFile
from harbourmaster_tournaments.running.rows import rated_games

TOP_SECONDS: Final = 1.0
"""How often the line of progress looks who leads."""


class ProgressLine:
    """The line that shows how far a tournament is, and who leads."""

    def __init__(self, progress: Progress, name: str, ledger: Ledger) -> None:
        self._progress = progress
        self._name = name
        self._ledger = ledger
        self._done = ledger.progress().issued - len(ledger.outstanding())
        self._bar = progress.add_task(name, total=None, completed=self._done)
        self._idle = True
        """Whether no game was played yet since the start."""
        self.games = {row.number: row for row in ledger.results()}
        self.rulings = ledger.rulings()
        self._tally = Tally.of(rated_games(self.games.values()))
        self._shown = 0.0

    def take(self, row: GameRow, standing: Standing) -> None:
        """Show that *row* went into the ledger."""
        self._idle = False
        self._progress.update(
            self._bar, completed=standing.done, total=standing.total or standing.planned
        )
        if row.void_cause is None:
            self._count(row)
        if time.monotonic() - self._shown > TOP_SECONDS:
            self._shown = time.monotonic()
            top = leader(self._tally)
            self._progress.update(self._bar, description=f"{self._name}, {top}" if top else None)

    def heed(self, ruling: Ruling, standing: Standing) -> None:
        """Show that *ruling* is heeded from now on."""
        about = ruling.entrant or f"game {ruling.number}"
        self._progress.console.print(
            f"ruled: {ruling.kind} {about}: {ruling.why}", highlight=False, markup=False
        )
        self._progress.update(self._bar, completed=standing.done, total=standing.planned)
        self.rulings[:] = self._ledger.rulings()
        self.games.clear()
        self.games.update((row.number, row) for row in self._ledger.results())
        self._tally = Tally.of(rated_games(self.games.values()))

    def finish(self, *, over: bool) -> None:
        """Show no leader any more: the table does. Say so if it was *over* from the beginning."""
        self._progress.update(self._bar, description=self._name)
        if over and self._idle:
            self._progress.update(self._bar, total=self._done)
            self._progress.console.print("nothing was left to play")

    def _count(self, row: GameRow) -> None:
        again = row.number in self.games
        self.games[row.number] = row
        if again:
            # What was counted before is void now. The ledger, which may be locked, is not asked.
            self._tally = Tally.of(rated_games(self.games.values()))
        else:
            self._tally.add(rated_games([row])[0])


class InterimTables:
    """Shows the table whenever so many games more are done, however many run at once."""

    def __init__(self, every: int, file: TournamentFile, line: ProgressLine) -> None:
        """Show the results that the *line* of progress has."""
        self._every = every
        self._file = file
        self._line = line
        self._done = 0

    def take(self, standing: Standing) -> None:
        """Show the table if it is due; the last one is the tournament's own."""
        due = self._every and standing.done % self._every == 0 and standing.done != self._done
        self._done = standing.done
        if due and standing.done != (standing.total or standing.planned):
            messages.print(f"after {standing.done} games")
            games = list(self._line.games.values())
            names = [bot.name for bot in self._file.bot]
            found = make_report(games, games, names, self._file, None, self._line.rulings)
            print_report(found, "text", False, messages)


class RateColumn(ProgressColumn):
    """Shows games a second."""

    def render(self, task: Task) -> Text:
        """Return the rate of *task*, or a dash before there is one."""
        return Text("-" if task.speed is None else f"{task.speed:.1f}/s")


@contextlib.contextmanager
def progress_bar(shown: bool) -> Iterator[Progress]:
    """Show a bar on the terminal while a block runs, if it is to be *shown*."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        RateColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=messages, disable=not shown) as progress:
        yield progress
