"""Twins: a safety test played again with a planted fault, which must turn it red."""

import asyncio
import importlib.util
import sys
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pytest

from harbourmaster_server.timekeeping import new_event_loop
from support import patience as waiting
from support.live import Live, RawBot

T = TypeVar("T")
TESTS = Path(__file__).parents[2]
PATIENCE = 2.0
"""How long a twin waits, in seconds, for what its fault keeps from coming."""
SLOW = r"^$|no \w+ came in|in vain for|the call goes on"
"""What a twin on a machine that is too slow for that says instead: it is red all the same."""
Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class Twin:
    """One safety test, and the fault that must turn it red."""

    test: str
    """The file below `tests` and the test's name: `server/test_x.py::test_y`."""
    plant: Plant
    """Plants the fault."""
    says: str = ""
    """What the failure must say: a regular expression."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The test's other arguments, or the name of one that its module has, after an `@`."""
    patience: float = PATIENCE

    @property
    def name(self) -> str:
        """The test's name, with its arguments."""
        return "-".join([self.test.partition("::")[2], *map(str, self.arguments.values())])


@cache
def module_of(file: str) -> ModuleType:
    """Return the module of the tests in *file*, below `tests`."""
    name = f"twins_of_{file.removesuffix('.py').replace('/', '_')}"
    spec = importlib.util.spec_from_file_location(name, TESTS / file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def limited_run(work: Coroutine[Any, Any, T]) -> T:
    """Run *work*, but no longer than a twin has patience."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(asyncio.wait_for(work, PATIENCE))


def play_twin(
    twin: Twin, patch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Play the test of *twin* with its fault; fail unless that turns it red."""
    file, _, name = twin.test.partition("::")
    module = module_of(file)
    function = getattr(module, name)
    arguments = dict(twin.arguments)
    for key, value in arguments.items():
        if isinstance(value, str) and value.startswith("@"):
            arguments[key] = getattr(module, value[1:])
        elif value == "fixture":
            arguments[key] = _fixture(module, key, patch, request)
    if "tmp_path" in function.__code__.co_varnames[: function.__code__.co_argcount]:
        arguments["tmp_path"] = tmp_path
    _hurry(module, patch, twin.patience)
    twin.plant(patch)
    says = f"{twin.says}|{SLOW}" if twin.says else None
    with pytest.raises((Exception, pytest.fail.Exception), match=says):
        function(**arguments)


def _fixture(
    module: ModuleType, name: str, patch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Any:
    """Return the fixture called *name*: pytest's own, or what the one of *module* makes."""
    if not hasattr(module, name):
        return request.getfixturevalue(name)
    return getattr(module, name).__wrapped__(patch)


def _hurry(module: ModuleType, patch: pytest.MonkeyPatch, patience: float) -> None:
    """Let what waits in *module* wait only a little."""
    for name in ("run", "run_served"):
        if hasattr(module, name):
            patch.setattr(module, name, limited_run)
    for function in (RawBot.next, RawBot.status, Live.wait, waiting.wait_for):
        patch.setattr(function, "__defaults__", (patience,))
    if hasattr(module, "wait_until"):
        patch.setattr(module.wait_until, "__defaults__", (patience,))
