"""The simulation: its design, and that it would notice wrong intervals."""

import json
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from harbourmaster_tournaments.ratings.fit import fit
from harbourmaster_tournaments.ratings.limits import information
from harbourmaster_tournaments.ratings.model import ELO
from harbourmaster_tournaments.ratings.observations import rotation_is_complete
from harbourmaster_tournaments.ratings.simulation import (
    BOTS,
    Setting,
    groups_for,
    limit,
    line_ups,
    main,
    play,
    simulate,
    strengths,
    summarise,
)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_pairs_meet_equally_often(seats: int) -> None:
    lines = line_ups(seats, 84)
    met = np.zeros((BOTS, BOTS), dtype=int)
    for line in lines:
        met[np.ix_(line, line)] += 1
    meetings = met[np.triu_indices(BOTS, 1)]

    assert meetings.max() - meetings.min() <= 1


@pytest.mark.parametrize(("seats", "groups"), [(2, 1400), (4, 117), (6, 32)])
def test_groups_give_the_games_per_pair(seats: int, groups: int) -> None:
    assert groups_for(Setting(seats, 100, 0)) == groups


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_very_many_games_give_the_strengths_that_they_were_played_with(seats: int) -> None:
    setting = Setting(seats, 5_000, luck=0)
    line = line_ups(seats, groups_for(setting))
    seen = play(setting, line, strengths(), np.random.default_rng(1))
    (field,) = fit(seen).fields

    assert rotation_is_complete(seen)
    assert field.ratings == pytest.approx(strengths() * ELO, abs=8)


@pytest.mark.parametrize(("seats", "games"), [(2, 100), (4, 100), (6, 100)])
def test_intervals_hold_the_truth_about_95_times_in_100(seats: int, games: int) -> None:
    """With 40 × 8 intervals the coverage scatters by about 1.5 points; the bounds allow three."""
    setting = Setting(seats, games, luck=80)
    seen = summarise(setting, list(simulate(setting, 40, seed=2)), 2)

    assert 0.90 <= seen.coverage <= 0.995
    assert seen.coverage + seen.below + seen.above == pytest.approx(1)
    assert 0.85 < seen.variance_factor < 1


def test_intervals_half_as_wide_would_be_noticed() -> None:
    """The planted fault: the same bounds fail for intervals that are too narrow."""
    setting = Setting(2, 100, luck=80)
    halved = [
        replicate * np.array([[1.0], [0.5], [0.5], [0.5]])
        for replicate in simulate(setting, 40, seed=2)
    ]

    assert summarise(setting, halved, 2).coverage < 0.85


def test_rmse_at_100_games_per_pair_is_about_13_elo_at_most() -> None:
    setting = Setting(2, 100, luck=80)
    seen = summarise(setting, list(simulate(setting, 60, seed=3)), 3)

    assert seen.rmse < 13.5


@pytest.mark.parametrize(("seats", "least"), [(2, 13.2), (4, 15.8), (6, 17.8)])
def test_no_estimate_could_come_closer(seats: int, least: float) -> None:
    """With as many meetings of a pair, larger tables need fewer games and tell less."""
    setting = Setting(seats, 100, luck=0)
    seen = summarise(setting, list(simulate(setting, 60, seed=3)), 3)

    assert seen.limit == pytest.approx(least, abs=0.05)
    assert 0.88 < seen.rmse / seen.limit < 1.12


def test_an_estimate_from_half_of_the_games_would_be_noticed() -> None:
    """The planted fault: what it misses shows against the limit of all games."""
    half = summarise(Setting(4, 50, luck=0), list(simulate(Setting(4, 50, luck=0), 60, seed=3)), 3)

    assert half.rmse / limit(Setting(4, 100, luck=0), 3) > 1.12


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_information_of_a_game_is_the_variance_of_its_score(seats: int) -> None:
    """By brute force over all orders: the score is the derivative of the log-likelihood."""
    worths = np.array([0.3, -0.5, 1.1, 0.0])[:seats]
    expected = np.zeros((seats, seats))
    for order in permutations(range(seats)):
        chance, score = 1.0, np.zeros(seats)
        for place in range(seats):
            left = list(order[place:])
            shares = np.exp(worths[left]) / np.exp(worths[left]).sum()
            chance *= shares[0]
            score[left[0]] += 1
            score[left] -= shares
        expected += chance * np.outer(score, score)

    assert information(worths) == pytest.approx(expected)


def test_the_command_writes_what_it_saw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "outcomes.json"
    main(["--replicates", "3", "--seats", "2", "--games", "10", "--luck", "0", "--json", str(file)])
    (outcome,) = json.loads(file.read_text(encoding="utf-8"))

    assert outcome["replicates"] == 3
    assert outcome["groups"] == 140
    assert "Coverage of the 95 % intervals" in capsys.readouterr().out
