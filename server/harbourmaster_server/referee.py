"""The referee: all its matches and sessions, behind an interface that equals `MatchService`."""

import asyncio
import re
import secrets
from collections import OrderedDict
from collections.abc import Collection, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import time as wall_clock
from typing import Any, Final, Self

import grpc
import structlog

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1.record_pb2 import RecordEntry
from harbourmaster_engine.chance import SEED_BYTES
from harbourmaster_server.clock import ClockTerms
from harbourmaster_server.desk import Desk
from harbourmaster_server.errors import (
    AlreadyExists,
    BadRequest,
    CannotStart,
    NotAllowed,
    NotNow,
    ShuttingDown,
    UnknownMatch,
)
from harbourmaster_server.identity import (
    PLAY,
    WATCH,
    Gatekeeper,
    Identity,
    Tokens,
    check_name,
    is_launched,
)
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.closing import void, void_for
from harbourmaster_server.matches.match import Deal, Match
from harbourmaster_server.matches.play import play_match
from harbourmaster_server.policy import FaultPolicy
from harbourmaster_server.records import Journal, RecordError, RecordStore, SigningKey
from harbourmaster_server.records.signing import sign_record
from harbourmaster_server.recovery import LeftOver, info_from_record, recover
from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.sessions.registry import SecondSession, Sessions, end_calls
from harbourmaster_server.sessions.session import Session
from harbourmaster_server.terms import read_terms
from harbourmaster_server.timekeeping import Timekeeper, loop_time

MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
SHUTS_DOWN: Final = "the referee shuts down; open matches go on when it is up again: connect again"
HOLD_SECONDS: Final = 120.0
"""How long a match of the last run waits for its bots to be launched again."""
KEPT_INFOS: Final = 1000
"""How many finished matches are kept at hand; older ones are read from their records."""


@dataclass(frozen=True, slots=True)
class RefereeConfig:
    """How a referee is run."""

    folder: Path
    """Where journal, records, keys and tokens are kept."""
    open_mode: bool = False
    """Whether callers without a token may do everything; for one's own machine."""
    durability: str = "process"
    """`process`: safe when the referee dies; `power`: safe when the machine does."""
    second_session: SecondSession = SecondSession.ALLOW
    clock: ClockTerms = field(default_factory=ClockTerms)
    """The clock of matches that name none."""
    policy: FaultPolicy = field(default_factory=FaultPolicy)
    """The fault policy of matches that name none."""
    limits: Limits = field(default_factory=Limits)


