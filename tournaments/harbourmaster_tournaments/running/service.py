"""`TournamentService`: a running tournament for who watches, steers or asks from elsewhere."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import grpc

from harbourmaster.v1 import tournament_service_pb2 as pb
from harbourmaster.v1 import tournament_service_pb2_grpc
from harbourmaster_server.errors import BadRequest, NotNow, NotRead, RefereeError, UnknownMatch
from harbourmaster_server.identity import ADMIN, WATCH
from harbourmaster_server.news import News
from harbourmaster_server.referee import Referee
from harbourmaster_server.services.access import Context, need, refuse
from harbourmaster_server.services.unread import Unread
from harbourmaster_server.services.watching import counted, write_in_time
from harbourmaster_tournaments.ledger import Ledger, Ruling, RulingKind
from harbourmaster_tournaments.ratings import Row
from harbourmaster_tournaments.reports import report
from harbourmaster_tournaments.running.coordinator import Coordinator
from harbourmaster_tournaments.running.definition import (
    BadTournamentFile,
    TournamentFile,
    read_text,
)
from harbourmaster_tournaments.running.voids import VoidCount

PAUSED: Final = "paused"
"""A file of this name says that the tournament of its folder is paused."""
OUT: Final = {
    RulingKind.WITHDRAW: pb.OUT_RULING_WITHDRAWN,
    RulingKind.DISQUALIFY: pb.OUT_RULING_DISQUALIFIED,
}


@dataclass(slots=True)
class Hosted:
    """A tournament that the service can speak of."""

    folder: Path
    file: TournamentFile
    ledger: Ledger
    coordinator: Coordinator
    commitment: bytes
    news: News = field(default_factory=News)
    """Grows with every game."""
    stopped: str = ""
    """Why it stopped before its end, if it did."""

    def pause(self, paused: bool) -> None:
        """Stop it from starting games, or let it go on; the next start remembers.

        Raises `NotNow` if that cannot be written down; then nothing has changed.
        """
        mark = self.folder / PAUSED
        try:
            if paused:
                mark.touch()
            else:
                mark.unlink(missing_ok=True)
        except OSError as error:
            raise NotNow(f"cannot change {mark}: {error.strerror}; nothing has changed") from None
        self.coordinator.pause(paused)
        self.tell()

    def go_on_paused(self) -> None:
        """Start no games if it was paused when the last run ended."""
        self.coordinator.pause((self.folder / PAUSED).exists())

    def tell(self) -> None:
        """Have those who watch told how far it is."""
        self.news.grow(self.news.amount + 1)

    def progress(self) -> pb.TournamentProgress:
        """Return how far the tournament is."""
        standing = self.coordinator.standing
        return pb.TournamentProgress(
            tournament=self.file.tournament.name,
            games_done=standing.done,
            games_planned=standing.planned,
            paused=standing.paused,
            over=standing.over,
            seed_commitment=self.commitment,
            stopped=self.stopped,
        )


class Host(Protocol):
    """Where tournaments run."""

    @property
    def hosted(self) -> Mapping[str, Hosted]:
        """The tournaments, by name."""
        ...

    async def create(self, file: TournamentFile, text: str) -> Hosted:
        """Begin the tournament of *file*, made from *text*; raise `RefereeError` if not here."""
        ...


class TournamentService(tournament_service_pb2_grpc.TournamentServiceServicer):
    """Serves organisers and spectators."""

    def __init__(self, host: Host, referee: Referee) -> None:
        self._host = host
        self._referee = referee
        self._unread = Unread(referee.config.limits.unread_calls)

    def add_to(self, server: grpc.aio.Server) -> str:
        """Add the service to a referee's *server*; return its full name."""
        tournament_service_pb2_grpc.add_TournamentServiceServicer_to_server(self, server)
        return "harbourmaster.v1.TournamentService"

    async def CreateTournament(
        self, request: pb.CreateTournamentRequest, context: Context
    ) -> pb.CreateTournamentResponse:
        """Make a tournament and start it."""
        try:
            need(self._referee, context, ADMIN)
            hosted = await self._host.create(_read(request.definition), request.definition)
            return pb.CreateTournamentResponse(progress=hosted.progress())
        except RefereeError as error:
            await refuse(context, error)

    async def PauseTournament(
        self, request: pb.PauseTournamentRequest, context: Context
    ) -> pb.PauseTournamentResponse:
        """Stop a tournament from starting games, or let it go on."""
        try:
            need(self._referee, context, ADMIN)
            hosted = self._find(request.tournament)
            hosted.pause(request.paused)
            return pb.PauseTournamentResponse(progress=hosted.progress())
        except RefereeError as error:
            await refuse(context, error)

    async def GetTable(self, request: pb.GetTableRequest, context: Context) -> pb.GetTableResponse:
        """Return the table as it stands."""
        try:
            need(self._referee, context, WATCH)
            hosted = self._find(request.tournament)
            rows = await asyncio.to_thread(_rows, hosted)
            return pb.GetTableResponse(progress=hosted.progress(), rows=rows)
        except RefereeError as error:
            await refuse(context, error)

    async def WatchTournament(  # type: ignore[override]
        self, request: pb.WatchTournamentRequest, context: Context
    ) -> None:
        """Follow a tournament until it is over or stopped."""
        try:
            caller = need(self._referee, context, WATCH).bot
            self._unread.check(caller)
            hosted = self._find(request.tournament)
            with counted(self._referee):
                await self._follow(hosted, context.write)
        except NotRead as error:
            with self._unread.counted(caller):
                await refuse(context, error)
        except RefereeError as error:
            await refuse(context, error)

    async def _follow(
        self, hosted: Hosted, write: Callable[[pb.WatchTournamentResponse], Awaitable[None]]
    ) -> None:
        """Write how far it is whenever that changes; raise `NotRead` if nobody reads it."""
        seconds = self._referee.config.limits.watcher_stall_seconds
        seen = -1
        while True:
            await self._referee.desk.pace.turn(hosted.news, seen)
            seen, progress = int(hosted.news.amount), hosted.progress()
            await write_in_time(write, pb.WatchTournamentResponse(progress=progress), seconds)
            if progress.over or progress.stopped:
                return

    def _find(self, name: str) -> Hosted:
        hosted = self._host.hosted.get(name)
        if hosted is None:
            known = ", ".join(self._host.hosted) or "none"
            raise UnknownMatch(f"there is no tournament {name[:80]!r} here: there is {known}")
        return hosted


