"""The command line: everything that Harbourmaster does, as commands."""

import os

# A wrong command fails in one sentence: the transport's own remarks are for who asks for them.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from harbourmaster_tournaments.cli.main import main

__all__ = ["main"]
