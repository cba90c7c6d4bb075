"""The ledger's tables, which the database itself keeps append-only."""

from typing import Final

from sqlalchemy import (
    DDL,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    event,
)

SCHEMA_VERSION: Final = 1
"""Raised whenever the tables change."""

metadata = MetaData()

_Big = BigInteger().with_variant(Integer, "sqlite")
"""64 bits; SQLite counts up only columns that are called INTEGER."""


def _seq() -> Column[int]:
    return Column("seq", _Big, primary_key=True, autoincrement=True)


meta = Table(
    "meta",
    metadata,
    _seq(),
    Column("schema_version", Integer, nullable=False),
    Column("tournament_id", Text, nullable=False),
    Column("terms_hash", Text, nullable=False),
    Column("terms", Text, nullable=False),
    Column("at", _Big, nullable=False),
    Column("who", Text, nullable=False),
    Column("why", Text, nullable=False),
)
"""The tournament and its terms. The last row counts; earlier ones are terms changed by force."""

entrants = Table(
    "entrants",
    metadata,
    _seq(),
    Column("name", Text, nullable=False, index=True),
    Column("owner", Text),
    Column("definition", Text, nullable=False),
    Column("joined", _Big, nullable=False),
    Column("at", _Big, nullable=False),
    Column("who", Text, nullable=False),
    Column("why", Text, nullable=False),
)
"""The bots. The last row of a name counts; earlier ones are definitions changed by force."""

planned = Table(
    "planned",
    metadata,
    Column("number", _Big, primary_key=True, autoincrement=False),
    Column("stage", Text, nullable=False, index=True),
    Column("entrants", Text, nullable=False),
    Column("group", Text, nullable=False, index=True),
    Column("deal", _Big, nullable=False),
    Column("seating", SmallInteger, nullable=False),
    Column("key", Text, nullable=False, unique=True),
    Column("at", _Big, nullable=False),
)
"""The games as they were issued."""

games = Table(
    "games",
    metadata,
    _seq(),
    Column("number", _Big, ForeignKey("planned.number"), nullable=False),
    Column("stage", Text, nullable=False),
    Column("group", Text, nullable=False, index=True),
    Column("seating", SmallInteger, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("deal", _Big, nullable=False),
    Column("match_id", Text, nullable=False),
    Column("pool", Text, nullable=False),
    Column("entrants", Text, nullable=False),
    Column("placements", Text, nullable=False),
    Column("scores", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("forfeits", Text, nullable=False),
    Column("played", Boolean, nullable=False),
    Column("void_cause", Text),
    Column("think", Text, nullable=False),
    Column("game_hash", Text, nullable=False),
    Column("record", Text, nullable=False),
    Column("started", _Big, nullable=False),
    Column("finished", _Big, nullable=False),
    UniqueConstraint("number", "attempt"),
)
"""The finished games, each attempt once."""

_is_void = games.c.void_cause.is_not(None)
Index("games_void", games.c.group, sqlite_where=_is_void, postgresql_where=_is_void)

rulings = Table(
    "rulings",
    metadata,
    _seq(),
    Column("kind", Text, nullable=False),
    Column("who", Text, nullable=False),
    Column("why", Text, nullable=False),
    Column("number", _Big),
    Column("attempt", Integer),
    Column("group", Text, index=True),
    Column("entrant", Text),
    Column("change", Text, nullable=False),
    Column("issued", _Big, nullable=False),
    Column("at", _Big, nullable=False),
)
"""What organisers decided."""

_PROTECTION: Final = {
    "sqlite": (
        "CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
        "CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    ),
    "postgresql": (
        "CREATE OR REPLACE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN RAISE EXCEPTION ''the ledger is append-only''; END'",
        "CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only()",
    ),
}

for _table in metadata.sorted_tables:
    for _dialect, _statements in _PROTECTION.items():
        for _statement in _statements:
            _ddl = DDL(_statement.format(table=_table.name))  # type: ignore[no-untyped-call]
            event.listen(_table, "after_create", _ddl.execute_if(dialect=_dialect))
