"""Running a tournament: from the schedule to matches, from their results to the ledger."""

import asyncio
import hashlib
import hmac
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import structlog

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.launching import BotCommandError, LaunchError
from harbourmaster_server.terms import MatchTerms, write_terms
from harbourmaster_tournaments.ledger import Entrant, GameRow, Ledger, Receipt, Ruling, ToPlay
from harbourmaster_tournaments.ratings import SprtState
from harbourmaster_tournaments.running.definition import BotDefinition, TournamentFile
from harbourmaster_tournaments.running.known import Known
from harbourmaster_tournaments.running.lasting import Lasting
from harbourmaster_tournaments.running.needs import (
    Bringer,
    MatchMaker,
    NotLaunched,
    TournamentStopped,
)
from harbourmaster_tournaments.running.rows import (
    game_row,
    over_quota_row,
    quarantine_row,
    unlaunched_row,
)
from harbourmaster_tournaments.running.trial import Trial
from harbourmaster_tournaments.running.voids import Voids, cause_of
from harbourmaster_tournaments.schedules import Deals, PlannedGame, Progress, Schedule
from harbourmaster_tournaments.schedules.planned import known_total

NOT_THE_BOTS_FAULT = ("resigned",)
RULING_SECONDS = 0.5
"""How often a coordinator that waits looks for new rulings; otherwise it does before each game."""


@dataclass(slots=True)
class Standing:
    """How far a tournament is."""

    done: int = 0
    """Games decided."""
    planned: int = 0
    """Games issued so far."""
    total: int | None = None
    """Games in all, where that is known."""
    paused: bool = False
    over: bool = False
    quarantined: set[str] = field(default_factory=set)


OnGame: TypeAlias = Callable[[GameRow, Standing], None]
"""Told of every game that went into the ledger, and how far the tournament is."""


OnRuling: TypeAlias = Callable[[Ruling, Standing], None]
"""Told of every ruling that was heeded, and how far the tournament is under it."""


