"""Schedules: who plays whom, on which deal and in which seat. Pure values, no input or output."""

from harbourmaster_tournaments.schedules.deals import (
    Deals,
    SuppliedDeals,
    TournamentDeals,
    check_commitment,
    commitment,
    deal_seed,
)
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

__all__ = [
    "Deals",
    "Finished",
    "Grouping",
    "PlannedGame",
    "Progress",
    "RoundRobin",
    "Schedule",
    "ScheduleError",
    "SuppliedDeals",
    "TournamentDeals",
    "check_commitment",
    "commitment",
    "deal_of_attempt",
    "deal_seed",
]
