"""Faults of other referees that were reported in public, and must not be ours."""

import asyncio
import re
from pathlib import Path

import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2, match_pb2, match_service_pb2
from harbourmaster_server.services.bots import _welcome
from harbourmaster_server.terms import to_duration
from support.arena import Arena, ScriptedBot, open_arena, run, spin

Info = match_service_pb2.MatchInfo


def terms(
    *,
    ready: float = 30,
    clock: match_pb2.ClockTerms | None = None,
    illegal_move: match_pb2.FaultRule | None = None,
) -> match_pb2.MatchTerms:
    """Return terms with so many seconds to get ready."""
    asked = match_pb2.ClockTerms(ready_time=to_duration(round(ready * 1e6)))
    if clock is not None:
        asked.MergeFrom(clock)
    policy = match_pb2.FaultPolicy(illegal_move=illegal_move)
    return match_pb2.MatchTerms(clock=asked, policy=policy)


def turn(seconds: float, allowance: float = 0) -> match_pb2.ClockTerms:
    """Return a limit for each turn, with an *allowance* for the first one and without grace."""
    return match_pb2.ClockTerms(
        turn=match_pb2.TurnLimit(time=to_duration(round(seconds * 1e6))),
        first_turn_allowance=to_duration(round(allowance * 1e6)),
        grace=to_duration(0),
    )


def reasons(info: Info) -> list[str]:
    names = [game_pb2.SeatEndReason.Name(seat.reason) for seat in info.outcome.seats]
    return [name.removeprefix("SEAT_END_REASON_").lower() for name in names]


async def ended(arena: Arena, match_id: str) -> Info:
    return await arena.referee.wait(match_id)


