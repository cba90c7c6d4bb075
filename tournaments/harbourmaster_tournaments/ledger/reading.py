"""Questions to the ledger, each answered within one transaction."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, bindparam, exists, func, inspect, or_, select, union_all

from harbourmaster_tournaments.ledger import tables
from harbourmaster_tournaments.ledger.codec import (
    entrant_from,
    game_from,
    game_of,
    planned_from,
    ruling_from,
)
from harbourmaster_tournaments.ledger.effective import current_attempts, effective, gone
from harbourmaster_tournaments.ledger.rows import (
    STALE,
    Entrant,
    GameRow,
    Ruling,
    RulingKind,
    ToPlay,
)
from harbourmaster_tournaments.schedules.planned import PlannedGame, Progress, ordinal_of

_VOID_ATTEMPTS: Final = union_all(
    select(tables.games.c.attempt).where(
        tables.games.c.group == bindparam("name"),
        tables.games.c.void_cause.is_not(None),
        tables.games.c.void_cause != STALE,
    ),
    select(tables.rulings.c.attempt).where(
        tables.rulings.c.group == bindparam("name"),
        tables.rulings.c.kind == RulingKind.VOID.value,
    ),
)
"""The attempts at a group that were void: built once, as it is asked for every game."""
_RULINGS_AFTER: Final = (
    select(tables.rulings)
    .where(tables.rulings.c.seq > bindparam("after"))
    .order_by(tables.rulings.c.seq)
)
"""The newer rulings: likewise."""


def schema_version(connection: Connection) -> int | None:
    """Return the stored schema version, 0 for another database, or `None` for an empty one."""
    names = inspect(connection).get_table_names()
    if tables.meta.name not in names:
        return 0 if names else None
    column = tables.meta.c.schema_version
    newest = select(column).order_by(tables.meta.c.seq.desc()).limit(1)
    return connection.execute(newest).scalar_one_or_none() or tables.SCHEMA_VERSION


@dataclass(frozen=True, slots=True)
class Begun:
    """Which tournament the ledger holds, and on which terms."""

    tournament: str
    terms: Mapping[str, Any]


def meta(connection: Connection) -> Begun | None:
    """Return the tournament and its terms now in force, or `None` if none has begun."""
    query = select(tables.meta).order_by(tables.meta.c.seq.desc()).limit(1)
    row = connection.execute(query).mappings().first()
    return None if row is None else Begun(row["tournament_id"], json.loads(row["terms"]))


def entrants(connection: Connection) -> list[Entrant]:
    """Return the entrants as they now are, in the order in which they came."""
    rows = connection.execute(select(tables.entrants).order_by(tables.entrants.c.seq)).mappings()
    latest: dict[str, Entrant] = {}
    for row in rows:
        latest[row["name"]] = entrant_from(row)
    return list(latest.values())


def games(connection: Connection, after: int = 0) -> tuple[list[GameRow], int]:
    """Return the game rows written after row *after*, and the last row's own number."""
    table = tables.games
    columns = (table.c[name] for name in GameRow.__slots__)
    query = select(table.c.seq, *columns).where(table.c.seq > after).order_by(table.c.seq)
    rows = connection.execute(query).all()
    return [game_of(row[1:]) for row in rows], rows[-1][0] if rows else after


def rulings(connection: Connection) -> list[Ruling]:
    """Return all rulings in the order in which they were made."""
    return rulings_after(connection, 0)[0]


def rulings_after(connection: Connection, after: int) -> tuple[list[Ruling], int]:
    """Return the rulings written after row *after*, and the last row's own number."""
    rows = connection.execute(_RULINGS_AFTER, {"after": after}).mappings().all()
    return [ruling_from(row) for row in rows], rows[-1]["seq"] if rows else after


def planned(connection: Connection) -> Iterator[PlannedGame]:
    """Yield the issued games by number."""
    rows = connection.execute(select(tables.planned).order_by(tables.planned.c.number))
    for row in rows.mappings():
        yield planned_from(row)


def issued(connection: Connection) -> int:
    """Return the number of games issued so far."""
    return connection.execute(select(func.max(tables.planned.c.number))).scalar_one() or 0


def attempts(connection: Connection) -> dict[str, int]:
    """Return the wanted attempt of each group that was ever void; others have 1."""
    query = select(tables.games).where(tables.games.c.void_cause.is_not(None))
    orders = select(tables.rulings).where(tables.rulings.c.kind == RulingKind.VOID.value)
    void = [game_from(row) for row in connection.execute(query).mappings()]
    return current_attempts(void, map(ruling_from, connection.execute(orders).mappings()))


def attempt(connection: Connection, group: str) -> int:
    """Return the wanted attempt of *group*: one more than the last that was void."""
    return 1 + max(connection.execute(_VOID_ATTEMPTS, {"name": group}).scalars(), default=0)


def outstanding(connection: Connection) -> list[ToPlay]:
    """Return the issued games that are still to be played, by number, with their attempts.

    Games of entrants that have left are not among them.
    """
    out = gone(rulings(connection))
    wanted = attempts(connection)
    valid = _later_attempts(connection)
    found = []
    for game in _candidates(connection):
        attempt = wanted.get(game.group, 1)
        if (game.number, attempt) not in valid and out.keys().isdisjoint(game.entrants):
            found.append(ToPlay(game, attempt))
    return found


def progress(connection: Connection, with_games: bool) -> Progress:
    """Return how far the tournament has come; *with_games* is for adaptive schedules."""
    orders = rulings(connection)
    last = select(func.max(tables.planned.c.number)).group_by(tables.planned.c.stage)
    ends = select(tables.planned.c.stage, tables.planned.c.group).where(
        tables.planned.c.number.in_(last)
    )
    return Progress(
        issued=issued(connection),
        groups={stage: ordinal_of(group) for stage, group in connection.execute(ends)},
        planned=tuple(planned(connection)) if with_games else (),
        results=tuple(effective(games(connection)[0], orders)) if with_games else (),
        joined={e.name: e.joined for e in entrants(connection) if e.joined},
        left=gone(orders),
        annulled=frozenset(
            r.entrant for r in orders if r.kind is RulingKind.DISQUALIFY and r.entrant
        ),
    )


def _candidates(connection: Connection) -> Sequence[PlannedGame]:
    plan, played, orders = tables.planned, tables.games, tables.rulings
    valid = exists().where(played.c.number == plan.c.number, played.c.void_cause.is_(None))
    void = select(played.c.group).where(played.c.void_cause.is_not(None))
    ruled = select(orders.c.group).where(orders.c.kind == RulingKind.VOID.value)
    query = select(plan).where(or_(~valid, plan.c.group.in_(void), plan.c.group.in_(ruled)))
    rows = connection.execute(query.order_by(plan.c.number)).mappings()
    return [planned_from(row) for row in rows]


def _later_attempts(connection: Connection) -> set[tuple[int, int]]:
    """Return (number, attempt) of each valid result of a group that was begun again."""
    table = tables.games
    columns = table.c.number, table.c.attempt
    query = select(*columns).where(table.c.void_cause.is_(None), table.c.attempt > 1)
    return {(number, attempt) for number, attempt in connection.execute(query)}
