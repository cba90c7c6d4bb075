"""What coordinators and organisers add to the ledger, each addition within one transaction."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Connection, bindparam, insert, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from harbourmaster_tournaments.ledger import reading, tables
from harbourmaster_tournaments.ledger.codec import (
    digest,
    entrant_columns,
    game_columns,
    game_from,
    planned_columns,
    planned_from,
    ruling_columns,
    to_json,
)
from harbourmaster_tournaments.ledger.errors import BadImport, BadRuling, NotPlanned
from harbourmaster_tournaments.ledger.rows import (
    CORRECTABLE,
    STALE,
    Entrant,
    GameRow,
    Receipt,
    Ruling,
    RulingKind,
)
from harbourmaster_tournaments.schedules.planned import PlannedGame, deal_of_attempt

# Statements for every game are built once: building them costs more than running them.
_PLANNED: Final = select(tables.planned).where(tables.planned.c.number == bindparam("number"))
_INSERT_NEW: Final = {
    name: insert_into(tables.games).on_conflict_do_nothing().returning(tables.games.c.seq)
    for name, insert_into in (("postgresql", postgresql.insert), ("sqlite", sqlite.insert))
}
_KEEP_OTHERS_OUT: Final = text("LOCK TABLE rulings IN SHARE ROW EXCLUSIVE MODE")


def keep_others_out(connection: Connection) -> None:
    """Make every other writer wait for the end of this transaction; readers go on.

    What is written follows from what was read: without this, PostgreSQL would let a ruling and a
    result each be judged by a state that lacks the other. SQLite has one writer at a time anyway.
    Must come first: PostgreSQL looks at the tables at the first statement that reads them.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_KEEP_OTHERS_OUT)


def meta(
    connection: Connection, tournament: str, terms: Mapping[str, Any], at: int, who: str, why: str
) -> None:
    """Write down the tournament's *terms*."""
    row = {
        "schema_version": tables.SCHEMA_VERSION,
        "tournament_id": tournament,
        "terms_hash": digest(terms),
        "terms": to_json(terms),
        "at": at,
        "who": who,
        "why": why,
    }
    connection.execute(insert(tables.meta).values(row))


def entrants(connection: Connection, added: Iterable[Entrant], at: int, who: str, why: str) -> None:
    """Write down bots: new ones, or known ones with another definition."""
    for entrant in added:
        connection.execute(insert(tables.entrants).values(entrant_columns(entrant, at, who, why)))


def issue(connection: Connection, batch: Sequence[PlannedGame], at: int) -> None:
    """Fix the games of *batch*; raise `NotPlanned` unless they follow on the issued ones."""
    expected = reading.issued(connection) + 1
    for number, game in enumerate(batch, expected):
        if game.number != number:
            raise NotPlanned(
                f"game {game.number} was to be issued where game {number} comes next: ask the "
                f"schedule again with the ledger's progress"
            )
    try:
        connection.execute(insert(tables.planned), [planned_columns(game, at) for game in batch])
    except IntegrityError as error:
        raise NotPlanned(
            f"games {batch[0].number} to {batch[-1].number} were issued before, under other "
            f"numbers: the schedule is not the one that this tournament was begun with"
        ) from error


def record(connection: Connection, row: GameRow) -> Receipt:
    """Write down a finished game, once; raise `NotPlanned` if it is not one that was issued."""
    _check_planned(connection, row)
    wanted = reading.attempt(connection, row.group)
    if row.attempt > wanted:
        raise NotPlanned(
            f"game {row.number}: a result of attempt {row.attempt} came while attempt {wanted} is "
            f"the one to be played"
        )
    stale = row.attempt < wanted
    kept = replace(row, void_cause=STALE) if stale else row
    if _insert_new(connection, kept):
        return Receipt.STALE if stale else Receipt.NEW
    table = tables.games
    same = (table.c.number == row.number) & (table.c.attempt == row.attempt)
    before = game_from(connection.execute(select(table).where(same)).mappings().one())
    return Receipt.DOUBLE if _same_result(before, row) else Receipt.CONFLICT


def restore(
    connection: Connection, rows: Sequence[GameRow], orders: Sequence[Ruling], at: int
) -> None:
    """Write down *rows* and *orders* as another ledger had them, into an empty one."""
    if reading.issued(connection):
        raise BadImport("games can be imported into an empty ledger only: name another place")
    known = {entrant.name for entrant in reading.entrants(connection)}
    names = dict.fromkeys(name for row in rows for name in row.entrants if name not in known)
    entrants(connection, map(Entrant, names), at, "import", "imported")
    plans = {row.number: planned_columns(_plan_of(row), at) for row in rows}
    if plans:
        connection.execute(insert(tables.planned), [plans[number] for number in sorted(plans)])
        connection.execute(insert(tables.games), [game_columns(row) for row in rows])
    if orders:
        connection.execute(insert(tables.rulings), [ruling_columns(order) for order in orders])