def _read(definition: str) -> TournamentFile:
    try:
        return read_text(definition, "the definition")
    except BadTournamentFile as error:
        raise BadRequest(str(error)) from None


def _rows(hosted: Hosted) -> list[pb.TableRow]:
    """Return the rows of every table, the tables one after the other."""
    entrants = [entrant.name for entrant in hosted.ledger.entrants()]
    games = hosted.ledger.games()
    found = report(
        hosted.ledger.results(),
        entrants,
        hosted.file.rating.terms(),
        played=games,
        rulings=hosted.ledger.rulings(),
    )
    return [
        _row(row, voids.get(row.bot, VoidCount()), found.out.get(row.bot))
        for table, voids in zip(found.tables, found.voids, strict=True)
        for row in table.rows
    ]


def _row(row: Row, voids: VoidCount, out: Ruling | None) -> pb.TableRow:
    standing = row.standing
    message = pb.TableRow(
        rank=row.rank or 0,
        bot=row.bot,
        games=standing.games,
        wins=standing.wins,
        draws=standing.draws,
        losses=standing.losses,
        forfeits=dict(standing.forfeits),
        voids=voids.involved,
        caused_voids=voids.caused,
        out=pb.OUT_RULING_UNSPECIFIED if out is None else OUT[out.kind],
    )
    if row.elo is not None and row.error is not None:
        message.elo_tenths = round(row.elo * 10)
        message.interval_tenths = round(row.error * 10)
    return message
