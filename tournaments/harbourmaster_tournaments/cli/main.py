"""The `harbourmaster` command: a wrong one fails in one sentence and exit 1."""

import errno
import json
import sys
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from harbourmaster_engine.game import Game, Option
from harbourmaster_engine.registry import games
from harbourmaster_server.errors import RefereeError
from harbourmaster_server.launching import LaunchError
from harbourmaster_server.matches.match import SERVER_VERSION
from harbourmaster_server.records import RecordError
from harbourmaster_server.unblocked import standard_error
from harbourmaster_tournaments.asking import CannotAsk
from harbourmaster_tournaments.cli import (
    benches,
    bots,
    demo,
    hosted,
    listing,
    matches,
    records,
    remote,
    replays,
    serving,
    tournaments,
)
from harbourmaster_tournaments.cli.common import Failure, console, print_json
from harbourmaster_tournaments.ledger import LedgerError
from harbourmaster_tournaments.running import TournamentStopped
from harbourmaster_tournaments.running.definition import BadTournamentFile
from harbourmaster_tournaments.schedules import ScheduleError
from harbourmaster_tournaments.serve_file import BadServeFile

EXPECTED = (
    Failure,
    RefereeError,
    LaunchError,
    RecordError,
    LedgerError,
    TournamentStopped,
    BadTournamentFile,
    BadServeFile,
    CannotAsk,
    ScheduleError,
)
"""What a user can cause: told in one sentence. Anything else is a bug, and shows its traceback."""

REFUSALS = (
    errno.EACCES,
    errno.EDQUOT,
    errno.EIO,
    errno.EISDIR,
    errno.EMFILE,
    errno.ENAMETOOLONG,
    errno.ENFILE,
    errno.ENOSPC,
    errno.ENOTDIR,
    errno.EPERM,
    errno.EROFS,
)
"""What the disk and the system answer when a file cannot be had: no bug either."""

app = typer.Typer(
    help="A headless referee for bot competitions.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
    epilog="Example: harbourmaster play --help",
    pretty_exceptions_enable=False,
)
serving.add_to(app)
matches.add_to(app)
records.add_to(app)
replays.add_to(app)
remote.add_to(app)
bots.add_to(app)
demo.add_to(app)
listing.add_to(tournaments.app)
hosted.add_to(tournaments.app)
app.add_typer(
    tournaments.app, name="tournament", epilog="Example: harbourmaster tournament run spring.toml"
)
app.add_typer(benches.app, name="bench", epilog="Example: harbourmaster bench referee")


def _tell_version(wanted: bool) -> None:
    if wanted:
        console.print(f"harbourmaster {SERVER_VERSION}", highlight=False)
        raise typer.Exit


@app.callback()
def every_command(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_tell_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A headless referee for bot competitions."""


@app.command("games", epilog="Example: harbourmaster games --json")
def list_games(*, as_json: bool = typer.Option(False, "--json", help="Print JSON.")) -> None:
    """List the games, with their seats and options."""
    if as_json:
        print_json([_game_facts(game) for game in games().values()])
        return
    for game in games().values():
        seats = f"{game.min_seats}" + (f" to {game.max_seats}" * (game.max_seats > game.min_seats))
        console.print(
            Text.assemble(
                (game.id, "bold"), f" ({game.name}), {seats} seats, rules {game.rules_version}"
            )
        )
        for option in game.options:
            mark = " (decided here)" if option.decided_here else ""
            default = _default(game, option)
            console.print(
                f"    {option.name}: {option.help}{default}{mark}", highlight=False, markup=False
            )
    console.print(
        "(decided here): the game's own text leaves it open. docs/games/ has each game in full."
    )


def _default(game: Game, option: Option) -> str:
    """Return the default of *option*, if it is one short value."""
    value = game.resolve(game.min_seats, {})[option.name]
    if not isinstance(value, bool | int | str):
        return ""
    where = f" with {game.min_seats} seats and no other option" if callable(option.default) else ""
    return f"; default {json.dumps(value)}{where}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    command = typer.main.get_command(app)
    try:
        code = command.main(args=arguments, prog_name="harbourmaster", standalone_mode=False)
    except typer.Exit as error:
        code = error.exit_code
    except typer.TyperException as error:
        code = _misused(error)
    except typer.Abort:
        code = _fail("interrupted")
    except Exception as error:
        expected, bugs = ExceptionGroup("", [error]).split(_is_expected)
        if bugs is not None or expected is None:
            raise
        code = _fail(_told(_first(expected)))
    sys.exit(code if isinstance(code, int) else 0)


def _misused(error: typer.TyperException) -> int:
    """Say what is wrong with the command line, and where its help is."""
    text = str(error)
    if text.startswith("Usage:"):
        standard_error().write(f"{text}\n")
        return 1
    context = getattr(error, "ctx", None)
    if context is None:
        return _fail(text)
    end = "" if text.endswith((".", "?")) else "."
    return _fail(f"{text}{end} See {context.command_path} --help")


def _is_expected(error: BaseException) -> bool:
    if isinstance(error, OSError) and not isinstance(error, EXPECTED):
        return error.errno in REFUSALS
    return isinstance(error, EXPECTED)


def _told(error: BaseException) -> str:
    if not isinstance(error, OSError) or isinstance(error, EXPECTED):
        return str(error)
    where = "" if error.filename is None else f"{error.filename}: "
    return f"{where}{error.strerror}: see to it, then try again"


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _fail(text: str) -> int:
    standard_error().write(f"harbourmaster: {text}\n")
    return 1


def _game_facts(game: Game) -> dict[str, object]:
    names = ("id", "name", "rules_version", "min_seats", "max_seats", "reasons")
    facts: dict[str, object] = {name: getattr(game, name) for name in names}
    facts["options"] = [
        {"name": option.name, "help": option.help, "decided_here": option.decided_here}
        for option in game.options
    ]
    return facts
