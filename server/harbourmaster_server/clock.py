"""A seat's clock: plain arithmetic on microseconds, which never reads the time itself.

A decision is charged what the bot took for it, less the grace, which is forgiven on every decision
and cannot be saved up. The flag falls when a decision takes longer than the time left plus the
grace. Both kinds of limit count per turn, however many decisions the turn holds.
"""

from dataclasses import dataclass, field
from typing import NamedTuple, Self

MICROS_PER_SECOND = 1_000_000
BUCKETS_PER_DOUBLING = 8


@dataclass(frozen=True, slots=True)
class ClockTerms:
    """How the time of every seat of a match is measured. All times are in microseconds."""

    bank: int | None = 60 * MICROS_PER_SECOND
    """The time for the whole match, or `None`."""
    increment: int = MICROS_PER_SECOND // 10
    """Added to the bank after each finished turn."""
    turn_limit: int | None = None
    """The time for each turn, or `None`; never together with a bank."""
    first_turn_allowance: int = 10 * MICROS_PER_SECOND
    """Extra time for the first turn; what is not used of it is lost."""
    grace: int = MICROS_PER_SECOND // 20
    ceiling: int = 3600 * MICROS_PER_SECOND
    """The longest that a match may last from its first decision."""
    connect_time: int = 30 * MICROS_PER_SECOND
    ready_time: int = 30 * MICROS_PER_SECOND

    @property
    def limited(self) -> bool:
        """Whether a seat's time can run out before the ceiling."""
        return self.bank is not None or self.turn_limit is not None


class Clock(NamedTuple):
    """One seat's time. It is a value: every change returns the next one."""

    terms: ClockTerms
    left: int | None
    """The time left, within 0 and the limit; `None` without a limit."""
    allowance: int
    """What is left of the first turn's extra time."""

    @classmethod
    def start(cls, terms: ClockTerms) -> Self:
        """Return the clock that a seat begins its first turn with."""
        left = terms.bank if terms.bank is not None else terms.turn_limit
        return cls(terms, left, terms.first_turn_allowance)

    @property
    def budget(self) -> int | None:
        """What one decision may take now, grace included; `None` without a limit."""
        return None if self.left is None else self.left + self.allowance + self.terms.grace

    @property
    def shown(self) -> int | None:
        """What a bot may count on: the time left with the first turn's extra, without grace."""
        return None if self.left is None else self.left + self.allowance

    def charge(self, taken: int) -> tuple[int, Self | None]:
        """Return what is charged for a decision that took *taken*, and the clock after it.

        The clock is `None` if the flag fell. The first turn's extra time is used before the rest.
        """
        charged = max(0, taken - self.terms.grace)
        if self.left is None:
            return charged, self
        from_allowance = min(charged, self.allowance)
        left = self.left - (charged - from_allowance)
        if left < 0:
            return charged, None
        return charged, type(self)(self.terms, left, self.allowance - from_allowance)

    def emptied(self) -> Self:
        """Return the clock of a seat whose flag fell and that plays on."""
        return type(self)(self.terms, None if self.left is None else 0, 0)

    def end_turn(self) -> Self:
        """Return the clock after a finished turn: incremented, or set to the limit again."""
        if self.left is None:
            return self
        if self.terms.turn_limit is not None:
            return type(self)(self.terms, self.terms.turn_limit, 0)
        return type(self)(self.terms, self.left + self.terms.increment, 0)


def bucket_of(micros: int) -> int:
    """Return the bucket of the histogram that holds *micros* (0 or more).

    Below 8 µs each value has its own bucket; above, every doubling has 8 equal ones.
    """
    if micros < BUCKETS_PER_DOUBLING:
        return micros
    doubling = micros.bit_length() - BUCKETS_PER_DOUBLING.bit_length()
    return doubling * BUCKETS_PER_DOUBLING + (micros >> doubling)


@dataclass(slots=True)
class ClockStatistics:
    """How a seat used its time in a match, in microseconds."""

    decisions: int = 0
    thought: int = 0
    """The time charged."""
    longest: int = 0
    """The longest time charged for one decision."""
    queued: int = 0
    referee: int = 0
    histogram: dict[int, int] = field(default_factory=dict)
    """How many decisions there are in each bucket of time taken; see `bucket_of`."""
    taken: int = 0
    """The time from request to reply, before the grace was taken off."""

    def add(self, taken: int, thought: int, queued: int, referee: int) -> None:
        """Count one answered decision."""
        bucket = bucket_of(taken)
        self.taken += taken
        self.histogram[bucket] = self.histogram.get(bucket, 0) + 1
        self.decisions += 1
        self.thought += thought
        self.longest = max(self.longest, thought)
        self.queued += queued
        self.referee += referee
