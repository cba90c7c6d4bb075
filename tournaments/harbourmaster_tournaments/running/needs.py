"""What a coordinator needs of others, a referee and who launches bots, and how that may fail."""

from collections.abc import Collection, Sequence
from typing import Protocol

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_tournaments.running.definition import BotDefinition


class MatchMaker(Protocol):
    """What the tournament needs of a referee: the interface of `MatchService`."""

    async def create_match(self, request: pb.CreateMatchRequest) -> pb.MatchInfo:
        """Make a match."""
        ...

    def find_match(self, match_id: str) -> pb.MatchInfo | None:
        """Return a match, or `None` if there is none of that id."""
        ...

    def is_sealed(self, match_id: str) -> bool:
        """Return whether a match is over and its deal still a secret."""
        ...

    def drop_held(self, unwanted: Collection[str]) -> None:
        """Void those of the *unwanted* matches that wait for their bots to be launched again."""
        ...

    def stop_match(self, match_id: str) -> None:
        """Stop a match where it is, so that nothing that follows decides it."""
        ...

    async def wait(self, match_id: str) -> pb.MatchInfo:
        """Return a match when it is over and its record is on disk."""
        ...

    async def unseal_match(self, match_id: str) -> pb.MatchInfo:
        """Open the deal of a match."""
        ...


class Bringer(Protocol):
    """What the tournament needs of who launches bots."""

    async def launch(self, bot: BotDefinition, place: str) -> str:
        """Start a process of *bot* for *place*; return its identity."""
        ...

    async def stop(self, identities: Sequence[str]) -> object:
        """End the processes of *identities*."""
        ...


class TournamentStopped(Exception):
    """The tournament cannot go on without the organiser; the message says why."""


class NotLaunched(Exception):
    """A bot that was launched before cannot be launched now; the message says why."""

    def __init__(self, why: str, cause: str | None) -> None:
        super().__init__(why)
        self.cause = cause
        """The bot, if the failure is its own; `None` if the machine failed."""
