"""Ratings: from finished games to tables that can be trusted, as pure functions.

`Tally` counts games in any order; `tables` fits each pool and returns `Table` values.
"""

from harbourmaster_tournaments.ratings.fit import Field, Fit, fit
from harbourmaster_tournaments.ratings.games import RatedGame
from harbourmaster_tournaments.ratings.standings import SeatSplit, Standing
from harbourmaster_tournaments.ratings.table import Row, Table, pool_tables, tables
from harbourmaster_tournaments.ratings.tally import PoolTally, Tally
from harbourmaster_tournaments.ratings.terms import Terms
from harbourmaster_tournaments.ratings.think import ThinkTime

__all__ = [
    "Field",
    "Fit",
    "PoolTally",
    "RatedGame",
    "Row",
    "SeatSplit",
    "Standing",
    "Table",
    "Tally",
    "Terms",
    "ThinkTime",
    "fit",
    "pool_tables",
    "tables",
]
