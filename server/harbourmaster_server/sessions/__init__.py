"""Sessions: who is connected, what it may do, and what it is sent."""

from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.sessions.session import Session

__all__ = ["Lobby", "Session"]
