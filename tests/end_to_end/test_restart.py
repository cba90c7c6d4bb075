"""Tournaments that are killed or stopped and started again: nothing is lost, nothing twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest

from harbourmaster.v1 import match_pb2, tournament_service_pb2_grpc
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import tournament_service_pb2 as tournament_pb
from harbourmaster_server.records import read_record
from harbourmaster_server.verify import verify_file
from harbourmaster_tournaments.ledger import Ledger
from support.commands import wait_until_gone
from support.live import Served
from support.patience import PATIENCE, wait_for
from support.restarts import (
    SUPPORT,
    Interrupted,
    check_prefixes,
    check_quota,
    check_sightings,
    wait_for_sightings,
)
from support.witness import sightings


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
    """Both bots think for longer than anybody waits, and are given 2 s to end."""
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=1000)
    process = run.start()
    wait_for_sightings(run, 1, process)

    process.send_signal(number)
    process.communicate(timeout=PATIENCE)

    assert wait_until_gone(run.mark, 0) == []
    assert run.games() == []
    assert not run.records()
    run.thought = 0
    run.finish(run.start())
    check_quota(run)
    check_sightings(run.sightings(), run.records())


@pytest.mark.soak
def test_t16_and_it_is_over_in_three_seconds_on_a_machine_that_is_idle(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=1000)
    process = run.start()
    wait_for_sightings(run, 1, process)

    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)

    assert time.monotonic() - began < 3


def test_twin_bots_that_are_ended_before_their_matches_lose_them(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=1000, fault="bots-first")
    process = run.start()
    wait_for_sightings(run, 1, process)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE)
    run.fault, run.thought = "none", 0
    run.finish(run.start())

    with pytest.raises(AssertionError):
        check_quota(run)


def test_a_ledger_that_is_locked_for_a_while_is_waited_for(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=2, thought=0, fault="ledger-waits-long")
    process = run.start()
    wait_for_sightings(run, 1, process)
    with closing(sqlite3.connect(run.into / "ledger.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        # Both games are over meanwhile.
        wait_for(lambda: len(list((run.into / "sealed").glob("*.hmr"))) == 2, "the records")
        time.sleep(1)
        assert process.poll() is None
        assert run.games() == []
        other.execute("ROLLBACK")
    run.finish(process)

    check_quota(run)
    check_sightings(run.sightings(), run.records())


@contextmanager
def locked_with_two_results(run: Interrupted) -> Iterator[subprocess.Popen[str]]:
    """Lock the ledger of *run* while two finished games wait to be written down."""
    process = run.start()
    wait_for_sightings(run, 1, process)
    with closing(sqlite3.connect(run.into / "ledger.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        wait_for(lambda: len(list((run.into / "sealed").glob("*.hmr"))) == 2, "the records")
        yield process
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda n: n.name)
def test_t16_a_signal_does_not_wait_for_a_locked_ledger_and_its_results_count_once_later(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=2, thought=0, fault="ledger-waits-long")
    with locked_with_two_results(run) as process:
        process.send_signal(number)
        # Much less than the time for which the ledger is waited for otherwise.
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "no table: the ledger" in said
    assert "to go on: harbourmaster tournament resume" in said
    assert "Traceback" not in said
    assert run.games() == []
    held = {path.stem: path.read_bytes() for path in (run.into / "sealed").glob("*.hmr")}

    run.finish(run.start())
    check_quota(run)
    check_sightings(run.sightings(), run.records())
    kept = {path.stem: path.read_bytes() for path in (run.into / "records").glob("*.hmr")}
    assert kept == held


def test_twin_a_ledger_that_is_waited_for_all_the_same_keeps_the_process(tmp_path: Path) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=2, thought=0, fault="ledger-patient")
    with locked_with_two_results(run) as process:
        process.send_signal(signal.SIGTERM)
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=6)


def test_t16_nor_does_a_serving_referee_that_runs_a_tournament(tmp_path: Path) -> None:
    data, ledger = tmp_path / "data", tmp_path / "data/tournaments/spring/ledger.sqlite"
    run = Interrupted(tmp_path, groups=1, at_once=2, thought=0)
    definition = run.write().read_text()
    with Served(data) as served:
        asked = tournament_pb.CreateTournamentRequest(definition=definition)
        with grpc.insecure_channel(served.address) as channel:
            make: Any = tournament_service_pb2_grpc.TournamentServiceStub
            make(channel).CreateTournament(asked, timeout=60)
        wait_for(run.sightings, "the first decision")
        with closing(sqlite3.connect(ledger, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            wait_for(lambda: len(list((data / "sealed").glob("*.hmr"))) == 2, "the records")
            served.process.send_signal(signal.SIGTERM)
            # Less than the 30 s for which a ledger is waited for otherwise.
            served.process.communicate(timeout=20)
            assert served.process.returncode == 0
        assert "Traceback" not in served.said()
    with Served(data) as served:
        wait_for((data / "tournaments/spring/reveal.json").exists, "the end of the tournament")
        served.end(signal.SIGTERM)
    with Ledger.open(ledger, own=False) as opened:
        rows = opened.games()
    assert sorted((row.number, row.attempt, row.void_cause) for row in rows) == [
        (1, 1, None),
        (2, 1, None),
    ]


def test_a_ledger_that_is_gone_for_good_ends_it_in_a_sentence_and_loses_nothing(
    tmp_path: Path,
) -> None:
    run = Interrupted(tmp_path, groups=1, at_once=1, thought=0, fault="ledger-gone")
    process = run.start()
    _, said = process.communicate(timeout=PATIENCE)

    assert process.returncode == 1
    assert "harbourmaster: the ledger" in said
    assert "make room" in said
    assert "Traceback" not in said
    assert wait_until_gone(run.mark) == []
    played = len(run.sightings())
    assert played > 5
    run.fault = "none"
    run.finish(run.start())
    check_quota(run)
    check_sightings(run.sightings(), run.records())


def test_a_serving_referee_that_is_killed_goes_on_with_the_bots_that_dial_again(
    tmp_path: Path,
) -> None:
    """The bots keep running; what they were asked before is true afterwards."""
    seen = tmp_path / "seen"
    seen.mkdir()
    (seen / "seconds").write_text("0.01")
    served = Served(tmp_path / "data")
    ids = [f"match{number}" for number in range(2)]
    with served, dialling(served.address, seen, "a", "b"):
        for match_id in ids:
            create(served, match_id, "a", "b")
        for number in (signal.SIGKILL, signal.SIGTERM):
            asked = len(list(sightings(seen)))
            wait_for(lambda: len(list(sightings(seen))) > asked + 15, "decisions")  # noqa: B023
            code, said = served.end(number)
            assert code == (-number if number == signal.SIGKILL else 0)
            assert "Traceback" not in said
            served.start()
        for match_id in ids:
            wait_for(lambda: over(served, match_id), "the end of the match")  # noqa: B023

    records = {match_id: read_record(served.record(match_id)) for match_id in ids}
    for match_id in ids:
        verify_file(served.record(match_id))
    check_sightings(list(sightings(seen)), records)


@contextmanager
def dialling(address: str, seen: Path, *names: str) -> Iterator[None]:
    """Keep witnesses called *names* that dial *address*."""
    environment = os.environ | {"PYTHONPATH": str(SUPPORT), "HARBOURMASTER_ADDRESS": address}
    bots = [
        subprocess.Popen(
            [sys.executable, "-m", "support.witness", str(seen), name], env=environment
        )
        for name in names
    ]
    try:
        yield
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()


def create(served: Served, match_id: str, *bots: str) -> None:
    terms = match_pb2.MatchTerms(game="anchorline")
    request = pb.CreateMatchRequest(match_id=match_id, terms=terms, bots=bots)
    served.matches().CreateMatch(request, timeout=PATIENCE)


def over(served: Served, match_id: str) -> bool:
    found = served.matches().GetMatch(pb.GetMatchRequest(match_id=match_id), timeout=PATIENCE)
    return bool(found.match.HasField("outcome"))
