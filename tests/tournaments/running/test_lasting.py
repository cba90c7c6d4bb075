"""Bots that keep one process for a whole tournament, also where another has bots of their names."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import structlog

from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.timekeeping import new_event_loop
from harbourmaster_tournaments.running import BotDefinition, open_house
from harbourmaster_tournaments.running.definition import read_text
from harbourmaster_tournaments.running.host import TournamentHost
from harbourmaster_tournaments.running.house import House
from harbourmaster_tournaments.running.lasting import Lasting
from support.served import until

LOG = structlog.get_logger()
BOT = "python -m harbourmaster bot random"
Scenario = Callable[[TournamentHost, House], Coroutine[Any, Any, None]]


def hosted(folder: Path, scenario: Scenario) -> None:
    """Run *scenario* with a host of tournaments below *folder*."""

    async def main() -> None:
        host = TournamentHost(folder / "tournaments", LOG)
        async with open_house(RefereeConfig(folder, open_mode=True), LOG) as house:
            await host.open(house)
            try:
                await scenario(host, house)
            finally:
                await host.close()

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(main())


async def create(host: TournamentHost, name: str, groups: int, *commands: str) -> None:
    head = f'[tournament]\nname = "{name}"\ngame = "anchorline"\nrotation = false\n'
    bots = "".join(f'[[bot]]\nname = "{i}"\ncommand = "{c}"\n' for i, c in enumerate(commands))
    text = f"{head}groups = {groups}\n{bots}"
    await host.create(read_text(text, name), text)


def test_a_tournament_that_ends_takes_no_bots_from_another_with_bots_of_their_names(
    tmp_path: Path,
) -> None:
    async def scenario(host: TournamentHost, house: House) -> None:
        await create(host, "long", 40, BOT, BOT)
        await create(host, "short", 1, BOT, BOT)
        short, long = host.hosted["short"], host.hosted["long"]
        await until(lambda: short.coordinator.standing.over, 60)
        assert not long.coordinator.standing.over
        await until(lambda: long.coordinator.standing.over, 120)
        rows = [*short.ledger.results(), *long.ledger.results()]
        assert len(rows) == 41
        assert [row for row in rows if any(row.forfeits)] == []

    hosted(tmp_path, scenario)


def test_games_that_begin_at_the_same_moment_share_one_process_of_a_bot() -> None:
    started = []

    async def launch(bot: BotDefinition, place: str) -> str:
        await asyncio.sleep(0)
        started.append(f"{bot.name}@{place}")
        return started[-1]

    async def main() -> list[str]:
        lasting = Lasting("test", launch)
        bots = [BotDefinition(name=name, command=BOT) for name in "abab"]
        brought = await asyncio.gather(*(lasting.bring(bot) for bot in bots))
        assert lasting.take_all() == started
        return brought

    assert asyncio.run(main()) == ["a@all.test", "b@all.test"] * 2
    assert started == ["a@all.test", "b@all.test"]


def test_a_tournament_that_stops_for_its_organiser_leaves_no_bot_behind(tmp_path: Path) -> None:
    async def scenario(host: TournamentHost, house: House) -> None:
        await create(host, "stops", 1, BOT, "no-such-program-anywhere")
        await until(lambda: bool(host.hosted["stops"].stopped), 60)
        assert house.launcher.bots == frozenset()

    hosted(tmp_path, scenario)
