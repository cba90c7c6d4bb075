"""A coordinator on matches that nobody plays: they end when a test says so, and how."""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_tournaments.ledger import Ledger, Ruling, RulingKind
from harbourmaster_tournaments.running import BotDefinition, Coordinator
from harbourmaster_tournaments.running.coordinator import entrants_of
from harbourmaster_tournaments.running.definition import TournamentFile, read_text
from harbourmaster_tournaments.running.tournament import make_schedule
from harbourmaster_tournaments.schedules import TournamentDeals

PATIENCE = 20.0
DISCONNECTED = game_pb2.SEAT_END_REASON_DISCONNECTED
NOT_CONNECTED = game_pb2.SEAT_END_REASON_NOT_CONNECTED


def tournament(
    bots: str,
    part: str = "",
    *,
    groups: int = 0,
    at_once: int = 1,
    more: str = "",
    game: str = 'game = "anchorline"',
) -> str:
    """Return a tournament file with a bot for each letter of *bots*; 0 groups are not named."""
    lines = ['[tournament]\nname = "test"', game, f"matches_at_once = {at_once}"]
    lines += [f"groups = {groups}"] * bool(groups) + [part, more]
    lines += [f'[[bot]]\nname = "{name}"' for name in bots]
    return "\n".join(lines)


class Desk:
    """A referee in which a match ends when the test says so."""

    def __init__(self) -> None:
        self._infos: dict[str, pb.MatchInfo] = {}
        self._ends: dict[str, asyncio.Future[pb.MatchInfo]] = {}
        self._automatic: Callable[[str], None] | None = None

    # What the coordinator needs.

    async def create_match(self, request: pb.CreateMatchRequest) -> pb.MatchInfo:
        """Make a match."""
        info = pb.MatchInfo(match_id=request.match_id, decisions=9)
        info.players.extend(match_pb2.Player(name=bot) for bot in request.bots)
        self._infos[request.match_id] = info
        self._ends[request.match_id] = asyncio.get_running_loop().create_future()
        if self._automatic is not None:
            self._automatic(request.match_id)
        return info

    def find_match(self, match_id: str) -> pb.MatchInfo | None:
        """Return a match, or `None` if there is none of that id."""
        return self._infos.get(match_id)

    def is_sealed(self, match_id: str) -> bool:
        """Return that no deal is a secret."""
        return False

    def drop_held(self, unwanted: Collection[str]) -> None:
        """Do nothing: no match waits for bots."""

    def stop_match(self, match_id: str) -> None:
        """Do nothing: nothing runs."""

    async def wait(self, match_id: str) -> pb.MatchInfo:
        """Return a match when the test has ended it."""
        return await self._ends[match_id]

    async def unseal_match(self, match_id: str) -> pb.MatchInfo:
        """Return the match."""
        return self._infos[match_id]

    # What the test needs.

    def playing(self) -> list[str]:
        """Return the matches that have not ended, in the order in which they were made."""
        return [match for match, end in self._ends.items() if not end.done()]

    def made(self) -> list[str]:
        """Return every match that was ever made."""
        return list(self._infos)

    def over(self, match: str) -> bool:
        """Return whether a match has ended."""
        return self._ends[match].done()

    def players(self, match: str) -> list[str]:
        """Return who sits where."""
        return [player.name for player in self._infos[match].players]

    async def open(self, count: int) -> list[str]:
        """Wait until *count* matches are being played, and return them."""
        await until(lambda: len(self.playing()) >= count, f"{count} matches")
        return self.playing()

    async def ended_then_open(
        self, matches: Sequence[str], count: int, winner: str = ""
    ) -> list[str]:
        """End *matches* and return the *count* that come after them."""
        for match in matches:
            self.end(match, winner=winner)
        return await self.open(count)

    def end(
        self, match: str, *, winner: str = "", void: str = "", absent: str = "", crashed: str = ""
    ) -> None:
        """End a match: void, or won by *winner*, else by the first name of those that are there.

        *absent* never came; *crashed* holds the letters of bots whose process ended.
        """
        info = self._infos[match]
        bots = self.players(match)
        first = (
            winner
            if winner in bots
            else min([bot for bot in bots if bot not in crashed + absent] or bots)
        )
        for seat, bot in enumerate(bots):
            level = bot == first or all(bot in crashed for bot in bots)
            result = info.outcome.seats.add(seat=seat, placement=1 + (not level))
            if bot in crashed:
                result.reason = DISCONNECTED
            if bot == absent:
                result.reason, info.decisions = NOT_CONNECTED, 0
        info.outcome.void, info.outcome.text = bool(void), void
        self._ends[match].set_result(info)

    async def end_all(self, winner: str = "", absent: str = "", crashed: str = "") -> None:
        """End every match that is being played and all that will be."""

        def end(match: str) -> None:
            self.end(match, winner=winner, absent=absent, crashed=crashed)

        self._automatic = end
        for match in self.playing():
            end(match)


