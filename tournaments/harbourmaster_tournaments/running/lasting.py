"""Launched bots that keep one process for a whole tournament."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from harbourmaster_tournaments.running.definition import BotDefinition

Launch: TypeAlias = Callable[[BotDefinition, str], Awaitable[str]]
"""Starts a process of a bot for a place, and returns its identity."""


class Lasting:
    """The lasting processes of one tournament: one of each bot, under an identity of its own."""

    def __init__(self, tournament: str, launch: Launch) -> None:
        """Start processes with *launch*.

        A referee may run several tournaments, whose bots may have the same names: the name of the
        *tournament* tells their processes apart.
        """
        self._place = f"all.{tournament}"
        self._launch = launch
        self._identities: dict[str, str] = {}
        self._one_by_one = asyncio.Lock()

    async def bring(self, bot: BotDefinition) -> str:
        """Return the identity of the process of *bot*; the first call starts it.

        Games that begin at the same moment share it too.
        """
        async with self._one_by_one:
            if bot.name not in self._identities:
                self._identities[bot.name] = await self._launch(bot, self._place)
            return self._identities[bot.name]

    def take_all(self) -> list[str]:
        """Return the identities of all that were started, and forget them."""
        identities, self._identities = self._identities, {}
        return list(identities.values())
