"""Watchers: the whole public story, late or delayed; never more, and never at a match's cost."""

import asyncio
from pathlib import Path
from typing import Any, cast

import grpc
import pytest

from harbourmaster.v1 import bot_service_pb2, match_service_pb2_grpc
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_engine.game import ForfeitReason, SeatForfeited
from harbourmaster_server.errors import LimitExceeded, NotAllowed, NotNow, RefereeError
from harbourmaster_server.identity import ADMIN, PLAY, WATCH, Identity
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.match import Match
from harbourmaster_server.news import News
from harbourmaster_server.pacing import Pace
from harbourmaster_server.referee import Referee
from harbourmaster_server.services.matches import MatchService
from harbourmaster_server.services.watching import counted, watch
from support.arena import Arena, ScriptedBot, open_arena, run, spin
from support.patience import PATIENCE
from support.served import refusal, run_served, serve, until


class Watcher:
    """A watcher whose reading the test controls."""

    def __init__(
        self, arena: Arena, match_id: str, *, reads: bool = True, pace: Pace | None = None
    ) -> None:
        self.messages: list[pb.WatchMatchResponse] = []
        self._reads = reads
        self._pace = pace or Pace(1_000_000)
        match = arena.referee.match_to_watch(match_id)
        self.task = asyncio.create_task(self._watch(arena, match))

    async def _watch(self, arena: Arena, match: Match) -> None:
        with counted(arena.referee):
            await watch(match, self._write, self._pace)

    async def _write(self, message: bytes) -> None:
        if not self._reads:
            await asyncio.Event().wait()
        self.messages.append(pb.WatchMatchResponse.FromString(message))

    @property
    def events(self) -> list[Any]:
        return [event for message in self.messages for event in message.events.events]

    @property
    def over(self) -> bool:
        return bool(self.messages) and self.messages[-1].HasField("outcome")


async def begin(arena: Arena, **more: Any) -> tuple[ScriptedBot, ScriptedBot, str]:
    first, second = await arena.bot("first"), await arena.bot("second")
    return first, second, await arena.match("first", "second", game="wild_rummy", **more)


async def play(bots: tuple[ScriptedBot, ScriptedBot], decisions: int) -> None:
    """Let whoever was asked last answer, so many times."""
    for _ in range(decisions):
        asked = [bot for bot in bots if bot.all("decision_request")]
        await max(asked, key=lambda bot: bot.request.decision).reply()


async def resign(bots: tuple[ScriptedBot, ScriptedBot]) -> None:

    asked = [bot for bot in bots if bot.all("decision_request")]
    last = max(asked, key=lambda bot: bot.request.decision)
    await last.reply(resignation=bot_service_pb2.Resignation())


async def read_out(call: Any) -> None:
    """Read all that there is."""
    while await call.read():
        pass


def test_a_late_watcher_gets_the_same_story_as_an_early_one(tmp_path: Path) -> None:
    async def work() -> tuple[Watcher, Watcher]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await begin(arena)
            early = Watcher(arena, match_id)
            await play((first, second), 1)
            await until(lambda: bool(early.events))
            await play((first, second), 29)
            late = Watcher(arena, match_id)
            await play((first, second), 5)
            await resign((first, second))
            await asyncio.gather(early.task, late.task)
            return early, late

    early, late = run(work())

    assert len(early.events) > 30
    assert early.events == late.events
    for watcher in (early, late):
        assert [m.WhichOneof("update") for m in watcher.messages[:2]] == ["match", "view"]
        assert watcher.over
        assert not watcher.messages[1].view.wild_rummy.hand


def test_a_delayed_watcher_sees_nothing_before_its_time_and_all_of_it_then(tmp_path: Path) -> None:
    async def work() -> list[tuple[int, bool]]:
        seen = []
        limits = Limits(watch_delay_seconds=30)
        async with open_arena(tmp_path, limits=limits) as arena:
            first, second, match_id = await begin(arena)
            watcher = Watcher(arena, match_id)
            await play((first, second), 3)
            await arena.time.advance(1000)
            await resign((first, second))
            for wait in (28_900, 200, 1_000):
                seen.append((len(watcher.events), watcher.over))
                await arena.time.advance(wait)
            seen.append((len(watcher.events), watcher.over))
            assert not watcher.messages[0].match.HasField("waiting_for")
            assert watcher.messages[0].match.decisions == 0
            await watcher.task
        return seen

    before, nearly, moves, all_of_it = run(work())

    assert before == nearly == (0, False)
    assert moves == (3, False)
    assert all_of_it == (4, True)


class Caller:
    """The context of a call with a token."""

    def __init__(self, arena: Arena, right: str) -> None:
        token = arena.referee.tokens.issue_passing(Identity(right, rights=(right,)))
        self._metadata = (("authorization", f"Bearer {token}"),)

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return self._metadata


