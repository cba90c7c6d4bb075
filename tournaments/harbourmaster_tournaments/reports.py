"""Tables of a tournament: for the terminal, and as JSON, CSV and Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from rich.cells import cell_len
from rich.table import Table as RichTable

from harbourmaster_tournaments.ledger import GameRow, Ruling, RulingKind
from harbourmaster_tournaments.ratings import (
    PoolTally,
    SprtState,
    Table,
    Tally,
    Terms,
    Verdict,
    crosstable,
    export,
    tables,
)
from harbourmaster_tournaments.ratings.crosstable import Crosstable
from harbourmaster_tournaments.running.rows import rated_games
from harbourmaster_tournaments.running.voids import VoidCount, count_voids
from harbourmaster_tournaments.schedules import Knockout, Progress, Schedule, Swiss

LEFT_OUT: Final = ("p99", "by seat", "score diff", "think", "points", "forfeits")
"""The columns that a terminal goes without if it is too narrow, the first ones first."""
VOID_HEADS: Final = ("bot", "involved", "caused", "forfeited")
DISQUALIFIED: Final = "DQ"
"""What a table shows instead of the rank of a disqualified bot."""
FORMATS: Final = ("text", "json", "csv", "markdown")


@dataclass(frozen=True, slots=True)
class Report:
    """The tables of a tournament's results."""

    tables: tuple[Table, ...]
    crosstables: tuple[Crosstable, ...]
    """One for each table, in its order of bots."""
    voids: tuple[Mapping[str, VoidCount], ...]
    """For each table, what void games its bots had a part in."""
    out: Mapping[str, Ruling] = field(default_factory=dict)
    """The rulings by which bots are out."""
    test: SprtState | None = None
    """How the sequential test stands, if there is one."""
    tested: tuple[str, ...] = ()
    """The two bots of that test: whether the first is better."""

    def out_of(self, table: Table) -> dict[str, Ruling]:
        """Return the rulings by which bots of *table* are out, in the order of its rows."""
        return {row.bot: self.out[row.bot] for row in table.rows if row.bot in self.out}

    def to_json(self) -> list[dict[str, Any]]:
        """Return the report as plain data."""
        parts = zip(self.tables, self.crosstables, self.voids, strict=True)
        test = {} if self.test is None else {"sequential_test": _test_facts(self.test)}
        return [
            {
                **export.table_to_json(table),
                "out": {
                    bot: {"ruling": ruling.kind.value, "who": ruling.who, "why": ruling.why}
                    for bot, ruling in self.out_of(table).items()
                },
                "voids": {bot: asdict(count) for bot, count in voids.items()},
                "crosstable": export.crosstable_to_json(cross),
                **test,
            }
            for table, cross, voids in parts
        ]

    def to_csv(self) -> str:
        """Return the tables as CSV, one after the other."""
        return "\n".join(
            export.table_to_csv(
                table, {bot: ruling.kind.value for bot, ruling in self.out_of(table).items()}
            )
            for table in self.tables
        )

    def to_markdown(self) -> str:
        """Return the tables and crosstables as Markdown."""
        parts = []
        for table, cross, voids in zip(self.tables, self.crosstables, self.voids, strict=True):
            out = self.out_of(table)
            parts += [f"## {table.pool}\n", export.table_to_markdown(table, _marks(out))]
            parts += [f"{remark}\n" for remark in _remarks(out)]
            if voids:
                lines = export.markdown(VOID_HEADS, _void_cells(voids), left={0})
                parts += ["\n".join(lines) + "\n"]
            parts += [export.crosstable_to_markdown(cross)]
        return "\n".join(parts)


def report(
    rows: Iterable[GameRow],
    entrants: Sequence[str],
    terms: Terms | None = None,
    empty: tuple[str, int] | None = None,
    *,
    played: Sequence[GameRow] = (),
    rulings: Sequence[Ruling] = (),
) -> Report:
    """Return the report of the results *rows*; *entrants* may name bots without a game.

    *empty* names the pool, and its number of seats, that is shown when no game counts. *played* are
    all rows of the ledger, for the counts of void games, and *rulings* all of its rulings, to tell
    who is out.
    """
    tally = Tally.of(rated_games(rows))
    if not tally.pools and empty is not None:
        tally.pools[empty[0]] = PoolTally(empty[1])
    found = tables(tally, entrants, terms)
    crosses = [crosstable(tally.pools[t.pool], [row.bot for row in t.rows]) for t in found]
    voids = [count_voids(row for row in played if row.pool == t.pool) for t in found]
    return Report(found, tuple(crosses), tuple(voids), _out(rulings))


def _out(rulings: Iterable[Ruling]) -> dict[str, Ruling]:
    """Return by which ruling a bot is out; the games of a disqualified one do not count."""
    leaving = (RulingKind.WITHDRAW, RulingKind.DISQUALIFY)
    out: dict[str, Ruling] = {}
    for kind in leaving:
        out.update((r.entrant, r) for r in rulings if r.kind is kind and r.entrant is not None)
    return out


def _marks(out: Mapping[str, Ruling]) -> dict[str, str]:
    """Return what stands instead of the rank of those whose games do not count."""
    return {bot: DISQUALIFIED for bot, r in out.items() if r.kind is RulingKind.DISQUALIFY}


def _remarks(out: Mapping[str, Ruling]) -> list[str]:
    """Return a sentence for each bot that is *out*."""
    words = {RulingKind.DISQUALIFY: "disqualified", RulingKind.WITHDRAW: "withdrawn"}
    return [
        " ".join(f"{bot} is {words[ruling.kind]} by {ruling.who}: {ruling.why}".split())
        for bot, ruling in out.items()
    ]


