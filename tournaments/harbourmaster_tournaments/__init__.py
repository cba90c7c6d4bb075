"""Tournaments: schedules, the ledger, ratings, reports, and the command line."""
