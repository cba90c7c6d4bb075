"""The limits that a referee holds its peers to. Exceeding one costs the sender alone."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Every limit, with its default."""

    message_bytes: int = 256 * 1024
    """The greatest size of one message from a bot."""
    events_per_message: int = 256
    messages_per_second: int = 20_000
    """Averaged over ten seconds; far above what play needs."""
    open_matches: int = 1024
    """The most that a session may ask for at once."""
    open_decisions: int = 256
    sessions: int = 4096
    """Sessions in all."""
    sessions_per_bot: int = 64
    note_characters: int = 200
    complaints: int = 100
    """How many misplaced events a session may send before it is closed."""
    resume_seconds: float = 60.0
    """How long a dropped session can be taken up again."""
    hello_seconds: float = 10.0
    """How long a peer may take to say hello."""
    watchers: int = 10_000
    watcher_stall_seconds: float = 10.0
    """How long a watcher may leave what it was sent unread."""
    unread_bytes: int = 16 * 1024 * 1024
    """How much may gather for a bot that does not read."""
