"""Making and printing the tables of a tournament."""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.console import Console

from harbourmaster_tournaments.cli.common import Failure, print_json
from harbourmaster_tournaments.ledger import GameRow, Ruling
from harbourmaster_tournaments.ratings import Terms
from harbourmaster_tournaments.reports import (
    Report,
    render,
    render_crosstable,
    render_voids,
    report,
    sprt_line,
)
from harbourmaster_tournaments.running import TournamentFile
from harbourmaster_tournaments.running.trial import Trial


def make_report(
    results: Iterable[GameRow],
    played: Sequence[GameRow],
    entrants: Sequence[str],
    file: TournamentFile | None,
    anchor: str | None,
    rulings: Sequence[Ruling] = (),
) -> Report:
    """Return the tables of the *results* that count, and of the voids among all that was *played*.

    *rulings* tell who is out.
    *anchor* is what `--anchor` says, if it was given.
    """
    empty = (file.pool(), file.tournament.seats) if file is not None else None
    counted = list(results)
    terms = table_terms(anchor, file)
    found = report(counted, entrants, terms, empty, played=played, rulings=rulings)
    if file is None or file.sprt is None or not entrants:
        return found
    trial = Trial(file.sprt.terms(), entrants[0])
    trial.begin(counted)
    return replace(found, test=trial.state(), tested=tuple(entrants))


def print_report(found: Report, form: str, cross: bool, out: Console) -> None:
    """Print *found* in a *form*: text to *out*, everything else to standard output."""
    if form == "json":
        print_json(found.to_json())
    elif form != "text":
        sys.stdout.write(found.to_csv() if form == "csv" else found.to_markdown())
    else:
        for table, crossed, voids in zip(found.tables, found.crosstables, found.voids, strict=True):
            out.print(render(table, out.width, found.out_of(table)))
            if (shown := render_voids(voids)) is not None:
                out.print(shown)
            if cross:
                out.print(render_crosstable(crossed))
        if found.test is not None:
            out.print(sprt_line(found.test, found.tested), highlight=False)


def table_terms(anchor: str | None, file: TournamentFile | None) -> Terms:
    """Return the terms of the table: the file's, unless an *anchor* is named."""
    terms = file.rating.terms() if file is not None else Terms()
    if anchor is None:
        return terms
    name, _, rating = anchor.rpartition("=")
    try:
        return replace(terms, anchor=name, anchor_rating=float(rating))
    except ValueError:
        raise Failure(f"--anchor is {anchor!r}: write BOT=RATING, such as random=1000") from None
