"""Versions that stand in several places agree."""

import re
import tomllib
from typing import Any, Final

import pytest

import harbourmaster
from harbourmaster_server.matches.match import SERVER_VERSION
from support.repository import GENERATED, ROOT

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)$", re.MULTILINE)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements() -> list[str]:
    """Return every requirement of the project and its groups that leaves a version open.

    The extra `bench` is not part of the development environment: `harbourmaster bench` uses it.
    """
    named_extras = PROJECT["project"]["optional-dependencies"].items()
    extras = [wanted for name, wanted in named_extras if name != "bench"]
    groups = PROJECT["dependency-groups"].values()
    lists = [PROJECT["project"]["dependencies"], *extras, *groups]
    named = [each for found in lists for each in found if isinstance(each, str)]
    return [each for each in named if "==" not in each]


def floor(name: str) -> str:
    """Return the least version of the dependency *name*."""
    found = [each for each in PROJECT["project"]["dependencies"] if each.startswith(f"{name}>=")]
    return str(found[0]).removeprefix(f"{name}>=")


def unpinned(constraints: str) -> list[str]:
    """Return the requirements that *constraints* does not pin."""
    pinned = {normal(name) for name, _ in PIN.findall(constraints)}
    names = [re.split(r"[\[<>=!~; ]", each, maxsplit=1)[0] for each in requirements()]
    return sorted({name for name in names if normal(name) not in pinned})


def test_the_constraints_pin_every_dependency() -> None:
    text = (ROOT / "constraints.txt").read_text()

    assert len(requirements()) > 15
    assert unpinned(text) == []
    assert unpinned(re.sub("structlog.*", "", text)) == ["structlog"]


def test_p70_the_floors_are_what_the_generated_code_was_made_for() -> None:
    grpc = {
        re.search(r"GRPC_GENERATED_VERSION = '(.*)'", path.read_text())[1]  # type: ignore[index]
        for path in GENERATED.glob("*_pb2_grpc.py")
    }
    protobuf = {
        re.search(r"# Protobuf Python Version: (.*)", path.read_text())[1]  # type: ignore[index]
        for path in GENERATED.glob("*_pb2.py")
    }

    assert grpc == {floor("grpcio")}
    assert protobuf == {floor("protobuf")}


def test_the_version_is_one() -> None:
    version = PROJECT["project"]["version"]

    assert harbourmaster.__version__ == version
    assert version == SERVER_VERSION


@pytest.mark.parametrize("name", ["grpcio-health-checking", "grpcio-reflection"])
def test_the_parts_of_grpc_have_one_floor(name: str) -> None:
    server = PROJECT["project"]["optional-dependencies"]["server"]

    assert f"{name}>={floor('grpcio')}" in server


def test_the_changelog_tells_what_is_new() -> None:
    text = (ROOT / "CHANGELOG.md").read_text()
    heading, entries = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)[0]
    version = PROJECT["project"]["version"]

    assert heading == "Unreleased" or heading.startswith(f"{version} ")
    assert re.search(
        r"^### (Security|Removed|Deprecated|Added|Changed|Fixed)$", entries, re.MULTILINE
    )
    assert re.search(r"^- \w", entries, re.MULTILINE)
