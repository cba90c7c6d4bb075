"""Faults to be planted in the referee, and how they are."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from harbourmaster_server.desk import Desk
from harbourmaster_server.matches import decision
from harbourmaster_server.matches.match import Match
from support.live import Served
from support.twins import Plant

GOES_ON = "the call goes on"
"""What is said when a call was to end."""


def without(place: object, name: str, result: Any = None) -> Plant:
    """Return a fault: the function *name* of *place* does nothing, and returns *result*."""
    return lambda patch: patch.setattr(place, name, lambda *_, **__: result)


def instead(place: object, name: str, fault: Callable[..., Any]) -> Plant:
    """Return a fault: *fault*, which gets the sound function first, stands for *name*."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        sound = getattr(place, name)
        patch.setattr(place, name, lambda *given, **more: fault(sound, *given, **more))

    return plant


def unlimited(name: str) -> Plant:
    """Return a fault: the limit called *name* is not kept."""

    def init(sound: Any, desk: Desk, time: Any, journal: Any, limits: Any, log: Any) -> None:
        sound(desk, time, journal, dataclasses.replace(limits, **{name: 10**9}), log)

    return instead(Desk, "__init__", init)


def process(fault: str) -> Plant:
    """Return a fault that `support.planted` plants in the referee's own process."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        defaults = {**(Served.__init__.__kwdefaults__ or {}), "fault": fault}
        patch.setattr(Served.__init__, "__kwdefaults__", defaults)

    return plant


def both(*plants: Plant) -> Plant:
    """Return all of *plants* as one fault."""

    def plant(patch: pytest.MonkeyPatch) -> None:
        for each in plants:
            each(patch)

    return plant


def take_any(match: Match, _: object, reply: Any, arrived: int) -> None:
    """Take any reply for an answer to what is open."""
    if match.decision is not None:
        match.decision.settle(decision.Reply(reply, arrived))


def unsealed(sound: Any, match: Match, seat: Any) -> Any:
    sealed, match.sealed = match.sealed, False
    try:
        return sound(match, seat)
    finally:
        match.sealed = sealed
