"""The command line as a whole."""

import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.commands import HARBOURMASTER, harbourmaster
from support.patience import PATIENCE


def test_the_version_is_told() -> None:
    assert re.fullmatch(r"harbourmaster \d+\.\d+\.\d+\n", harbourmaster("--version").stdout)


@pytest.mark.parametrize("milliseconds", [150, 300, 500, 800])
def test_an_interrupt_while_it_loads_shows_no_traceback(milliseconds: int) -> None:
    """Whatever it is at by then: loading, asking a referee that is not there, or done."""
    command = [*HARBOURMASTER, "status", "--address", "127.0.0.1:1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)

    assert "harbourmaster_tournaments" not in said
    assert process.returncode != 0


def test_brackets_in_what_is_printed_are_no_markup(tmp_path: Path) -> None:
    path = tmp_path / "a[bold]b.hmr"
    path.write_bytes(b"rubbish")
    done = harbourmaster("verify", str(path), check=False)

    assert "a[bold]b.hmr" in done.stdout + done.stderr
    assert done.returncode == 1
