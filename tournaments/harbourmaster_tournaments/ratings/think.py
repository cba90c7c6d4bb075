"""Think time of one seat: a total, a count and a histogram that merges without loss."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

STEPS = 8
"""Buckets per doubling: a bucket is at most an eighth of its lower end wide."""


def bucket_of(micros: int) -> int:
    """Return the bucket that holds *micros* (0 or more); integers only, so equal everywhere.

    Below 8 µs each value has its own bucket; above, every doubling has 8 equal ones.
    """
    if micros < STEPS:
        return micros
    doubling = micros.bit_length() - STEPS.bit_length()
    return doubling * STEPS + (micros >> doubling)


def bucket_middle(bucket: int) -> float:
    """Return the middle of *bucket* in microseconds."""
    if bucket < 2 * STEPS:
        return float(bucket)
    doubling = bucket // STEPS - 1
    lower = (bucket - doubling * STEPS) << doubling
    return lower + ((1 << doubling) - 1) / 2


@dataclass(frozen=True, slots=True)
class ThinkTime:
    """How long one seat thought over its decisions. A value: `add` and `merge` return the next."""

    total: int = 0
    """Sum over all decisions, in microseconds."""
    count: int = 0
    """How many decisions."""
    histogram: tuple[tuple[int, int], ...] = ()
    """(bucket, decisions) by rising bucket, empty buckets left out; see `bucket_of`."""

    @classmethod
    def of(cls, micros: Iterable[int]) -> Self:
        """Return the think time of decisions that took *micros* microseconds each."""
        total = count = 0
        buckets: dict[int, int] = {}
        for value in micros:
            if value < 0:
                raise ValueError(f"a think time of {value} µs is negative; give 0 or more")
            total, count = total + value, count + 1
            bucket = bucket_of(value)
            buckets[bucket] = buckets.get(bucket, 0) + 1
        return cls(total, count, tuple(sorted(buckets.items())))

    @classmethod
    def from_buckets(cls, total: int, count: int, buckets: Mapping[int, int]) -> Self:
        """Return the value with this *total*, *count* and histogram."""
        return cls(total, count, tuple(sorted(buckets.items())))

    def add(self, micros: int) -> Self:
        """Return this with one more decision of *micros* microseconds."""
        return self.merge(type(self).of((micros,)))

    def merge(self, other: "ThinkTime") -> Self:
        """Return both together; the order of merging never matters."""
        buckets = dict(self.histogram)
        for bucket, decisions in other.histogram:
            buckets[bucket] = buckets.get(bucket, 0) + decisions
        return self.from_buckets(self.total + other.total, self.count + other.count, buckets)

    @property
    def mean(self) -> float | None:
        """The mean in microseconds, exact; `None` without decisions."""
        return self.total / self.count if self.count else None

    @property
    def p99(self) -> float | None:
        """The 99th percentile (nearest rank) in microseconds, to 7 %; `None` without decisions."""
        needed = -(-99 * self.count // 100)
        for bucket, decisions in self.histogram:
            needed -= decisions
            if needed <= 0:
                return bucket_middle(bucket)
        return None
