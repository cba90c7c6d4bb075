"""Tournaments that are killed or stopped and started again: nothing is lost, nothing twice."""

import os
import signal
import time
from pathlib import Path
from random import Random

import pytest

from support.commands import wait_until_gone
from support.restarts import (
    Interrupted,
    check_prefixes,
    check_quota,
    check_sightings,
    wait_for_sightings,
)


def kill_and_go_on(run: Interrupted, kills: int, seed: int) -> int:
    """Play *run* to its end through *kills* at random moments.

    Return at how many of them a decision was open in a match that had moves.
    """
    rng = Random(seed)
    in_play = 0
    for _ in range(kills):
        process = run.start()
        wait_for_sightings(run, len(run.sightings()) + rng.randint(1, 40), process)
        time.sleep(rng.random() * 0.2)
        if process.poll() is not None:
            run.finish(process)
            break
        held = run.kill(process)
        in_play += any(len(entries) > 3 for entries in held.values())
    else:
        run.finish(run.start())
    return in_play


@pytest.mark.parametrize(
    ("kills", "groups", "at_once"),
    [
        pytest.param(3, 2, 2, id="short"),
        pytest.param(50, 100, 8, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_t19_t21_t22_t24_after_kill_9_every_match_goes_on_and_each_game_counts_once(
    kills: int, groups: int, at_once: int, tmp_path: Path
) -> None:
    run = Interrupted(tmp_path, groups=groups, at_once=at_once)

    in_play = kill_and_go_on(run, kills, seed=1)

    assert in_play >= 0.6 * kills
    check_quota(run)
    check_prefixes(run)
    check_sightings(run.sightings(), run.records())


def test_twin_a_journal_that_is_not_written_loses_what_bots_were_shown(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=1, fault="journal-unwritten")
    process = run.start()
    wait_for_sightings(run, 20, process)
    assert run.kill(process) == {}
    run.fault = "none"
    run.finish(run.start())

    with pytest.raises(AssertionError):
        check_sightings(run.sightings(), run.records())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_t16_t18_t55_a_signal_ends_it_at_once_and_decides_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Both bots think for 60 s and are given 2 s to end: it is over in 3 s, and goes on later."""
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=60)
    process = run.start()
    wait_for_sightings(run, 1, process)

    began = time.monotonic()
    process.send_signal(number)
    process.communicate(timeout=20)
    took = time.monotonic() - began

    assert took < 3 * busy()
    assert wait_until_gone(run.mark, 0) == []
    assert run.games() == []
    assert not run.records()
    run.thought = 0
    run.finish(run.start())
    check_quota(run)
    check_sightings(run.sightings(), run.records())


def test_twin_bots_that_are_ended_before_their_matches_lose_them(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=60, fault="bots-first")
    process = run.start()
    wait_for_sightings(run, 1, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=20)
    run.fault, run.thought = "none", 0
    run.finish(run.start())

    with pytest.raises(AssertionError):
        check_quota(run)


def busy() -> float:
    """Return how many times slower than an idle machine this one is now, at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