def test_t3_a_hundred_bots_that_come_late_are_all_seated_and_charged_nothing(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[list[Info], list[int]]:
        async with open_arena(tmp_path) as arena:
            names = [f"bot{number}" for number in range(100)]
            pairs = zip(names[::2], names[1::2], strict=True)
            matches = [await arena.match(*pair, terms=terms()) for pair in pairs]
            await arena.time.advance(15_000)
            bots = [await arena.bot(name) for name in names]
            infos = [arena.referee._matches[match_id].info() for match_id in matches]
            return infos, [bot.request.time_left_micros for bot in bots[::2]]

    infos, left = run(play())
    assert len(infos) == 50
    assert {info.phase for info in infos} == {match_service_pb2.MATCH_PHASE_PLAYING}
    assert left == [70_000_000] * 50


def test_t7_a_flag_that_falls_at_the_end_of_a_period_is_a_timeout(tmp_path: Path) -> None:
    """The next period's time is not there yet, and the late move is not looked at."""

    async def play() -> Info:
        async with open_arena(tmp_path) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second", terms=terms(clock=turn(1)))
            await arena.time.advance(1000)
            await first.reply()
            await second.reply()
            assert first.request.time_left_micros == 1_000_000
            await arena.time.advance(1000.001)
            await first.reply(offered_index=99)
            await arena.time.advance(100)
            return await ended(arena, match_id)

    info = run(play())
    assert reasons(info) == ["timeout", "last_seat"]
    assert "refused" not in info.outcome.seats[0].text


def test_t12_without_any_limit_a_silent_bot_ends_its_match_at_the_ceiling_and_no_other(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[Info, Info]:
        async with open_arena(tmp_path) as arena:
            await arena.bot("silent")
            first, second = await arena.bot("first"), await arena.bot("second")
            clock = match_pb2.ClockTerms(none=match_pb2.NoLimit())
            clock.ceiling.CopyFrom(to_duration(600_000_000))
            stuck = await arena.match("silent", "first", terms=terms(clock=clock))
            await arena.time.advance(600_000)
            await arena.time.advance(100)
            going_on = await arena.match("first", "second", terms=terms(clock=clock))
            return await ended(arena, stuck), await arena.play_out(going_on, first, second)

    stuck, other = run(play())
    assert reasons(stuck) == ["ceiling", "last_seat"]
    assert "longest duration, 600 s" in stuck.outcome.seats[0].text
    assert reasons(other) == ["rules", "rules"]


def test_p6_a_match_names_its_own_bots_after_one_in_which_another_hung(tmp_path: Path) -> None:
    async def play() -> tuple[Info, Info]:
        async with open_arena(tmp_path) as arena:
            await arena.bot("hangs")
            first, second = await arena.bot("first"), await arena.bot("second")
            hung = await arena.match("hangs", "first", terms=terms(clock=turn(1)))
            match_id = await arena.match("first", "second", terms=terms(clock=turn(1)))
            info = await arena.play_out(match_id, first, second)
            await arena.time.advance(1100)
            return await ended(arena, hung), info

    hung, info = run(play())
    assert reasons(hung) == ["timeout", "last_seat"]
    assert [player.name for player in info.players] == ["first", "second"]
    assert [seat.seat for seat in info.outcome.seats] == [0, 1]


def test_p12_a_bot_that_takes_long_to_get_ready_plays_or_is_told_that_it_was_not_ready(
    tmp_path: Path,
) -> None:
    async def play(seconds: float) -> Info:
        async with open_arena(tmp_path / str(seconds)) as arena:
            slow = await arena.bot("slow")
            slow.auto_ready = False
            other = await arena.bot("other")
            match_id = await arena.match("slow", "other", terms=terms(ready=seconds))
            await asyncio.sleep(0.1)
            slow.session.take_ready(pb.MatchReady(match_id=match_id, seat=0))
            await spin()
            return await arena.play_out(match_id, slow, other)

    assert reasons(run(play(30))) == ["rules", "rules"]
    late = run(play(0.02))
    assert reasons(late) == ["not_ready", "last_seat"]
    assert "within 0.02 s" in late.outcome.seats[0].text


def test_p21_the_time_of_a_timeout_is_counted_and_never_0(tmp_path: Path) -> None:
    async def play() -> Info:
        async with open_arena(tmp_path) as arena:
            await arena.bot("first")
            await arena.bot("second")
            match_id = await arena.match("first", "second", terms=terms(clock=turn(2)))
            await arena.time.advance(2100)
            return await ended(arena, match_id)

    info = run(play())
    late, never_asked = info.clocks
    assert reasons(info) == ["timeout", "last_seat"]
    assert late.decisions == 1
    assert late.longest_micros >= 2_000_000
    assert (never_asked.decisions, list(never_asked.bucket_counts)) == (0, [])


def test_p28_a_forfeit_ends_a_match_of_two_within_that_move(tmp_path: Path) -> None:
    async def play() -> tuple[Info, int]:
        async with open_arena(tmp_path) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            asked = terms(illegal_move=match_pb2.FaultRule())
            match_id = await arena.match("first", "second", terms=asked)
            await first.reply()
            await second.reply(offered_index=99)
            return await ended(arena, match_id), len(first.all("decision_request"))

    info, asked_of_the_other = run(play())
    assert reasons(info) == ["last_seat", "illegal_move"]
    assert (info.decisions, asked_of_the_other) == (2, 1)


def test_p40_the_first_turn_has_extra_time_and_a_timeout_in_it_names_that(tmp_path: Path) -> None:
    async def play(takes: float) -> Info | None:
        async with open_arena(tmp_path / str(takes)) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            clock = turn(1, allowance=10)
            match_id = await arena.match("first", "second", terms=terms(clock=clock))
            await arena.time.advance(takes)
            await first.reply()
            if second.all("decision_request"):
                return None
            await arena.time.advance(100)
            return await ended(arena, match_id)

    assert run(play(10_900)) is None
    late = run(play(11_001))
    assert late is not None
    assert reasons(late) == ["timeout", "last_seat"]
    assert "+ 10000 ms for the first turn" in late.outcome.seats[0].text


def test_p42_a_match_whose_bots_both_crash_has_a_record_and_the_next_one_is_played(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[Info, bool, Info]:
        async with open_arena(tmp_path) as arena:
            asked = terms()
            asked.policy.reconnect_time.CopyFrom(to_duration(500_000))
            bots = [await arena.bot("first"), await arena.bot("second")]
            match_id = await arena.match("first", "second", terms=asked)
            for bot in bots:
                await bot.drop()
            await arena.time.advance(700)
            crashed = await ended(arena, match_id)
            stored = arena.referee.records.has(match_id)
            again = [await arena.bot("third"), await arena.bot("fourth")]
            following = await arena.match("third", "fourth", terms=asked)
            return crashed, stored, await arena.play_out(following, *again)

    crashed, stored, following = run(play())
    assert reasons(crashed) == ["disconnected", "last_seat"]
    assert stored
    assert reasons(following) == ["rules", "rules"]


def test_p64_when_the_rules_themselves_fail_every_seat_is_told_that_the_match_is_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> tuple[Info, list[pb.MatchEnd]]:
        async with open_arena(tmp_path) as arena:
            bots = [await arena.bot("first"), await arena.bot("second")]
            match_id = await arena.match("first", "second", terms=terms())

            def fail(*_: object) -> None:
                raise RuntimeError("planted: (2, 3)")

            state = type(arena.referee._matches[match_id].state)
            monkeypatch.setattr(state, "apply", fail)
            await bots[0].reply()
            return await ended(arena, match_id), [bot.last("match_end") for bot in bots]

    info, told = run(play())
    assert info.outcome.void
    assert reasons(info) == ["void", "void"]
    text = "the referee failed at a message of seat 0: RuntimeError"
    assert [end.outcome.text for end in told] == [text] * 2


def test_p73_what_all_seats_say_at_one_moment_is_all_counted(tmp_path: Path) -> None:
    """Our games have one seat to move; what all say at once is that they are ready."""

    async def play() -> list[int]:
        async with open_arena(tmp_path) as arena:
            bots: list[ScriptedBot] = []
            for number in range(6):
                bot = await arena.bot(f"bot{number}")
                bot.auto_ready = False
                bots.append(bot)
            names = [bot.name for bot in bots]
            match_id = await arena.match(*names, game="anchor", terms=terms())
            for seat, bot in enumerate(bots):
                bot.session.take_ready(pb.MatchReady(match_id=match_id, seat=seat))
            await spin()
            return [len(bot.all("decision_request")) for bot in bots]

    assert sum(run(play())) == 1


def test_p9_versions_are_numbers_and_never_a_phrase(tmp_path: Path) -> None:
    async def play() -> pb.Welcome:
        async with open_arena(tmp_path) as arena:
            return _welcome((await arena.bot("first")).session)

    welcome = run(play())
    assert (welcome.protocol_version.major, welcome.protocol_version.minor) == (1, 0)
    assert re.fullmatch(r"\d+\.\d+\.\d+", welcome.server_version)
