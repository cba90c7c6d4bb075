"""The files that the documents name are there."""

import re
from typing import Final

import pytest

from support.repository import PACKAGES, ROOT, documents, name_of

PATH: Final = re.compile(r"`([\w./-]+/[\w.-]+\.(?:py|proto|md|toml)|[\w-]+\.(?:py|proto))`")
PLACES: Final = (
    ROOT,
    ROOT / "docs",
    ROOT / "proto" / "harbourmaster" / "v1",
    PACKAGES["client"],
    PACKAGES["client"] / "bots",
    PACKAGES["engine"],
    PACKAGES["server"],
    PACKAGES["server"] / "matches",
    PACKAGES["tournaments"],
)
"""From where the documents name files."""
MADE_UP: Final = re.compile(r"GAME|my_bot|typed_bot|careful_bot|raw_bot")


def lost(text: str) -> list[str]:
    """Return the files named in *text* that are nowhere."""
    named = {path for path in PATH.findall(text) if not MADE_UP.search(path)}
    packages = [*PLACES, *(path for package in PACKAGES.values() for path in package.iterdir())]
    return sorted(path for path in named if not any((place / path).exists() for place in packages))


@pytest.mark.parametrize("page", [name_of(path) for path in documents()])
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    assert lost((ROOT / page).read_text(encoding="utf-8")) == []


def test_a_planted_name_of_no_file_is_found() -> None:
    text = "See `matches/play.py`, `matches/plya.py` and `nowhere.proto`."

    assert lost(text) == ["matches/plya.py", "nowhere.proto"]
