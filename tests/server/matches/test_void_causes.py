"""Who a void is laid to: a bot by whose message or surroundings a match broke, or nobody."""

import contextlib
from pathlib import Path
from typing import Any

import pytest

from harbourmaster.v1 import game_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.matches.judging import judge
from harbourmaster_server.matches.match import Match
from harbourmaster_server.verify import verify_file
from support.arena import Arena, open_arena, run


def break_at(seat: int) -> Any:
    """Return a judge that fails on every message of *seat*."""

    def broken(match: Match, decision: Any, answer: Any) -> Any:
        if decision.seat == seat:
            raise KeyError("a fault of the referee that one message brings out")
        return judge(match, decision, answer)

    return broken


async def void_match(arena: Arena, answers: int) -> pb.MatchInfo:
    """Let two bots answer so often, and return the match, which must be void then."""
    first, second = await arena.bot("first"), await arena.bot("second")
    match_id = await arena.match("first", "second")
    for number in range(answers):
        await (first, second)[number % 2].reply()
    return await arena.referee.wait(match_id)


def caused(info: pb.MatchInfo) -> list[bool]:
    assert info.outcome.void
    assert {seat.reason for seat in info.outcome.seats} == {game_pb2.SEAT_END_REASON_VOID}
    return [seat.void_caused for seat in info.outcome.seats]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_message_that_the_referee_fails_at_is_laid_to_its_seat(
    seat: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harbourmaster_server.matches.play.judge", break_at(seat))

    async def work() -> pb.MatchInfo:
        async with open_arena(tmp_path) as arena:
            return await void_match(arena, seat + 1)

    info = run(work())
    assert caused(info) == [seat == 0, seat == 1]
    assert f"failed at a message of seat {seat}" in info.outcome.text
    [record] = (tmp_path / "records").glob("*.hmr")
    verify_file(record)


@pytest.mark.parametrize(("place", "answers"), [("open_decision", 2), ("request", 1)])
def test_what_the_referee_breaks_by_itself_is_laid_to_nobody(
    place: str, answers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = getattr(Match, place)

    def broken(match: Match, *rest: Any) -> Any:
        if match.decisions >= 2:
            raise KeyError("a fault of the referee's own")
        return sound(match, *rest)

    monkeypatch.setattr(Match, place, broken)

    async def work() -> pb.MatchInfo:
        async with open_arena(tmp_path) as arena:
            return await void_match(arena, answers)

    assert caused(run(work())) == [False, False]


@pytest.mark.parametrize("answers", [None, 0, 1, 5], ids=lambda n: f"after {n} moves")
def test_a_bot_that_is_lost_with_what_it_runs_under_makes_its_match_void(
    answers: int | None, tmp_path: Path
) -> None:
    """`None` is before the match begins: the other bot is not ready yet."""

    async def work() -> pb.MatchInfo:
        async with open_arena(tmp_path) as arena:
            bots = [await arena.bot("first"), await arena.bot("second")]
            bots[1].auto_ready = answers is not None
            match_id = await arena.match("first", "second")
            other = await arena.match("second", "second")
            for number in range(answers or 0):
                await bots[number % 2].reply(match_id=match_id)
            arena.referee.bot_exited("first", "its warden died", lost=True)
            with contextlib.suppress(KeyError):
                # It is sent away as well, which must not decide the match.
                await bots[0].drop()
            info = await arena.referee.wait(match_id)
            assert not arena.referee.get_match(other).HasField("outcome")
            return info

    info = run(work())
    assert caused(info) == [True, False]
    assert info.outcome.text == "the bot first was lost: its warden died"


def test_a_bot_whose_process_ended_by_itself_still_forfeits(tmp_path: Path) -> None:
    async def work() -> pb.MatchInfo:
        async with open_arena(tmp_path) as arena:
            first = await arena.bot("first")
            await arena.bot("second")
            match_id = await arena.match("first", "second")
            arena.referee.bot_exited("first", "it ended by itself with exit code 1")
            await first.drop()
            await arena.time.advance(500)
            return await arena.referee.wait(match_id)

    outcome = run(work()).outcome
    assert not outcome.void
    assert outcome.seats[0].reason == game_pb2.SEAT_END_REASON_DISCONNECTED
