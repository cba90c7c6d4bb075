"""A referee with its server and a launcher, in one process, and how bots come to a match."""

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from harbourmaster_server.identity import Identity, launched_name
from harbourmaster_server.launching import BotExit, Cause, LaunchedBot, Launcher, LaunchSpec, Limits
from harbourmaster_server.launching.environment import ADDRESS, TOKEN
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import RefereeServer, Servicer
from harbourmaster_tournaments.running.definition import BotDefinition


@dataclass(frozen=True, slots=True)
class House:
    """Everything that is needed to play matches."""

    referee: Referee
    server: RefereeServer
    launcher: Launcher


@dataclass(frozen=True, slots=True)
class Listening:
    """Where and how a referee listens for bots."""

    host: str = "localhost"
    port: int = 0
    """0 for a free one."""
    tls: tuple[Path, Path] | None = None
    """A certificate chain and its key, both PEM files."""
    insecure: bool = False
    """Whether plain text is allowed off the loopback."""


ON_THIS_MACHINE = Listening()
OVER: Final = "everything that this process was started for is over"
LEAVING_SECONDS: Final = 0.5
"""How long a launched bot may take to end by itself before it is asked to with SIGTERM."""


@contextlib.asynccontextmanager
async def open_house(
    config: RefereeConfig,
    log: structlog.stdlib.BoundLogger,
    listening: Listening = ON_THIS_MACHINE,
    *,
    services: Sequence[Callable[[Referee], Servicer]] = (),
) -> AsyncIterator[House]:
    """Run a referee that listens as *listening* says, with a launcher of bots.

    *services* make further services for it.
    When it is left, the launched bots are dead and unfinished matches are in the journal.
    """
    async with Referee(config, log) as referee:
        more = [make(referee) for make in services]
        server = RefereeServer(
            referee,
            host=listening.host,
            port=listening.port,
            tls=listening.tls,
            insecure=listening.insecure,
            launches=True,
            more=more,
        )
        async with server, Launcher() as launcher:
            try:
                yield House(referee, server, launcher)
            finally:
                # Before the launched bots are ended: that must not decide any match.
                referee.halt()
                server.drain()


class Players:
    """Brings launched bots to matches, each under an identity of its own."""

    def __init__(self, house: House, output: Path) -> None:
        """Keep what the bots print in files below *output*."""
        self._house = house
        self._output = output
        self._processes: dict[str, LaunchedBot] = {}
        self._watchers: set[asyncio.Task[None]] = set()

    async def launch(self, bot: BotDefinition, place: str) -> str:
        """Start a process of *bot* for *place* (a word for files and logs); return its identity.

        Raises `LaunchError` if it cannot be started.
        """
        assert bot.command is not None
        referee = self._house.referee
        identity = Identity(launched_name(bot.name, place), bot.owner, label=bot.name)
        token = referee.tokens.issue_passing(identity)
        folder = self._output / bot.name
        limits = Limits(memory=bot.memory_mb * 1024 * 1024) if bot.memory_mb else Limits()
        launched = await self._house.launcher.launch(
            LaunchSpec(
                name=bot.name,
                command=bot.command,
                environment={
                    ADDRESS: self._house.server.launched_address,
                    TOKEN: token,
                    "PATH": bot_path(),
                },
                stderr_file=folder / f"{place}.log",
                limits=limits,
            )
        )
        self._watch(launched, identity.bot)
        return identity.bot

    def process(self, identity: str) -> int:
        """Return the id of the process of *identity*, for a debugger."""
        return self._processes[identity].pid

    async def stop(self, identities: Sequence[str]) -> dict[str, BotExit]:
        """End the processes of *identities*, all in parallel, and return how each ended.

        Each is told first that it is over, and has a moment to read that and to end by itself.
        """
        found = {who: self._processes.pop(who, None) for who in identities}
        running = {who: bot for who, bot in found.items() if bot is not None}
        for who in running:
            self._house.referee.dismiss(OVER, self._house.referee.sessions.of_bot(who))
        exits = await asyncio.gather(*(_end(bot) for bot in running.values()))
        for who in running:
            self._house.referee.forget_bot(who)
        return dict(zip(running, exits, strict=True))

    def _watch(self, launched: LaunchedBot, identity: str) -> None:
        """Tell the referee when the process ends by itself."""
        self._processes[identity] = launched

        async def watch() -> None:
            ended = await launched.wait()
            if identity in self._processes:
                lost = ended.cause is Cause.WARDEN_LOST
                self._house.referee.bot_exited(identity, last_words(ended), lost=lost)

        task = asyncio.create_task(watch())
        self._watchers.add(task)
        task.add_done_callback(self._watchers.discard)


async def _end(bot: LaunchedBot) -> BotExit:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LEAVING_SECONDS):
            return await bot.wait()
    return await bot.stop()


def bot_path() -> str:
    """Return the search path for bots: `python` is the one that runs the referee."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def last_words(ended: BotExit) -> str:
    """Return how a process ended, with the last line that it printed."""
    lines = [line for line in ended.stderr_tail.splitlines() if line.strip()]
    return f"{ended.reason}; it printed last: {lines[-1].strip()[:200]}" if lines else ended.reason
