"""What the commands share: consoles, options, running on the referee's loop."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Final, TextIO, TypeVar, cast

import structlog
import typer
from rich.console import Console

from harbourmaster_server.logs import set_up_logging
from harbourmaster_server.timekeeping import new_event_loop
from harbourmaster_server.unblocked import Messages

T = TypeVar("T")

PIPE_WIDTH: Final = 140
"""Tables that go into a file or a pipe need not fit a terminal."""


def _width(stream: TextIO) -> int | None:
    return None if stream.isatty() else PIPE_WIDTH


console = Console(soft_wrap=True, markup=False, width=_width(sys.stdout))
"""For results."""
messages = Console(
    file=cast(TextIO, Messages()), soft_wrap=True, markup=False, width=_width(sys.stderr)
)
"""For progress and remarks."""

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
LogLevel = Annotated[
    str, typer.Option("--log-level", help="What to log: debug, info, warning or error.")
]
LogJson = Annotated[bool, typer.Option("--log-json", help="Log JSON lines instead of text.")]


class Failure(Exception):
    """A command cannot do what it was asked; the message says why and what to do."""


def print_json(data: object, *, indent: int | None = 2) -> None:
    """Print *data* as JSON, without *indent* on one line; never NaN or Infinity."""
    text = json.dumps(data, indent=indent, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def run(work: Awaitable[T]) -> T:
    """Run *work* on a loop that the referee can use."""

    async def main() -> T:
        return await work

    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(main())


def make_log(level: str, *, as_json: bool) -> structlog.stdlib.BoundLogger:
    """Return the log; raise `Failure` for a level that there is not."""
    if level not in ("debug", "info", "warning", "error"):
        raise Failure(f"--log-level is {level!r}: it takes debug, info, warning or error")
    return set_up_logging(json=as_json, level=level)


def make_folder(path: Path) -> Path:
    """Make the folder *path* if it is not there; raise `Failure` if it cannot be used."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"cannot use the folder {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK):
        raise Failure(f"cannot write in the folder {path}")
    return path


def parse_option(text: str) -> tuple[str, Any]:
    """Return the name and value of `name=value`; the value may be JSON."""
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise Failure(f"--option is {text!r}: write name=value, such as target_score=7")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def stop_on_signals(stop: Callable[[], object]) -> None:
    """Call *stop* at the first SIGINT or SIGTERM, instead of what they do otherwise."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
