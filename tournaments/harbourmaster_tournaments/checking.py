"""Trying a bot out, before an organiser does: what works, and what does not, in plain words."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import structlog

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_engine.registry import find_game
from harbourmaster_server.clock import ClockTerms
from harbourmaster_server.launching.ending import Cause
from harbourmaster_server.policy import FaultPolicy, FaultRule
from harbourmaster_server.records import check_chain
from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.sessions.session import Session
from harbourmaster_server.terms import MatchTerms, write_terms
from harbourmaster_tournaments.asking import CannotAsk, ask, find_question
from harbourmaster_tournaments.running.definition import BotDefinition
from harbourmaster_tournaments.running.house import House, Players, open_house

OPPONENT: Final = "python -m harbourmaster bot random --open-matches 16"
CONNECT_SECONDS: Final = 30.0
CONNECT_MICROS: Final = round(CONNECT_SECONDS * 1e6)
CUT_AFTER: Final = 6
"""So many events of a match happen before the connection is cut."""
DEFAULT_GAME: Final = "anchorline"
TRIED: Final = "under test"
"""What the referee calls the bot: its sentences say "the bot" before a name."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried."""

    name: str
    good: bool
    text: str
    """What was seen, with the numbers; for a fault, what to do."""


class Checker:
    """Tries one bot."""

    def __init__(
        self, house: House, players: Players, command: str, tell: Callable[[Check], None]
    ) -> None:
        self._house = house
        self._players = players
        self._command = command
        self._tell = tell
        self.checks: list[Check] = []
        self._terms: match_pb2.MatchTerms
        self._seats = 2
        self._bot = ""
        self._opponent = ""

    async def run(self, game: str | None) -> None:
        """Try everything, as far as there is a bot to try."""
        bot = BotDefinition(name=TRIED, command=self._command)
        self._bot = await self._players.launch(bot, "check")
        opponent = BotDefinition(name="random", command=OPPONENT)
        self._opponent = await self._players.launch(opponent, "check")
        session = await self._connect()
        if session is None:
            return
        self._choose(game or _first_game(session))
        infos = [await self._whole_match(seat) for seat in range(self._seats)]
        await self._two_at_once(session)
        await self._cut(session)
        await self._refused(infos[0])
        await self._stop()

    async def _connect(self) -> Session | None:
        """Wait until the bot is there."""
        sessions = self._house.referee.sessions
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                while not sessions.of_bot(self._bot):
                    if how := self._house.referee.desk.exits.get(self._bot):
                        self._note("connects", False, f"it did not connect: {how}")
                        return None
                    await asyncio.sleep(0.02)
        except TimeoutError:
            text = f"it did not connect within {CONNECT_SECONDS:g} s: it must dial "
            self._note("connects", False, text + "HARBOURMASTER_ADDRESS and send its hello")
            return None
        session = sessions.of_bot(self._bot)[0]
        hello = session.hello
        self._note("connects", True, f"as {hello.name!r}, version {hello.software_version!r}")
        return session

    def _choose(self, game: str) -> None:
        """Choose what is played: strict terms, in which every refused move loses."""
        found = find_game(game)
        self._seats = found.min_seats
        options = found.resolve(self._seats, {})
        clock = ClockTerms(bank=30_000_000, connect_time=CONNECT_MICROS, ready_time=10_000_000)
        policy = FaultPolicy(illegal_move=FaultRule(retries=0))
        self._terms = write_terms(MatchTerms(found, options, self._seats, clock, policy))

    async def _whole_match(self, seat: int) -> pb.MatchInfo:
        """Play a match with the bot at *seat*."""
        info = await self._play(seat)
        self._judge(f"plays {self._terms.game} at seat {seat}", info, seat)
        return info

    async def _two_at_once(self, session: Session) -> None:
        """Play two matches that begin together."""
        infos = await asyncio.gather(self._play(0), self._play(1))
        name = "plays two matches that begin together, at seat"
        judged = [self._judge(f"{name} {seat}", info, seat) for seat, info in enumerate(infos)]
        if not all(judged):
            return
        if session.open_matches < 2:
            text = "its hello asks for one open match, so that they are played one by one"
            self._note("plays several matches at once", True, text)

    async def _cut(self, session: Session) -> None:
        """Cut the connection in the middle of a match."""
        name = "comes back after its connection was cut"
        made = await self._make(0)
        waits = asyncio.create_task(self._house.referee.wait(made.match_id))
        await self._house.referee.match_to_watch(made.match_id).publication.wait(CUT_AFTER)
        connection = session.connection
        if waits.done() or connection is None:
            self._note(name, False, "the match was over before the connection could be cut")
            return
        connection.end(grpc.StatusCode.UNAVAILABLE, "the connection is cut, to see what you do")
        self._judge(name, await waits, 0)

    async def _refused(self, info: pb.MatchInfo) -> None:
        """Refuse a move of the bot that is good, and see whether it tries again."""
        name = "answers again after a refused move"
        record = check_chain(self._house.referee.load_record(info.match_id))
        first = next((e.move.decision for e in record if e.move.decision and not e.move.seat), 0)
        if not first:
            self._note(name, False, "not tried: no move of its first match was good, to be refused")
            return
        try:
            question = find_question(record, first, 0)
            answer = await ask(question, self._command, seconds=CONNECT_SECONDS, doubt=True)
        except CannotAsk as error:
            self._note(name, False, f"{error}; the receipt of a refused move has next_attempt")
            return
        self._note(name, answer.accepted, answer.refusal or f"with: {answer.text}")

    async def _stop(self) -> None:
        """Ask the bot to end."""
        exits = await self._players.stop([self._bot])
        ended = exits.get(self._bot)
        if ended is not None:
            name, good = "ends when it is asked to", ended.cause is not Cause.FORCED
            self._note(name, good, ended.reason)

    async def _make(self, seat: int) -> pb.MatchInfo:
        bots = [self._opponent] * self._seats
        bots[seat] = self._bot
        return await self._house.referee.create_match(
            pb.CreateMatchRequest(terms=self._terms, bots=bots)
        )

    async def _play(self, seat: int) -> pb.MatchInfo:
        made = await self._make(seat)
        return await self._house.referee.wait(made.match_id)

    def _judge(self, name: str, info: pb.MatchInfo, seat: int) -> bool:
        """Note whether the bot at *seat* played a match without a fault."""
        result, clock = info.outcome.seats[seat], info.clocks[seat]
        good = result.reason in (
            game_pb2.SEAT_END_REASON_RULES,
            game_pb2.SEAT_END_REASON_LAST_SEAT,
        )
        text = f"{clock.decisions} decisions, {clock.taken_micros / 1000:.0f} ms in all"
        self._note(name, good, text if good else result.text or info.outcome.text)
        return good

    def _note(self, name: str, good: bool, text: str) -> None:
        check = Check(name, good, text)
        self.checks.append(check)
        self._tell(check)


async def check_bot(
    command: str,
    game: str | None,
    folder: Path,
    log: structlog.stdlib.BoundLogger,
    tell: Callable[[Check], None] = lambda _: None,
) -> list[Check]:
    """Try the bot of *command* out at *game*, or at the first that it names; return what was seen.

    *tell* hears of each check as it is made. Raises `ValueError` for an unknown game and
    `LaunchError` for a command that cannot be started.
    """
    async with open_house(RefereeConfig(folder), log) as house:
        players = Players(house, folder / "output")
        checker = Checker(house, players, command, tell)
        await checker.run(game)
        return checker.checks


def _first_game(session: Session) -> str:
    games = session.hello.games
    return games[0].game if games else DEFAULT_GAME
