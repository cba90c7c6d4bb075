"""`harbourmaster verify`: what a record proves."""

from collections import Counter
from collections.abc import Iterable, Sequence
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
    files: Annotated[
        list[Path],
        typer.Argument(help="Record files, or folders that hold some.", metavar="FILE…"),
    ],
    *,
    key: Annotated[
        Path | None,
        typer.Option(help="The referee's public key; by default referee.pub by the records."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Deal again, play again, judge again: check records, and say what they prove."""
    facts: list[dict[str, object]] = []
    good: list[Report] = []
    for path in _find(files):
        try:
            report = verify_file(path, _trusted_key(path, key))
        except RecordError as error:
            facts.append({"file": str(path), "good": False, "why": str(error)})
            line = Text.assemble(("BAD", "red"), f"  {path}: {error}")
        else:
            good.append(report)
            facts.append({"file": str(path), "good": True, **asdict(report)})
            what = f" {path}: {report.game}, {report.moves} moves; {report.outcome}"
            line = Text.assemble(("GOOD", "green"), what)
        if not as_json:
            console.print(line, highlight=False)
    if as_json:
        print_json(facts)
    else:
        _sum_up(good, len(facts))
    if len(good) < len(facts):
        raise typer.Exit(1)


def _find(places: Iterable[Path]) -> list[Path]:
    """Return the record files at *places*, each once: a folder's own, and those in `records`."""
    found: list[Path] = []
    for place in places:
        if not place.is_dir():
            found.append(place)
            continue
        inside = sorted([*place.glob("*.hmr"), *place.glob("records/*.hmr")])
        if not inside:
            raise Failure(f"{place} holds no records: there is no .hmr file in it or its records")
        found += inside
    return list({path.resolve(): path for path in found}.values())


def _trusted_key(path: Path, key: Path | None) -> bytes | None:
    """Return the key to believe: the one given, or the one that the referee left by its records."""
    beside = path.parent.parent / "referee.pub"
    if key is None and not beside.exists():
        return None
    try:
        return read_public_key(key or beside)
    except ValueError as error:
        raise Failure(str(error)) from None


def _sum_up(good: Sequence[Report], total: int) -> None:
    """Print how many records are good, and once what holds of them."""
    if len(good) == 1:
        console.print(f"game_hash {good[0].game_hash}", highlight=False)
    for head, texts in (
        ("proved:", [report.proved for report in good]),
        ("signed, not proved:", [report.signed_only for report in good]),
        ("warning:", [report.warnings for report in good]),
    ):
        for text, count in Counter(each for told in texts for each in told).items():
            share = "" if count == total else f" (of {_counted(count)})"
            style = "yellow" if head == "warning:" else ""
            console.print(Text.assemble((head, style), f" {text}{share}"), highlight=False)
    found = f"{_counted(total)}: {len(good)} good, {total - len(good)} bad"
    console.print(found, highlight=False)


def _counted(records: int) -> str:
    return f"{records} record{'' if records == 1 else 's'}"
