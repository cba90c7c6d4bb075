"""`harbourmaster bench`: how fast this referee is, here and now."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from harbourmaster_tournaments.bench.referee import Result, bench_referee
from harbourmaster_tournaments.cli.common import console, messages, run

app = typer.Typer(help="Measure how fast the referee and the games are.", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure how fast the referee and the games are."""


@app.command("referee", epilog="Example: harbourmaster bench referee --json bench.json")
def referee(
    *,
    game: Annotated[str, typer.Option(help="The game to play.")] = "anchorline",
    decisions: Annotated[int, typer.Option(min=1000, help="Decisions for each shape.")] = 30_000,
    out: Annotated[Path | None, typer.Option("--json", help="Also write JSON here.")] = None,
) -> None:
    """Measure the referee's own processor time for a decision, next to a bare echo."""
    with messages.status("") as status:
        result = run(bench_referee(game, decisions, status.update))
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(result.to_json(), indent=2) + "\n")
    _show(result)


def _show(result: Result) -> None:
    table = Table(title=f"{result.game} on {result.machine}, Python {result.python}")
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
