"""What a bot with a memory gains from playing a deal again from another seat."""

import sys
from collections import Counter
from pathlib import Path

from harbourmaster_tournaments.ledger import Ledger
from support import memoriser
from support.commands import PATIENT_CLOCK, RANDOM, harbourmaster

FILE = """
[tournament]
name = "memory"
game = "anchorline"
groups = {groups}
seed = "{seed}"
matches_at_once = 1
{process}
{clock}

[[bot]]
name = "memo"
command = "{memoriser}"

[[bot]]
name = "random"
command = "{random}"
"""


def foretold(tmp_path: Path, process: str, groups: int) -> Counter[str]:
    """Run *groups* rotation groups; return how many cards the memoriser foretold, and how well."""
    file = tmp_path / "memory.toml"
    command = f"{sys.executable} {memoriser.__file__}"
    file.write_text(
        FILE.format(
            groups=groups,
            seed="5a" * 32,
            process=process,
            clock=PATIENT_CLOCK,
            memoriser=command,
            random=RANDOM,
        )
    )
    folder = tmp_path / "run"
    harbourmaster("tournament", "run", str(file), "--into", str(folder), "--json")
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        games = ledger.results()
    assert {game.forfeits for game in games} == {(None, None)}
    logs = sorted((folder / "bots" / "memo").glob("*.log"))
    assert logs
    lines = [line for log in logs for line in log.read_text().splitlines()]
    return Counter(line for line in lines if line in ("foretold", "mistaken"))


def test_a_launched_bot_that_remembers_gains_nothing_by_default(tmp_path: Path) -> None:
    assert foretold(tmp_path, "", 4) == {}


def test_one_process_for_the_whole_tournament_would_foretell_the_cards(tmp_path: Path) -> None:
    """The planted fault: that the measure above can see a gain."""
    words = foretold(tmp_path, 'process = "per_tournament"', 12)

    assert words["foretold"] >= 12
    assert words["foretold"] > 3 * words["mistaken"]