def rule(connection: Connection, ruling: Ruling) -> Ruling:
    """Write down *ruling*, completed; raise `BadRuling` if there is nothing to rule on."""
    if not ruling.who.strip() or not ruling.why.strip():
        raise BadRuling("a ruling needs who made it and why: give both")
    if ruling.kind in (RulingKind.VOID, RulingKind.CORRECT):
        ruling = _about_game(connection, ruling)
    else:
        _check_entrant(connection, ruling)
    ruling = replace(ruling, issued=reading.issued(connection))
    connection.execute(insert(tables.rulings).values(ruling_columns(ruling)))
    return ruling


def _insert_new(connection: Connection, row: GameRow) -> bool:
    """Insert *row*; return `False`, having done nothing, if its attempt is there already."""
    statement = _INSERT_NEW[connection.dialect.name]
    return connection.execute(statement, game_columns(row)).first() is not None


def _same_result(one: GameRow, other: GameRow) -> bool:
    names = ("entrants", "placements", "scores", "forfeits", "game_hash", "played")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _check_planned(connection: Connection, row: GameRow) -> None:
    columns = connection.execute(_PLANNED, {"number": row.number}).mappings().one_or_none()
    if columns is None:
        raise NotPlanned(f"game {row.number} was never issued: its result is not taken")
    game = planned_from(columns)
    for name in ("stage", "group", "entrants", "seating"):
        if getattr(game, name) != getattr(row, name):
            raise NotPlanned(
                f"game {row.number}: the result has {name} {getattr(row, name)!r}, and what was "
                f"issued has {getattr(game, name)!r}: it is not taken"
            )
    if row.deal != deal_of_attempt(game.deal, row.attempt):
        raise NotPlanned(
            f"game {row.number}: deal {row.deal} was played, and attempt {row.attempt} has deal "
            f"{deal_of_attempt(game.deal, row.attempt)}: it is not taken"
        )


def _plan_of(row: GameRow) -> PlannedGame:
    first_deal = row.deal - deal_of_attempt(0, row.attempt)
    return PlannedGame(row.number, row.stage, row.entrants, row.group, first_deal, row.seating)


def _about_game(connection: Connection, ruling: Ruling) -> Ruling:
    if ruling.number is None:
        raise BadRuling(f"to {ruling.kind} is to rule on a game: give its number")
    table = tables.games
    query = select(table).where(table.c.number == ruling.number, table.c.void_cause.is_(None))
    columns = connection.execute(query.order_by(table.c.attempt.desc()).limit(1)).mappings().first()
    row = None if columns is None else game_from(columns)
    wanted = 1 if row is None else reading.attempt(connection, row.group)
    if row is None or row.attempt != wanted:
        raise BadRuling(
            f"game {ruling.number} has no result that counts: there is nothing to rule on"
        )
    if ruling.kind is RulingKind.CORRECT:
        _check_change(row, ruling.change)
    return replace(ruling, attempt=row.attempt, group=row.group)


def _check_change(row: GameRow, change: Mapping[str, Any]) -> None:
    unknown = sorted(set(change) - set(CORRECTABLE))
    if unknown or not change:
        raise BadRuling(
            f"a correction of {unknown[0] if unknown else 'nothing'} was asked for: what can be "
            f"corrected is {', '.join(CORRECTABLE)}"
        )
    seats = len(row.entrants)
    for name in sorted({"placements", "scores", "forfeits"} & change.keys()):
        if not isinstance(change[name], list | tuple) or len(change[name]) != seats:
            raise BadRuling(f"game {row.number}: {name} needs one entry for each of {seats} seats")
    places = list(change.get("placements", ()))
    if places != [1 + sum(other < mine for other in places) for mine in places]:
        raise BadRuling(
            f"game {row.number}: {','.join(map(str, places))} are no places: 1 is the best, and "
            f"those who tie share the better place, such as 1,2,2,4"
        )


def _check_entrant(connection: Connection, ruling: Ruling) -> None:
    names = {entrant.name for entrant in reading.entrants(connection)}
    if ruling.entrant not in names:
        raise BadRuling(
            f"there is no bot {ruling.entrant!r} in this tournament: it has "
            f"{', '.join(sorted(names)) or 'none'}"
        )
    before = [r for r in reading.rulings(connection) if r.entrant == ruling.entrant]
    if any(r.kind in (ruling.kind, RulingKind.DISQUALIFY) for r in before):
        raise BadRuling(
            f"bot {ruling.entrant} is out already: {before[-1].kind} by {before[-1].who}"
        )
