"""The limits that a referee holds its peers to. Exceeding one costs the sender alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit, with its default. `BOUNDS` has the range of each."""

    message_bytes: int = 256 * 1024
    """The greatest size of one message from a bot."""
    events_per_message: int = 256
    """How many events one message from a bot may hold."""
    messages_per_second: int = 20_000
    """How many messages a session may send, averaged over ten seconds; play needs far fewer."""
    open_matches: int = 1024
    """The most matches that a session may ask for at once."""
    open_decisions: int = 256
    """The most unanswered decisions that a session may ask for."""
    sessions: int = 4096
    """How many sessions there may be in all."""
    sessions_per_bot: int = 64
    """How many sessions one bot may have."""
    note_characters: int = 200
    """How much of a bot's note to a move is kept."""
    complaints: int = 100
    """How many misplaced events a session may send before it is closed."""
    resume_seconds: float = 60.0
    """How long a dropped session can be taken up again."""
    hello_seconds: float = 10.0
    """How long a peer may take to say hello."""
    watchers: int = 10_000
    """How many watchers there may be in all."""
    watcher_stall_seconds: float = 10.0
    """How long a watcher may leave what it was sent unread."""
    unread_calls: int = 64
    """How many watches, fetched records and calls of reflection one caller may leave unread."""
    health_watches: int = 100
    """How many calls may follow the health at once."""
    watcher_messages_per_second: int = 200
    """How many messages all watchers together are sent; where they are many, each waits longer."""
    watch_delay_seconds: float = 0.0
    """How long what happens in a match is kept from its watchers."""
    unread_bytes: int = 16 * 1024 * 1024
    """How much may gather for a bot that does not read."""


BOUNDS: Final[Mapping[str, tuple[float, float]]] = {
    "message_bytes": (4096, 16 * 1024 * 1024),
    "events_per_message": (1, 65_536),
    "messages_per_second": (1, 10_000_000),
    "open_matches": (1, 65_536),
    "open_decisions": (1, 65_536),
    "sessions": (1, 1_000_000),
    "sessions_per_bot": (1, 1_000_000),
    "note_characters": (0, 10_000),
    "complaints": (0, 1_000_000),
    "resume_seconds": (0, 86_400),
    "hello_seconds": (0.1, 3600),
    "watchers": (0, 1_000_000),
    "watcher_stall_seconds": (0.1, 3600),
    "unread_calls": (1, 1_000_000),
    "health_watches": (0, 1_000_000),
    "watcher_messages_per_second": (1, 1_000_000),
    "watch_delay_seconds": (0, 86_400),
    "unread_bytes": (65_536, 1024 * 1024 * 1024),
}
"""The range of every limit, both ends included."""
