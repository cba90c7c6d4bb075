"""The simulation: its design, and that it would notice wrong intervals."""

import json
from pathlib import Path

import numpy as np
import pytest

from harbourmaster_tournaments.ratings.fit import fit
from harbourmaster_tournaments.ratings.model import ELO
from harbourmaster_tournaments.ratings.observations import rotation_is_complete
from harbourmaster_tournaments.ratings.simulation import (
    BOTS,
    Setting,
    groups_for,
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
    seen = summarise(setting, list(simulate(setting, 40, seed=2)))

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

    assert summarise(setting, halved).coverage < 0.85


def test_rmse_at_100_games_per_pair_is_about_13_elo_at_most() -> None:
    setting = Setting(2, 100, luck=80)
    seen = summarise(setting, list(simulate(setting, 60, seed=3)))

    assert seen.rmse < 13.5


def test_the_command_writes_what_it_saw(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "outcomes.json"
    main(["--replicates", "3", "--seats", "2", "--games", "10", "--luck", "0", "--json", str(file)])
    (outcome,) = json.loads(file.read_text(encoding="utf-8"))

    assert outcome["replicates"] == 3
    assert outcome["groups"] == 140
    assert "Coverage of the 95 % intervals" in capsys.readouterr().out
