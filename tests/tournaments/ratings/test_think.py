"""Think time: exact sums, a percentile that is close, and merging in any order."""

import random
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbourmaster_tournaments.ratings import ThinkTime
from harbourmaster_tournaments.ratings.think import bucket_middle, bucket_of

times = st.lists(st.integers(0, 10**10), max_size=50)


@given(st.integers(0, 10**12))
def test_a_bucket_holds_only_values_near_its_middle(micros: int) -> None:
    middle = bucket_middle(bucket_of(micros))

    assert abs(middle - micros) <= micros / 15


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_buckets_rise_with_their_values(one: int, other: int) -> None:
    low, high = sorted((one, other))

    assert bucket_of(low) <= bucket_of(high)


def test_buckets_leave_no_gap() -> None:
    buckets = [bucket_of(micros) for micros in range(5000)]

    assert sorted(set(buckets)) == list(range(max(buckets) + 1))


@given(times, times)
def test_merging_is_the_same_as_taking_all_together(one: list[int], other: list[int]) -> None:
    merged = ThinkTime.of(one).merge(ThinkTime.of(other))

    assert merged == ThinkTime.of(other + one)
    assert merged == reduce(ThinkTime.add, one + other, ThinkTime())


def test_mean_and_percentile_of_a_thousand_times() -> None:
    micros = list(range(1000, 1_001_000, 1000))
    random.Random(1).shuffle(micros)
    think = ThinkTime.of(micros)

    assert think.mean == 500_500
    assert think.p99 == pytest.approx(990_000, rel=1 / 15)


def test_the_percentile_is_the_nearest_rank() -> None:
    assert ThinkTime.of([3] * 99 + [7]).p99 == 3
    assert ThinkTime.of([3] * 98 + [7] * 2).p99 == 7
    assert ThinkTime.of([5]).p99 == 5


def test_no_decisions_have_neither_mean_nor_percentile() -> None:
    assert ThinkTime().mean is None
    assert ThinkTime().p99 is None


def test_a_negative_time_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 µs is negative"):
        ThinkTime.of([-1])
