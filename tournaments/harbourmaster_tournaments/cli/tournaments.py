"""`harbourmaster tournament`: run one, go on with one, show its table."""

import asyncio
import contextlib
import shutil
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from harbourmaster_tournaments.cli.common import (
    Failure,
    JsonOption,
    LogJson,
    LogLevel,
    console,
    make_folder,
    make_log,
    messages,
    print_json,
    run,
    stop_on_signals,
)
from harbourmaster_tournaments.ledger import GameRow, Ledger
from harbourmaster_tournaments.ratings.export import table_to_json
from harbourmaster_tournaments.reports import rating_tables, render
from harbourmaster_tournaments.running import TournamentFile, read_file
from harbourmaster_tournaments.running.tournament import (
    FILE,
    LEDGER,
    load_secret,
    open_tournament,
    reveal,
)

app = typer.Typer(help="Run tournaments and show their tables.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The tournament's folder.")]


@app.command("run", epilog="Example: harbourmaster tournament run spring.toml --into spring")
def run_tournament(
    file: Annotated[Path, typer.Argument(help="The tournament file (TOML).")],
    *,
    into: Annotated[
        Path | None, typer.Option(help="The folder; by default the tournament's name.")
    ] = None,
    port: Annotated[int, typer.Option(help="The port for bots; 0 for a free one.")] = 0,
    as_json: JsonOption = False,
    log_level: LogLevel = "warning",
    log_json: LogJson = False,
) -> None:
    """Run a tournament; in a folder that has its ledger already, go on with it."""
    definition = read_file(file)
    folder = make_folder(into or Path(definition.tournament.name))
    if not (folder / FILE).exists():
        shutil.copyfile(file, folder / FILE)
    _run(folder, definition, port, as_json, log_level, log_json)


@app.command("resume", epilog="Example: harbourmaster tournament resume spring")
def resume(
    folder: Folder,
    *,
    port: Annotated[int, typer.Option(help="The port for bots; 0 for a free one.")] = 0,
    as_json: JsonOption = False,
    log_level: LogLevel = "warning",
    log_json: LogJson = False,
) -> None:
    """Go on with a tournament that was stopped: exactly what is missing is played."""
    if not (folder / FILE).exists():
        raise Failure(f"{folder} holds no tournament: there is no {FILE} in it")
    _run(folder, read_file(folder / FILE), port, as_json, log_level, log_json)


@app.command("table", epilog="Example: harbourmaster tournament table spring --json")
def table(folder: Folder, *, as_json: JsonOption = False) -> None:
    """Show the table as it stands; also while the tournament is running."""
    if not (folder / LEDGER).exists():
        raise Failure(f"{folder} holds no ledger: there is no {LEDGER} in it")
    with Ledger.open(folder / LEDGER, own=False) as ledger:
        _show(ledger, as_json)


def _run(
    folder: Path, file: TournamentFile, port: int, as_json: bool, log_level: str, log_json: bool
) -> None:
    log = make_log(log_level, as_json=log_json)
    with Ledger.open(folder / LEDGER) as ledger, _progress(not as_json) as progress:
        bar = progress.add_task(file.tournament.name, total=None)

        async def work() -> bool:
            def on_game(_: GameRow) -> None:
                standing = running.coordinator.standing
                progress.update(bar, completed=standing.done, total=standing.planned)

            async with open_tournament(
                folder, file, ledger, log, port=port, on_game=on_game
            ) as running:
                return await _until_done(running.coordinator.run())

        finished = run(work())
        if finished:
            reveal(folder, file, load_secret(folder, file))
        _show(ledger, as_json)
    _tell_where(folder, finished)


async def _until_done(work: Coroutine[None, None, None]) -> bool:
    """Run *work*; return whether it came to its end before a signal stopped it."""
    task = asyncio.create_task(work)
    stop_on_signals(task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        return False
    return True


@contextlib.contextmanager
def _progress(shown: bool) -> Iterator[Progress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("games"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=messages, disable=not shown) as progress:
        yield progress


def _show(ledger: Ledger, as_json: bool) -> None:
    entrants = [entrant.name for entrant in ledger.entrants()]
    found = rating_tables(ledger.results(), entrants)
    if as_json:
        print_json([table_to_json(each) for each in found])
        return
    for each in found:
        console.print(render(each))


def _tell_where(folder: Path, finished: bool) -> None:
    if not finished:
        messages.print(f"stopped; to go on: harbourmaster tournament resume {folder}")
    messages.print(f"records  {folder / 'records'}", highlight=False)
    messages.print(f"ledger   {folder / LEDGER}", highlight=False)
    messages.print(f"output   {folder / 'bots'}", highlight=False)
