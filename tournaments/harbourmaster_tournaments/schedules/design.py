"""Balanced tables for more than two seats, made by turning a few tables around a circle.

The entrants are the numbers 0 to n - 1 on a circle. Turning a table of k of them by 0, 1, ... n - 1
steps gives n tables in which everybody sits once in each seat, and in which two entrants at
distance d meet as often as the first table has d (or -d) among its differences. So a set of first
tables whose differences come equally often (±1) gives a design in which all pairs meet equally
often (±1): a difference family, R. C. Bose, Annals of Eugenics 9 (1939), relaxed by one.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, gcd
from typing import Final, TypeAlias

from harbourmaster_engine.chance import SEED_BYTES, Stream
from harbourmaster_tournaments.schedules.even_seats import seat_evenly

Block: TypeAlias = tuple[int, ...]
"""A table: numbers on the circle, by seat."""

STEPS: Final = 20_000
"""How many changes a search for first tables tries before one more table is allowed."""

_WORSE: Final = 20
"""One in so many changes for the worse is kept, so that the search leaves dead ends."""
_MUCH_WORSE: Final = 4
"""No change is kept that makes the sum of squares grow by more than this."""


def all_tables(n: int, k: int) -> Iterator[Block]:
    """Yield every set of *k* out of *n* once, in an order that keeps everybody busy equally.

    The *n* turns of a table come together, and everybody sits once in each seat at them. Tables
    that a smaller turn brings back onto themselves come first, seated evenly too.
    """
    yield from seat_evenly(_symmetric_tables(n, k), k)
    for rest in combinations(range(1, n), k - 1):
        first = (0, *rest)
        if _begins_family(n, first):
            yield from _turned(n, first)


def balanced_tables(n: int, k: int, per_entrant: int) -> Iterator[Block]:
    """Yield tables of *k* out of *n* in which everybody sits equally often, *per_entrant* at least.

    Any two entrants meet equally often, ±1. The number of tables is the least multiple of *n* for
    which such a design is found, or that of all sets of *k* if those are as few.
    """
    blocks = -(-per_entrant // k)
    while blocks * n < comb(n, k):
        first = _search(n, k, blocks)
        if first is not None:
            for block in first:
                yield from _turned(n, block)
            return
        blocks += 1
    yield from all_tables(n, k)


def _symmetric_tables(n: int, k: int) -> list[Block]:
    """Return the tables that are the same when turned by a part of the circle."""
    found = set()
    for parts in range(2, k + 1):
        if n % parts == 0 and k % parts == 0:
            arc = n // parts
            for few in combinations(range(arc), k // parts):
                found.add(tuple(sorted(x + arc * part for x in few for part in range(parts))))
    return sorted(found)


def _begins_family(n: int, first: Block) -> bool:
    """Return whether *first* stands for its *n* different turns, and no other one does."""
    gaps = [(b - a) % n for a, b in zip(first, (*first[1:], first[0]), strict=True)]
    return all(gaps < gaps[shift:] + gaps[:shift] for shift in range(1, len(gaps)))


def _turned(n: int, block: Block) -> Iterator[Block]:
    """Yield the *n* turns of *block*, far ones in sequence.

    Steps of the golden section leave the gaps between the turns so far as even as can be.
    """
    step = next(s for s in range(max(1, round(n * 0.618)), 2 * n) if gcd(s, n) == 1)
    for place in range(n):
        yield tuple((number + place * step) % n for number in block)


def _search(n: int, k: int, blocks: int) -> list[Block] | None:
    """Return *blocks* first tables whose differences come equally often, ±1, if found."""
    rng = Stream(bytes(SEED_BYTES))
    tables = [_random_table(n, k, rng) for _ in range(blocks)]
    count = [0] * n
    for table in tables:
        for seat, number in enumerate(table):
            _count(count, n, number, table[:seat], 1)
    # The sum of squares tells cheaply when looking at all differences is worth it.
    squares = sum(times * times for times in count)
    share, more = divmod(blocks * k * (k - 1), n - 1)
    even = share * share * (n - 1) + more * (2 * share + 1)
    for _ in range(STEPS):
        if squares <= even + _MUCH_WORSE and max(count[1:]) - min(count[1:]) <= 1:
            return [tuple(table) for table in tables]
        squares += _change(tables, count, n, k, rng)
    return None


def _random_table(n: int, k: int, rng: Stream) -> list[int]:
    table: list[int] = []
    while len(table) < k:
        number = rng.below(n)
        if number not in table:
            table.append(number)
    return table


def _change(tables: list[list[int]], count: list[int], n: int, k: int, rng: Stream) -> int:
    """Try another entrant in one seat; return how the sum of squares of *count* grew."""
    table, seat, number = rng.choice(tables), rng.below(k), rng.below(n)
    if number in table:
        return 0
    others = table[:seat] + table[seat + 1 :]
    growth = _count(count, n, table[seat], others, -1) + _count(count, n, number, others, 1)
    if growth <= 0 or (growth <= _MUCH_WORSE and rng.below(_WORSE) == 0):
        table[seat] = number
        return growth
    _count(count, n, number, others, -1)
    _count(count, n, table[seat], others, 1)
    return 0


def _count(count: list[int], n: int, number: int, others: Sequence[int], change: int) -> int:
    """Add *change* to each difference of *number* and *others*; return how the squares grew."""
    growth = 0
    for other in others:
        for difference in ((number - other) % n, (other - number) % n):
            growth += 1 + 2 * change * count[difference]
            count[difference] += change
    return growth
