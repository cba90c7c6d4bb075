"""Tables as JSON, CSV and Markdown: pure functions that return text."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from harbourmaster_tournaments.ratings.crosstable import Crosstable
from harbourmaster_tournaments.ratings.overall import Overall
from harbourmaster_tournaments.ratings.table import Row, Table

NOTHING = "-"
"""Shown where there is no number."""


def table_to_json(table: Table) -> dict[str, object]:
    """Return *table* as plain data: `null` where there is no number, never NaN or Infinity.

    Ratings are in Elo, think times in microseconds.
    """
    return {
        "pool": table.pool,
        "seats": table.seats,
        "games": table.games,
        "forfeits": table.forfeits,
        "seat_effects": table.seat_effects,
        "variance_factor": table.variance_factor,
        "warnings": table.warnings,
        "rows": [_row_to_json(row) for row in table.rows],
        "superiority": table.superiority,
    }


def _row_to_json(row: Row) -> dict[str, object]:
    standing = row.standing
    return {
        "rank": row.rank,
        "bot": row.bot,
        "elo": row.elo,
        "error": row.error,
        "mark": row.mark,
        "games": standing.games,
        "unplayed": standing.unplayed,
        "points": _short(standing.points),
        "wins": standing.wins,
        "draws": standing.draws,
        "losses": standing.losses,
        "placement": None if standing.placement is None else _short(standing.placement),
        "score_difference": _short(standing.score_difference),
        "seats": [{"games": s.games, "points": _short(s.points)} for s in standing.seats],
        "forfeits": dict(standing.forfeits),
        "think_mean": _optional(standing.think.mean),
        "think_p99": _optional(standing.think.p99),
    }


def overall_to_json(table: Overall) -> dict[str, object]:
    """Return the overall *table* as plain data."""
    return {"pools": table.pools, "rows": [asdict(row) for row in table.rows]}


def overall_to_markdown(table: Overall) -> str:
    """Return the overall *table* as a Markdown table with a column for each pool."""
    heads = ["rank", "bot", "Elo", "±", "games", "points", *table.pools]
    rows = [
        [
            *(NOTHING if row.rank is None else str(row.rank), row.bot, whole(row.elo)),
            *(whole(row.error), str(row.games), number(row.points)),
            *(whole(elo) for elo in row.pools),
        ]
        for row in table.rows
    ]
    return "\n".join(markdown(heads, rows, left={1})) + "\n"


def whole(value: float | None) -> str:
    """Return *value* as a whole number, or `-` for none."""
    return NOTHING if value is None else f"{value:.0f}"


def crosstable_to_json(cross: Crosstable) -> dict[str, object]:
    """Return *cross* as plain data."""
    return {"bots": cross.bots, "wins": cross.wins, "draws": cross.draws}


def dumps(data: object) -> str:
    """Return *data* as JSON text with sorted keys; raise `ValueError` at a NaN or an Infinity."""
    return json.dumps(data, allow_nan=False, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


COLUMNS = (
    *("rank", "bot", "elo", "error", "mark", "games", "unplayed", "points"),
    *("wins", "draws", "losses", "placement", "score_difference", "think_mean", "think_p99"),
)
"""The keys of a row that are single values, in the order of the CSV."""


def table_to_csv(table: Table, rulings: Mapping[str, str] | None = None) -> str:
    """Return *table* as CSV with a heading; empty where there is no number.

    The `COLUMNS` come first, then games and points of each seat, then forfeits by reason, and last
    what of *rulings* there is about the bot.
    """
    ruled = rulings or {}
    reasons = forfeit_reasons(table)
    seats = range(1, table.seats + 1)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(
        [*COLUMNS]
        + [f"seat_{seat}_{what}" for seat in seats for what in ("games", "points")]
        + [f"forfeits_{reason}" for reason in reasons]
        + ["ruling"]
    )
    for row in table.rows:
        data, forfeits = _row_to_json(row), dict(row.standing.forfeits)
        writer.writerow(
            [data[column] for column in COLUMNS]
            + [part for seat in row.standing.seats for part in (seat.games, _short(seat.points))]
            + [forfeits.get(reason, 0) for reason in reasons]
            + [ruled.get(row.bot, "")]
        )
    return out.getvalue()


def forfeit_reasons(table: Table) -> list[str]:
    """Return the reasons for which a bot of *table* forfeited, by name."""
    return sorted({reason for row in table.rows for reason, _ in row.standing.forfeits})


def headings(table: Table) -> tuple[str, ...]:
    """Return the headings of the columns that `cells` fills."""
    results = "W-D-L" if table.seats == 2 else "place"
    return (
        *("rank", "bot", "Elo", "±", "games", "points", results),
        *("score diff", "by seat", "forfeits", "think", "p99"),
    )


def cells(table: Table, row: Row, marks: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return *row* as short texts for people, one for each of the `headings`.

    *marks* has what stands instead of a rank, by bot.
    """
    rank = NOTHING if row.rank is None else str(row.rank)
    standing = row.standing
    record = f"{standing.wins}-{standing.draws}-{standing.losses}"
    if table.seats > 2:
        record = NOTHING if standing.placement is None else f"{standing.placement:.2f}"
    return (
        (marks or {}).get(row.bot, rank),
        row.bot,
        row.mark + whole(row.elo),
        whole(row.error),
        str(standing.games),
        number(standing.points),
        record,
        f"{standing.score_difference:+.0f}" if standing.games else NOTHING,
        " ".join(f"{s.points / s.games:.0%}" if s.games else NOTHING for s in standing.seats),
        ", ".join(f"{count} {reason}" for reason, count in standing.forfeits) or "0",
        duration(standing.think.mean),
        duration(standing.think.p99),
    )


