"""The same seed gives the same match in every process, whatever Python's hashes are."""

import os
import subprocess
import sys
from pathlib import Path

SUPPORT = Path(__file__).parents[2] / "support"


def traces(*arguments: str) -> list[str]:
    """Return what two processes with different hash seeds print of all matches."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "support.trace", *arguments],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(SUPPORT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    printed = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    return printed


def test_e17_two_processes_with_different_hash_seeds_play_the_same_matches() -> None:
    first, second = traces()
    assert first == second
    assert "anchorline-2 " in first


def test_a_match_that_depends_on_the_hash_seed_is_noticed() -> None:
    first, second = traces("--by-hash")
    assert first != second
