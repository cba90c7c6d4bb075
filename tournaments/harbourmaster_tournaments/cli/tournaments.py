"""`harbourmaster tournament`: run one, go on with one, show its table."""

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer

from harbourmaster_server.files import PUBLIC, write_whole
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
from harbourmaster_tournaments.cli.progress import InterimTables, ProgressLine, progress_bar
from harbourmaster_tournaments.cli.tables import make_report, print_report
from harbourmaster_tournaments.ledger import (
    GameRow,
    Ledger,
    LedgerBusy,
    Ruling,
    RulingKind,
    effective,
)
from harbourmaster_tournaments.ledger.transfer import read_lines, write_lines
from harbourmaster_tournaments.reports import (
    FORMATS,
    render_stage,
)
from harbourmaster_tournaments.running import Listening, Standing, TournamentFile, read_file
from harbourmaster_tournaments.running.tournament import (
    FILE,
    LEDGER,
    REVEAL,
    load_secret,
    make_schedule,
    open_tournament,
    reveal,
)

REPLAYED = (
    "to play its rotation group again: harbourmaster tournament resume {folder}. The seed has been "
    "revealed, so that others can work out the new deal beforehand"
)
"""What a void ruling means once the tournament is over."""

app = typer.Typer(help="Run tournaments and show their tables.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The tournament's folder.")]
LedgerPlace = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        envvar="HARBOURMASTER_LEDGER",
        help="A PostgreSQL URL or a file, instead of ledger.sqlite in the folder.",
    ),
]
Host = Annotated[str, typer.Option(help="Where to listen; bots on other machines dial in.")]
TlsCert = Annotated[Path | None, typer.Option(help="A certificate chain (PEM).")]
TlsKey = Annotated[Path | None, typer.Option(help="The certificate's key (PEM).")]
Insecure = Annotated[bool, typer.Option(help="Allow plain text on an address off the loopback.")]
Force = Annotated[
    str | None,
    typer.Option("--force", help="Why: record changed bots or terms, instead of refusing them."),
]


TableEvery = Annotated[
    int,
    typer.Option(min=0, help="Show the table after every so many games too; 0 for the end alone."),
]


@app.command(
    "run",
    short_help="Run a tournament, or go on with it.",
    epilog="Example: harbourmaster tournament run spring.toml --into spring",
)
def run_tournament(
    file: Annotated[Path, typer.Argument(help="The tournament file (TOML).")],
    *,
    into: Annotated[
        Path | None, typer.Option(help="The folder; by default the tournament's name.")
    ] = None,
    host: Host = "localhost",
    port: Annotated[int, typer.Option(help="The port for bots; 0 for a free one.")] = 0,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    insecure: Insecure = False,
    ledger: LedgerPlace = None,
    force: Force = None,
    table_every: TableEvery = 0,
    as_json: JsonOption = False,
    log_level: LogLevel = "warning",
    log_json: LogJson = False,
) -> None:
    """Run a tournament; in a folder that has its ledger already, go on with it."""
    definition = read_file(file)
    folder = make_folder(into or Path(definition.tournament.name))
    if not (folder / FILE).exists():
        _keep(file, folder)
    log = make_log(log_level, as_json=log_json)
    listening = Listening(host, port, _tls(tls_cert, tls_key), insecure)
    _run(folder, definition, ledger, listening, force, table_every, as_json, log, file)


@app.command(
    "resume",
    short_help="Go on with a tournament that was stopped.",
    epilog="Example: harbourmaster tournament resume spring",
)
def resume(
    folder: Folder,
    *,
    host: Host = "localhost",
    port: Annotated[int, typer.Option(help="The port for bots; 0 for a free one.")] = 0,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    insecure: Insecure = False,
    ledger: LedgerPlace = None,
    force: Force = None,
    table_every: TableEvery = 0,
    as_json: JsonOption = False,
    log_level: LogLevel = "warning",
    log_json: LogJson = False,
) -> None:
    """Go on with a tournament that was stopped: exactly what is missing is played."""
    if not (folder / FILE).exists():
        raise Failure(f"{folder} holds no tournament: there is no {FILE} in it")
    log = make_log(log_level, as_json=log_json)
    listening = Listening(host, port, _tls(tls_cert, tls_key), insecure)
    _run(folder, read_file(folder / FILE), ledger, listening, force, table_every, as_json, log)


