"""Chance: streams that only a seed decides, as anybody can work them out again."""

from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harbourmaster_engine.chance import Stream

SEED = bytes(range(32))
seeds = st.binary(min_size=32, max_size=32)


def words(seed: bytes, number: int, count: int) -> list[int]:
    """Work out the first *count* words of a round's stream from the text of the rules."""
    stream_seed = sha256(b"harbourmaster/round" + seed + number.to_bytes(8, "big")).digest()
    blocks = b"".join(
        sha256(stream_seed + i.to_bytes(8, "big")).digest() for i in range(count // 8 + 1)
    )
    return [int.from_bytes(blocks[4 * i : 4 * i + 4], "big") for i in range(count)]


@given(seeds, st.integers(1, 2**64 - 1))
def test_the_words_of_a_round_are_those_of_the_rules(seed: bytes, number: int) -> None:
    stream = Stream.for_round(seed, number)
    assert [stream.word() for _ in range(20)] == words(seed, number, 20)
    assert stream.position == 20


def test_every_round_and_every_seed_has_its_own_stream() -> None:
    firsts = {Stream.for_round(SEED, k).word() for k in range(1, 50)}
    firsts |= {Stream.for_round(bytes([k]) * 32, 1).word() for k in range(50)}
    assert len(firsts) == 99


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_a_seed_has_thirty_two_bytes(seed: bytes) -> None:
    with pytest.raises(ValueError, match=f"a seed has 32 bytes, not {len(seed)}"):
        Stream.for_round(seed, 1)


@given(seeds, st.integers(1, 2**32))
def test_below_is_the_first_word_that_favours_nobody(seed: bytes, n: int) -> None:
    stream = Stream.for_round(seed, 1)
    limit = 2**32 - 2**32 % n
    fair = [word for word in words(seed, 1, 64) if word < limit]
    assert stream.below(n) == fair[0] % n
    assert stream.below(n) == fair[1] % n


def test_words_from_an_incomplete_run_are_thrown_away() -> None:
    """For n just above a half of 2**32 nearly every second word is."""
    n = 2**31 + 1
    stream = Stream.for_round(SEED, 1)
    drawn = [stream.below(n) for _ in range(100)]
    assert all(value < n for value in drawn)
    assert stream.position > 150
    assert drawn == [word for word in words(SEED, 1, stream.position) if word < n]


@given(seeds, st.lists(st.integers(), max_size=60))
def test_a_shuffle_is_fisher_yates_from_the_end(seed: bytes, items: list[int]) -> None:
    shuffled = items.copy()
    Stream.for_round(seed, 1).shuffle(shuffled)
    stream, expected = Stream.for_round(seed, 1), items.copy()
    for i in reversed(range(1, len(items))):
        j = stream.below(i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert shuffled == expected
    assert Counter(shuffled) == Counter(items)


def test_every_order_is_equally_likely() -> None:
    stream, found = Stream.for_round(SEED, 1), Counter[tuple[str, ...]]()
    for _ in range(6000):
        items = ["a", "b", "c"]
        stream.shuffle(items)
        found[tuple(items)] += 1
    assert len(found) == 6
    assert sum((n - 1000) ** 2 / 1000 for n in found.values()) < 20.5  # chi-square, p = 0.001


def test_shuffling_one_item_or_none_uses_no_chance() -> None:
    stream = Stream.for_round(SEED, 1)
    stream.shuffle([])
    stream.shuffle([1])
    assert stream.position == 0


@given(st.lists(st.integers(), min_size=1, max_size=9))
def test_a_choice_is_one_of_the_items(items: list[int]) -> None:
    assert Stream.for_round(SEED, 2).choice(items) in items


@settings(max_examples=30)
@given(st.integers(0, 40))
def test_a_clone_goes_on_from_the_same_word_and_is_independent(used: int) -> None:
    stream = Stream.for_round(SEED, 1)
    for _ in range(used):
        stream.word()
    twin = stream.clone()
    assert twin.key() == stream.key()
    ahead = [twin.word() for _ in range(20)]
    assert stream.position == used
    assert [stream.word() for _ in range(20)] == ahead == words(SEED, 1, used + 20)[used:]


def test_a_stream_goes_on_from_a_saved_position() -> None:
    stream = Stream(SEED, 13)
    other = Stream(SEED)
    for _ in range(13):
        other.word()
    assert stream.key() == other.key()
    assert stream.word() == other.word()


def test_a_fork_is_a_stream_of_its_own() -> None:
    stream, other = Stream.for_round(SEED, 1), Stream.for_round(SEED, 1)
    fork = stream.fork()
    assert stream.position == 8
    assert fork.key() != stream.key()
    assert fork.key() == other.fork().key()
    assert [fork.word() for _ in range(4)] != words(SEED, 1, 4)


def test_the_key_tells_streams_and_positions_apart() -> None:
    stream = Stream.for_round(SEED, 1)
    keys = {stream.key()}
    for _ in range(20):
        stream.word()
        keys.add(stream.key())
    assert len(keys | {Stream.for_round(SEED, 2).key()}) == 22
