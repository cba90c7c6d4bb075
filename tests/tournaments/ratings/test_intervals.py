"""Intervals and likelihoods of superiority: closed forms, brute force, and hard cases."""

import math
import random

import numpy as np
import pytest

from harbourmaster_tournaments.ratings import RatedGame, Tally, Terms
from harbourmaster_tournaments.ratings.fit import Field, fit
from harbourmaster_tournaments.ratings.intervals import (
    MOST_PLACES,
    cluster_covariance,
    model_covariance,
    normal_probability,
    play_derivatives,
)
from harbourmaster_tournaments.ratings.model import ELO, Estimate, Problem, maximise, problem_of
from harbourmaster_tournaments.ratings.observations import Floats, Observations, observe
from harbourmaster_tournaments.ratings.separation import separated
from support.rated import duel, errors, match, only_table, rotated, round_robin, table_game

FLAT = Terms(prior_elo=1e5)


def seen(games: list[RatedGame]) -> Observations:
    (pool,) = Tally.of(games).pools.values()
    return observe(pool)


def only_field(games: list[RatedGame], terms: Terms | None = None) -> Field:
    (field,) = fit(seen(games), terms).fields
    return field


def groups_of(wins: tuple[int, int, int]) -> list[RatedGame]:
    """Return rotation groups of two games in which ann won both, one, none."""
    lines = [("1", "0")] * wins[0] + [("1", "1")] * wins[1] + [("0", "1")] * wins[2]
    return [
        duel(2 * at + turn + 1, *(("ann", "bob"), ("bob", "ann"))[turn], result=line[turn])
        for at, line in enumerate(lines)
        for turn in (0, 1)
    ]


def test_two_bots_have_the_standard_error_of_a_share() -> None:
    """The difference has sd 1 / sqrt(n p (1 - p)); each rating, being half of it, half that."""
    field = only_field(match("ann", "bob", 300, 0, 100), FLAT)

    closed = ELO / math.sqrt(400 * 0.75 * 0.25) / 2
    assert field.model_errors == pytest.approx([closed, closed], rel=1e-5)


def test_rotation_groups_have_the_standard_error_of_their_own_scatter() -> None:
    """Groups of two with 2, 1, 0 wins have mean 1; the sandwich is their variance over n - 1."""
    field = only_field(groups_of((30, 40, 30)), FLAT)

    scatter = math.sqrt(60 / 99 / 100)
    closed = ELO * scatter / (2 * 0.25) / 2
    assert field.cluster_errors is not None
    assert field.cluster_errors == pytest.approx([closed, closed], rel=1e-4)


@pytest.mark.parametrize(
    ("wins", "larger"), [((45, 10, 45), "groups"), ((10, 80, 10), "model"), ((0, 50, 0), "model")]
)
def test_the_larger_of_both_errors_is_shown(wins: tuple[int, int, int], larger: str) -> None:
    field = only_field(groups_of(wins))
    assert field.cluster_errors is not None
    by_model, by_group = field.model_errors[0], field.cluster_errors[0]

    assert ("groups" if by_group > by_model else "model") == larger
    assert field.errors[0] == pytest.approx(1.96 * max(by_model, by_group), rel=1e-4)


def test_deterministic_bots_do_not_make_the_interval_vanish() -> None:
    field = only_field(groups_of((0, 50, 0)))

    assert field.cluster_errors == pytest.approx([0, 0], abs=1e-6)
    assert field.errors[0] > 20
    assert field.variance_factor == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("wins", "share"),
    [
        pytest.param((10, 80, 10), 0.63, id="the groups decide"),
        pytest.param((45, 10, 45), 1.35, id="the groups may be wider"),
        pytest.param((0, 100, 0), 0.5, id="half of the model at least"),
        pytest.param((3, 20, 3), 1.0, id="too few groups"),
    ],
)
def test_narrow_intervals_follow_the_groups(wins: tuple[int, int, int], share: float) -> None:
    field = only_field(groups_of(wins), Terms(narrow=True))

    assert field.errors[0] / (1.96 * field.model_errors[0]) == pytest.approx(share, abs=0.01)


def test_narrow_intervals_sharpen_the_likelihood_of_superiority() -> None:
    games = groups_of((15, 80, 5))

    narrow, wide = only_field(games, Terms(narrow=True)), only_field(games)
    assert 0.9 < wide.superiority[0, 1] < narrow.superiority[0, 1]


def test_one_group_says_nothing_of_the_scatter() -> None:
    field = only_field(groups_of((0, 1, 0)))

    assert field.cluster_errors is None
    assert field.variance_factor is None


def brute_force(games: Observations, problem: Problem, estimate: Estimate) -> Floats:
    """Return the sandwich, group by group, with the correction as a matrix of full size."""
    model = model_covariance(estimate)
    scores, curves = play_derivatives(games, problem, estimate)
    size = len(model)
    middle = np.zeros((size, size))
    for block in games.blocks:
        for plays, count in zip(block.plays, block.counts, strict=True):
            score, curve = np.zeros(size), np.zeros((size, size))
            for play in plays:
                place = np.zeros((games.seats, size))
                for seat in range(games.seats):
                    place[seat, games.members[play, seat]] = 1
                    if problem.seats:
                        place[seat, problem.entrants + seat] = 1
                score += place.T @ scores[play]
                curve += place.T @ curves[play] @ place
            corrected = np.linalg.solve(np.eye(size) - curve @ model, score)
            middle += count * (np.outer(score, corrected) + np.outer(corrected, score)) / 2
    return np.asarray(model @ middle @ model)