class Coordinator:
    """Plays what the schedule wants and the ledger does not have yet."""

    def __init__(
        self,
        file: TournamentFile,
        ledger: Ledger,
        schedule: Schedule,
        deals: Deals,
        secret: bytes,
        matches: MatchMaker,
        players: Bringer,
        log: structlog.stdlib.BoundLogger,
        *,
        on_game: OnGame = lambda _, __: None,
        on_ruling: OnRuling = lambda _, __: None,
    ) -> None:
        """Run the tournament of *file*; *secret* makes match ids that tell nothing of the deal.

        *on_game* is called after every game that went into the ledger, and *on_ruling* after every
        ruling that somebody else added to it meanwhile.
        """
        self._file = file
        self._ledger = ledger
        self._schedule = schedule
        self._deals = deals
        self._secret = secret
        self._matches = matches
        self._players = players
        self._log = log
        self._on_game = on_game
        self._on_ruling = on_ruling
        self._bots = {bot.name: bot for bot in file.bot}
        self._pool = file.pool()
        self._terms = write_terms(_match_terms(file))
        self._todo: deque[ToPlay] = deque()
        self._playing: dict[tuple[int, int], ToPlay] = {}
        """The games being played, by number and attempt."""
        self._moot: set[tuple[int, int]] = set()
        """Those of them that nobody waits for any more, after a ruling."""
        self._open: dict[tuple[str, int], int] = {}
        """For each rotation group and attempt being played, how many games are not decided."""
        self._sealed: dict[tuple[str, int], list[str]] = {}
        self._failures: Counter[str] = Counter()
        self._lasting = Lasting(file.tournament.name, self._launch)
        self._batches: Iterator[tuple[PlannedGame, ...]] = iter(())
        self._voids = Voids(file.tournament.void_quota)
        self._launched: set[str] = set()
        """Bots that were launched before, in this run or an earlier one."""
        self._most_attempts = 1
        self._stuck: dict[str, str] = {}
        """The rotation groups that wait for the organiser, and why."""
        self._trial = (
            None if file.sprt is None else Trial(file.sprt.terms(), ledger.entrants()[0].name)
        )
        self._known = Known()
        self._turn = asyncio.Lock()
        self._changed = asyncio.Event()
        self._unpaused = asyncio.Event()
        self._unpaused.set()
        self.standing = Standing()

    async def run(self) -> None:
        """Play until nothing is left; raise `TournamentStopped` if the organiser is needed.

        Whatever ends it, every finished game is in the ledger, and running it again goes on.
        """
        await asyncio.to_thread(self._take_stock)
        self._matches.drop_held(self._superseded())
        await self._unseal_decided()
        looking = asyncio.create_task(self._look_for_rulings())
        try:
            async with asyncio.TaskGroup() as tasks:
                for _ in range(self._file.at_once):
                    tasks.create_task(self._work())
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            # Also of a tournament that stopped: its referee may serve on.
            await self._players.stop(self._lasting.take_all())
        if self._stuck:
            raise TournamentStopped("; ".join(self._stuck.values()))
        self.standing.over = True

    def pause(self, paused: bool) -> None:
        """Start no more games, or start them again; running games go on."""
        self.standing.paused = paused
        if paused:
            self._unpaused.clear()
        else:
            self._unpaused.set()

    # What is to be played.

    def _take_stock(self) -> None:
        """See what the ledger has: results, games in the air, and who failed again and again."""
        for row in self._ledger.games():
            self._voids.take(row)
            self._most_attempts = max(self._most_attempts, row.attempt)
            if row.match_id:
                self._launched.update(row.entrants)
            if row.void_cause is None:
                self._count_failures(row)
            if self._file.tournament.rotation and row.match_id:
                self._sealed.setdefault((row.group, row.attempt), []).append(row.match_id)
        self._known.ruling = self._ledger.rulings_after(0)[1]
        if self._trial is not None:
            self._trial.begin(self._ledger.results())
        self._todo.extend(self._ledger.outstanding())
        progress = self._ledger.progress()
        self.standing.planned = progress.issued
        self._count(progress)
        self.standing.done = progress.issued - len(self._todo)
        for todo in self._todo:
            self._expect(todo)

    def _count(self, progress: Progress) -> None:
        if self._trial is None:
            self.standing.total = known_total(self._schedule, progress)

    async def _next(self) -> ToPlay | None:
        """Return the next game to play: what is outstanding first, then what the schedule adds.

        While games are running there may be more: by an adaptive schedule, a void game, a ruling.
        """
        async with self._turn:
            while not self._decided_early():
                await self._unpaused.wait()
                self._changed.clear()
                busy = bool(self._playing)
                await self._heed_rulings()
                if not self._todo and not self._known.exhausted:
                    self._todo.extend(await asyncio.to_thread(self._next_batch))
                if self._cannot_be_decided():
                    return None
                if self.standing.paused:
                    continue
                if self._todo:
                    todo = self._todo.popleft()
                    self._playing[_key(todo)] = todo
                    return todo
                if not busy:
                    return None
                await self._changed.wait()
            return None

    def _next_batch(self) -> list[ToPlay]:
        """Issue the next batch of the schedule; empty if there is none now."""
        batch = next(self._batches, None)
        if batch is None:
            # Results since then may have brought more.
            progress = self._ledger.progress(with_games=self._schedule.adaptive)
            self._batches = self._schedule.batches(progress)
            self._count(progress)
            batch = next(self._batches, None)
        if batch is None:
            self._known.exhausted = not self._schedule.adaptive
            return []
        issued = self._ledger.issue(batch)
        for todo in issued:
            self._expect(todo)
        self.standing.planned += len(issued)
        return issued

    def _decided_early(self) -> bool:
        """Return whether a sequential test has come to its end."""
        return self._trial is not None and self._trial.decided

    def _cannot_be_decided(self) -> bool:
        """Return whether a sequential test without an end waits for games that nobody plays."""
        out = self.standing.quarantined
        if self._trial is None or self._file.tournament.groups is not None or not out:
            return False
        self._stuck["the test"] = (
            f"the sequential test cannot be decided: {', '.join(sorted(out))} is in quarantine "
            "after forfeits in a row; see what it printed, and begin another tournament"
        )
        return True

    def _expect(self, todo: ToPlay) -> None:
        key = (todo.game.group, todo.attempt)
        self._open[key] = self._open.get(key, 0) + 1

    async def _work(self) -> None:
        """Play one game after another until there is none."""
        while (todo := await self._next()) is not None:
            try:
                await self._play(todo)
            finally:
                self._playing.pop(_key(todo), None)
                self._changed.set()

    # One game.

    async def _play(self, todo: ToPlay) -> None:
        entrants = todo.game.entrants
        out = set(entrants) & self.standing.quarantined
        now = time.time_ns() // 1000
        if out:
            row = quarantine_row(todo, entrants, self._pool, out, now)
        else:
            row = await self._played_row(todo)
        if self._voids.over_quota(row):
            bot, why = cause_of(row), row.void_cause
            self._log.warning("forfeit by the quota of voids", bot=bot, game=row.number, why=why)
            row = over_quota_row(row)
        receipt = await asyncio.to_thread(self._ledger.record, row)
        await self._decided(todo, row, receipt)

    async def _played_row(self, todo: ToPlay) -> GameRow:
        """Play a match and return its row; a void one if a bot cannot be launched any more."""
        entrants = todo.game.entrants
        try:
            info = await self._play_match(todo)
        except NotLaunched as failed:
            now = time.time_ns() // 1000
            return unlaunched_row(todo, entrants, self._pool, str(failed), failed.cause, now)
        return game_row(todo, entrants, self._pool, info, time.time_ns() // 1000)

    async def _play_match(self, todo: ToPlay) -> pb.MatchInfo:
        match_id = self.match_id(todo)
        key = (todo.game.group, todo.attempt)
        sealed = self._file.tournament.rotation
        if sealed:
            self._sealed.setdefault(key, []).append(match_id)
        known = self._matches.find_match(match_id)
        if known is not None and known.HasField("outcome"):
            # Played in an earlier run that ended before the ledger had it.
            return known
        own: list[str] = []
        try:
            identities = await self._bring(todo, match_id, own)
            await self._matches.create_match(
                pb.CreateMatchRequest(
                    match_id=match_id,
                    terms=self._terms,
                    bots=identities,
                    seed=self._deals.seed(todo.deal),
                    sealed=sealed,
                )
            )
            return await self._matches.wait(match_id)
        except BaseException:
            # Whatever ends the tournament: that its bots are ended must not decide the match.
            self._matches.stop_match(match_id)
            raise
        finally:
            await self._players.stop(own)

    async def _bring(self, todo: ToPlay, match_id: str, own: list[str]) -> list[str]:
        """Return the identity for each seat; add to *own* those that end with the game."""
        identities = []
        for seat, name in enumerate(todo.game.entrants):
            bot = self._bots[name]
            if bot.command is None:
                identities.append(name)
            elif self._file.fresh_processes:
                identity = await self._launch(bot, f"{match_id}.{seat}")
                identities.append(identity)
                own.append(identity)
            else:
                identities.append(await self._lasting.bring(bot))
        return identities

    async def _launch(self, bot: BotDefinition, place: str) -> str:
        """Start a process of *bot*; one that never ran yet is the organiser's to correct."""
        try:
            identity = await self._players.launch(bot, place)
        except LaunchError as error:
            if bot.name not in self._launched:
                raise TournamentStopped(f"{error}; correct the command and run it again") from None
            cause = bot.name if isinstance(error, BotCommandError) else None
            raise NotLaunched(f"the bot {bot.name} was not launched: {error}", cause) from None
        self._launched.add(bot.name)
        return identity

    async def _decided(self, todo: ToPlay, row: GameRow, receipt: Receipt) -> None:
        """Take note of a game that is in the ledger."""
        key = (todo.game.group, todo.attempt)
        self._open[key] -= 1
        del self._playing[_key(todo)]
        awaited = _key(todo) not in self._moot
        self._moot.discard(_key(todo))
        if receipt is Receipt.NEW:
            self._voids.take(row)
        if row.void_cause is not None and receipt is Receipt.NEW:
            self._play_group_again(todo, row)
        elif receipt is Receipt.NEW:
            self.standing.done += awaited
            self._count_failures(row)
            if self._trial is not None:
                self._trial.take(row)
        # The last game of the group may have been here while this one waited for the ledger.
        if not self._open.get(key):
            self._open.pop(key, None)
            await self._unseal(key)
        if receipt is Receipt.NEW:
            self._on_game(row, self.standing)

    def _superseded(self) -> set[str]:
        """Return the ids of the matches that are not to be played any more."""
        wanted = {self.match_id(todo) for todo in self._todo}
        most = max([self._most_attempts, *(todo.attempt for todo in self._todo)])
        numbers, attempts = range(1, self.standing.planned + 1), range(1, most + 1)
        return {self._match_id(n, attempt) for n in numbers for attempt in attempts} - wanted

    async def _unseal_decided(self) -> None:
        """Open the deals of the groups that an earlier run decided but did not come to open."""
        for key in [key for key in self._sealed if not self._open.get(key)]:
            await self._unseal(key)

    async def _unseal(self, key: tuple[str, int]) -> None:
        for match_id in self._sealed.pop(key, []):
            if self._matches.is_sealed(match_id):
                await self._matches.unseal_match(match_id)

    def _play_group_again(self, todo: ToPlay, row: GameRow) -> None:
        """Begin the game's rotation group again, on a fresh deal."""
        self._known.outdated = True
        if self._voids.needs_organiser(row):
            self._stuck[row.group] = (
                f"game {row.number} was void again and again, at attempt {todo.attempt} because of "
                f"this: {row.void_cause}; see the log, then resume"
            )
            return
        cause = cause_of(row)
        if cause is not None:
            # Others first: what the bot runs under may be well again by then.
            self._known.later.add(row.group)
        why = row.void_cause
        self._log.warning("rotation group is played again", group=row.group, why=why, by=cause)

    # Rulings.

    async def _look_for_rulings(self) -> None:
        """Wake who waits for something to play whenever there is a new ruling."""
        while True:
            await asyncio.sleep(RULING_SECONDS)
            if (await asyncio.to_thread(self._ledger.rulings_after, self._known.ruling))[0]:
                self._changed.set()

    async def _heed_rulings(self) -> None:
        """See what is to be played now, if there were rulings or void games since the last time."""
        rulings, last = await asyncio.to_thread(self._ledger.rulings_after, self._known.ruling)
        if not rulings and not self._known.outdated:
            return
        self._known.outdated = False
        # A game that ends while the ledger is read is outstanding there, and not to be played.
        playing = set(self._playing)
        outstanding = await asyncio.to_thread(self._ledger.outstanding)
        if rulings and self._trial is not None:
            # Not in a thread: no game may end between the reading and the new beginning.
            self._trial.begin(self._ledger.results())
        self._replan(outstanding, playing)
        self._known.ruling = last
        await self._unseal_decided()
        for ruling in rulings:
            self._log.info("ruling is heeded", kind=ruling.kind.value, why=ruling.why)
            self._on_ruling(ruling, self.standing)

    def _replan(self, outstanding: Sequence[ToPlay], playing: set[tuple[int, int]]) -> None:
        """Play what is *outstanding* and not among the games that were *playing*."""
        stuck = self._stuck.keys()
        self._todo = deque(
            each
            for each in outstanding
            if _key(each) not in playing and each.game.group not in stuck
        )
        if self._known.later:
            self._todo = deque(
                sorted(self._todo, key=lambda each: each.game.group in self._known.later)
            )
        wanted = {_key(each) for each in outstanding}
        self._moot = self._playing.keys() - wanted
        self._batches = iter(())
        self._known.exhausted = False
        self._open.clear()
        for each in (*self._todo, *self._playing.values()):
            self._expect(each)
        running = len(self._playing) - len(self._moot)
        self.standing.done = self.standing.planned - len(self._todo) - running

    def sprt_state(self) -> SprtState | None:
        """Return how the sequential test stands, if there is one."""
        return None if self._trial is None else self._trial.state()

    def _count_failures(self, row: GameRow) -> None:
        """Count forfeits in a row, and put a bot in quarantine when there are too many."""
        if row.reason == "quarantine":
            self.standing.quarantined.update(
                name for name, why in zip(row.entrants, row.forfeits, strict=True) if why
            )
            return
        for name, why in zip(row.entrants, row.forfeits, strict=True):
            failed = why is not None and why not in NOT_THE_BOTS_FAULT
            self._failures[name] = self._failures[name] + 1 if failed else 0
            limit = self._file.tournament.quarantine_after
            if self._failures[name] >= limit and name not in self.standing.quarantined:
                self.standing.quarantined.add(name)
                self._log.warning("bot in quarantine", bot=name, forfeits_in_a_row=limit)

    def match_id(self, todo: ToPlay) -> str:
        """Return the id of the match that plays *todo*: always the same, and telling nothing."""
        return self._match_id(todo.game.number, todo.attempt)

    def _match_id(self, number: int, attempt: int) -> str:
        text = f"harbourmaster/match/{number}/{attempt}"
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()[:16]


def _key(todo: ToPlay) -> tuple[int, int]:
    return todo.game.number, todo.attempt


def entrants_of(bots: Sequence[BotDefinition]) -> list[Entrant]:
    """Return the ledger's entrants for *bots*."""
    return [
        Entrant(bot.name, bot.owner or None, {"command": bot.command} if bot.command else {})
        for bot in bots
    ]


def _match_terms(file: TournamentFile) -> MatchTerms:
    seats = file.tournament.seats
    options = file.game.resolve(seats, file.tournament.options)
    return MatchTerms(file.game, options, seats, file.clock.terms(), file.faults.policy())
