"""One table over several pools, such as all five games.

Pools are never fitted together: a point in one game is not a point in another. The overall rating
of a bot is the plain mean of its ratings, one for each pool, so that a game with many games played
weighs no more than one with few. Only bots that are rated in every pool, in its largest table, get
one; the others follow them without a rating, ordered by points.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from harbourmaster_tournaments.ratings.table import Row, Table, round_elo


@dataclass(frozen=True, slots=True)
class OverallRow:
    """One line of an overall table."""

    rank: int | None
    """1 + the bots with a higher mean rating; `None` without one."""
    bot: str
    elo: float | None
    """Mean of its ratings over the pools."""
    error: float | None
    """Half the width of its 95 % interval; results in different pools are independent."""
    games: int
    points: float
    """Sum of its points over the pools."""
    pools: tuple[float | None, ...]
    """Its rating in each pool, in the order of the table's pools."""


@dataclass(frozen=True, slots=True)
class Overall:
    """All bots over all pools: by mean rating, then share of points, then name."""

    pools: tuple[str, ...]
    rows: tuple[OverallRow, ...]


def overall(tables: Sequence[Table]) -> Overall:
    """Return the overall table of the tables of several pools.

    Where a pool has several tables, ratings are taken from its first, the largest: between
    tables they do not compare. Points count from all.
    """
    first: dict[str, Table] = {}
    for table in tables:
        first.setdefault(table.pool, table)
    pools = tuple(sorted(first))
    rated = [{row.bot: row for row in first[pool].rows} for pool in pools]
    bots = {row.bot for table in tables for row in table.rows}
    rows = [_row(bot, tables, [of.get(bot) for of in rated]) for bot in bots]
    rows.sort(key=_order)
    return Overall(pools, tuple(_rank(row, rows) for row in rows))


def _row(bot: str, tables: Sequence[Table], found: Sequence[Row | None]) -> OverallRow:
    elos = [row.elo for row in found if row and row.elo is not None]
    errors = [row.error for row in found if row and row.error is not None]
    complete = len(elos) == len(found)
    standings = [row.standing for table in tables for row in table.rows if row.bot == bot]
    return OverallRow(
        rank=None,
        bot=bot,
        elo=round_elo(math.fsum(elos) / len(found)) if complete else None,
        error=round_elo(math.hypot(*errors) / len(found)) if complete else None,
        games=sum(standing.games for standing in standings),
        points=math.fsum(standing.points for standing in standings),
        pools=tuple(row.elo if row else None for row in found),
    )


def _order(row: OverallRow) -> tuple[bool, float, float, str]:
    share = row.points / row.games if row.games else 0.0
    return (row.elo is None, -(row.elo or 0.0), -share, row.bot)


def _rank(row: OverallRow, rows: Sequence[OverallRow]) -> OverallRow:
    if row.elo is None:
        return row
    higher = sum(other.elo is not None and other.elo > row.elo for other in rows)
    return replace(row, rank=1 + higher)
