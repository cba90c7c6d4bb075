"""Ratings: from finished games to tables that can be trusted, as pure functions.

`Tally` counts games in any order; `tables` fits each pool and returns `Table` values.
"""

from harbourmaster_tournaments.ratings.crosstable import Crosstable, crosstable
from harbourmaster_tournaments.ratings.fit import Field, Fit, fit
from harbourmaster_tournaments.ratings.games import RatedGame
from harbourmaster_tournaments.ratings.overall import Overall, OverallRow, overall
from harbourmaster_tournaments.ratings.sprt import Sprt, SprtState, SprtTerms, Verdict, pairs_of
from harbourmaster_tournaments.ratings.standings import SeatSplit, Standing
from harbourmaster_tournaments.ratings.table import Row, Table, pool_tables, tables
from harbourmaster_tournaments.ratings.tally import PoolTally, Tally
from harbourmaster_tournaments.ratings.terms import Terms
from harbourmaster_tournaments.ratings.think import ThinkTime

__all__ = [
    "Crosstable",
    "Field",
    "Fit",
    "Overall",
    "OverallRow",
    "PoolTally",
    "RatedGame",
    "Row",
    "SeatSplit",
    "Sprt",
    "SprtState",
    "SprtTerms",
    "Standing",
    "Table",
    "Tally",
    "Terms",
    "ThinkTime",
    "Verdict",
    "crosstable",
    "fit",
    "overall",
    "pairs_of",
    "pool_tables",
    "tables",
]
