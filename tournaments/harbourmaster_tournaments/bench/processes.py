"""Child processes whose processor time is measured."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Child:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    address: str

    def cpu_seconds(self) -> float:
        """Return the processor time that the process used so far, user and system."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text()
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self) -> int:
        """Return the resident memory of the process now."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def child(arguments: Sequence[str]) -> Iterator[Child]:
    """Run `python -m ARGUMENTS…` until it says `listening on ADDRESS`; end it when left.

    Raises `RuntimeError` if it says anything else.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        prefix = "listening on "
        if not line.startswith(prefix):
            raise RuntimeError(f"{arguments[0]} did not come up: it said {line!r}")
        yield Child(process, line.removeprefix(prefix))
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()  # type: ignore[union-attr] # It is a pipe.
