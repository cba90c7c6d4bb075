"""Telling whoever waits that there is more to see."""

import math
from collections.abc import Callable
from typing import Final

ALL: Final = math.inf
"""An amount above every other."""


class News:
    """How much there is to see, which only grows, and who is called when it does.

    Calls and not tasks: a thousand that wait for the same news must not all wake at it.
    """

    def __init__(self) -> None:
        self.amount: float = 0
        """How much there is; infinite once that is all."""
        self._waiting: dict[object, tuple[int, Callable[[], object]]] = {}

    def call_above(self, seen: int, call: Callable[[], object]) -> Callable[[], object]:
        """Make *call* once there is more than *seen*: at once if so now.

        Returns what calls it off.
        """
        key = object()
        if self.amount > seen:
            call()
        else:
            self._waiting[key] = (seen, call)
        return lambda: self._waiting.pop(key, None)

    def grow(self, amount: float) -> None:
        """Say that there is so much now, or `ALL` that there will be."""
        self.amount = amount
        waiting, self._waiting = self._waiting, {}
        for key, (seen, call) in waiting.items():
            if amount > seen:
                call()
            else:
                self._waiting[key] = (seen, call)
