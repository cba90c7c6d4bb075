"""`harbourmaster tournament games`: which games there were, how they ended, and their records."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.table import Table as RichTable

from harbourmaster_tournaments.cli.common import Failure, JsonOption, console, print_json
from harbourmaster_tournaments.cli.tournaments import Folder, LedgerPlace, ledger_place
from harbourmaster_tournaments.ledger import GameRow, JudgedGame, Ledger, judge


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(
        "games",
        short_help="List the games, how they ended, and their records.",
        epilog="Example: harbourmaster tournament games spring --bot greedy --lost",
    )(list_games)


def list_games(
    folder: Folder,
    *,
    bot: Annotated[str | None, typer.Option(help="Only the games of this bot.")] = None,
    lost: Annotated[
        bool, typer.Option("--lost", help="Only those in which --bot was not first.")
    ] = False,
    ledger: LedgerPlace = None,
    as_json: JsonOption = False,
) -> None:
    """List the games, how they ended, and their records; also while the tournament is running.

    A game's number is what `tournament rule` takes, its match what names the record.
    """
    if lost and bot is None:
        raise Failure("--lost is about one bot: give its name with --bot")
    with Ledger.open(ledger_place(folder, ledger), own=False) as opened:
        judged = judge(opened.games(), opened.rulings())
        names = [entrant.name for entrant in opened.entrants()]
    if bot is not None and bot not in names:
        raise Failure(f"there is no bot {bot!r} in this tournament: it has {', '.join(names)}")
    found = [game for game in judged if _wanted(game, bot, lost)]
    if as_json:
        print_json([_facts(game) for game in found])
        return
    console.print(_render(found))
    void = sum(game.void is not None for game in found)
    counted = f"{len(found)} game{'' if len(found) == 1 else 's'}"
    console.print(f"{counted}, {void} of them void" if void else counted, highlight=False)


def _wanted(game: JudgedGame, bot: str | None, lost: bool) -> bool:
    if bot is None:
        return True
    if bot not in game.row.entrants:
        return False
    return not lost or (game.void is None and _place(game.row, bot) > 1)


def _place(row: GameRow, bot: str) -> int:
    return row.placements[row.entrants.index(bot)]


def _facts(game: JudgedGame) -> dict[str, Any]:
    """Return *game* as plain data, without the distribution of its think times."""
    facts = asdict(game.row)
    del facts["think"]
    return {**facts, "void_cause": game.void}


def _render(games: Iterable[JudgedGame]) -> RichTable:
    out = RichTable()
    out.add_column("game", justify="right", no_wrap=True)
    out.add_column("match", no_wrap=True)
    out.add_column("places, by seat")
    out.add_column("end")
    for game in games:
        row = game.row
        number = str(row.number) if row.attempt == 1 else f"{row.number}, try {row.attempt}"
        places = zip(row.entrants, row.placements, row.scores, strict=True)
        shown = "\n".join(f"{place}  {name} ({score})" for name, place, score in places)
        out.add_row(number, row.match_id or "-", shown, _end(game))
    return out


def _end(game: JudgedGame) -> str:
    """Return why *game* ended, and who forfeited why."""
    if game.void is not None:
        return f"void: {game.void}"
    row = game.row
    faults: Sequence[str] = [
        f"{name}: {why}" for name, why in zip(row.entrants, row.forfeits, strict=True) if why
    ]
    return "\n".join(faults) or row.reason
