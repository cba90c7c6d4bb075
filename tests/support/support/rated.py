"""Short ways to write down finished games for the tests of ratings."""

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from harbourmaster_tournaments.ratings import RatedGame, Table, Tally, Terms, ThinkTime, tables

POOL = "game/1//2"


def duel(
    number: int,
    first: str,
    second: str,
    result: str,
    *,
    group: str | None = None,
    pool: str = POOL,
    forfeits: tuple[str | None, str | None] = (None, None),
    played: bool = True,
    think: tuple[ThinkTime, ...] = (),
) -> RatedGame:
    """Return a two-seat game; *result* is `1`, `=` or `0` for the first seat.

    Games 1 and 2 are a rotation group, then 3 and 4, and so on.
    """
    placements = {"1": (1, 2), "=": (1, 1), "0": (2, 1)}[result]
    scores = {"1": (10, 4), "=": (7, 7), "0": (4, 10)}[result]
    group = group or f"group {(number + 1) // 2}"
    seats = (first, second)
    return RatedGame(number, pool, group, seats, placements, scores, forfeits, played, think)


def match(first: str, second: str, wins: int, draws: int, losses: int) -> list[RatedGame]:
    """Return games of two entrants from 1, seats swapping, with these results for *first*."""
    results = "1" * wins + "=" * draws + "0" * losses
    turned = {"1": "0", "=": "=", "0": "1"}
    return [
        duel(number, first, second, result)
        if number % 2
        else duel(number, second, first, turned[result])
        for number, result in enumerate(results, start=1)
    ]


def table_game(
    number: int, entrants: Sequence[str], placements: Sequence[int], *, group: str | None = None
) -> RatedGame:
    """Return a game of three to six seats; each is a rotation group of its own by default."""
    return RatedGame(
        number=number,
        pool=f"game/1//{len(entrants)}",
        group=group or f"group {number}",
        entrants=tuple(entrants),
        placements=tuple(placements),
        scores=tuple(-place for place in placements),
        forfeits=(None,) * len(entrants),
    )


def rotated(number: int, ranking: Sequence[str], places: Sequence[int]) -> list[RatedGame]:
    """Return one rotation group from *number* on, in which all games end with this ranking."""
    seats = len(ranking)
    turns = [[(seat + turn) % seats for seat in range(seats)] for turn in range(seats)]
    return [
        table_game(
            number + turn,
            [ranking[at] for at in order],
            [places[at] for at in order],
            group=f"group from {number}",
        )
        for turn, order in enumerate(turns)
    ]


def round_robin(bots: int, pairs: int, seed: int = 1, *, draws: float = 0.0) -> list[RatedGame]:
    """Return a made-up round-robin: *pairs* rotation groups for every two bots, 80 Elo apart."""
    return list(_round_robin(bots, pairs, random.Random(seed), draws))


def _round_robin(bots: int, pairs: int, rng: random.Random, draws: float) -> Iterator[RatedGame]:
    number = 0
    for a, b in combinations(range(bots), 2):
        chance = 1 / (1 + 10 ** (80 * (b - a) / 400))
        for _ in range(pairs):
            for first, second in ((a, b), (b, a)):
                number += 1
                won = rng.random() < (chance if first == a else 1 - chance)
                result = "=" if rng.random() < draws else "1" if won else "0"
                yield duel(number, f"bot{first:03}", f"bot{second:03}", result)


def only_table(
    games: Sequence[RatedGame], entrants: Sequence[str] = (), terms: Terms | None = None
) -> Table:
    """Return the table of *games*, which must give exactly one."""
    (table,) = tables(Tally.of(games), entrants, terms)
    return table


def elo(table: Table) -> dict[str, float]:
    """Return the ratings of *table*."""
    return {row.bot: row.elo for row in table.rows if row.elo is not None}


def errors(table: Table) -> dict[str, float]:
    """Return the half widths of the intervals of *table*."""
    return {row.bot: row.error for row in table.rows if row.error is not None}
