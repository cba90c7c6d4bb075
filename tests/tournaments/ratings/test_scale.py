"""How the cost grows: with distinct results and groups, not with games."""

import random
import resource
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import pytest

from harbourmaster_tournaments.ratings import RatedGame, Tally, Terms, tables
from harbourmaster_tournaments.ratings.model import problem_of
from harbourmaster_tournaments.ratings.observations import observe
from support.rated import POOL, duel, only_table, round_robin


@pytest.mark.soak
def test_the_table_of_a_running_tournament_of_a_hundred_bots_takes_under_200_ms() -> None:
    """The tally is kept while games come in; the table is made from it. CPU time, best of three."""
    tally = Tally.of(round_robin(100, 4, draws=0.1))
    took = []
    for _ in range(3):
        began = time.process_time()
        (table,) = tables(tally)
        took.append(time.process_time() - began)

    assert len(table.rows) == 100
    assert table.games == 39_600
    assert min(took) < 0.2


def test_repeating_games_does_not_enlarge_the_fit() -> None:
    once = round_robin(6, 5)
    often = [
        replace(game, number=game.number + 1000 * again, group=f"{game.group} again {again}")
        for again in range(20)
        for game in once
    ]
    few, many = (observe(Tally.of(games).pools[POOL]) for games in (once, often))

    assert (few.members == many.members).all()
    assert many.counts.sum() == 20 * few.counts.sum()
    for block, repeated in zip(few.blocks, many.blocks, strict=True):
        assert (block.plays == repeated.plays).all()
    sizes = [len(problem_of(seen, Terms()).choices[0].weights) for seen in (few, many)]
    assert sizes[0] == sizes[1]


def test_many_bots_at_large_tables_need_no_unreasonable_memory() -> None:
    rng = random.Random(6)
    names = [f"bot{bot:04}" for bot in range(300)]
    games = []
    for number in range(1, 2001):
        seated = rng.sample(names, 6)
        games.append(
            RatedGame(
                number=number,
                pool="game/1//6",
                group=f"{number // 6}",
                entrants=tuple(seated),
                placements=tuple(rng.sample(range(1, 7), 6)),
                scores=(0,) * 6,
                forfeits=(None,) * 6,
            )
        )
    table = only_table(games)

    assert len(table.rows) == 300
    assert table.games == 2000


def million() -> Iterator[RatedGame]:
    """Yield 999,000 games of 1,000 bots: every two meet once from each seat."""
    rng = random.Random(7)
    strength = [rng.gauss(0, 100) for _ in range(1000)]
    number = 0
    for a in range(1000):
        for b in range(a):
            chance = 1 / (1 + 10 ** ((strength[b] - strength[a]) / 400))
            for first, second, likely in ((a, b, chance), (b, a, 1 - chance)):
                number += 1
                result = "1" if rng.random() < likely else "0"
                yield duel(number, f"bot{first:03}", f"bot{second:03}", result)


def fit_a_million() -> tuple[int, float, int]:
    """Return how many games were fitted, the seconds of CPU time, and the peak memory in kB."""
    tally = Tally.of(million())
    began = time.process_time()
    (table,) = tables(tally)
    took = time.process_time() - began
    return table.games, took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.soak
def test_a_thousand_bots_and_a_million_games_are_fitted_in_ten_seconds_and_a_gigabyte() -> None:
    # In a process of its own, whose memory is that of the fit alone.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        games, took, peak = pool.submit(fit_a_million).result()

    assert games == 999_000
    assert took < 10
    assert peak < 1_000_000
