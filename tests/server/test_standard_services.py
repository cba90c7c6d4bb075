"""Health and reflection: what they tell, to whom, and that their callers hold nothing up."""

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from harbourmaster_server.identity import PLAY
from harbourmaster_server.limits import Limits
from harbourmaster_server.server import RefereeServer
from harbourmaster_server.services.standard import Health
from support.frames import call_without_room
from support.patience import PATIENCE
from support.served import Served, refusal, run_served, serve, until

ALL = health_pb2.HealthCheckRequest()
NAMES = reflection_pb2.ServerReflectionRequest(list_services="")
State = health_pb2.HealthCheckResponse


def health(served: Served) -> Any:
    return health_pb2_grpc.HealthStub(served.channel)


async def reflected(served: Served, *metadata: tuple[str, str]) -> Any:
    """Ask for the services, and leave the call open."""
    make: Any = reflection_pb2_grpc.ServerReflectionStub
    call = make(served.channel).ServerReflectionInfo(metadata=metadata)
    await call.write(NAMES)
    return call


async def first_answer(served: Served, *metadata: tuple[str, str]) -> Any:
    """Ask for the services; a refusal may come before the question is out."""
    call = await reflected(served, *metadata)
    return await call.read()


def test_who_follows_the_health_is_told_that_the_referee_drains(tmp_path: Path) -> None:
    async def work() -> list[int]:
        async with serve(tmp_path) as served:
            call = health(served).Watch(ALL)
            seen = [(await call.read()).status]
            served.server.drain()
            seen.append((await call.read()).status)
            call.cancel()
            return seen

    assert run_served(work()) == [State.SERVING, State.NOT_SERVING]


def test_of_a_service_that_there_is_not_it_is_told_which_there_are(tmp_path: Path) -> None:
    async def work() -> tuple[tuple[grpc.StatusCode, str], int]:
        async with serve(tmp_path) as served:
            asked = health_pb2.HealthCheckRequest(service="harbourmaster.v1.BotServise")
            call = health(served).Watch(asked)
            status = (await call.read()).status
            call.cancel()
            return await refusal(health(served).Check(asked)), status

    (code, text), status = run_served(work())
    assert code is grpc.StatusCode.NOT_FOUND
    assert "'harbourmaster.v1.BotServise' here: there is harbourmaster.v1.BotService" in text
    assert status == State.SERVICE_UNKNOWN


async def third_watch(folder: Path) -> grpc.StatusCode:
    """Follow the health three times where two may; return how the third ends."""
    async with serve(folder, limits=Limits(health_watches=2)) as served:
        calls = [health(served).Watch(ALL) for _ in range(2)]
        for call in calls:
            await call.read()
        third = health(served).Watch(ALL)
        try:
            await third.read()
            return grpc.StatusCode.OK
        except grpc.aio.AioRpcError as error:
            calls.pop().cancel()
            # Who leaves makes room.
            await until(lambda: served.server._health._watches == 1)
            await health(served).Watch(ALL).read()
            return error.code()


def test_there_is_a_limit_to_those_who_follow_the_health(tmp_path: Path) -> None:
    assert run_served(third_watch(tmp_path)) is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_twin_without_it_the_third_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = Health.__init__
    monkeypatch.setattr(Health, "__init__", lambda made, _: sound(made, 10**9))
    assert run_served(third_watch(tmp_path)) is grpc.StatusCode.OK


async def ends(folder: Path) -> bool:
    """Return whether a referee stops at once whose health somebody asked for and cannot read."""
    async with serve(folder) as served:
        address = f"127.0.0.1:{served.server.port}"
        peer = call_without_room(address, "/grpc.health.v1.Health/Watch")
        await until(lambda: served.server._health._watches == 1)
        stop = asyncio.create_task(served.server.stop())
        done, _ = await asyncio.wait({stop}, timeout=PATIENCE if folder.name == "sound" else 3)
        peer.close()
        await stop
        return bool(done)


def test_a_health_watcher_that_leaves_no_room_does_not_hold_up_the_end(tmp_path: Path) -> None:
    assert run_served(ends(tmp_path / "sound"))


def test_twin_with_a_lock_around_what_it_is_sent_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, sound = asyncio.Lock(), RefereeServer.stop

    async def watch(served: Health, _: Any, context: Any) -> None:
        served._watches += 1
        async with lock:
            await context.write(State(status=State.SERVING))

    async def stop(server: RefereeServer) -> None:
        async with lock:
            await sound(server)

    monkeypatch.setattr(Health, "Watch", watch)
    monkeypatch.setattr(RefereeServer, "stop", stop)
    assert not run_served(ends(tmp_path / "faulty"))


def test_reflection_tells_the_services_to_who_has_any_token(tmp_path: Path) -> None:
    async def work() -> tuple[set[str], grpc.StatusCode]:
        async with serve(tmp_path) as served:
            told = (await first_answer(served, *served.token("bot", PLAY))).list_services_response
            code, _ = await refusal(first_answer(served))
            return {service.name for service in told.service}, code

    names, code = run_served(work())
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert {"harbourmaster.v1.BotService", "grpc.health.v1.Health"} < names


async def second_reflection(folder: Path, unread_calls: int) -> str:
    """Leave one call of reflection open; return what the next one is told."""
    async with serve(folder, limits=Limits(unread_calls=unread_calls)) as served:
        token = served.token("bot", PLAY)
        first = await reflected(served, *token)
        await first.read()
        try:
            await first_answer(served, *token)
            return ""
        except grpc.aio.AioRpcError as error:
            return error.details() or ""


def test_calls_of_reflection_that_are_left_open_are_bounded_for_each_caller(
    tmp_path: Path,
) -> None:
    assert "1 calls of bot are not read" in run_served(second_reflection(tmp_path, 1))


def test_twin_without_the_bound_they_are_not(tmp_path: Path) -> None:
    assert run_served(second_reflection(tmp_path, 10**6)) == ""