@app.command(
    "table",
    short_help="Show the table as it stands.",
    epilog="Example: harbourmaster tournament table spring --format markdown",
)
def table(
    place: Annotated[
        Path, typer.Argument(help="The tournament's folder, or a file of games (JSON lines).")
    ],
    *,
    as_json: JsonOption = False,
    form: Annotated[str, typer.Option("--format", help="text, json, csv or markdown.")] = "text",
    ledger: LedgerPlace = None,
    cross: Annotated[
        bool, typer.Option("--crosstable", help="Also show each against each.")
    ] = False,
    anchor: Annotated[
        str | None, typer.Option(help="BOT=RATING: a bot whose rating is given.")
    ] = None,
) -> None:
    """Show the table as it stands; also while the tournament is running."""
    form = "json" if as_json else form
    if form not in FORMATS:
        raise Failure(f"--format is {form!r}: it takes {', '.join(FORMATS)}")
    if place.is_file():
        games, rulings = _read_games(place)
        if not games:
            raise Failure(f"{place} holds no games: it needs one in JSON on each line")
        counted = effective(games, rulings)
        idle = _without_a_game(counted, games, rulings)
        found = make_report(counted, games, idle, None, anchor, rulings)
        print_report(found, form, cross, console)
        return
    with Ledger.open(ledger_place(place, ledger), own=False) as opened:
        file = read_file(place / FILE) if (place / FILE).exists() else None
        _show(opened, file, form, cross, anchor)


@app.command(
    "rule",
    epilog=(
        "Example: harbourmaster tournament rule void spring --game 7 --why 'the network was down'"
    ),
)
def rule(
    kind: Annotated[
        str, typer.Argument(help="void or correct (a game), disqualify or withdraw (a bot).")
    ],
    folder: Folder,
    *,
    why: Annotated[str, typer.Option(help="The reason, for everybody to read.")],
    game: Annotated[int | None, typer.Option(help="The game's number.")] = None,
    bot: Annotated[str | None, typer.Option(help="The bot's name.")] = None,
    placements: Annotated[
        str | None, typer.Option(help="correct: the places by seat, such as 1,2.")
    ] = None,
    who: Annotated[str, typer.Option(help="Who rules.")] = "organiser",
    ledger: LedgerPlace = None,
    as_json: JsonOption = False,
) -> None:
    """Rule on a game or a bot, also while the tournament is running.

    Rulings are added to the ledger; nothing in it is changed.
    """
    kinds = [each.value for each in RulingKind]
    if kind not in kinds:
        raise Failure(f"{kind!r} is no ruling: there are {', '.join(kinds)}")
    ruled = RulingKind(kind)
    about_game = ruled in (RulingKind.VOID, RulingKind.CORRECT)
    if (game is None) == about_game or (bot is None) != about_game:
        raise Failure(f"to {kind} is to rule on a {_about(about_game)}, and on nothing else")
    if (placements is not None) != (ruled is RulingKind.CORRECT):
        raise Failure("--placements goes with correct, and correct needs it: such as 1,2")
    change: dict[str, Any] = {} if placements is None else {"placements": _places(placements)}
    with Ledger.open_to_rule(ledger_place(folder, ledger)) as opened:
        ruling = opened.rule(ruled, who=who, why=why, number=game, entrant=bot, change=change)
    if as_json:
        print_json({**asdict(ruling), "kind": ruling.kind.value})
    else:
        about = bot or f"game {game}"
        console.print(f"ruled: {ruling.kind} {about}: {why}", highlight=False, markup=False)
    if ruled is RulingKind.VOID and (folder / REVEAL).exists():
        messages.print(REPLAYED.format(folder=folder), highlight=False)


@app.command(
    "export",
    short_help="Print every game and ruling as JSON lines.",
    epilog="Example: harbourmaster tournament export spring > games.jsonl",
)
def export_games(folder: Folder, *, ledger: LedgerPlace = None) -> None:
    """Print every game and ruling as JSON lines; `tournament table` reads such a file."""
    with Ledger.open(ledger_place(folder, ledger), own=False) as opened:
        for line in write_lines(opened.games(), opened.rulings()):
            sys.stdout.write(line + "\n")


def _keep(file: Path, folder: Path) -> None:
    """Keep the tournament *file* in its *folder*; it may be the one that is kept there."""
    write_whole(folder / FILE, file.read_bytes(), mode=PUBLIC)


