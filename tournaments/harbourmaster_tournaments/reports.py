"""Tables of a tournament for the terminal."""

from collections.abc import Iterable, Sequence

from rich.table import Table as RichTable

from harbourmaster_tournaments.ledger import GameRow
from harbourmaster_tournaments.ratings import Row, Table, Tally, tables
from harbourmaster_tournaments.running.rows import rated_games


def rating_tables(rows: Iterable[GameRow], entrants: Sequence[str]) -> tuple[Table, ...]:
    """Return the rating tables of the results *rows*."""
    tally = Tally()
    for game in rated_games(rows):
        tally.add(game)
    return tables(tally, entrants)


def render(table: Table) -> RichTable:
    """Return *table* for the terminal."""
    two = table.seats == 2
    out = RichTable(title=table.pool, caption="\n".join(table.warnings) or None)
    results = ("W", "D", "L") if two else ("place",)
    for heading in ("rank", "bot", "Elo", "± 95 %", "games", "points", *results):
        out.add_column(heading, justify="left" if heading == "bot" else "right")
    out.add_column("forfeits")
    out.add_column("think mean / p99", justify="right")
    for row in table.rows:
        out.add_row(*_cells(row, two=two))
    return out


def _cells(row: Row, *, two: bool) -> list[str]:
    standing = row.standing
    if two:
        results = [str(n) for n in (standing.wins, standing.draws, standing.losses)]
    else:
        results = ["-" if standing.placement is None else f"{standing.placement:.2f}"]
    forfeits = ", ".join(f"{reason} {count}" for reason, count in standing.forfeits)
    return [
        "-" if row.rank is None else str(row.rank),
        row.bot,
        "-" if row.elo is None else f"{row.mark}{row.elo:+.0f}",
        "-" if row.error is None else f"{row.error:.0f}",
        str(standing.games),
        f"{standing.points:g}",
        *results,
        forfeits or "-",
        _think(row),
    ]


def _think(row: Row) -> str:
    mean, p99 = row.standing.think.mean, row.standing.think.p99
    if mean is None or p99 is None:
        return "-"
    return f"{mean / 1000:.1f} / {p99 / 1000:.1f} ms"