class Referee:
    """Runs matches. Used as `async with`, on a loop made by `timekeeping.new_event_loop`."""

    def __init__(self, config: RefereeConfig, log: structlog.stdlib.BoundLogger) -> None:
        config.folder.mkdir(parents=True, exist_ok=True)
        synced = config.durability == "power"
        self.config = config
        self.key = SigningKey.load_or_make(config.folder)
        self.tokens = Tokens(config.folder / "tokens.json")
        self.gatekeeper = Gatekeeper(self.tokens, open_mode=config.open_mode)
        self.records = RecordStore(config.folder / "records", synced=synced)
        self.sealed_records = RecordStore(config.folder / "sealed", synced=synced)
        self._journal_folder = config.folder / "journal"
        self._synced = synced
        self._log = log
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="records")
        self._matches: dict[str, Match] = {}
        self._requests: dict[str, pb.CreateMatchRequest] = {}
        self._infos: OrderedDict[str, bytes] = OrderedDict()
        """Finished matches as bytes, which take a tenth of the room that messages take."""
        self._next_number = 1
        self._paused_by_disk: list[Match] = []
        self._running: dict[asyncio.Task[None], Match] = {}
        self._held: dict[str, asyncio.Future[str]] = {}
        """Matches of the last run that wait to be asked for; the result is why not, or ''."""
        self.draining = False
        self.start_seconds = int(wall_clock())
        """When the referee was made, in seconds since 1970."""
        self.watchers = 0
        """How many watchers there are now."""
        self._halted = False
        self.lobby = Lobby()
        self.desk: Desk
        self.sessions: Sessions
        self._tasks: asyncio.TaskGroup

    async def __aenter__(self) -> Self:
        """Start, and take up again every match that the last run left unfinished."""
        await self.start(loop_time())
        return self

    async def start(self, time: Timekeeper) -> None:
        """Start by the *time* given; raise `CannotStart` if the disk refuses."""
        found = recover(self._journal_folder)
        self._next_number = found.highest_number + 1
        journal = Journal(self._journal_folder, synced=self._synced)
        self.desk = Desk(time, journal, self.config.limits, self._log)
        self.desk.on_disk_trouble = self._disk_trouble
        self.sessions = Sessions(self.desk, self.lobby, self.config.second_session)
        self._tasks = asyncio.TaskGroup()
        await self._tasks.__aenter__()
        try:
            for left_over in found.matches:
                self._take_up(left_over)
            journal.flush()
        except OSError as error:
            await self.stop()
            raise CannotStart(
                f"cannot write in {self.config.folder}: {error.strerror}; unfinished matches are "
                "safe in the journal there: make room and start again"
            ) from None
        found.delete_old_segments()

    async def __aexit__(self, *error: object) -> None:
        """Stop: matches in progress stay in the journal, for the next start."""
        await self.stop()

    async def stop(self) -> None:
        """Stop at once; nothing that was said to anybody is lost."""
        self.halt()
        await self._tasks.__aexit__(None, None, None)
        self._writer.shutdown(wait=True)
        try:
            self.desk.journal.close()
        except OSError as error:
            # What is not written was not acted upon either: those decisions are asked again.
            self._log.error("the journal's end cannot be written", why=error.strerror)

    def halt(self) -> None:
        """Stop every match where it is, for the next start to go on with.

        Whoever ends bots or connections calls this first, so that no match is decided by that.
        """
        self.drain()
        self._halted = True
        for match_id in list(self._matches):
            self.stop_match(match_id)

    def drain(self) -> None:
        """Take no new sessions and matches, and say so to those who are there."""
        if self.draining:
            return
        self.draining = True
        for session in self.sessions.all():
            session.notice(bot_pb.NOTICE_CODE_DRAINING, SHUTS_DOWN)
        self.desk.flush()

    def dismiss(self, text: str, sessions: Iterable[Session] | None = None) -> None:
        """End *sessions* well, for the reason in *text*; by default all, and nothing comes after.

        Everything that they were to be sent is sent before.
        """
        if sessions is None:
            self.draining = True
            sessions = self.sessions.all()
        dismissed = list(sessions)
        for session in dismissed:
            session.notice(bot_pb.NOTICE_CODE_OVER, text)
        self.desk.flush()
        end_calls(dismissed, grpc.StatusCode.OK, "")

    def hang_up(self) -> None:
        """End every call of a bot; those that were not dismissed are told to connect again."""
        self.desk.flush()
        end_calls(self.sessions.all(), grpc.StatusCode.UNAVAILABLE, SHUTS_DOWN)

    # The interface of MatchService.

    async def create_match(self, request: pb.CreateMatchRequest) -> pb.MatchInfo:
        """Make a match; the same request again returns the match as it is."""
        if self.draining:
            raise ShuttingDown("the referee is shutting down and takes no matches")
        if request.match_id and (known := self._known(request.match_id)) is not None:
            made = self._requests.get(request.match_id)
            if made is not None and made != request:
                raise AlreadyExists(f"there is another match {request.match_id!r}: choose an id")
            self._let_go(request.match_id, "")
            return known
        match = self._make(request)
        self._matches[match.id] = match
        self._requests[match.id] = pb.CreateMatchRequest.FromString(request.SerializeToString())
        match.record_start()
        self.desk.flush()
        self._run(match, self._referee(match))
        # While the disk refuses, nobody is told of a match that a crash would lose.
        await self.desk.written()
        return match.info()

    def find_match(self, match_id: str) -> pb.MatchInfo | None:
        """Return a match, or `None` if there is none of that id."""
        return self._known(match_id)

    def is_sealed(self, match_id: str) -> bool:
        """Return whether a match is over and its deal still a secret."""
        return self.sealed_records.has(match_id)

    def drop_held(self, unwanted: Collection[str]) -> None:
        """Void those of the *unwanted* matches that wait for their bots to be launched again."""
        for match_id in set(self._held) & set(unwanted):
            self._let_go(match_id, "the match was not wanted any more when the referee came back")

    def stop_match(self, match_id: str) -> None:
        """Stop a match where it is, for the next start of the referee to go on with.

        Whoever ends its bots calls this first, so that the match is not decided by that.
        """
        for task, match in list(self._running.items()):
            # The record of a match that is over is only a write away.
            if match.id == match_id and match.outcome is None:
                task.cancel()

    def get_match(self, match_id: str) -> pb.MatchInfo:
        """Return a match; raise `UnknownMatch`."""
        known = self._known(match_id)
        if known is None:
            raise UnknownMatch(f"there is no match {match_id!r}")
        return known

    def list_matches(self, request: pb.ListMatchesRequest) -> pb.ListMatchesResponse:
        """List matches, the newest first."""
        size = request.page_size or 100
        if size > 1000:
            raise BadRequest(f"page_size is {size}: at most 1000")
        infos = [match.info() for match in self._matches.values()]
        infos += [
            pb.MatchInfo.FromString(info)
            for key, info in self._infos.items()
            if key not in self._matches
        ]
        infos.sort(key=lambda i: (i.create_time.ToNanoseconds(), i.match_id), reverse=True)
        start = 0
        if request.page_token:
            if not request.page_token.isdecimal():
                raise BadRequest("page_token is not one that this referee gave")
            start = int(request.page_token)
        more = str(start + size) if start + size < len(infos) else ""
        return pb.ListMatchesResponse(matches=infos[start : start + size], next_page_token=more)

    async def unseal_match(self, match_id: str) -> pb.MatchInfo:
        """Open the deal of a match that was made sealed; raise `UnknownMatch` or `NotNow`."""
        if match_id in self._matches:
            raise NotNow(f"the match {match_id} goes on: its deal opens after its end")
        info = self.get_match(match_id)
        if self.sealed_records.has(match_id):
            self.sealed_records.path(match_id).replace(self.records.path(match_id))
            self._infos.pop(match_id, None)
            info = self.get_match(match_id)
        return info

    def load_record(self, match_id: str, reader: Identity | None = None) -> list[bytes]:
        """Return the entries of a match's record; raise `UnknownMatch` or `NotNow`.

        A *reader* without the right to watch may have those of its own matches alone; for any
        other match `NotAllowed` is raised, whether it is there or not.
        """
        if reader is not None and not reader.may(WATCH):
            entries = self.records.load(match_id) if self._is_own(match_id, reader) else []
            if not entries:
                raise NotAllowed("the token has the right to the records of its own matches alone")
            return entries
        # An id with a path in it could lead to the sealed records.
        if MATCH_ID.fullmatch(match_id) and self.records.has(match_id):
            return self.records.load(match_id)
        self.get_match(match_id)
        raise NotNow(f"the record of {match_id} is not open: the match goes on, or is sealed")

    def match_to_watch(self, match_id: str) -> Match:
        """Return a match for its watchers; raise `UnknownMatch` or `NotNow`."""
        match = self._matches.get(match_id)
        if match is None:
            self.get_match(match_id)
            raise NotNow(f"the match {match_id} is over: fetch its record")
        if match.sealed:
            raise NotNow(f"the match {match_id} cannot be watched: its deal is sealed")
        return match

    async def wait(self, match_id: str) -> pb.MatchInfo:
        """Return a match when it is over and its record is on disk."""
        match = self._matches.get(match_id)
        if match is not None:
            await match.over.wait()
        return self.get_match(match_id)

    # For whoever runs the referee.

    def check_play(self, identity: Identity) -> Identity:
        """Return *identity* if it may play; raise `NotAllowed`."""
        if not identity.may(PLAY):
            raise NotAllowed("the token has not the right to play")
        return identity

    def bot_exited(self, bot: str, how: str, *, lost: bool = False) -> None:
        """Take note that the process of *bot* ended, and *how*: nothing comes back from it.

        A bot that was *lost* with what it ran under failed in nothing: its open matches are void.
        """
        self.desk.exits[bot] = how
        for match in list(self._matches.values()):
            for seat in match.seats:
                if seat.bot == bot and seat.forfeit is None and match.outcome is None:
                    match.release(seat)
                    if lost:
                        match.lose_side(seat, f"the bot {seat.name} was lost: {how}")
        self.sessions.give_up(bot)
        self.lobby.give_up(bot)

    def forget_bot(self, bot: str) -> None:
        """Forget a launched *bot* whose match is over: its passing tokens, and how it ended."""
        self.tokens.drop_passing(bot)
        self.desk.exits.pop(bot, None)
        self.lobby.forget(bot)

    @property
    def open_matches(self) -> list[Match]:
        """The matches in progress."""
        return list(self._matches.values())

    def _take_up(self, left_over: LeftOver) -> None:
        """Go on with a match of the last run, or void it if it cannot be played on."""
        match_id = left_over.match_id
        if self.records.has(match_id) or self.sealed_records.has(match_id):
            return
        try:
            match = left_over.rebuild(self._take_number(), self.desk)
        except RecordError as error:
            self._void_left_over(left_over, str(error))
            return
        self._matches[match.id] = match
        if match.outcome is not None:
            self._run(match, self._put_away(match))
        else:
            match.log.info("match taken up again", decision=match.decisions + 1)
            self._run(match, self._resume(match))

    def _void_left_over(self, left_over: LeftOver, why: str) -> None:
        """Close the record of a match of the last run that cannot be played on."""
        text = f"the referee was restarted and cannot go on with the match: {why}"
        match_id = left_over.match_id
        chain = left_over.void(text, self.key)
        store = self.sealed_records if left_over.sealed else self.records
        if not MATCH_ID.fullmatch(match_id):
            store = RecordStore(self.config.folder / "damaged", synced=self._synced)
            match_id = secrets.token_hex(8)
        store.save(match_id, chain.entries)
        self._log.error("a match of the last run is void", match=match_id, why=why)

    async def _resume(self, match: Match) -> None:
        """Go on with a match of the last run, as soon as its bots can be expected.

        That is when `create_match` asks for it again, if its bots must first be launched again.
        """
        if any(is_launched(seat.bot) for seat in match.seats):
            held = self._held[match.id] = asyncio.get_running_loop().create_future()
            await asyncio.wait({held}, timeout=HOLD_SECONDS)
            unwanted = held.result() if held.done() else ""
            if unwanted:
                void(match, self.lobby, unwanted)
                await self._put_away(match)
                return
        await self._referee(match)

    def _let_go(self, match_id: str, unwanted: str) -> None:
        held = self._held.pop(match_id, None)
        if held is not None and not held.done():
            held.set_result(unwanted)

    def _is_own(self, match_id: str, identity: Identity) -> bool:
        """Return whether a match is over, open to all, and *identity* had a seat at it."""
        if not MATCH_ID.fullmatch(match_id) or not self.records.has(match_id):
            return False
        start = RecordEntry.FromString(self.records.load(match_id)[0]).start
        return identity.bot in start.bots

    def _known(self, match_id: str) -> pb.MatchInfo | None:
        if not MATCH_ID.fullmatch(match_id):
            return None
        match = self._matches.get(match_id)
        if match is not None:
            return match.info()
        kept = self._infos.get(match_id)
        if kept is not None:
            return pb.MatchInfo.FromString(kept)
        for store, sealed in ((self.records, False), (self.sealed_records, True)):
            if store.has(match_id):
                info = info_from_record(store.load(match_id), sealed=sealed)
                self._remember(info)
                return info
        return None

    def _remember(self, info: pb.MatchInfo) -> None:
        self._infos[info.match_id] = info.SerializeToString()
        if len(self._infos) > KEPT_INFOS:
            self._infos.popitem(last=False)

    def _make(self, request: pb.CreateMatchRequest) -> Match:
        match_id = request.match_id or secrets.token_hex(8)
        if not MATCH_ID.fullmatch(match_id):
            raise BadRequest(
                f"match_id is {match_id[:80]!r}: it takes 1 to 64 letters, digits, dashes or "
                "underlines"
            )
        if request.seed and len(request.seed) != SEED_BYTES:
            raise BadRequest(f"seed has {len(request.seed)} bytes: it takes {SEED_BYTES}")
        config = self.config
        terms = read_terms(request.terms, len(request.bots), config.clock, config.policy)
        bots = [check_name(bot) for bot in request.bots]
        deal = Deal(request.seed or secrets.token_bytes(SEED_BYTES), secrets.token_bytes(32))
        number = self._take_number()
        match = Match(match_id, number, terms, bots, deal, self.desk, sealed=request.sealed)
        for seat in match.seats:
            seat.name = self.tokens.shown(seat.bot)
        return match

    def _take_number(self) -> int:
        self._next_number += 1
        return self._next_number - 1

    async def _referee(self, match: Match) -> None:
        """Run *match* to its end, and save its record; a fault of the referee voids it."""
        try:
            await play_match(match, self.lobby)
        except Exception as error:
            void_for(match, self.lobby, error)
        await self._put_away(match)

    async def _put_away(self, match: Match) -> None:
        """Sign and save the record of a match that is over, and let go of it."""
        sign_record(match.chain, self.key, match.new_entry())
        store = self.sealed_records if match.sealed else self.records
        if not await self._save(match, store):
            return
        self._remember(match.info())
        del self._matches[match.id]
        self._requests.pop(match.id, None)
        self.desk.journal.release(match.number)
        match.over.set()

    async def _save(self, match: Match, store: RecordStore) -> bool:
        """Save the record, as often as it takes: the journal has the match until then.

        Return whether it is saved; only a referee that stops gives up, for the next start to save.
        """
        loop = asyncio.get_running_loop()
        while True:
            try:
                await loop.run_in_executor(self._writer, store.save, match.id, match.chain.entries)
                return True
            except OSError as error:
                match.log.error("the record cannot be written", why=error.strerror)
                if self._halted:
                    return False
                await asyncio.sleep(1)

    def _run(self, match: Match, work: Coroutine[Any, Any, None]) -> None:
        task = self._tasks.create_task(work)
        self._running[task] = match
        task.add_done_callback(self._running.pop)

    def _disk_trouble(self, text: str) -> None:
        if text:
            # One that somebody paused by hand stays paused when the disk is well again.
            self._paused_by_disk = [m for m in self._matches.values() if not m.paused]
            for match in self._paused_by_disk:
                match.pause(text)
        else:
            for match in self._paused_by_disk:
                match.resume()
            self._paused_by_disk = []