def table_to_markdown(table: Table, marks: Mapping[str, str] | None = None) -> str:
    """Return *table* as a Markdown table, with its warnings below; *marks* as for `cells`."""
    rows = [cells(table, row, marks) for row in table.rows]
    lines = markdown(headings(table), rows, left={1, 9})
    return "\n".join(lines + [f"\n{warning}" for warning in table.warnings]) + "\n"


def crosstable_to_markdown(cross: Crosstable) -> str:
    """Return *cross* as a Markdown table of points out of games."""
    order = range(len(cross.bots))
    rows = [[cross.bots[row], *(meeting(cross, row, column) for column in order)] for row in order]
    return "\n".join(markdown(["", *cross.bots], rows, left={0})) + "\n"


def meeting(cross: Crosstable, row: int, column: int) -> str:
    """Return the points out of games of one bot against another as a short text."""
    games = cross.games(row, column)
    return f"{number(cross.points(row, column))}/{games}" if games else NOTHING


def markdown(heads: Sequence[str], rows: Iterable[Sequence[str]], left: set[int]) -> list[str]:
    """Return the lines of a Markdown table; columns in *left* are aligned to the left."""
    rule = [":--" if column in left else "--:" for column in range(len(heads))]
    lines = [heads, rule, *rows]
    return [f"| {' | '.join(map(in_one_cell, line))} |" for line in lines]


def in_one_cell(text: str) -> str:
    """Return *text* so that neither its bars nor its line breaks end a cell of a table."""
    return " ".join(text.split()).replace("|", "&#124;")


def number(value: float) -> str:
    """Return *value* with as many of two decimals as it needs."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def duration(micros: float | None) -> str:
    """Return a time with its unit, to about three digits."""
    if micros is None:
        return NOTHING
    for size, unit in ((1e6, "s"), (1e3, "ms")):
        if micros >= size:
            return f"{micros / size:.3g} {unit}"
    return f"{micros:.0f} µs"


def _short(value: float) -> float:
    return round(value, 6)


def _optional(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
