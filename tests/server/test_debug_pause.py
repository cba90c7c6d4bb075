"""A debug pause stops the clock of one bot, on one's own machine, and of no other."""

import time
from pathlib import Path

import grpc
import pytest

from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster.v1 import admin_service_pb2_grpc, game_pb2, match_pb2, match_service_pb2
from harbourmaster.v1.record_pb2 import RecordEntry
from harbourmaster_server.limits import Limits
from harbourmaster_server.matches.match import Match
from harbourmaster_server.services.access import from_loopback
from harbourmaster_server.terms import to_duration
from support.arena import open_arena, run
from support.live import RawBot, live
from support.served import refusal, run_served, serve


async def held_seats(folder: Path, held: int) -> tuple[list[int], list[int]]:
    """Let both bots think for a minute at each of two turns, while the clock of one seat is held.

    Return what each seat was charged, and the pauses in the record.
    """
    async with open_arena(folder) as arena:
        bots = [await arena.bot("first"), await arena.bot("second")]
        clock = match_pb2.ClockTerms(
            bank=match_pb2.BankLimit(initial_time=to_duration(150_000_000)),
            grace=to_duration(0),
            first_turn_allowance=to_duration(0),
        )
        terms = match_pb2.MatchTerms(game="anchorline", clock=clock)
        match_id = await arena.match("first", "second", terms=terms)
        (match,) = arena.referee.open_matches
        match.hold(match.seats[held], "at a breakpoint")
        for turn in range(4):
            await arena.time.advance(60_000)
            await bots[turn % 2].reply()
        charged = [seat.statistics.thought for seat in match.seats]
        entries = map(RecordEntry.FromString, match.chain.entries)
        pauses = [entry.pause.pause_micros for entry in entries if entry.HasField("pause")]
        assert arena.referee.get_match(match_id).decisions == 5
        return charged, pauses


@pytest.mark.parametrize("held", [0, 1])
def test_p84_a_seat_whose_clock_is_held_takes_no_time_and_the_other_does(
    held: int, tmp_path: Path
) -> None:
    charged, pauses = run(held_seats(tmp_path, held))
    assert charged[held] == 0
    assert charged[1 - held] == 120_000_000
    assert pauses == [60_000_000, 60_000_000]


def test_twin_a_hold_that_is_not_kept_is_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Match, "hold", lambda match, seat, text: None)
    charged, pauses = run(held_seats(tmp_path, 0))
    assert charged == [120_000_000, 120_000_000]
    assert pauses == []


def test_a_held_seat_that_answers_illegally_is_held_at_its_next_try(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            await arena.match("first", "second")
            (match,) = arena.referee.open_matches
            match.hold(match.seats[0], "at a breakpoint")
            await first.reply(offered_index=999)
            assert match.paused == "the clock of seat 0 is stopped: at a breakpoint"
            await arena.time.advance(500_000)
            await first.reply(attempt=2)
            assert match.seats[0].statistics.taken == 0
            assert not match.paused
            await arena.time.advance(1_000)
            await second.reply()
            assert match.seats[1].statistics.taken == 1_000_000

    run(work())


def test_a_held_seat_whose_process_ended_is_held_no_more(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second")
            (match,) = arena.referee.open_matches
            match.hold(match.seats[0], "at a breakpoint")
            arena.referee.bot_exited("first", "it ended by itself with exit code 1")
            await first.drop()
            await arena.time.advance(1_000)
            info = await arena.referee.wait(match_id)
            assert info.outcome.seats[0].reason == game_pb2.SEAT_END_REASON_DISCONNECTED

    run(work())


def test_the_clock_of_one_seat_is_held_and_released_over_the_service(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path, open_mode=True) as served:
            admin = admin_service_pb2_grpc.AdminServiceStub(served.channel)
            request = match_service_pb2.CreateMatchRequest(bots=["a", "b"], match_id="m")
            request.terms.game = "anchorline"
            await served.referee.create_match(request)
            (match,) = served.referee.open_matches
            await admin.PauseMatch(pb.PauseMatchRequest(match_id="m", paused=True, seat=1))
            assert [bool(seat.held) for seat in match.seats] == [False, True]
            await admin.PauseMatch(pb.PauseMatchRequest(match_id="m", seat=1))
            assert not match.seats[1].held
            for _ in range(2):
                await admin.PauseMatch(pb.PauseMatchRequest(match_id="m", paused=True, seat=0))
                await admin.PauseMatch(pb.PauseMatchRequest(match_id="m"))
                assert not match.seats[0].held
            asked = pb.PauseMatchRequest(match_id="m", paused=True, seat=2)
            code, text = await refusal(admin.PauseMatch(asked))
            assert code is grpc.StatusCode.INVALID_ARGUMENT
            assert text == "there is no seat 2: the match has 2"

    run_served(work())


def test_and_only_on_the_referees_own_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> tuple[grpc.StatusCode, str]:
        async with serve(tmp_path, open_mode=True) as served:
            admin = admin_service_pb2_grpc.AdminServiceStub(served.channel)
            request = match_service_pb2.CreateMatchRequest(bots=["a", "b"], match_id="m")
            request.terms.game = "anchorline"
            await served.referee.create_match(request)
            asked = pb.PauseMatchRequest(match_id="m", paused=True, seat=0)
            return await refusal(admin.PauseMatch(asked))

    with pytest.raises(AssertionError, match="was not refused"):
        run_served(work())
    monkeypatch.setattr("harbourmaster_server.services.access.LOOPBACK_PEERS", ("elsewhere",))
    code, text = run_served(work())
    assert code is grpc.StatusCode.PERMISSION_DENIED
    assert "on the referee's own machine alone" in text


@pytest.mark.parametrize(
    ("peer", "here"),
    [
        ("ipv4:127.0.0.1:4711", True),
        ("ipv6:%5B::1%5D:4711", True),
        ("ipv6:[::1]:4711", True),
        ("ipv6:%5B::ffff:127.0.0.1%5D:4711", True),
        ("ipv4:192.168.1.7:4711", False),
        ("ipv6:%5B2001:db8::1%5D:4711", False),
        ("ipv4:12.7.0.1:4711", False),
    ],
)
def test_a_peer_is_told_to_be_on_this_machine_by_its_address(peer: str, here: bool) -> None:
    assert from_loopback(peer) is here


def test_a_session_waits_for_its_bot_for_as_long_as_its_match_stands_still(tmp_path: Path) -> None:
    limits = Limits(resume_seconds=0.1)
    with live(tmp_path, limits=limits) as referee, RawBot(referee.address, "other") as other:
        other.next("welcome")
        with RawBot(referee.address, "stopped") as bot:
            token = bot.next("welcome").resume_token
            referee.match("stopped", "other")
            bot.next("decision_request")
            (match,) = referee.referee.open_matches
            referee.loop.call_soon_threadsafe(match.hold, match.seats[0], "at a breakpoint")
            bot.next("match_paused")
        time.sleep(1)
        with RawBot(referee.address, "stopped", resume_token=token) as again:
            assert again.next("welcome").resumed
            again.answer(again.next("decision_request"))
            assert other.next("decision_request").decision == 2
