"""Schedules: who plays whom, on which deal and in which seat. Pure values, no input or output."""

from harbourmaster_tournaments.schedules.deals import (
    Deals,
    SuppliedDeals,
    TournamentDeals,
    check_commitment,
    commitment,
    deal_seed,
)
from harbourmaster_tournaments.schedules.free_for_all import FreeForAll
from harbourmaster_tournaments.schedules.gauntlet import Gauntlet
from harbourmaster_tournaments.schedules.knockout import Knockout, Tie
from harbourmaster_tournaments.schedules.planned import (
    Finished,
    Grouping,
    PlannedGame,
    Progress,
    Schedule,
    ScheduleError,
    deal_of_attempt,
)
from harbourmaster_tournaments.schedules.round_robin import RoundRobin
from harbourmaster_tournaments.schedules.standings import Standing
from harbourmaster_tournaments.schedules.swiss import Swiss

__all__ = [
    "Deals",
    "Finished",
    "FreeForAll",
    "Gauntlet",
    "Grouping",
    "Knockout",
    "PlannedGame",
    "Progress",
    "RoundRobin",
    "Schedule",
    "ScheduleError",
    "Standing",
    "SuppliedDeals",
    "Swiss",
    "Tie",
    "TournamentDeals",
    "check_commitment",
    "commitment",
    "deal_of_attempt",
    "deal_seed",
]
