"""`harbourmaster demo`: a round-robin on every game, between real bot processes."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from harbourmaster_engine.registry import games
from harbourmaster_tournaments.cli.common import Failure, console, make_folder
from harbourmaster_tournaments.cli.tournaments import run_tournament

BOTS = {
    "greedy": "python -m harbourmaster bot greedy",
    "random": "python -m harbourmaster bot random",
}
FAULTY = ("crashes", "python -m harbourmaster bot faulty --fault crash --after 9")
MAIN_GAME = "anchorline"


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(
        "demo",
        short_help="Play a round-robin on every game, and show the tables.",
        epilog="Example: harbourmaster demo --into demo",
    )(demo)


def demo(
    *,
    into: Annotated[Path, typer.Option(help="The folder; what is in it goes.")] = Path("demo"),
    bot: Annotated[
        list[str] | None,
        typer.Option(help="NAME=COMMAND: another bot for the round-robin; repeatable."),
    ] = None,
    game: Annotated[list[str] | None, typer.Option(help="Only these games; repeatable.")] = None,
) -> None:
    """Play a round-robin on every game between bots that come with it, and show the tables."""
    chosen = game or [MAIN_GAME, *(name for name in games() if name != MAIN_GAME)]
    if unknown := [name for name in chosen if name not in games()]:
        raise Failure(f"there is no game {unknown[0]!r}: there are {', '.join(games())}")
    make_folder(into)
    for name in chosen:
        bots = dict(BOTS)
        if name == MAIN_GAME:
            bots |= dict([*map(_named, bot or []), FAULTY])
        _run(into, name, bots)


def _run(into: Path, game: str, bots: dict[str, str]) -> None:
    folder = into / game
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir()
    file = into / f"{game}.toml"
    file.write_text(_definition(game, bots))
    console.print(Text.assemble("\n", (game, "bold"), f": {', '.join(bots)}"))
    run_tournament(file, into=folder, log_level="error")


def _definition(game: str, bots: dict[str, str]) -> str:
    """Return the tournament file for *game* and *bots*."""
    lines = [
        "[tournament]",
        f'name = "demo-{game}"',
        f'game = "{game}"',
        f"groups = {2 if game == MAIN_GAME else 3}",
        f'process = "{"per_game" if game == MAIN_GAME else "per_tournament"}"',
        "",
        "[clock]",
        'bank = "30s"',
        'increment = "100ms"',
    ]
    for name, command in bots.items():
        lines += ["", "[[bot]]", f'name = "{name}"', f"command = '{command}'"]
    return "\n".join(lines) + "\n"


def _named(text: str) -> tuple[str, str]:
    name, sign, command = text.partition("=")
    if not sign or not name or not command or "'" in text:
        raise Failure(f"--bot is {text!r}: write NAME=COMMAND, without single quotes")
    return name, command
