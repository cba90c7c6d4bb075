"""`harbourmaster bench`: how fast this referee is, here and now."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from harbourmaster_engine.game import Game
from harbourmaster_engine.registry import OWN
from harbourmaster_tournaments.bench.engine import Result as EngineResult
from harbourmaster_tournaments.bench.engine import bench_game
from harbourmaster_tournaments.bench.machine import Machine
from harbourmaster_tournaments.bench.others import bench_others
from harbourmaster_tournaments.bench.referee import Result, bench_referee
from harbourmaster_tournaments.bench.shares import Shares, all_shares
from harbourmaster_tournaments.cli.common import Failure, console, messages, run

SHARED_MATCHES = 24
"""How many matches of each format and number of seats are played for the shares of moves."""

app = typer.Typer(help="Measure how fast the referee and the games are.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure how fast the referee and the games are."""


@app.command(
    "referee",
    short_help="Measure what the referee costs for a decision.",
    epilog="Example: harbourmaster bench referee --json bench.json",
)
def referee(
    *,
    game: Annotated[str, typer.Option(help="The game to play.")] = "anchorline",
    decisions: Annotated[int, typer.Option(min=1000, help="Decisions for each shape.")] = 30_000,
    out: Annotated[Path | None, typer.Option("--json", help="Also write JSON here.")] = None,
) -> None:
    """Measure the referee's own processor time for a decision, next to a bare echo."""
    with messages.status("") as status:
        result = run(bench_referee(game, decisions, status.update))
    _write(out, result.to_json())
    _show(result)


@app.command(
    "engine",
    short_help="Measure how fast the games are.",
    epilog="Example: harbourmaster bench engine --game tide --json bench.json",
)
def engine(
    *,
    game: Annotated[list[str] | None, typer.Option(help="Only these games; repeatable.")] = None,
    repeats: Annotated[int, typer.Option(min=3, help="Repeats of which the median counts.")] = 7,
    shares: Annotated[
        bool, typer.Option("--shares", help="Show instead what random bots do, and score.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--json", help="Also write JSON here.")] = None,
) -> None:
    """Measure how fast the games are, next to the floors that this project has set itself."""
    if shares:
        _run_shares(_chosen(game), out)
    else:
        _run_engine(_chosen(game), repeats, out)


def _chosen(names: list[str] | None) -> list[Game]:
    own = {game.id: game for game in OWN}
    if unknown := [name for name in names or () if name not in own]:
        raise Failure(f"there is no game {unknown[0]!r} to measure: there are {', '.join(own)}")
    return [own[name] for name in names or own]


def _run_engine(chosen: list[Game], repeats: int, out: Path | None) -> None:
    with messages.status("") as status:
        figures = [f for game in chosen for f in bench_game(game, repeats, status.update)]
        others, missing = bench_others(repeats, status.update)
    result = EngineResult(Machine.here(), repeats, tuple(figures), tuple(others), tuple(missing))
    _write(out, result.to_json())
    _show_engine(result)


def _run_shares(chosen: list[Game], out: Path | None) -> None:
    found = []
    with messages.status("") as status:
        for game in chosen:
            status.update(f"{game.id}: random bots play")
            found += all_shares(game, SHARED_MATCHES)
    _write(out, [each.to_json() for each in found])
    _show_shares(found)


def _write(out: Path | None, data: object) -> None:
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def _show_engine(result: EngineResult) -> None:
    table = Table(title=f"{_place(result.machine)}, medians of {result.repeats}")
    for heading in ("game", "what", "measured", "floor", "reached", ""):
        table.add_column(heading, justify="right" if heading in ("measured", "floor") else "left")
    for figure in (*result.figures, *result.others):
        table.add_row(
            figure.form,
            figure.what,
            _number(figure.value, figure.unit),
            "" if figure.floor is None else _number(figure.floor, figure.unit),
            {None: "", True: "yes", False: "NO"}[figure.reached],
            figure.note,
        )
    console.print(table)
    for sentence in result.missing:
        console.print(sentence)


def _place(machine: Machine) -> str:
    return f"{machine.name}, Python {machine.python}, commit {machine.commit or 'unknown'}"


def _number(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"


def _show_shares(found: list[Shares]) -> None:
    table = Table(title=f"Random bots, {SHARED_MATCHES} matches each")
    for heading in ("game", "seats", "shares of the moves", "mean scores"):
        table.add_column(heading)
    for each in found:
        kinds = [f"{kind} {each.share(kind):.1%}" for kind, _ in each.made.most_common()]
        points = ", ".join(f"{score:.1f}" for score in each.points)
        table.add_row(each.form, str(each.seats), ", ".join(kinds), points)
    console.print(table)


def _show(result: Result) -> None:
    table = Table(title=f"{result.game} on {_place(result.machine)}")
    for heading in ("", "µs / decision", "echo µs", "ratio", "decisions", "records good", "bytes"):
        table.add_column(heading, justify="left" if not heading else "right")
    for line in result.lines:
        table.add_row(
            line.name,
            f"{line.micros:.0f}",
            f"{line.echo_micros:.0f} ({line.echo_streams})",
            f"{line.ratio:.2f}",
            str(line.decisions),
            f"{line.verified} of {line.matches}",
            f"{line.bytes_out} out, {line.bytes_in} in",
        )
    console.print(table)
