"""What a referee counts as it goes: plain numbers, so that counting costs next to nothing."""

from typing import Final

from harbourmaster_engine.game import ForfeitReason

BUCKETS: Final = 24
"""Times are counted in buckets below 1, 2, 4, 8, ... microseconds; the last takes the rest."""


class Tally:
    """Counts since the start of the referee."""

    __slots__ = (
        "decisions",
        "disk_troubles",
        "faults",
        "forfeits",
        "matches_over",
        "matches_void",
        "referee_buckets",
        "referee_micros",
    )

    def __init__(self) -> None:
        self.decisions = 0
        """Decisions that a bot answered with a legal move."""
        self.referee_micros = 0
        """What the referee itself took for them, from arrival to verdict."""
        self.referee_buckets = [0] * BUCKETS
        """How many of them took 0 µs, 1 µs, 2 to 3 µs, 4 to 7 µs and so on."""
        self.faults = dict.fromkeys(ForfeitReason, 0)
        self.forfeits = dict.fromkeys(ForfeitReason, 0)
        self.matches_over = 0
        """Matches that ended with a result."""
        self.matches_void = 0
        self.disk_troubles = 0
        """How many times the disk began to refuse the journal."""

    def decided(self, referee_micros: int) -> None:
        """Count a decision that took the referee *referee_micros*."""
        self.decisions += 1
        self.referee_micros += referee_micros
        self.referee_buckets[min(referee_micros.bit_length(), BUCKETS - 1)] += 1

    def ended(self, *, void: bool) -> None:
        """Count a match that is over."""
        if void:
            self.matches_void += 1
        else:
            self.matches_over += 1
