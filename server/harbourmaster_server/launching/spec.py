"""What to launch, and within which limits."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harbourmaster_server.launching.errors import BotCommandError

SHUTDOWN_SECONDS = 2.0
"""Time that a bot has, unless told otherwise, from being asked to end until it is killed."""
STDERR_BYTES = 1_000_000
LEAST_STDERR_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Limits:
    """What a launched bot may use; `None` sets no limit.

    Memory and processor time are added up over the bot and all its descendants by the warden, ten
    times a second, and going over ends the bot with that reason. Why not RLIMIT_AS or RLIMIT_DATA:
    they count addresses that were reserved, not memory, so Go, Java and every thread's stack run
    into them while using little. A page shared by several processes counts once. The price: a bot
    can go over for a tenth of a second; against what it can do in that time, the kernel's own
    memory guard is told to take bots first (oom_score_adj).
    """

    memory: int | None = None
    """Resident memory of all its processes together, in bytes."""
    cpu_seconds: float | None = None
    """Processor time (user + system) of all its processes together, over its whole life."""
    file_size: int | None = None
    """Largest size of any one file that it writes, in bytes (RLIMIT_FSIZE)."""
    open_files: int | None = None
    """Open files, sockets included, of each of its processes (RLIMIT_NOFILE)."""

    def __post_init__(self) -> None:
        for name in ("memory", "cpu_seconds", "file_size", "open_files"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"the limit {name} must be above 0 or none, not {value}")


@dataclass(frozen=True, slots=True)
class LaunchSpec:
    """One bot to launch. Raises `ValueError` for sizes and times that make no sense."""

    name: str
    """Who it is, for messages."""
    command: str | Sequence[str]
    """The program and its arguments: a list, or one string that is split as a shell would."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Additions to the environment: the referee's address and the bot's token."""
    folder: Path | None = None
    """The folder it runs in; `None` is a fresh, empty one that is removed when the bot is dead."""
    stderr_file: Path | None = None
    """Where its stderr and stdout are kept, replacing what is there; `None` keeps only the tail."""
    stderr_bytes: int = STDERR_BYTES
    """Largest size of that file. What is over it is left out in the middle, and a line says so."""
    shutdown_seconds: float = SHUTDOWN_SECONDS
    """Time from being asked to end until it is killed, unless `stop` says otherwise."""
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.stderr_bytes < LEAST_STDERR_BYTES:
            raise ValueError(
                f"stderr_bytes must be at least {LEAST_STDERR_BYTES}, not {self.stderr_bytes}"
            )
        if not 0 <= self.shutdown_seconds < float("inf"):
            raise ValueError(f"shutdown_seconds must be 0 or more, not {self.shutdown_seconds}")

    def words(self, base: Path) -> list[str]:
        """Return the command in words that mean the same from the bot's own folder.

        People write `python3 mybot.py` from where they stand, but the bot runs elsewhere. So a
        program given with a slash, and every argument that names a file below *base*, are made
        absolute. Raises `BotCommandError` for a command that is empty or has an open quote.
        """
        try:
            words = shlex.split(self.command) if isinstance(self.command, str) else [*self.command]
        except ValueError as error:
            raise BotCommandError(
                f"bot {self.name!r}: cannot read its command {self.command!r}: {error}"
            ) from error
        if not words or not words[0]:
            raise BotCommandError(f"bot {self.name!r}: its command is empty; give a program to run")
        program, *arguments = words
        if "/" in program:
            program = str(base / program)
        return [program, *(absolute(word, base) for word in arguments)]


def absolute(word: str, base: Path) -> str:
    """Return *word*, made absolute if it names a file as seen from *base*."""
    try:
        return str(base / word) if (base / word).is_file() else word
    except (OSError, ValueError):  # Too long for a path, or with a zero byte: an argument.
        return word
