"""Other processes beside a test, which are gone after it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from support.patience import PATIENCE
from support.restarts import SUPPORT


@contextmanager
def background(*command: str, stop: int = signal.SIGKILL) -> Iterator[subprocess.Popen[bytes]]:
    """Keep a process going."""
    process = subprocess.Popen(
        [sys.executable, *command], env=os.environ | {"PYTHONPATH": str(SUPPORT)}
    )
    try:
        yield process
    finally:
        process.send_signal(stop)
        process.wait(PATIENCE)