class NoPlayers:
    """Nobody is launched: all bots dial in."""

    async def launch(self, bot: BotDefinition, place: str) -> str:
        """Refuse: these bots have no command."""
        raise AssertionError(f"{bot.name} was launched")

    async def stop(self, identities: Sequence[str]) -> None:
        """Do nothing."""


@dataclass(slots=True)
class Play:
    """A coordinator on a `Desk`."""

    place: Path
    desk: Desk
    ledger: Ledger
    coordinator: Coordinator
    told: list[str] = field(default_factory=list)
    """What was told of rulings."""
    task: asyncio.Task[None] | None = None

    @classmethod
    @contextlib.contextmanager
    def begin(cls, folder: Path, text: str, force: str | None = None) -> Iterator["Play"]:
        """Begin the tournament of *text* in *folder*, or go on with it."""
        file: TournamentFile = read_text(text, "the test")
        place = folder / "ledger.sqlite"
        told: list[str] = []

        def on_ruling(ruling: Ruling, _: object) -> None:
            told.append(f"{ruling.kind} {ruling.entrant or ruling.number}")

        with Ledger.open(place) as ledger:
            ledger.begin("test", file.terms(), entrants_of(file.bot), force=force)
            desk = Desk()
            log = structlog.get_logger()
            playing = Coordinator(
                file,
                ledger,
                make_schedule(file, ledger.entrants()),
                TournamentDeals(bytes(32)),
                b"secret",
                desk,
                NoPlayers(),
                log,
                on_ruling=on_ruling,
            )
            yield cls(place, desk, ledger, playing, told)

    async def through(self, scenario: Coroutine[Any, Any, None]) -> None:
        """Run to the end with *scenario* beside it; what goes wrong in either is raised."""
        self.task = asyncio.create_task(self.coordinator.run())
        told = asyncio.create_task(scenario)
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.wait((self.task, told), return_when=asyncio.FIRST_EXCEPTION)
            for task in (self.task, told):
                if task.done() and not task.cancelled():
                    await task
        finally:
            self.task.cancel()
            told.cancel()
            await asyncio.gather(self.task, told, return_exceptions=True)

    def rule(
        self, kind: RulingKind, *, number: int | None = None, entrant: str | None = None
    ) -> None:
        """Rule as another process would, by a connection of its own."""
        with Ledger.open_to_rule(self.place) as other:
            other.rule(kind, who="ann", why="a test", number=number, entrant=entrant)

    async def until_recorded(self, count: int) -> None:
        """Wait until the ledger has *count* rows of games."""
        await until(lambda: len(self.ledger.games()) >= count, f"{count} games in the ledger")

    async def stop(self) -> None:
        """Stop the tournament where it is."""
        assert self.task is not None
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def finished(self) -> None:
        """Wait until the tournament is over."""
        assert self.task is not None
        await asyncio.wait_for(asyncio.shield(self.task), PATIENCE)


async def until(what: Callable[[], bool], why: str) -> None:
    """Wait until *what* holds."""
    for _ in range(round(PATIENCE / 0.005)):
        if what():
            return
        await asyncio.sleep(0.005)
    raise AssertionError(f"waited in vain for {why}")
