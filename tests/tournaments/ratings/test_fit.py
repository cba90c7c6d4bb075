"""The fit: textbook numbers, closed forms, and an independent implementation (choix)."""

import math
import random
from itertools import permutations

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harbourmaster_tournaments.ratings import RatedGame, Tally, Terms, tables
from harbourmaster_tournaments.ratings.fit import fit
from harbourmaster_tournaments.ratings.model import (
    ELO,
    derivatives,
    log_likelihood,
    maximise,
    problem_of,
)
from harbourmaster_tournaments.ratings.observations import Observations, observe, stages
from support.rated import duel, elo, match, only_table, rotated, round_robin, table_game

FLAT = Terms(prior_elo=1e5)
"""A prior so weak that closed forms without one hold to 0.01 Elo."""


def seen(games: list[RatedGame]) -> Observations:
    (pool,) = Tally.of(games).pools.values()
    return observe(pool)


def test_four_hundred_points_are_ten_to_one() -> None:
    ratings = elo(only_table(match("ann", "bob", 100, 0, 10), terms=FLAT))

    assert ratings["ann"] - ratings["bob"] == pytest.approx(400, abs=0.02)


@pytest.mark.parametrize(
    ("wins", "draws", "losses", "difference"),
    [
        pytest.param(300, 0, 100, 190.85, id="three quarters"),
        pytest.param(200, 200, 0, 190.85, id="three quarters with draws"),
        pytest.param(64, 0, 36, 99.95, id="64 of 100"),
        pytest.param(76, 0, 24, 200.24, id="76 of 100"),
        pytest.param(50, 20, 50, 0.0, id="even"),
    ],
)
def test_two_bots_get_the_difference_that_their_score_means(
    wins: int, draws: int, losses: int, difference: float
) -> None:
    ratings = elo(only_table(match("ann", "bob", wins, draws, losses), terms=FLAT))

    assert ratings["ann"] - ratings["bob"] == pytest.approx(difference, abs=0.02)


def test_the_default_prior_costs_less_than_a_point_of_a_hundred_games() -> None:
    ratings = elo(only_table(match("ann", "bob", 75, 0, 25)))

    assert 190.85 - (ratings["ann"] - ratings["bob"]) == pytest.approx(0.14, abs=0.1)


def test_a_cycle_of_three_is_level() -> None:
    meetings = [("ann", "bob"), ("bob", "cid"), ("cid", "ann")] * 4
    games = [
        duel(number, first, second, "1", group=f"{number}")
        for number, (first, second) in enumerate(meetings, start=1)
    ]

    assert elo(only_table(games)) == {"ann": 0.0, "bob": 0.0, "cid": 0.0}


def test_two_seats_agree_with_choix() -> None:
    games = round_robin(6, 8)
    wins = [
        (int(a[3:]), int(b[3:])) if game.placements == (1, 2) else (int(b[3:]), int(a[3:]))
        for game in games
        for a, b in [game.entrants]
    ]
    terms = Terms(seat_effect=False)

    theirs = choix.opt_pairwise(6, wins, alpha=(ELO / terms.prior_elo) ** 2 / 2, tol=1e-12)
    ours = elo(only_table(games, terms=terms))

    assert [ours[f"bot{bot:03}"] for bot in range(6)] == pytest.approx(
        list(ELO * (theirs - theirs.mean())), abs=0.02
    )


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_larger_tables_agree_with_choix(seats: int) -> None:
    rng = random.Random(seats)
    rankings = [tuple(rng.sample(range(7), seats)) for _ in range(60)]
    games = [
        table_game(number, [f"bot{bot}" for bot in ranking], range(1, seats + 1))
        for number, ranking in enumerate(rankings, start=1)
    ]
    terms = Terms(seat_effect=False)

    alpha = (ELO / terms.prior_elo) ** 2 / 2
    theirs = choix.opt_rankings(7, rankings, alpha=alpha, tol=1e-12)
    ours = elo(only_table(games, terms=terms))

    assert [ours[f"bot{bot}"] for bot in range(7)] == pytest.approx(
        list(ELO * (theirs - theirs.mean())), abs=0.02
    )


def test_the_iterative_luce_ranking_of_choix_agrees_without_a_prior() -> None:
    rng = random.Random(3)
    rankings = [tuple(rng.sample(range(5), 4)) for _ in range(200)]
    games = [
        table_game(number, [f"bot{bot}" for bot in ranking], range(1, 5))
        for number, ranking in enumerate(rankings, start=1)
    ]

    theirs = choix.ilsr_rankings(5, rankings)
    ours = elo(only_table(games, terms=Terms(prior_elo=1e5, seat_effect=False)))

    assert [ours[f"bot{bot}"] for bot in range(5)] == pytest.approx(list(ELO * theirs), abs=0.02)


def test_a_tie_is_every_order_in_equal_shares() -> None:
    chosen, choices = stages((0, 1, 1))

    assert chosen == (60, 30, 30)
    assert choices == (((0, 1, 2), 60), ((1, 2), 60))


