"""Lets `python -m harbourmaster_tournaments.cli` be the command line."""

from harbourmaster_tournaments.cli import start

start()
