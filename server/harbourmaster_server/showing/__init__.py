"""Records as text for people: step by step, as one seat saw it, or only what went wrong."""

from harbourmaster_server.showing.faults import FaultReport, explain
from harbourmaster_server.showing.steps import Asked, Step, show

__all__ = ["Asked", "FaultReport", "Step", "explain", "show"]
