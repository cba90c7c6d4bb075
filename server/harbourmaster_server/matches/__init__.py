"""One match: `play` reads like the rules of refereeing, the other modules are its parts."""

from harbourmaster_server.matches.match import Match, Seat
from harbourmaster_server.matches.play import play_match

__all__ = ["Match", "Seat", "play_match"]
