"""The way of a match from decision to decision."""

import asyncio
from collections.abc import Callable, Generator
from typing import Any, TypeAlias

from harbourmaster_server.matches.decision import Answer, Decision, Fault

Decisions: TypeAlias = Generator[Decision, Any, None]
"""Yields every decision of a match, and is sent the answer to each."""


class Course:
    """Leads a match through its decisions.

    An answer is judged, and the next decision asked, within the call that brings the answer. A task
    that woke up for every answer would cost a good part of what the judging does.
    """

    def __init__(self, ask: Callable[[Decision], Fault | None]) -> None:
        """Put decisions by *ask*, which returns a fault if one stands in for the answer."""
        self._ask = ask
        self._decisions: Decisions | None = None
        self._ended: asyncio.Future[None]

    async def follow(self, decisions: Decisions) -> None:
        """Ask each of *decisions*, send the answers back, and return after the last one.

        Raises what *decisions* raises.
        """
        self._decisions = decisions
        self._ended = asyncio.get_running_loop().create_future()
        try:
            self.go_on(None)
            await self._ended
        finally:
            self._decisions = None
            decisions.close()

    def fail(self, error: Exception) -> None:
        """End the course by *error*, which `follow` raises; none is left to end twice."""
        if self._decisions is not None and not self._ended.done():
            self._ended.set_exception(error)

    def go_on(self, answer: Answer | None) -> None:
        """Go on with *answer*, `None` at the beginning; a course that was given up takes none."""
        if self._decisions is None or self._ended.done():
            return
        try:
            while True:
                decision = self._decisions.send(answer)
                answer = self._ask(decision)
                if answer is None:
                    return
                decision.answered = True
        except StopIteration:
            self._ended.set_result(None)
        except Exception as error:
            self._ended.set_exception(error)
