"""Who watches a tournament: told in turns, bounded, and dropped if it does not read."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from harbourmaster.v1 import match_pb2, match_service_pb2_grpc, tournament_service_pb2_grpc
from harbourmaster.v1 import match_service_pb2 as match_pb
from harbourmaster.v1 import tournament_service_pb2 as pb
from harbourmaster_server.limits import Limits
from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.news import News
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import RefereeServer
from harbourmaster_tournaments.ledger import Entrant, Ledger, RulingKind
from harbourmaster_tournaments.ratings import Terms
from harbourmaster_tournaments.running.service import TournamentService
from harbourmaster_tournaments.schedules import RoundRobin
from support.frames import call_without_room
from support.served import refusal, run_served, until
from support.tournaments import names, row

WATCH = "/harbourmaster.v1.TournamentService/WatchTournament"


class Counting:
    """A tournament of which nothing is seen but how many games are over, and where it is hosted."""

    def __init__(self) -> None:
        self.hosted = {"": self}
        self.news = News()
        self.done = 0
        self.stopped = ""

    def end_game(self) -> None:
        self.done += 1
        self.news.grow(self.news.amount + 1)

    def progress(self) -> pb.TournamentProgress:
        over = self.done == 100
        return pb.TournamentProgress(games_done=self.done, over=over, stopped=self.stopped)


@contextlib.asynccontextmanager
async def hosted(folder: Path, **limits: Any) -> AsyncIterator[tuple[Counting, Referee, str]]:
    """Serve a tournament; yield it, the referee, and the address."""
    config = RefereeConfig(folder, open_mode=True, limits=Limits(**limits))
    made: Any = Counting()
    async with Referee(config, set_up_logging(level="critical")) as referee:
        service = TournamentService(made, referee)
        async with RefereeServer(referee, port=0, more=[service.add_to]) as server:
            yield made, referee, f"127.0.0.1:{server.port}"


def watch(channel: grpc.aio.Channel) -> Any:
    stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
    return stub.WatchTournament(pb.WatchTournamentRequest())


def test_every_watcher_is_told_how_far_it_is_until_it_is_over(tmp_path: Path) -> None:
    async def work() -> list[list[int]]:
        async with (
            hosted(tmp_path, watcher_messages_per_second=100) as (made, _, address),
            grpc.aio.insecure_channel(address) as channel,
        ):
            calls = [watch(channel) for _ in range(30)]
            steps = [[(await call.read()).progress.games_done] for call in calls]
            for _ in range(100):
                made.end_game()
                await asyncio.sleep(0.002)
            for call, seen in zip(calls, steps, strict=True):
                while step := await call.read():
                    seen.append(step.progress.games_done)
            return steps

    steps = run_served(work())
    for seen in steps:
        assert seen == sorted(set(seen))
        assert (seen[0], seen[-1]) == (0, 100)
    # Where many share the pace each is told of several games at a time.
    assert sum(map(len, steps)) < 30 * 50


def test_a_watcher_is_told_why_a_tournament_stopped_before_its_end(tmp_path: Path) -> None:
    async def work() -> list[str]:
        async with (
            hosted(tmp_path) as (made, _, address),
            grpc.aio.insecure_channel(address) as channel,
        ):
            call = watch(channel)
            told = [(await call.read()).progress.stopped]
            made.stopped = "the command of bot b cannot be run"
            made.news.grow(made.news.amount + 1)
            async with asyncio.timeout(60):
                while step := await call.read():
                    told.append(step.progress.stopped)
            return told

    assert run_served(work()) == ["", "the command of bot b cannot be run"]


def test_who_watches_a_match_and_who_a_tournament_share_the_turns(tmp_path: Path) -> None:
    async def work() -> list[float]:
        async with (
            hosted(tmp_path) as (_, referee, address),
            grpc.aio.insecure_channel(address) as channel,
        ):
            terms = match_pb2.MatchTerms(game="anchorline")
            asked = match_pb.CreateMatchRequest(match_id="m", terms=terms, bots=["a", "b"])
            await referee.create_match(asked)
            taken = [referee.desk.pace._next]
            of_tournament = watch(channel)
            await of_tournament.read()
            taken.append(referee.desk.pace._next)
            stub = match_service_pb2_grpc.MatchServiceStub(channel)
            of_match: Any = stub.WatchMatch(match_pb.WatchMatchRequest(match_id="m"))
            await of_match.read()
            return [*taken, referee.desk.pace._next]

    before, after_one, after_both = run_served(work())
    assert before == 0 < after_one < after_both


async def is_dropped(folder: Path, seconds: float) -> bool:
    """Return whether a watcher that leaves no room is soon counted no more."""
    async with hosted(folder, watcher_stall_seconds=seconds) as (_, referee, address):
        peer = call_without_room(address, WATCH)
        await until(lambda: referee.watchers == 1)
        try:
            await until(lambda: referee.watchers == 0, 60 if seconds < 1 else 2)
            return True
        except TimeoutError:
            return False
        finally:
            peer.close()


@pytest.mark.parametrize(
    ("seconds", "dropped"),
    [
        pytest.param(0.3, True, id="bounded"),
        pytest.param(1000, False, id="planted fault: no bound"),
    ],
)
def test_a_watcher_of_a_tournament_that_does_not_read_is_dropped(
    seconds: float, dropped: bool, tmp_path: Path
) -> None:
    assert run_served(is_dropped(tmp_path, seconds)) == dropped


@pytest.mark.parametrize(
    ("most", "refused"),
    [pytest.param(1, True, id="bounded"), pytest.param(2, False, id="planted fault: no bound")],
)
def test_watchers_of_tournaments_count_among_all(most: int, refused: bool, tmp_path: Path) -> None:
    async def work() -> str:
        async with (
            hosted(tmp_path, watchers=most) as (_, _, address),
            grpc.aio.insecure_channel(address) as channel,
        ):
            # Held, since a call that nobody holds is cancelled.
            first = watch(channel)
            await first.read()
            second = watch(channel)
            if not refused:
                await second.read()
                return ""
            code, text = await refusal(second.read())
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            first.cancel()
            return text

    assert run_served(work()) == ("the referee has 1 watchers and takes no more" * refused)


def test_the_table_over_the_service_says_who_is_out_and_by_what(tmp_path: Path) -> None:
    file = SimpleNamespace(rating=SimpleNamespace(terms=Terms))
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        games = list(RoundRobin(names(3), 2).games())
        ledger.begin("spring", {}, [Entrant(name) for name in names(3)])
        ledger.issue(games)
        ledger.record_all([row(game) for game in games])
        for kind, name in zip((RulingKind.WITHDRAW, RulingKind.DISQUALIFY), names(2), strict=True):
            ledger.rule(kind, who="ann", why="it asked", entrant=name)

        async def work() -> dict[str, int]:
            async with (
                hosted(tmp_path / "data") as (made, _, address),
                grpc.aio.insecure_channel(address) as channel,
            ):
                shown: Any = made
                shown.ledger, shown.file = ledger, file
                stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
                table = await stub.GetTable(pb.GetTableRequest())
                return {row.bot: row.out for row in table.rows}

        out = run_served(work())

    assert out == {
        "b00": pb.OUT_RULING_WITHDRAWN,
        "b01": pb.OUT_RULING_DISQUALIFIED,
        "b02": pb.OUT_RULING_UNSPECIFIED,
    }
