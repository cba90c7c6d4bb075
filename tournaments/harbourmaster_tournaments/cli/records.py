"""`harbourmaster verify`: what a record proves."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from harbourmaster_server.records import RecordError
from harbourmaster_server.records.signing import read_public_key
from harbourmaster_server.verify import Report, verify_file
from harbourmaster_tournaments.cli.common import Failure, JsonOption, console, print_json


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command(
        "verify",
        short_help="Check records, and say what they prove.",
        epilog="Example: harbourmaster verify data/records/*.hmr",
    )(verify)


def verify(
    files: Annotated[list[Path], typer.Argument(help="Record files.", metavar="FILE…")],
    *,
    key: Annotated[
        Path | None,
        typer.Option(help="The referee's public key; by default referee.pub by the records."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Deal again, play again, judge again: check records, and say what they prove."""
    reports: list[dict[str, object]] = []
    failed = False
    for path in files:
        try:
            report = verify_file(path, _trusted_key(path, key))
        except RecordError as error:
            failed = True
            reports.append({"file": str(path), "good": False, "why": str(error)})
            if not as_json:
                console.print(Text.assemble(("BAD", "red"), f"  {path}: {error}"))
        else:
            reports.append({"file": str(path), "good": True, **asdict(report)})
            if not as_json:
                _show(path, report)
    if as_json:
        print_json(reports)
    if failed:
        raise typer.Exit(1)


def _trusted_key(path: Path, key: Path | None) -> bytes | None:
    """Return the key to believe: the one given, or the one that the referee left by its records."""
    beside = path.parent.parent / "referee.pub"
    if key is None and not beside.exists():
        return None
    try:
        return read_public_key(key or beside)
    except ValueError as error:
        raise Failure(str(error)) from None


def _show(path: Path, report: Report) -> None:
    console.print(
        Text.assemble(
            ("GOOD", "green"),
            f" {path}: {report.game}, {report.moves} moves; {report.outcome}",
        ),
        highlight=False,
    )
    console.print(f"     game_hash {report.game_hash}", highlight=False)
    for text in report.proved:
        console.print(f"     proved: {text}", highlight=False)
    for text in report.signed_only:
        console.print(f"     signed, not proved: {text}", highlight=False)
    for text in report.warnings:
        console.print(Text.assemble("     ", ("warning:", "yellow"), f" {text}"))
