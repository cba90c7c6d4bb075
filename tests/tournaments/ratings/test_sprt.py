"""The sequential test: its ratio, its decisions, and one-sided matches."""

import math
import random
import time
from collections.abc import Callable
from copy import deepcopy

import pytest

from harbourmaster_tournaments.ratings.sprt import (
    CELLS,
    Sprt,
    SprtState,
    SprtTerms,
    Verdict,
    expected_score,
    log_likelihood,
    log_ratio,
    pairs_of,
)
from support.rated import duel


def run(terms: SprtTerms, chance: float, seed: int, *, most: int = 100_000) -> SprtState:
    """Play pairs of games won with *chance* until the test is decided."""
    rng = random.Random(seed)
    test = Sprt(terms)
    for _ in range(most):
        state = test.add((float(rng.random() < chance), float(rng.random() < chance)))
        if state.verdict is not Verdict.UNDECIDED:
            return state
    raise AssertionError(f"undecided after {most} pairs")


def processor_time(work: Callable[[], object]) -> float:
    """Return the processor time of *work* in seconds, the least of three: others may disturb it."""

    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return min(once() for _ in range(3))


def test_t34_one_win_and_292_losses_are_decided_with_no_pair_taking_ten_milliseconds() -> None:
    """On any machine of our time: one of 2026 needs a hundredth of that."""
    test = Sprt(SprtTerms(elo0=0, elo1=10))
    times, states = [], []
    for pair in [(1, 0)] + [(0, 0)] * 146:
        times.append(processor_time(lambda: deepcopy(test).add(pair)))  # noqa: B023
        states.append(test.add(pair))

    assert states[-1].verdict is Verdict.NOT_BETTER
    assert states[0].verdict is Verdict.UNDECIDED
    assert max(times) < 0.010


@pytest.mark.parametrize(
    ("elo0", "elo1"),
    [(0.0, 10.0), (-2000.0, 2000.0), (1900.0, 2000.0), (-10.0, 0.0), (-600.0, 0.0)],
)
def test_t34_bounds_far_off_are_decided_with_finite_numbers(elo0: float, elo1: float) -> None:
    losing, winning = SprtTerms(elo0, elo1), SprtTerms(-elo1, -elo0)
    ratio = log_ratio((146, 0, 0, 0, 1), losing)
    took = processor_time(lambda: log_ratio((146, 0, 0, 0, 1), losing))

    assert math.isfinite(ratio)
    assert ratio <= losing.lower
    assert log_ratio((1, 0, 0, 0, 146), winning) == pytest.approx(-ratio)
    assert -ratio >= winning.upper
    assert took < 0.010


@pytest.mark.parametrize("cell", range(CELLS))
def test_one_sided_matches_of_any_kind_stay_finite(cell: int) -> None:
    points = [(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)][cell]
    test = Sprt(SprtTerms(-5, 5))
    states = [test.add(points) for _ in range(400)]

    for state in states:
        assert state.elo is not None
        assert state.error is not None
        assert all(map(math.isfinite, (state.ratio, state.elo, state.error)))
    expected = [Verdict.NOT_BETTER] * 2 + [Verdict.UNDECIDED] + [Verdict.BETTER] * 2
    assert states[-1].verdict is expected[cell]


@pytest.mark.parametrize("seed", range(3))
def test_t36_a_test_without_a_number_of_games_runs_to_its_decision(seed: int) -> None:
    strong = run(SprtTerms(0, 30), expected_score(60), seed)
    weak = run(SprtTerms(0, 30), expected_score(-30), seed)

    assert strong.verdict is Verdict.BETTER
    assert weak.verdict is Verdict.NOT_BETTER
    assert sum(strong.pairs) > 1
    assert strong.ratio >= strong.upper > 0 > weak.lower >= weak.ratio


def test_wrong_verdicts_are_about_as_rare_as_asked() -> None:
    terms = SprtTerms(0, 60)
    level = [run(terms, expected_score(0), seed).verdict for seed in range(200)]
    better = [run(terms, expected_score(60), seed).verdict for seed in range(200)]

    assert 0 < level.count(Verdict.BETTER) <= 20
    assert 0 < better.count(Verdict.NOT_BETTER) <= 20