def mixed_tables() -> list[RatedGame]:
    rng = random.Random(4)
    return [
        table_game(
            n, rng.sample("abcdef", 4), [rng.randint(1, 4) for _ in range(4)], group=f"{n % 9}"
        )
        for n in range(1, 41)
    ]


@pytest.mark.parametrize(
    ("games", "seat_effect"),
    [
        pytest.param(round_robin(5, 3, draws=0.2), False, id="two seats"),
        pytest.param(round_robin(5, 3)[:-7], True, id="two seats with a seat effect"),
        pytest.param(mixed_tables(), False, id="four seats"),
        pytest.param(mixed_tables(), True, id="four seats with a seat effect"),
        pytest.param(rotated(1, "abc", (1, 2, 2)) + rotated(4, "bca", (1, 1, 3)), None, id="three"),
    ],
)
def test_the_sandwich_agrees_with_brute_force(
    games: list[RatedGame], seat_effect: bool | None
) -> None:
    observations = seen(games)
    problem = problem_of(observations, Terms(seat_effect=seat_effect))
    estimate = maximise(problem)

    ours = cluster_covariance(observations, problem, estimate, model_covariance(estimate))

    assert ours is not None
    assert ours == pytest.approx(brute_force(observations, problem, estimate), abs=1e-9)


def test_the_score_of_every_play_sums_to_the_prior_pull() -> None:
    observations = seen(mixed_tables())
    problem = problem_of(observations, Terms(seat_effect=False))
    estimate = maximise(problem)
    scores, curves = play_derivatives(observations, problem, estimate)
    total, curve = np.zeros(6), np.diag(problem.precision)
    for play, count in enumerate(observations.counts):
        members = observations.members[play]
        total[members] += count * scores[play]
        curve[np.ix_(members, members)] += count * curves[play]

    assert total == pytest.approx(problem.precision * estimate.strengths, abs=1e-9)
    assert curve == pytest.approx(estimate.hessian, abs=1e-5)


def test_groups_too_large_for_the_correction_still_count_as_one() -> None:
    size = MOST_PLACES
    games = [
        duel(n, "ann", "bob", "1" if (n // size + n) % 3 else "0", group=f"{n // size}")
        for n in range(4 * size)
    ]
    few = [duel(n, "ann", "bob", "01"[n % 2], group="rest") for n in range(4 * size, 4 * size + 4)]
    field = only_field(games + few, FLAT)

    assert field.cluster_errors is not None
    assert 0 < field.cluster_errors[0] < field.model_errors[0]


def test_four_times_the_games_halve_the_interval() -> None:
    few, many = (errors(only_table(match("ann", "bob", n, 0, n))) for n in (50, 200))

    assert few["ann"] / many["ann"] == pytest.approx(2, rel=0.02)


def test_the_anchor_has_no_interval_and_the_others_are_measured_from_it() -> None:
    games = match("ann", "bob", 60, 0, 40)
    free, anchored = errors(only_table(games)), errors(only_table(games, terms=Terms(anchor="bob")))

    assert anchored["bob"] == 0
    assert anchored["ann"] == pytest.approx(2 * free["ann"], abs=0.02)


def test_superiority_is_the_normal_probability_of_the_difference() -> None:
    field = only_field(groups_of((14, 32, 4)), FLAT)

    z = math.log(1.5) * math.sqrt(100 * 0.6 * 0.4)
    assert field.superiority[0, 1] == pytest.approx(0.5 + math.erf(z / math.sqrt(2)) / 2, abs=2e-3)
    assert field.superiority + field.superiority.T == pytest.approx(np.ones((2, 2)))


def test_the_normal_distribution_is_that_of_the_book() -> None:
    z = np.array([0.0, 1.0, 1.959964, -3.0])

    assert normal_probability(z) == pytest.approx([0.5, 0.841345, 0.975, 0.001350], abs=1e-6)


def superiority_of_the_winner(games: list[RatedGame]) -> float:
    field = only_field(games)
    return float(field.superiority[0, 1])


def test_ever_more_wins_and_no_loss_make_ever_surer() -> None:
    likely = [superiority_of_the_winner(match("ann", "bob", n, 0, 0)) for n in (1, 2, 3, 6, 10, 30)]

    assert likely == sorted(likely)
    assert likely[0] < 0.9
    assert likely[2] < 0.975 < likely[3]
    assert likely[-1] > 0.9999
    assert superiority_of_the_winner(match("ann", "bob", 1000, 0, 0)) > 0.9999


def test_two_strong_bots_that_share_their_games_are_told_from_two_weak_ones() -> None:
    pairs = {("a", "b"): "10", ("c", "d"): "10", ("a", "c"): "11", ("a", "d"): "11"}
    pairs |= {("b", "c"): "11", ("b", "d"): "11"}
    meetings = [(a, b, result) for (a, b), results in pairs.items() for result in results * 5]
    games = [
        duel(n, a, b, result, group=f"{n}") for n, (a, b, result) in enumerate(meetings, start=1)
    ]
    field = only_field(games, Terms(seat_effect=False))

    assert separated(seen(games)).tolist() == [
        [False, False, True, True],
        [False, False, True, True],
        [True, True, False, False],
        [True, True, False, False],
    ]
    assert field.superiority[:2, 2:].min() > 0.999
    assert field.superiority[0, 1] == pytest.approx(0.5)


def test_separation_at_larger_tables() -> None:
    games = rotated(1, "abcd", (1, 2, 3, 4)) + rotated(5, "bacd", (1, 2, 3, 4))
    field = only_field(games)

    assert not separated(seen(games))[0, 1]
    assert separated(seen(games))[0, 2]
    assert field.superiority[0, 2] > 0.975
    assert field.superiority[0, 1] == pytest.approx(0.5)
