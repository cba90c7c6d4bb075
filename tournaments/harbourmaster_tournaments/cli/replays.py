"""`harbourmaster replay` and `harbourmaster explain`: records as text for people."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.json_format import MessageToDict

from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.records import check_chain, read_record
from harbourmaster_server.showing import Asked, FaultReport, Step, explain, show
from harbourmaster_server.showing.words import duration
from harbourmaster_tournaments.cli.common import Failure, JsonOption, print_json

RecordFile = Annotated[Path, typer.Argument(help="A record file.", metavar="RECORD")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    app.command(
        "replay",
        short_help="Go through a record step by step.",
        epilog="Example: harbourmaster replay game.hmr --seat 0",
    )(replay_record)
    app.command(
        "explain",
        short_help="Tell what went wrong in a match.",
        epilog="Example: harbourmaster explain game.hmr --json",
    )(explain_record)


def replay_record(
    file: RecordFile,
    *,
    seat: Annotated[
        int | None, typer.Option(help="Show only what this seat saw of the match.")
    ] = None,
    first: Annotated[int, typer.Option("--from", min=1, help="Begin with this decision.")] = 1,
    last: Annotated[int | None, typer.Option("--to", help="End with this decision.")] = None,
    pictures: Annotated[bool, typer.Option(help="Show the table at every decision.")] = True,
    pause: Annotated[
        bool, typer.Option("--step", help="Wait for Enter after every decision.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Go through a record step by step: views, moves, what changed, clocks, faults, the outcome."""
    steps = _between(show(load(file), seat), first, last)
    if as_json:
        print_json([_step_facts(step) for step in steps])
        return
    for step in steps:
        write(step_lines(step, pictures=pictures))
        if pause and step.kind in ("move", "forfeit"):
            input()


def explain_record(file: RecordFile, *, as_json: JsonOption = False) -> None:
    """Tell what went wrong in a match, and show what each bot had been asked when it did."""
    found = explain(load(file))
    if as_json:
        print_json([_report_facts(report) for report in found])
        return
    if not found:
        write(["Nothing went wrong: every decision was answered in time with a legal move."])
    for report in found:
        write(report_lines(report))


def load(file: Path) -> list[pb.RecordEntry]:
    """Return the entries of the record in *file*; raise `RecordError` or `Failure`."""
    entries = check_chain(read_record(file))
    if not entries:
        raise Failure(f"{file} is empty: it is no record")
    return entries


def write(lines: list[str], *, gap: bool = True) -> None:
    """Print *lines* as they are, without colours or wrapping, and a *gap* after them."""
    sys.stdout.write("\n".join(lines) + ("\n\n" if gap else "\n"))
    sys.stdout.flush()


def step_lines(step: Step, *, pictures: bool = True) -> list[str]:
    """Return *step* as lines of text."""
    lines = []
    if step.asked is not None:
        lines += asked_lines(step.asked, picture=pictures)
    lines.append(f"[{duration(step.elapsed_micros)}] {step.text}")
    lines += [f"  {text}" for text in step.details]
    lines += [f"  > {text}" for text in step.changes]
    if step.picture and pictures:
        lines += [f"    {line}" for line in step.picture.splitlines()]
    return lines


def report_lines(report: FaultReport) -> list[str]:
    """Return a fault as lines of text."""
    where = f"seat {report.seat} ({report.bot})"
    if report.decision:
        where += f", decision {report.decision}, attempt {report.attempt}"
    kind = str(report.kind).replace("_", " ")
    lines = [f"[{duration(report.elapsed_micros)}] {kind}: {where}"]
    lines.append(f"  {report.meaning}: {report.text}")
    if report.move:
        lines.append(f"  the refused move: {report.move}")
    if report.decision:
        lines.append(
            f"  the decision took {duration(report.taken_micros)} so far, of that "
            f"{duration(report.thought_micros)} charged"
        )
    lines.append(f"  then: {report.consequence}")
    if report.asked is not None:
        lines.append("  what the bot had been asked:")
        lines += [f"  {line}" for line in asked_lines(report.asked)]
    return lines


def asked_lines(asked: Asked, *, picture: bool = True) -> list[str]:
    """Return what a bot was asked as lines of text."""
    left = ""
    if asked.time_left_micros is not None:
        left = f", {duration(asked.time_left_micros)} left"
    lines = [f"-- decision {asked.decision}: seat {asked.seat} is asked{left}"]
    if picture:
        lines += [f"    {line}" for line in asked.picture.splitlines()]
    return lines


def _between(steps: Iterator[Step], first: int, last: int | None) -> Iterator[Step]:
    """Yield those of *steps* that belong to the decisions from *first* to *last*.

    What has no decision of its own goes with the one before it; what the match is goes first.
    """
    at = 0
    for step in steps:
        at = step.decision or at
        if step.kind == "start" or ((at >= first or first == 1) and (last is None or at <= last)):
            yield step


def _step_facts(step: Step) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "entry": step.number,
        "kind": step.kind,
        "elapsed_micros": step.elapsed_micros,
        "text": step.text,
        "details": step.details,
        "changes": step.changes,
    }
    for name in ("seat", "decision", "attempt"):
        if (value := getattr(step, name)) is not None:
            facts[name] = value
    if step.asked is not None:
        facts["asked"] = asked_facts(step.asked)
    if step.picture:
        facts["picture"] = step.picture
    if step.entry is not None:
        facts["record"] = MessageToDict(step.entry)
    return facts


def asked_facts(asked: Asked) -> dict[str, Any]:
    """Return what a bot was asked as JSON values; view and events are protobuf JSON."""
    return {
        "seat": asked.seat,
        "decision": asked.decision,
        "time_left_micros": asked.time_left_micros,
        "view": MessageToDict(asked.view),
        "events": [MessageToDict(event) for event in asked.events],
        "picture": asked.picture,
    }


def _report_facts(report: FaultReport) -> dict[str, Any]:
    return {
        "entry": report.number,
        "elapsed_micros": report.elapsed_micros,
        "seat": report.seat,
        "bot": report.bot,
        "decision": report.decision,
        "attempt": report.attempt,
        "kind": str(report.kind),
        "meaning": report.meaning,
        "text": report.text,
        "move": report.move,
        "refusal": None if report.refusal is None else MessageToDict(report.refusal),
        "taken_micros": report.taken_micros,
        "thought_micros": report.thought_micros,
        "consequence": report.consequence,
        "asked": None if report.asked is None else asked_facts(report.asked),
    }
