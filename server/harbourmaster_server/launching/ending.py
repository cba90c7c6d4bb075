"""How a launched bot ended, in numbers and in one sentence."""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from harbourmaster_server.launching.spec import Limits


class Cause(enum.StrEnum):
    """What made a launched bot end."""

    ENDED = "ended"
    """It ended by itself: it returned, crashed, or somebody else killed it."""
    STOPPED = "stopped"
    """It was asked to end, and did so in time."""
    FORCED = "forced"
    """It was asked to end, did not in time, and was killed."""
    MEMORY_LIMIT = "memory"
    """It was killed for its memory."""
    CPU_LIMIT = "cpu"
    """It was killed for its processor time."""
    WARDEN_LOST = "warden lost"
    """Its warden died; the bot was killed, and how it ended is not known."""


class ExitReport(TypedDict):
    """What the warden says at the end; see `warden`."""

    code: int | None
    cause: str
    forced: bool
    peak_memory: int
    cpu_seconds: float
    tail: str
    output_bytes: int
    problem: str
    survivors: list[int]


@dataclass(frozen=True, slots=True)
class BotExit:
    """How a launched bot ended. By now all its processes are dead."""

    exit_code: int | None
    """What it returned, or `None` if a signal ended it."""
    signal: int | None
    """The signal that ended it, or `None` if it returned."""
    cause: Cause
    reason: str
    """One plain sentence, with the numbers."""
    peak_memory: int
    """Most resident memory in bytes: of its largest process (as the kernel counted, never under the
    10 MB or so of the warden it was forked from), or of all together when seen with a limit set."""
    cpu_seconds: float
    """Processor time, user and system, of the bot and its descendants."""
    stderr_tail: str
    """The last 2 kB of what it printed."""
    stderr_file: Path | None
    survivors: tuple[int, ...] = ()
    """Processes that could not be killed (another user's, or stuck in the kernel): mostly none."""


def ending_of(
    report: ExitReport, limits: Limits, shutdown: float, stderr_file: Path | None
) -> BotExit:
    """Translate the warden's *report*; *shutdown* is the time in seconds that the bot was given."""
    code = report["code"]
    cause = Cause.FORCED if report["forced"] else Cause(report["cause"])
    notes = [sentence_of(report, cause, limits, shutdown)]
    if report["problem"]:
        notes.append(report["problem"])
    if report["survivors"]:
        notes.append(f"processes {report['survivors']} could not be killed")
    return BotExit(
        exit_code=code if code is not None and code >= 0 else None,
        signal=-code if code is not None and code < 0 else None,
        cause=cause,
        reason="; ".join(notes),
        peak_memory=report["peak_memory"],
        cpu_seconds=report["cpu_seconds"],
        stderr_tail=report["tail"],
        stderr_file=stderr_file,
        survivors=tuple(report["survivors"]),
    )


def unknown_ending(reason: str, stderr_file: Path | None, survivors: list[int]) -> BotExit:
    """Return the ending of a bot whose warden could not report it."""
    return BotExit(
        exit_code=None,
        signal=None,
        cause=Cause.WARDEN_LOST,
        reason=reason,
        peak_memory=0,
        cpu_seconds=0.0,
        stderr_tail="",
        stderr_file=stderr_file,
        survivors=tuple(survivors),
    )


def sentence_of(report: ExitReport, cause: Cause, limits: Limits, shutdown: float) -> str:
    """Say in one sentence how the bot ended."""
    match cause:
        case Cause.MEMORY_LIMIT:
            used, limit = megabytes(report["peak_memory"]), megabytes(limits.memory or 0)
            return f"it used {used} of memory, over its limit of {limit}, and was killed"
        case Cause.CPU_LIMIT:
            return (
                f"it used {report['cpu_seconds']:.1f} s of processor time, over its limit of "
                f"{limits.cpu_seconds:g} s, and was killed"
            )
        case Cause.FORCED:
            return f"it did not end within {shutdown:g} s of being asked to, and was killed"
        case Cause.STOPPED:
            return f"it was asked to end, and did so {how(report['code'])}"
    if report["code"] == -signal.SIGXFSZ and limits.file_size is not None:
        return f"it wrote a file over its limit of {megabytes(limits.file_size)}, and was killed"
    if report["code"] == -signal.SIGKILL:
        return "it was killed from outside (SIGKILL); the machine may have run out of memory"
    return f"it ended by itself {how(report['code'])}"


def how(code: int | None) -> str:
    """Say what a process returned, in the manner of `subprocess`: a signal is negative."""
    if code is None:
        return "in a manner that is not known"
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by signal {-code} ({signal.Signals(-code).name})"
    except ValueError:  # Real-time signals have no name.
        return f"by signal {-code}"


def megabytes(count: int) -> str:
    """Write a number of bytes for people."""
    return f"{count / 1e6:.1f} MB"
