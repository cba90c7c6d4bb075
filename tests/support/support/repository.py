"""What the tests of the repository itself share: its files, its imports, its documents."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[3]

PACKAGES: Final = {
    "engine": ROOT / "engine" / "harbourmaster_engine",
    "client": ROOT / "clients" / "python" / "harbourmaster",
    "server": ROOT / "server" / "harbourmaster_server",
    "tournaments": ROOT / "tournaments" / "harbourmaster_tournaments",
}
"""Our packages, by the names that the tests give them."""

GENERATED: Final = PACKAGES["client"] / "v1"

_FOLDERS: Final = (".ci", "clients", "docs", "engine", "proto", "server", "tests", "tournaments")
_TEXT: Final = {".go", ".md", ".proto", ".py", ".pyi", ".toml", ".txt", ".yaml", ".mod"}
_FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def sources(*names: str) -> list[Path]:
    """Return the Python files of the packages called *names* that people wrote."""
    found = [path for name in names for path in sorted(PACKAGES[name].rglob("*.py"))]
    return [path for path in found if GENERATED not in path.parents]


def own_python() -> list[Path]:
    """Return every Python file that people wrote, tests included."""
    paths = [*sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "proto").rglob("*.py"))]
    return [*sources(*PACKAGES), *paths]


def text_files() -> list[Path]:
    """Return every text file of the repository, data and generated code apart."""
    below = [path for folder in _FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    top = [*ROOT.glob("*.md"), *ROOT.glob("*.toml"), *ROOT.glob("*.txt"), ROOT / "Makefile"]
    known = [path for path in below if path.suffix in _TEXT or path.parent.name == ".ci"]
    return [p for p in [*top, *known] if p.is_file() and GENERATED not in p.parents]


def documents() -> list[Path]:
    """Return the pages that people read."""
    readmes = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
    clients = sorted((ROOT / "clients").rglob("*.md"))
    return [*readmes, *sorted((ROOT / "docs").rglob("*.md")), *clients]


def name_of(path: Path) -> str:
    """Return *path* as seen from the repository's folder."""
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True, slots=True)
class Import:
    """A module that a file imports, and where."""

    module: str
    line: int


def imports_of(source: str) -> Iterator[Import]:
    """Yield every import of *source*, wherever in the file it stands."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(alias.name, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            yield Import("." * node.level + (node.module or ""), node.lineno)


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced code blocks of *text* in *language*."""
    return [code for found, code in _FENCE.findall(text) if found == language]