@pytest.mark.parametrize(
    ("delay", "right", "told"), [(30, WATCH, False), (30, ADMIN, True), (0, WATCH, True)]
)
def test_with_a_delay_only_an_organiser_can_ask_how_far_a_match_is(
    delay: float, right: str, told: bool, tmp_path: Path
) -> None:
    async def work() -> None:
        limits = Limits(watch_delay_seconds=delay)
        async with open_arena(tmp_path, limits=limits) as arena:
            first, second, match_id = await begin(arena)
            await play((first, second), 3)
            service, caller = MatchService(arena.referee), cast("Any", Caller(arena, right))
            one = await service.GetMatch(pb.GetMatchRequest(match_id=match_id), caller)
            listed = await service.ListMatches(pb.ListMatchesRequest(), caller)
            for match in (one.match, *listed.matches):
                assert match.match_id == match_id
                assert (match.decisions, match.HasField("waiting_for")) == (4 * told, told)
            await resign((first, second))
            await arena.referee.wait(match_id)
            over = await service.GetMatch(pb.GetMatchRequest(match_id=match_id), caller)
            assert over.match.decisions >= 3

    run(work())


@pytest.mark.parametrize(
    ("stall", "dropped"),
    [
        pytest.param(0.05, True, id="bounded"),
        pytest.param(1000, False, id="planted fault: no bound"),
    ],
)
def test_a_watcher_that_does_not_read_is_dropped_and_slows_nobody(
    stall: float, dropped: bool, tmp_path: Path
) -> None:
    async def work() -> tuple[bool, int, int]:
        limits = Limits(watcher_stall_seconds=stall)
        async with open_arena(tmp_path, limits=limits) as arena:
            first, second, match_id = await begin(arena)
            watcher = Watcher(arena, match_id, reads=False)
            await play((first, second), 30)
            decisions = arena.referee.get_match(match_id).decisions
            await asyncio.wait({watcher.task}, timeout=PATIENCE if dropped else 0.5)
            was_dropped = watcher.task.done() and isinstance(
                watcher.task.exception(), LimitExceeded
            )
            watchers = arena.referee.watchers
            watcher.task.cancel()
            await spin()
            return was_dropped, decisions, watchers

    assert run(work()) == (dropped, 31, 0 if dropped else 1)


def test_many_watchers_share_a_pace_and_each_still_gets_the_whole_story(tmp_path: Path) -> None:
    """While they wait for their turns, what happens gathers: fewer messages, and nothing lost."""

    async def work(per_second: int) -> tuple[list[int], list[int]]:
        async with open_arena(tmp_path / str(per_second)) as arena:
            first, second, match_id = await begin(arena)
            pace = Pace(per_second)
            watchers = [Watcher(arena, match_id, pace=pace) for _ in range(40)]
            await arena.play_out(match_id, first, second)
            await asyncio.gather(*(watcher.task for watcher in watchers))
            assert all(watcher.over for watcher in watchers)
            told = [len(watcher.messages) for watcher in watchers]
            return told, [len(watcher.events) for watcher in watchers]

    slow, slow_events = run(work(200))
    quick, quick_events = run(work(1_000_000))
    assert len(set(slow_events)) == len(set(quick_events)) == 1
    assert sum(slow) < sum(quick) / 4


def test_turns_are_given_in_order_and_not_quicker_than_so_many_a_second() -> None:
    async def work() -> tuple[list[int], float]:
        pace, news, served = Pace(1000), News(), list[int]()

        async def take(number: int) -> None:
            await pace.turn(news, -1)
            served.append(number)

        loop = asyncio.get_running_loop()
        began = loop.time()
        await asyncio.gather(*(take(number) for number in range(120)))
        return served, loop.time() - began

    served, seconds = asyncio.run(work())
    assert served == list(range(120))
    # Twenty may go ahead at once.
    assert seconds >= 0.099


def test_who_leaves_while_nothing_happens_is_forgotten(tmp_path: Path) -> None:
    async def work() -> tuple[int, int]:
        async with open_arena(tmp_path) as arena:
            *_, match_id = await begin(arena)
            news = arena.referee.match_to_watch(match_id).publication.news
            watchers = [Watcher(arena, match_id) for _ in range(5)]
            await until(lambda: len(news._waiting) == 5)
            for watcher in watchers:
                watcher.task.cancel()
            await spin()
            return 5, len(news._waiting)

    assert run(work()) == (5, 0)


def test_there_is_a_limit_to_watchers_and_who_leaves_makes_room(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path, limits=Limits(watchers=2)) as arena:
            _, _, match_id = await begin(arena)
            watchers = [Watcher(arena, match_id) for _ in range(3)]
            await spin()
            with pytest.raises(LimitExceeded, match="has 2 watchers and takes no more"):
                await watchers[2].task
            watchers[0].task.cancel()
            await spin()
            again = Watcher(arena, match_id)
            await spin()
            assert again.messages
            again.task.cancel()
            watchers[1].task.cancel()
            await spin()
            assert arena.referee.watchers == 0

    run(work())


