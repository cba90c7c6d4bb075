"""Imports go only down the map: who may import whom."""

import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Final

import pytest

from support.repository import ROOT, imports_of, name_of, sources

OWN: Final = ("harbourmaster", "harbourmaster_engine", "harbourmaster_server")
OURS: Final = (*OWN, "harbourmaster_tournaments")
ARROWS: Final[Mapping[str, tuple[str, ...]]] = {
    "engine": ("harbourmaster_engine",),
    "client": ("harbourmaster",),
    "server": ("harbourmaster.v1", "harbourmaster_engine", "harbourmaster_server"),
    "tournaments": OURS,
}
"""The modules of ours that each package may import, with everything below them."""

IMPURE: Final = {
    *("asyncio", "copy", "datetime", "logging", "os", "pickle", "random", "secrets", "selectors"),
    *("socket", "ssl", "subprocess", "tempfile", "threading", "time", "urllib", "uuid"),
}
"""What the engine does without: clocks, chance of its own, the network, copies of everything."""


def dependencies(package: str) -> set[str]:
    """Return the distributions that *package* may use, as pyproject.toml names them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {
        "engine": [],
        "client": project["dependencies"],
    }.get(package, [*project["dependencies"], *project["optional-dependencies"]["server"]])
    return {normal(requirement) for requirement in wanted}


def normal(requirement: str) -> str:
    """Return the name in *requirement*, in the form that compares."""
    name = re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def allowed(package: str, module: str) -> bool:
    """Return whether a file of *package* may import *module*."""
    root = module.partition(".")[0]
    if root in OURS:
        return any(module == top or module.startswith(f"{top}.") for top in ARROWS[package])
    if root in sys.stdlib_module_names:
        return package != "engine" or root not in IMPURE
    distributions = _distributions().get(root, [])
    return bool({normal(name) for name in distributions} & dependencies(package))


def wrong_imports(package: str, source: str) -> list[str]:
    """Return the modules that *source*, a file of *package*, must not import."""
    return [found.module for found in imports_of(source) if not allowed(package, found.module)]


@pytest.mark.parametrize("package", ARROWS)
def test_every_import_follows_the_arrows(package: str) -> None:
    paths = sources(package)
    wrong = {name_of(path): bad for path in paths if (bad := wrong_imports(package, _read(path)))}

    assert len(paths) > 10
    assert wrong == {}


@pytest.mark.parametrize(
    ("package", "source", "wrong"),
    [
        ("engine", "from google.protobuf import message", "google.protobuf"),
        ("engine", "import numpy", "numpy"),
        ("engine", "def f():\n    import random", "random"),
        ("engine", "from harbourmaster.v1 import card_pb2", "harbourmaster.v1"),
        ("client", "import structlog", "structlog"),
        ("client", "from harbourmaster_engine.chance import Stream", "harbourmaster_engine.chance"),
        ("server", "from harbourmaster import play", "harbourmaster"),
        ("server", "import harbourmaster_tournaments.ledger", "harbourmaster_tournaments.ledger"),
        ("server", "import hypothesis", "hypothesis"),
        ("tournaments", "import scipy.optimize", "scipy.optimize"),
        ("tournaments", "from . import ledger", "."),
    ],
)
def test_a_planted_import_against_the_arrows_is_found(
    package: str, source: str, wrong: str
) -> None:
    assert wrong_imports(package, source) == [wrong]


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("engine", "from collections.abc import Mapping"),
        ("client", "import grpc\nfrom google.protobuf.message import Message"),
        ("server", "from harbourmaster.v1 import game_pb2\nimport structlog"),
        ("tournaments", "import harbourmaster.v1\nimport harbourmaster_server.referee"),
    ],
)
def test_an_import_along_the_arrows_is_good(package: str, source: str) -> None:
    assert wrong_imports(package, source) == []


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
