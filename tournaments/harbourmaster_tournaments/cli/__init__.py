"""The command line: everything that Harbourmaster does, as commands."""

import os
import signal
import sys
from collections.abc import Sequence

# A wrong command fails in one sentence: the transport's own remarks are for who asks for them.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

_INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended, as shells have it."""


def start(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit; Ctrl-C ends it without a traceback."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:
        # Loading takes a good part of a second, in which nothing is lost: it just ends.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from harbourmaster_tournaments.cli.main import main

    if usual:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        main(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("harbourmaster: interrupted\n")
        sys.exit(_INTERRUPTED)
