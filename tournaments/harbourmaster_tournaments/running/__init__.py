"""Running matches and tournaments: a referee, its server and launched bots together."""

from harbourmaster_tournaments.running.coordinator import Coordinator, Standing
from harbourmaster_tournaments.running.definition import BotDefinition, TournamentFile, read_file
from harbourmaster_tournaments.running.house import House, Listening, Players, open_house
from harbourmaster_tournaments.running.needs import TournamentStopped

__all__ = [
    "BotDefinition",
    "Coordinator",
    "House",
    "Listening",
    "Players",
    "Standing",
    "TournamentFile",
    "TournamentStopped",
    "open_house",
    "read_file",
]
