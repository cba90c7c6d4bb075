"""What a measurement was made on: the machine, the Python and the commit."""

import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True)
class Machine:
    """Where figures come from; without it they mean nothing."""

    name: str
    """The architecture and the processor."""
    python: str
    commit: str
    """The commit of the source tree, with `+` if files of it were changed; empty outside one."""

    @classmethod
    def here(cls) -> Self:
        """Return what this process runs on."""
        return cls(f"{platform.machine()}, {cpu_name()}", platform.python_version(), commit())


def cpu_name() -> str:
    """Return the processor's name, or `unknown` where the system does not tell it."""
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def commit() -> str:
    """Return the short commit of the source tree that this file is in, or an empty string."""
    command = ["git", "describe", "--always", "--exclude", "*", "--abbrev=10", "--dirty=+"]
    try:
        found = subprocess.run(
            command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()