def leader(tally: Tally) -> str:
    """Return who leads the first table of *tally*, for a line of progress; empty without games."""
    found = tables(tally)
    if not found or not found[0].rows or found[0].rows[0].elo is None:
        return ""
    top = found[0].rows[0]
    return f"{top.bot} {top.mark}{top.elo:+.0f}"


def render(table: Table, width: int, out_of_it: Mapping[str, Ruling] | None = None) -> RichTable:
    """Return *table* for a terminal of *width* columns; a narrow one gets fewer columns.

    *out_of_it* holds the rulings by which bots of the table are out.
    """
    ruled = out_of_it or {}
    marks = _marks(ruled)
    heads = list(export.headings(table))
    rows = [dict(zip(heads, export.cells(table, row, marks), strict=True)) for row in table.rows]
    for head in LEFT_OUT:
        if _width(heads, rows) > width:
            heads.remove(head)
    hidden = [head for head in LEFT_OUT if head not in heads and head in export.headings(table)]
    remarks = [*table.warnings, *_remarks(ruled)]
    if hidden:
        remarks.append(f"a wider terminal also shows: {', '.join(hidden)}")
    out = RichTable(title=table.pool, caption="\n".join(remarks) or None)
    for head in heads:
        for part in _head_parts(head):
            left = part in ("bot", "forfeits")
            out.add_column(part, justify="left" if left else "right", no_wrap=True)
    for row in rows:
        out.add_row(*(part for head in heads for part in _parts(head, row[head])))
    return out


def _width(heads: Sequence[str], rows: Sequence[Mapping[str, str]]) -> int:
    """Return how many columns of a terminal a table takes."""
    texts = [_head_parts(head) for head in heads]
    total = 1
    for head, parts in zip(heads, texts, strict=True):
        cells = [parts, *(_parts(head, row[head]) for row in rows)]
        # Each column has a space on either side and a line behind it.
        total += sum(
            3 + max(_longest(cell) for cell in column) for column in zip(*cells, strict=True)
        )
    return total


def _longest(cell: str) -> int:
    return max(map(cell_len, cell.split("\n")))


def _head_parts(head: str) -> list[str]:
    return ["± 95 %"] if head == "±" else head.split("-")


def _parts(heading: str, cell: str) -> list[str]:
    """Return what *cell* shows below *heading*: wins, draws and losses apart, a forfeit a line."""
    if heading == "W-D-L":
        return cell.split("-")
    return [cell.replace(", ", "\n") if heading == "forfeits" else cell]


def render_voids(voids: Mapping[str, VoidCount]) -> RichTable | None:
    """Return *voids* for the terminal; `None` if there were none."""
    if not voids:
        return None
    out = RichTable(title="void games, played again")
    for heading in VOID_HEADS:
        out.add_column(heading, justify="left" if heading == "bot" else "right")
    for cells in _void_cells(voids):
        out.add_row(*cells)
    return out


def _void_cells(voids: Mapping[str, VoidCount]) -> list[list[str]]:
    return [
        [bot, str(count.involved), str(count.caused), str(count.forfeited)]
        for bot, count in voids.items()
    ]


def _test_facts(state: SprtState) -> dict[str, object]:
    return {**asdict(state), "verdict": state.verdict.value}


def sprt_line(state: SprtState, bots: Sequence[str]) -> str:
    """Return how the sequential test of two *bots* stands, as a line of text."""
    verdict = {
        Verdict.BETTER: f"{bots[0]} is better than {bots[1]}",
        Verdict.NOT_BETTER: f"{bots[0]} is not better than {bots[1]}",
        Verdict.UNDECIDED: f"undecided whether {bots[0]} is better than {bots[1]}",
    }[state.verdict]
    elo = "-" if state.elo is None else f"{state.elo:+.0f} ± {state.error:.0f}"
    return (
        f"sequential test: {verdict}, after {sum(state.pairs)} pairs; log-likelihood ratio "
        f"{state.ratio:.2f} in ({state.lower:.2f}, {state.upper:.2f}), Elo {elo}. {state.note}"
    ).rstrip()


def render_crosstable(cross: Crosstable) -> RichTable:
    """Return *cross* for the terminal: points out of games of each bot against each other."""
    out = RichTable(title="each against each: points / games")
    for heading in ("", *cross.bots):
        out.add_column(heading, justify="right" if heading else "left")
    order = range(len(cross.bots))
    for row in order:
        out.add_row(cross.bots[row], *(export.meeting(cross, row, column) for column in order))
    return out


def render_stage(schedule: Schedule, progress: Progress) -> RichTable | None:
    """Return the standings of a Swiss or the ties of a knockout; `None` for other formats."""
    if isinstance(schedule, Swiss):
        return _swiss(schedule, progress)
    return _knockout(schedule, progress) if isinstance(schedule, Knockout) else None


def _swiss(schedule: Swiss, progress: Progress) -> RichTable:
    out = RichTable(title="Swiss standings")
    for heading in ("place", "bot", "points", "Buchholz", "Sonneborn-Berger", "byes"):
        out.add_column(heading, justify="left" if heading == "bot" else "right")
    for place, row in enumerate(schedule.standings(progress), 1):
        out.add_row(
            str(place),
            row.name,
            export.number(row.points / 2),
            export.number(row.buchholz / 2),
            export.number(float(row.sonneborn_berger)),
            str(row.byes),
        )
    return out


def _knockout(schedule: Knockout, progress: Progress) -> RichTable:
    out = RichTable(title="Knockout")
    for heading in ("round", "tie", "through"):
        out.add_column(heading)
    for number, ties in enumerate(schedule.rounds(progress), 1):
        for tie in ties:
            names = " - ".join(name or "bye" for name in tie.entrants)
            out.add_row(str(number), names, tie.winner or ("nobody" if tie.decided else "open"))
    return out
