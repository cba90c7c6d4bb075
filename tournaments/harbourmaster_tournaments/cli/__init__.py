"""The command line: everything that Harbourmaster does, as commands."""

from harbourmaster_tournaments.cli.main import main

__all__ = ["main"]
