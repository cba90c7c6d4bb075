"""Running the command line as its users do, and seeing that nothing is left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from support.patience import PATIENCE

HARBOURMASTER = (sys.executable, "-m", "harbourmaster_tournaments.cli")
RANDOM = "python -m harbourmaster bot random"
GREEDY = "python -m harbourmaster bot greedy"


def harbourmaster(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Run a command and return how it ended; with *check*, insist on exit 0."""
    done = subprocess.run(
        [*HARBOURMASTER, *arguments],
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    if check:
        assert done.returncode == 0, done.stderr
    return done


def faulty(fault: str, *more: str) -> str:
    """Return the command of a bot with one *fault*."""
    return " ".join(["python -m harbourmaster bot faulty --fault", fault, *more])


PATIENT_TIMES = f"""\
bank = "{PATIENCE:g}s"
connect_time = "{PATIENCE:g}s"
ready_time = "{PATIENCE:g}s"
"""
PATIENT_CLOCK = f"[clock]\n{PATIENT_TIMES}"
"""Part of a tournament file: no bot loses because the machine is slow."""


def play(*bots: str, more: Sequence[str] = ()) -> dict[str, Any]:
    """Play one match of Anchorline between *bots* and return its facts.

    However slow the machine is, they are waited for, if *more* does not say otherwise.
    """
    patient = ("--connect-time", f"{PATIENCE:g}s", "--ready-time", f"{PATIENCE:g}s")
    named = [part for bot in bots for part in ("--bot", bot)]
    result: dict[str, Any] = json.loads(
        harbourmaster("play", "anchorline", *named, "--json", *patient, *more).stdout
    )
    return result


def processes_with(mark: str) -> list[str]:
    """Return the command lines of the processes whose environment or command holds *mark*."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                command = (folder / "cmdline").read_bytes()
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if mark.encode() in command + b"\0" + environment:
                found.append(command.replace(b"\0", b" ").decode(errors="replace"))
    return found


def wait_until_gone(mark: str, seconds: float = PATIENCE) -> list[str]:
    """Wait until no process holds *mark*; return those that still do after *seconds*."""
    end = time.monotonic() + seconds
    while (left := processes_with(mark)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def stop(
    process: subprocess.Popen[str], number: int = signal.SIGINT, seconds: float = PATIENCE
) -> int:
    """Send a signal to *process* and return its exit code; kill it if it does not end."""
    process.send_signal(number)
    try:
        return process.wait(seconds)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