def test_a_sealed_match_cannot_be_watched(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            _, _, sealed = await begin(arena, sealed=True)
            with pytest.raises(NotNow, match="cannot be watched: its deal is sealed"):
                arena.referee.match_to_watch(sealed)

    run(work())


def test_a_sealed_record_is_not_to_be_had_by_a_path_for_an_id(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, second, sealed = await begin(arena, sealed=True, match_id="secret")
            await resign((first, second))
            await arena.referee.wait(sealed)
            assert (tmp_path / "records" / "../sealed/secret.hmr").exists()
            for match_id in ("secret", "../sealed/secret"):
                for reader in (None, Identity("first", rights=(WATCH,)), Identity("first")):
                    with pytest.raises(RefereeError) as refused:
                        arena.referee.load_record(match_id, reader)
                    assert "record" in str(refused.value) or "no match" in str(refused.value)

    run(work())


def test_a_bot_may_fetch_the_records_of_its_own_matches_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await begin(arena)
            with pytest.raises(NotAllowed):
                arena.referee.load_record(match_id, Identity("first", rights=(PLAY,)))
            await resign((first, second))
            await arena.referee.wait(match_id)
            for name, rights in (("first", PLAY), ("other", WATCH), ("other", ADMIN)):
                entries = arena.referee.load_record(match_id, Identity(name, rights=(rights,)))
                assert len(entries) > 4
            for asked in (match_id, "unknown"):
                with pytest.raises(NotAllowed, match="its own matches alone"):
                    arena.referee.load_record(asked, Identity("other", rights=(PLAY,)))

    run(work())


def test_over_a_real_connection_a_reader_that_stops_is_dropped_with_a_reason(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        limits = Limits(watcher_stall_seconds=0.3)
        async with serve(tmp_path, limits=limits, open_mode=True) as served:
            request = pb.CreateMatchRequest(bots=["a", "b"], match_id="m")
            request.terms.game = "anchorline"
            await served.referee.create_match(request)
            (match,) = served.referee.open_matches
            event = SeatForfeited(1, ForfeitReason.TIMEOUT)
            # More than what the transport takes in before the reader reads.
            match.events.extend(match.codec.event_chunks([event]) * 200_000)
            match.publication.release()
            stub = match_service_pb2_grpc.MatchServiceStub(served.channel)
            call: Any = stub.WatchMatch(pb.WatchMatchRequest(match_id="m"))
            first = await call.read()
            assert first.match.match_id == "m"
            await until(lambda: served.referee.watchers == 0)
            async with asyncio.timeout(PATIENCE):
                code, text = await refusal(read_out(call))
            assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert "was not read for 0.3 s" in text

    run_served(work())


async def watch_as_player(tmp_path: Path, *, sealed: bool) -> tuple[grpc.StatusCode, str]:
    """Try to watch a match with a play token, or a sealed one with a watch token."""
    async with serve(tmp_path) as served:
        request = pb.CreateMatchRequest(bots=["a", "b"], match_id="m", sealed=sealed)
        request.terms.game = "anchorline"
        await served.referee.create_match(request)
        stub = match_service_pb2_grpc.MatchServiceStub(served.channel)
        token = served.token("fan", WATCH if sealed else PLAY)
        call: Any = stub.WatchMatch(pb.WatchMatchRequest(match_id="m"), metadata=token)
        try:
            return await refusal(call.read())
        finally:
            call.cancel()


def test_over_the_wire_a_play_token_may_not_watch_and_nobody_a_sealed_match(
    tmp_path: Path,
) -> None:
    refused = run_served(watch_as_player(tmp_path / "play", sealed=False))
    assert refused == (
        grpc.StatusCode.PERMISSION_DENIED,
        "the token has not the right to watch: the organiser can issue one that has, with "
        "harbourmaster token issue NAME --right watch",
    )

    code, text = run_served(watch_as_player(tmp_path / "sealed", sealed=True))
    assert code is grpc.StatusCode.FAILED_PRECONDITION
    assert "its deal is sealed" in text


def test_planted_fault_a_referee_that_asks_for_no_right_and_forgets_the_seal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgetful(referee: Referee, match_id: str) -> Match:
        return referee._matches[match_id]

    monkeypatch.setattr(Referee, "match_to_watch", forgetful)
    monkeypatch.setattr(Identity, "may", lambda identity, right: True)
    for sealed in (False, True):
        with pytest.raises(AssertionError, match="was not refused"):
            run_served(watch_as_player(tmp_path / str(sealed), sealed=sealed))


def test_a_watch_token_may_watch(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path) as served:
            request = pb.CreateMatchRequest(bots=["a", "b"], match_id="m")
            request.terms.game = "anchorline"
            await served.referee.create_match(request)
            stub = match_service_pb2_grpc.MatchServiceStub(served.channel)
            asked = pb.WatchMatchRequest(match_id="m")
            call: Any = stub.WatchMatch(asked, metadata=served.token("fan", WATCH))
            assert (await call.read()).match.match_id == "m"
            call.cancel()

    run_served(work())
