"""How long tests wait for what takes moments on an idle machine."""

import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 240.0
"""Longest wait for what has to happen: only a test that fails waits that long."""


def wait_for(what: Callable[[], object], why: str, seconds: float = PATIENCE) -> None:
    """Wait until *what* holds."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, f"waited {seconds:g} s in vain for {why}"
        time.sleep(0.02)
