"""The bots of the documents play as they stand there."""

import re
import sys
from pathlib import Path
from typing import Final

import pytest

from support.commands import RANDOM, play
from support.repository import ROOT, blocks

PAGE: Final = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
NAMED: Final = re.compile(r"# (\w+\.py)\n")
BOTS: Final = {
    found[1]: code for code in blocks(PAGE, "python") if (found := NAMED.match(code)) is not None
}


def test_the_page_has_its_bots() -> None:
    assert list(BOTS) == ["my_bot.py", "typed_bot.py", "careful_bot.py", "raw_bot.py"]


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_of_the_documents_plays_a_match_to_its_end(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(BOTS[name], encoding="utf-8")

    facts = play(f"{sys.executable} {file}", RANDOM)

    assert [seat["reason"] for seat in facts["seats"]] == ["rules", "rules"]
