"""What went wrong is explained, with the view that the faulted decision carried."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from harbourmaster.v1 import anchorline_pb2, game_pb2, match_pb2
from harbourmaster.v1 import bot_service_pb2 as bot_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_server.showing import explain, show
from harbourmaster_server.terms import to_duration
from support.arena import Arena, ScriptedBot, open_arena, run
from support.records import SEED, play_some, record_of

Script = Callable[[Arena, ScriptedBot], Awaitable[None]]
FAR = game_pb2.Move(
    anchorline=anchorline_pb2.AnchorlineMove(
        place=anchorline_pb2.AnchorlinePlace(cell=anchorline_pb2.AnchorlineCell(x=7, y=7))
    )
)


def terms(**policy: match_pb2.FaultRule) -> match_pb2.MatchTerms:
    """A clock of a second, no extra time for the first turn."""
    clock = match_pb2.ClockTerms(
        bank=match_pb2.BankLimit(initial_time=to_duration(1_000_000)),
        first_turn_allowance=to_duration(0),
        connect_time=to_duration(200_000),
    )
    faults = match_pb2.FaultPolicy(max_strikes=2, reconnect_time=to_duration(500_000), **policy)
    return match_pb2.MatchTerms(clock=clock, policy=faults)


def record(
    folder: Path, script: Script, asked: match_pb2.MatchTerms
) -> tuple[list[pb.RecordEntry], ScriptedBot]:
    """Let *script* play seat 0 of a match that its opponent would play well."""

    async def work() -> tuple[list[pb.RecordEntry], ScriptedBot]:
        async with open_arena(folder) as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second", terms=asked, seed=SEED)
            await script(arena, first)
            return await record_of(arena, match_id), first

    return run(work())


def test_p75_a_refused_move_is_explained_with_the_view_it_answered(tmp_path: Path) -> None:
    async def script(arena: Arena, bot: ScriptedBot) -> None:
        for attempt in (1, 2, 3):
            await arena.time.advance(40)
            await bot.reply(move=FAR, attempt=attempt)

    entries, bot = record(tmp_path, script, terms(illegal_move=match_pb2.FaultRule(retries=2)))
    reports = explain(entries)

    assert [report.attempt for report in reports] == [1, 2, 3]
    assert {report.kind for report in reports} == {ForfeitReason.ILLEGAL_MOVE}
    assert [report.consequence for report in reports] == [
        "the bot was asked again, on the same clock: attempt 2",
        "the bot was asked again, on the same clock: attempt 3",
        "the seat forfeited the match",
    ]
    assert [report.taken_micros for report in reports] == [40_000, 80_000, 120_000]
    for report in reports:
        assert report.move == "place at (7, 7)"
        assert report.refusal is not None
        assert "(7, 7)" in report.text
        assert report.asked is not None
        assert report.asked.view == bot.request.view


def test_a_timeout_is_explained_with_the_numbers(tmp_path: Path) -> None:
    async def script(arena: Arena, bot: ScriptedBot) -> None:
        await arena.time.advance(1200)

    entries, bot = record(tmp_path, script, terms())
    (report,) = explain(entries)

    assert report.kind is ForfeitReason.TIMEOUT
    assert "allowed: 1000.0 ms left + 50 ms of grace" in report.text
    assert report.consequence == "the seat forfeited the match"
    assert report.asked is not None
    assert report.asked.view == bot.request.view
    assert report.asked.time_left_micros == 1_000_000


def test_a_default_move_is_named_with_its_strike(tmp_path: Path) -> None:
    default = match_pb2.FaultRule(action=match_pb2.FAULT_ACTION_DEFAULT_MOVE)

    async def script(arena: Arena, bot: ScriptedBot) -> None:
        await arena.time.advance(1200)
        await arena.time.advance(4000)

    entries, _ = record(tmp_path, script, terms(timeout=default))
    reports = explain(entries)

    assert reports[0].consequence.startswith("the default move was made: place at ")
    assert reports[0].consequence.endswith("; strike 1")
    first = next(step for step in show(entries) if step.kind == "move")
    assert first.text.startswith("The default move is made for seat 0 (first): place at ")
    assert first.details == ("this is strike 1",)


def test_p30_a_bot_that_never_came_is_explained_without_a_view(tmp_path: Path) -> None:
    async def work() -> list[pb.RecordEntry]:
        async with open_arena(tmp_path) as arena:
            await arena.bot("here")
            match_id = await arena.match("here", "away", terms=terms(), seed=SEED)
            return await record_of(arena, match_id)

    (report,) = explain(run(work()))

    assert (report.seat, report.kind) == (1, ForfeitReason.NOT_CONNECTED)
    assert report.text == "the bot away did not connect: it had 0.2 s"
    assert report.decision is None
    assert report.asked is None


def test_a_bot_that_is_there_but_plays_other_games_is_not_said_to_be_away(tmp_path: Path) -> None:
    async def work() -> list[pb.RecordEntry]:
        async with open_arena(tmp_path) as arena:
            await arena.bot("here")
            await arena.bot("other", games=[bot_pb2.GameSupport(game="claim")])
            match_id = await arena.match("here", "other", terms=terms(), seed=SEED)
            return await record_of(arena, match_id)

    (report,) = explain(run(work()))

    assert report.kind == ForfeitReason.NOT_CONNECTED
    assert "is connected, but does not take this match" in report.text
    assert "anchorline" in report.text


def test_a_match_without_faults_has_none_to_explain(tmp_path: Path) -> None:
    entries, _ = play_some(tmp_path, "anchorline", 5)

    assert [report.kind for report in explain(entries)] == [ForfeitReason.RESIGNED]
    assert explain(entries[:5]) == []
