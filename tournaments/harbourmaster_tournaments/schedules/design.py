"""Balanced tables for more than two seats, made by turning a few tables around a circle.

The entrants are the numbers 0 to n - 1 on a circle. Turning a table of k of them by 0, 1, ... n - 1
steps gives n tables in which everybody sits once in each seat, and in which two entrants at
distance d meet as often as the first table has d (or -d) among its differences. So a set of first
tables whose differences come equally often (±1) gives a design in which all pairs meet equally
often (±1): a difference family, R. C. Bose, Annals of Eugenics 9 (1939), relaxed by one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
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
    that a smaller turn brings back onto themselves come first, seated evenly too: also when all
    seatings are turned on by one or several seats.
    """
    parts = [part for part in range(2, k + 1) if n % part == 0 == k % part]
    if len(parts) == 1:
        yield from _seated_by_part(n, k, parts[0])
    else:
        yield from seat_evenly(_symmetric_tables(n, k, parts), k)
    for rest in combinations(range(1, n), k - 1):
        first = (0, *rest)
        if _begins_family(n, first):
            yield from _turned(n, first)


def is_symmetric(n: int, block: Block) -> bool:
    """Return whether a turn by less than the whole circle brings *block* back onto itself."""
    members = set(block)
    return any({(x + turn) % n for x in block} == members for turn in range(1, n))


def balanced_tables(
    n: int, k: int, per_entrant: int, repeat: int = 0
) -> Iterator[tuple[Block, int]]:
    """Yield tables of *k* out of *n* in which everybody sits equally often, *per_entrant* at least.

    Any two entrants meet equally often, ±1. The number of tables is the least multiple of *n* for
    which such a design is found, or that of all sets of *k* if those are as few. Every further
    *repeat* has other tables (here and there *n* more), so that any two meet equally often, ±1,
    over all repeats up to it. With each table comes how often it came before; the order of its
    seats is the same every time.
    """
    blocks = _least_blocks(n, k, per_entrant)
    if blocks is None:
        yield from ((block, repeat) for block in all_tables(n, k))
        return
    first = _first_tables(n, k, blocks, repeat)
    for block, before in zip(first, _times_before(n, k, blocks, repeat), strict=True):
        yield from ((turned, before) for turned in _turned(n, block))


@lru_cache(maxsize=64)
def _least_blocks(n: int, k: int, per_entrant: int) -> int | None:
    """Return how many first tables make a balanced design, or `None` for all tables."""
    blocks = -(-per_entrant // k)
    while blocks * n < comb(n, k):
        if _search(n, k, blocks, [0] * n, 0) is not None:
            return blocks
        blocks += 1
    return None


@lru_cache(maxsize=4096)
def _first_tables(n: int, k: int, blocks: int, repeat: int) -> tuple[Block, ...]:
    """Return the first tables of a repeat, by what pairs are missing after those before it.

    They are *blocks*, or the least number more for which pairs come out even.
    """
    earlier, met = 0, [0] * n
    while earlier < repeat:
        for block in _first_tables(n, k, blocks, earlier):
            _count_table(met, n, block)
        earlier += 1
        if min(met[1:]) == max(met[1:]):
            # All pairs are level: what follows may be what came first.
            return _first_tables(n, k, blocks, repeat % earlier)
    while (found := _search(n, k, blocks, met, repeat)) is None:
        blocks += 1
    return tuple(_least_form(n, table) for table in found)


def _times_before(n: int, k: int, blocks: int, repeat: int) -> Iterator[int]:
    """Yield for each first table of a repeat how often it and its turns came before."""
    came: Counter[Block] = Counter()
    for earlier in range(repeat):
        came.update(_first_tables(n, k, blocks, earlier))
    for block in _first_tables(n, k, blocks, repeat):
        yield came[block]
        came[block] += 1


def _least_form(n: int, block: Sequence[int]) -> Block:
    """Return the turn of *block* that stands for all its turns, its members in rising order."""
    return min(tuple(sorted((x - start) % n for x in block)) for start in block)


def _seated_by_part(n: int, k: int, parts: int) -> Iterator[Block]:
    """Yield the tables that a turn by one of *parts* parts of the circle leaves as they are.

    Such a table has, of some places in a part, all entrants that stand there in their part. Each
    gets a seat by its part, the places one after the other taking the seats that are *parts* apart.
    So everybody's seats at the turns of one table are evenly spaced, and at the turns of the next
    ones moved on by one: however far all are turned on, they differ by one at most.
    """
    arc = n // parts
    places = [few for few in combinations(range(arc), k // parts) if _begins_family(arc, few)]
    for moved, first in enumerate(few for few in places if few[0] == 0):
        for turned in _turned(arc, first):
            seats = [0] * k
            for place, within in enumerate(turned):
                for part in range(parts):
                    seats[(part + moved) % parts + parts * place] = within + arc * part
            yield tuple(seats)


def _symmetric_tables(n: int, k: int, parts: Sequence[int]) -> list[Block]:
    """Return the tables that are the same when turned by one of *parts* parts of the circle."""
    found = set()
    for part in parts:
        arc = n // part
        for few in combinations(range(arc), k // part):
            found.add(tuple(sorted(x + arc * turn for x in few for turn in range(part))))
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


def _search(n: int, k: int, blocks: int, before: Sequence[int], number: int) -> list[Block] | None:
    """Return *blocks* first tables whose differences come equally often, ±1, if found.

    Those that came *before* count too. Another *number* makes it another search.
    """
    rng = Stream(number.to_bytes(SEED_BYTES, "big"))
    tables = [_random_table(n, k, rng) for _ in range(blocks)]
    count = list(before)
    for table in tables:
        _count_table(count, n, table)
    # The sum of squares tells cheaply when looking at all differences is worth it.
    squares = sum(times * times for times in count)
    share, more = divmod(sum(count), n - 1)
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


def _count_table(count: list[int], n: int, table: Sequence[int]) -> None:
    """Add the differences within *table* to *count*."""
    for seat, number in enumerate(table):
        _count(count, n, number, table[:seat], 1)


def _count(count: list[int], n: int, number: int, others: Sequence[int], change: int) -> int:
    """Add *change* to each difference of *number* and *others*; return how the squares grew."""
    growth = 0
    for other in others:
        for difference in ((number - other) % n, (other - number) % n):
            growth += 1 + 2 * change * count[difference]
            count[difference] += change
    return growth
