"""Who is connected, and whom each match waits for, since when."""

from pathlib import Path

import grpc

from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster.v1 import admin_service_pb2_grpc, match_service_pb2
from harbourmaster_server.identity import ADMIN, PLAY, WATCH
from harbourmaster_server.status import referee_status
from support.arena import Arena, open_arena, run
from support.served import refusal, run_served, serve


def waits(arena: Arena) -> list[tuple[int, str, str, int]]:
    """Return whom the only open match waits for, why, and for how many milliseconds."""
    (match,) = referee_status(arena.referee).matches
    return [
        (w.seat, w.bot, pb.WaitReason.Name(w.reason)[12:].lower(), w.waited.ToMilliseconds())
        for w in match.waits
    ]


def test_a_match_waits_for_bots_that_are_away_or_busy(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            await arena.bot("busy", open_matches=1)
            await arena.bot("other")
            first = await arena.match("busy", "other")
            await arena.match("busy", "away")
            await arena.time.advance(1500)
            second = next(m for m in referee_status(arena.referee).matches if m.match_id != first)
            assert second.phase == match_service_pb2.MATCH_PHASE_WAITING
            assert [(w.seat, w.reason, w.waited.ToMilliseconds()) for w in second.waits] == [
                (0, pb.WAIT_REASON_BUSY, 1500),
                (1, pb.WAIT_REASON_NOT_CONNECTED, 1500),
            ]

    run(work())


def test_a_match_waits_for_a_bot_that_is_not_ready(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            (await arena.bot("slow")).auto_ready = False
            await arena.bot("quick")
            await arena.match("slow", "quick")
            await arena.time.advance(20)
            assert waits(arena) == [(0, "slow", "not_ready", 20)]

    run(work())


def test_a_match_waits_for_a_decision_a_lost_connection_or_room(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first = await arena.bot("first")
            await arena.bot("second")
            await arena.match("first", "second")
            await arena.time.advance(700)
            assert waits(arena) == [(0, "first", "decision", 700)]
            status = referee_status(arena.referee)
            assert status.matches[0].waits[0].time_left.ToMilliseconds() == 70_000 - 700
            assert [s.connected for s in status.sessions] == [True, True]
            await first.drop()
            await arena.time.advance(30)
            assert waits(arena) == [(0, "first", "disconnected", 30)]
            assert [s.connected for s in referee_status(arena.referee).sessions] == [False, True]

    run(work())


def test_a_decision_that_is_held_back_is_told_from_one_that_is_thought_about(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            await arena.bot("first", open_decisions=1)
            await arena.bot("second")
            for _ in range(2):
                await arena.match("first", "second")
            await arena.time.advance(5)
            reasons = [m.waits[0].reason for m in referee_status(arena.referee).matches]
            assert reasons == [pb.WAIT_REASON_DECISION, pb.WAIT_REASON_HELD_BACK]

    run(work())


def test_status_needs_the_right_to_administer(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path) as served:
            admin = admin_service_pb2_grpc.AdminServiceStub(served.channel)
            code, _ = await refusal(admin.GetStatus(pb.GetStatusRequest()))
            assert code is grpc.StatusCode.UNAUTHENTICATED
            for right in (PLAY, WATCH):
                token = served.token("someone", right)
                for call in (
                    admin.GetStatus(pb.GetStatusRequest(), metadata=token),
                    admin.PauseMatch(pb.PauseMatchRequest(match_id="m"), metadata=token),
                ):
                    assert (await refusal(call))[0] is grpc.StatusCode.PERMISSION_DENIED
            token = served.token("boss", ADMIN)
            found = await admin.GetStatus(pb.GetStatusRequest(), metadata=token)
            assert found.server_version
            assert not found.draining

    run_served(work())


def test_p84_a_paused_match_charges_nobody_until_it_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        async with serve(tmp_path, open_mode=True) as served:
            admin = admin_service_pb2_grpc.AdminServiceStub(served.channel)
            request = match_service_pb2.CreateMatchRequest(bots=["a", "b"], match_id="m")
            request.terms.game = "anchorline"
            await served.referee.create_match(request)
            pause = pb.PauseMatchRequest(match_id="m", paused=True, reason="at a breakpoint")
            for _ in range(2):
                done = await admin.PauseMatch(pause)
                assert done.match.paused == "at a breakpoint"
                assert done.match.phase == match_service_pb2.MATCH_PHASE_PAUSED
            for _ in range(2):
                done = await admin.PauseMatch(pb.PauseMatchRequest(match_id="m"))
                assert not done.match.paused
            code, text = await refusal(admin.PauseMatch(pb.PauseMatchRequest(match_id="x")))
            assert (code, text) == (grpc.StatusCode.NOT_FOUND, "there is no match 'x'")
            pause.reason = "x" * 201
            code, _ = await refusal(admin.PauseMatch(pause))
            assert code is grpc.StatusCode.INVALID_ARGUMENT

    run_served(work())


def test_a_decision_that_is_paused_takes_no_time(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_arena(tmp_path) as arena:
            first, _ = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second")
            await arena.time.advance(100)
            (match,) = arena.referee.open_matches
            match.pause("at a breakpoint")
            await arena.time.advance(120_000)
            assert first.all("match_paused")[0].text == "at a breakpoint"
            match.resume()
            await arena.time.advance(200)
            await first.reply()
            clocks = match.seats[0].statistics
            assert (clocks.decisions, clocks.taken) == (1, 300_000)
            assert arena.referee.get_match(match_id).decisions == 2

    run(work())