def _tls(cert: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    if (cert is None) != (key is None):
        raise Failure("--tls-cert and --tls-key belong together: give both")
    return (cert, key) if cert is not None and key is not None else None


def _places(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise Failure(f"--placements is {text!r}: write the places by seat, such as 1,2") from None


def _read_games(path: Path) -> tuple[list[GameRow], list[Ruling]]:
    try:
        return read_lines(path.read_text(encoding="utf-8").splitlines(), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise Failure(f"cannot read {path}: {error}") from None


def _without_a_game(
    counted: Sequence[GameRow], games: Sequence[GameRow], rulings: Sequence[Ruling]
) -> list[str]:
    """Return the bots that *games* and *rulings* name, and that are in no game that is *counted*.

    A file names no entrants: without this a disqualified bot would be gone without a word.
    """
    named = [name for game in games for name in game.entrants]
    named += [ruling.entrant for ruling in rulings if ruling.entrant is not None]
    seated = {name for game in counted for name in game.entrants}
    return [name for name in dict.fromkeys(named) if name not in seated]


def _about(game: bool) -> str:
    return "game: give its number with --game" if game else "bot: give its name with --bot"


def ledger_place(folder: Path, place: str | None) -> str | Path:
    """Return where the ledger is; raise `Failure` if there is none in *folder*, and no *place*."""
    if place is None and not (folder / LEDGER).exists():
        raise Failure(f"{folder} holds no ledger: there is no {LEDGER} in it")
    return place or folder / LEDGER


def _run(
    folder: Path,
    file: TournamentFile,
    place: str | None,
    listening: Listening,
    force: str | None,
    table_every: int,
    as_json: bool,
    log: structlog.stdlib.BoundLogger,
    source: Path | None = None,
) -> None:
    """Run the tournament of *file*, read from *source*, which stays in the folder once it is on."""
    name = file.tournament.name
    with Ledger.open(place or folder / LEDGER) as ledger, progress_bar(not as_json) as progress:
        line = ProgressLine(progress, name, ledger)
        interim = InterimTables(table_every, file, line)

        async def work() -> bool:
            opened = open_tournament(
                folder,
                file,
                ledger,
                log,
                listening=listening,
                force=force,
                on_game=on_game,
                on_ruling=line.heed,
            )
            async with opened as running:
                if source is not None:
                    _keep(source, folder)
                messages.print(f"seed commitment {running.secret.commitment(name)}")
                messages.print(f"bots dial {running.house.server.address}", highlight=False)
                done = await _until_done(running.coordinator.run(), ledger)
                if done:
                    running.house.referee.dismiss(f"the tournament {name} is over")
                return done

        def on_game(row: GameRow, standing: Standing) -> None:
            line.take(row, standing)
            interim.take(standing)

        finished = run(work())
        line.finish(over=finished)
        if finished:
            reveal(folder, file, load_secret(folder, file))
        where = ledger.place
        try:
            _show(ledger, file, "json" if as_json else "text", False, None)
        except LedgerBusy as error:
            if finished:
                raise
            messages.print(f"no table: {error}", highlight=False)
    _tell_where(folder, where, finished)


async def _until_done(work: Coroutine[None, None, None], ledger: Ledger) -> bool:
    """Run *work*; return whether it came to its end before a signal stopped it.

    Then nobody waits for a locked ledger any more: what it lacks is in the records.
    """
    task = asyncio.create_task(work)

    def stop() -> None:
        ledger.hurry()
        task.cancel()

    stop_on_signals(stop)
    try:
        await task
    except asyncio.CancelledError:
        return False
    return True


def _show(
    ledger: Ledger, file: TournamentFile | None, form: str, cross: bool, anchor: str | None
) -> None:
    entrants = [entrant.name for entrant in ledger.entrants()]
    rulings = ledger.rulings()
    found = make_report(ledger.results(), ledger.games(), entrants, file, anchor, rulings)
    print_report(found, form, cross, console)
    if form == "text" and file is not None:
        stage = render_stage(
            make_schedule(file, ledger.entrants()), ledger.progress(with_games=True)
        )
        if stage is not None:
            console.print(stage)


def _tell_where(folder: Path, ledger: str, finished: bool) -> None:
    if not finished:
        messages.print(f"stopped; to go on: harbourmaster tournament resume {folder}")
    messages.print(f"records  {folder / 'records'}", highlight=False)
    messages.print(f"ledger   {ledger}", highlight=False)
    messages.print(f"output   {folder / 'bots'}", highlight=False)
