"""Killing what a bot left behind when its warden cannot: by the mark in the environment.

Every process of a launch carries `HARBOURMASTER_LAUNCH=<id>` in its environment, and hands it on to
all that it starts. This is the second line: it is used when a warden was itself killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import time
from pathlib import Path

from harbourmaster_server.launching.environment import LAUNCH

PATIENCE = 5.0
PR_GET_CHILD_SUBREAPER = 37
wardens: set[int] = set()
"""The wardens that are not collected yet; whoever started them does that."""


def marked(launch_id: str) -> list[int]:
    """Return the living processes of a launch, as far as this user may look into them."""
    mark = f"{LAUNCH}={launch_id}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and mark in environment_of(int(name)):
            found.append(int(name))
    return found


def environment_of(pid: int) -> list[bytes]:
    """Return the variables a process was started with; none if it is dead or another user's."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def kill_leftovers(launch_id: str, fresh_folder: Path | None) -> list[int]:
    """Kill all processes of a launch and remove its folder; return those that would not die.

    It blocks until they are dead, 5 s at most.
    """
    give_up = time.monotonic() + PATIENCE
    while (found := marked(launch_id)) and time.monotonic() < give_up:
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    if fresh_folder is not None:
        shutil.rmtree(fresh_folder, ignore_errors=True)
    if adopts_orphans():
        collect_orphans()
    return found


def adopts_orphans() -> bool:
    """Return whether processes whose parent died become children of this one.

    That is so for the first process of a container, which the referee often is.
    """
    adopts = ctypes.c_int()
    ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(adopts), 0, 0, 0)
    return os.getpid() == 1 or bool(adopts.value)


def collect_orphans() -> None:
    """Collect the dead children of this process that it did not start itself."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) not in wardens and _is_dead_child(int(name)):
            with contextlib.suppress(ChildProcessError):
                os.waitpid(int(name), os.WNOHANG)


def _is_dead_child(pid: int) -> bool:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return False
    return fields[0] == b"Z" and int(fields[1]) == os.getpid()