def test_pairs_are_the_complete_rotation_groups_in_the_order_of_the_schedule() -> None:
    games = [
        *(duel(5, "ann", "bob", "0"), duel(6, "bob", "ann", "=")),
        *(duel(1, "ann", "bob", "1"), duel(2, "bob", "ann", "0")),
        *(duel(3, "ann", "bob", "1"), duel(4, "bob", "ann", "0", played=False)),
        *(duel(7, "bob", "ann", "1"), duel(9, "bob", "cid", "1"), duel(10, "cid", "bob", "1")),
    ]

    assert pairs_of(games, "ann") == [(1.0, 1.0), (0.0, 0.5)]
    assert pairs_of(games, "cid") == [(0.0, 1.0)]


def test_pairs_after_the_decision_change_nothing() -> None:
    test = Sprt(SprtTerms(0, 30))
    while (decided := test.add((1, 1))).verdict is Verdict.UNDECIDED:
        pass

    assert [test.add((0, 0)) for _ in range(100)] == [decided] * 100


def test_the_estimate_of_a_stopped_test_says_so() -> None:
    test = Sprt(SprtTerms(0, 30))
    running = test.add((1, 0.5))
    while (stopped := test.add((1, 1))).verdict is Verdict.UNDECIDED:
        pass

    assert running.note == ""
    assert "from a stopped test" in stopped.note


def test_the_bounds_are_walds() -> None:
    terms = SprtTerms(alpha=0.05, beta=0.05)

    assert terms.upper == pytest.approx(math.log(19))
    assert terms.lower == pytest.approx(-math.log(19))


def test_400_elo_are_ten_elevenths() -> None:
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(0) == 0.5


def test_the_likeliest_distribution_is_what_was_seen_if_its_mean_is_allowed() -> None:
    counts = (4.0, 8.0, 20.0, 10.0, 6.0)
    mean = sum(c * cell / 4 for cell, c in enumerate(counts)) / sum(counts)

    seen = sum(c * math.log(c / sum(counts)) for c in counts)
    assert log_likelihood(counts, mean) == pytest.approx(seen)


def test_the_likelihood_is_the_largest_that_the_mean_allows() -> None:
    """Move weight among the cells in ways that keep sum and mean: nothing gets likelier."""
    counts, mean = (4.5, 8.5, 20.5, 10.5, 6.5), 0.45
    best = log_likelihood(counts, mean)
    rng = random.Random(1)
    for _ in range(300):
        shares = [rng.expovariate(1) for _ in range(CELLS)]
        shares = [share / sum(shares) for share in shares]
        now = sum(share * cell / 4 for cell, share in enumerate(shares))
        end = 0.0 if now > mean else 1.0
        mix = (now - mean) / (now - end)
        shares = [share * (1 - mix) for share in shares]
        shares[0 if now > mean else -1] += mix
        value = sum(c * math.log(share) for c, share in zip(counts, shares, strict=True))
        assert sum(share * cell / 4 for cell, share in enumerate(shares)) == pytest.approx(mean)
        assert value <= best + 1e-9


def test_mirrored_results_have_the_mirrored_ratio() -> None:
    terms = SprtTerms(-5, 5)

    assert log_ratio((9, 14, 30, 17, 12), terms) == pytest.approx(
        -log_ratio((12, 17, 30, 14, 9), terms)
    )


def test_the_ratio_is_near_its_normal_approximation() -> None:
    """(s1 - s0)(2m - s0 - s1) / (2 v / n), for many pairs and near hypotheses."""
    pairs, terms = (900, 2100, 4200, 2200, 1000), SprtTerms(0, 5)
    total = sum(pairs)
    mean = sum(count * cell / 4 for cell, count in enumerate(pairs)) / total
    variance = sum(count * (cell / 4 - mean) ** 2 for cell, count in enumerate(pairs)) / total
    low, high = expected_score(0), expected_score(5)

    normal = (high - low) * (2 * mean - low - high) / (2 * variance / total)
    assert log_ratio(pairs, terms) == pytest.approx(normal, rel=0.01)


def test_nothing_is_said_before_the_first_pair() -> None:
    state = Sprt().state()

    assert (state.verdict, state.ratio, state.elo, state.error) == (
        Verdict.UNDECIDED,
        0.0,
        None,
        None,
    )


@pytest.mark.parametrize("pair", [(1, 2), (0.25, 0), (-1, 0)])
def test_points_that_no_game_gives_are_refused(pair: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match=r"give 0, 0\.5 or 1"):
        Sprt().add(pair)


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha"), [(5.0, 5.0, 0.05), (0.0, 9999.0, 0.05), (0.0, 5.0, 0.0)]
)
def test_hypotheses_that_make_no_test_are_refused(elo0: float, elo1: float, alpha: float) -> None:
    with pytest.raises(ValueError, match="give"):
        SprtTerms(elo0, elo1, alpha)