def test_ties_weigh_what_all_their_orders_weigh_together() -> None:
    tied = [table_game(n, ["a", "b", "c", "d"], [1, 2, 2, 2]) for n in range(1, 7)]
    broken = [
        table_game(n, ["a", *rest], [1, 2, 3, 4])
        for n, rest in enumerate(permutations("bcd"), start=1)
    ]
    terms = Terms(seat_effect=False)

    assert elo(only_table(tied, terms=terms)) == elo(only_table(broken, terms=terms))


def test_t39_tied_bots_in_a_five_seat_game_move_alike_and_stay_above_lower_places() -> None:
    ratings = elo(only_table(rotated(1, "abcde", (1, 1, 3, 4, 4))))

    assert ratings["a"] == ratings["b"]
    assert ratings["d"] == ratings["e"]
    assert ratings["a"] > ratings["c"] > ratings["d"]


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_game_in_which_all_tie_moves_nobody(seats: int) -> None:
    ratings = elo(only_table(rotated(1, "abcdef"[:seats], (1,) * seats)))

    assert set(ratings.values()) == {0.0}


def test_a_seat_is_credited_for_what_it_is_worth() -> None:
    games = [duel(n, "ann", "bob", "1" if n % 4 else "0", group=f"{n}") for n in range(1, 401)]
    games += [duel(n, "bob", "ann", "1" if n % 4 else "0", group=f"{n}") for n in range(401, 501)]
    pool = Tally.of(games)
    (table,) = tables(pool, terms=Terms(prior_elo=1e5, seat_prior_elo=1e5))

    first, second = table.seat_effects or (0.0, 0.0)
    assert first - second == pytest.approx(190.85, abs=0.02)
    assert elo(table) == {"ann": 0.0, "bob": 0.0}


def test_complete_rotation_needs_no_seat_effect() -> None:
    complete = [duel(1, "ann", "bob", "1"), duel(2, "bob", "ann", "1")]

    assert only_table(complete).seat_effects is None
    assert only_table(complete[:1]).seat_effects is not None


def test_an_anchor_keeps_its_rating() -> None:
    games = match("ann", "bob", 3, 0, 1)
    free = elo(only_table(games))
    anchored = only_table(games, terms=Terms(anchor="bob", anchor_rating=1500))

    assert elo(anchored)["bob"] == 1500
    assert elo(anchored)["ann"] == pytest.approx(1500 + free["ann"] - free["bob"], abs=0.02)


results = st.lists(
    st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from("1=0")), min_size=1, max_size=30
)


@settings(max_examples=60, deadline=None)
@given(results)
def test_p43_a_winner_never_loses_points_by_its_win(games: list[tuple[int, int, str]]) -> None:
    before = [
        duel(number, f"bot{a}", f"bot{(a + step) % 4}", result, group=f"{number}")
        for number, (a, step, result) in enumerate(games, start=1)
    ]
    before += [duel(number, "bot0", f"bot{number - 100}", "=") for number in (101, 102, 103)]
    win = duel(999, "bot0", "bot1", "1")
    terms = Terms(seat_effect=False)

    old, new = elo(only_table(before, terms=terms)), elo(only_table([*before, win], terms=terms))

    assert new["bot0"] >= old["bot0"]
    assert new["bot1"] <= old["bot1"]
    assert sum(new.values()) == pytest.approx(0, abs=0.05)


def test_the_derivatives_are_those_of_the_likelihood() -> None:
    rng = random.Random(5)
    games = [
        table_game(n, rng.sample("abcdef", 4), [rng.randint(1, 3) for _ in range(4)])
        for n in range(1, 30)
    ]
    problem = problem_of(seen(games), Terms())
    at = np.array([rng.gauss(0, 1) for _ in problem.chosen])
    gradient, hessian = derivatives(problem, at)

    step = 1e-5
    for parameter in range(len(at)):
        aside = np.eye(len(at))[parameter] * step
        rise = log_likelihood(problem, at + aside) - log_likelihood(problem, at - aside)
        turn = derivatives(problem, at - aside)[0] - derivatives(problem, at + aside)[0]
        assert gradient[parameter] == pytest.approx(rise / (2 * step), abs=1e-5)
        assert hessian[parameter] == pytest.approx(turn / (2 * step), abs=1e-5)


def test_the_fit_is_a_maximum() -> None:
    problem = problem_of(seen(round_robin(5, 3, draws=0.3)), Terms())
    gradient, _ = derivatives(problem, maximise(problem).strengths)

    assert np.abs(gradient).max() < 1e-9


def test_no_games_give_no_field() -> None:
    empty = seen([duel(1, "ann", "bob", "1", played=False)])

    assert fit(empty).fields == ()


def test_a_prior_must_be_a_positive_number() -> None:
    with pytest.raises(ValueError, match="prior_elo is 0"):
        Terms(prior_elo=0)
    with pytest.raises(ValueError, match="seat_prior_elo is inf"):
        Terms(seat_prior_elo=math.inf)
