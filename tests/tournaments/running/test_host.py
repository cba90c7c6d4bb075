"""Tournaments beside other matches: what one of them cannot do harms nothing else."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import structlog

from harbourmaster_server.errors import AlreadyExists, BadRequest, NotNow, ShuttingDown
from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.timekeeping import new_event_loop
from harbourmaster_tournaments.ledger import Ledger
from harbourmaster_tournaments.running import host as hosting
from harbourmaster_tournaments.running import open_house
from harbourmaster_tournaments.running.definition import read_text
from harbourmaster_tournaments.running.host import TournamentHost
from harbourmaster_tournaments.schedules import ScheduleError

LOG = structlog.get_logger()
TWO = """
[tournament]
name = "NAME"
game = "anchorline"
[clock]
connect_time = "60m"
[[bot]]
name = "a"
[[bot]]
name = "b"
"""


def named(name: str) -> str:
    return TWO.replace("NAME", name)


def hosted(tmp_path: Path, work: Callable[[TournamentHost], Coroutine[Any, Any, None]]) -> None:
    """Run *work* with a host of tournaments below *tmp_path*."""

    async def main() -> None:
        host = TournamentHost(tmp_path / "tournaments", LOG)
        async with open_house(RefereeConfig(tmp_path, open_mode=True), LOG) as house:
            await host.open(house)
            try:
                await work(host)
            finally:
                await host.close()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


async def create(host: TournamentHost, name: str) -> None:
    await host.create(read_text(named(name), name), named(name))


@pytest.mark.parametrize(
    ("planted", "error"),
    [
        (ScheduleError("no such schedule"), BadRequest),
        (OSError(28, "No space left on device"), NotNow),
    ],
)
def test_a_tournament_that_cannot_begin_leaves_nothing_and_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: Exception, error: type[Exception]
) -> None:
    def fails(*_: object) -> None:
        raise planted

    async def work(host: TournamentHost) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(hosting, "begin_tournament", fails)
            with pytest.raises(error, match=str(planted.args[-1])):
                await create(host, "one")
        assert list((tmp_path / "tournaments").iterdir()) == []
        await create(host, "one")
        assert set(host.hosted) == {"one"}

    hosted(tmp_path, work)


@pytest.mark.parametrize("content", [b"", b"[tournament", b"\xff", named("other").encode()[:60]])
def test_a_folder_that_cannot_be_used_keeps_no_other_tournament_from_going_on(
    tmp_path: Path, content: bytes
) -> None:
    async def begin(host: TournamentHost) -> None:
        await create(host, "good")

    async def found(host: TournamentHost) -> None:
        assert set(host.hosted) == {"good"}

    hosted(tmp_path, begin)
    bad = tmp_path / "tournaments" / "bad"
    bad.mkdir()
    (bad / "tournament.toml").write_bytes(content)
    (tmp_path / "tournaments" / "no-ledger").mkdir()
    (tmp_path / "tournaments" / "no-ledger" / "tournament.toml").write_text(named("no-ledger"))
    (tmp_path / "tournaments" / "no-ledger" / "ledger.sqlite").write_text("no ledger at all")

    hosted(tmp_path, found)


def test_a_caller_that_does_not_wait_gets_a_whole_tournament_all_the_same(tmp_path: Path) -> None:
    async def work(host: TournamentHost) -> None:
        calling = asyncio.create_task(create(host, "one"))
        await asyncio.sleep(0)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        with pytest.raises(AlreadyExists):
            await create(host, "one")

    hosted(tmp_path, work)
    with Ledger.open(tmp_path / "tournaments" / "one" / "ledger.sqlite") as ledger:
        assert [entrant.name for entrant in ledger.entrants()] == ["a", "b"]


def test_before_it_is_open_and_after_it_is_closed_a_host_begins_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        host = TournamentHost(tmp_path / "tournaments", LOG)
        with pytest.raises(ShuttingDown):
            await create(host, "early")
        async with open_house(RefereeConfig(tmp_path, open_mode=True), LOG) as house:
            await host.open(house)
            await host.close()
            with pytest.raises(ShuttingDown):
                await create(host, "late")

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())
    assert not (tmp_path / "tournaments").exists()


def paused_after(tmp_path: Path, *asked: bool) -> bool:
    """Pause a tournament or let it go on, and return whether the next run finds it paused."""
    found = []

    async def first(host: TournamentHost) -> None:
        await create(host, "one")
        for paused in asked:
            host.hosted["one"].pause(paused)

    async def second(host: TournamentHost) -> None:
        found.append(host.hosted["one"].progress().paused)

    hosted(tmp_path, first)
    hosted(tmp_path, second)
    return found[0]


@pytest.mark.parametrize(("asked", "paused"), [([True], True), ([True, False], False), ([], False)])
def test_a_tournament_that_is_paused_is_so_after_the_next_start(
    tmp_path: Path, asked: list[bool], paused: bool
) -> None:
    assert paused_after(tmp_path, *asked) == paused


def test_twin_a_pause_that_is_not_written_down_is_over_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "touch", lambda *_: None)
    assert not paused_after(tmp_path, True)


def test_a_pause_that_cannot_be_written_down_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async def work(host: TournamentHost) -> None:
        await create(host, "one")
        monkeypatch.setattr(Path, "touch", full)
        with pytest.raises(NotNow, match="No space left on device; nothing has changed"):
            host.hosted["one"].pause(True)
        assert not host.hosted["one"].progress().paused

    hosted(tmp_path, work)
