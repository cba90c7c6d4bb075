"""A crowd that watches a match over real connections."""

import signal
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import record_pb2 as record_pb
from harbourmaster_server.records import read_record
from support.live import Served
from support.patience import PATIENCE, wait_for
from support.processes import background


def play(folder: Path, watchers: int, turns: int, more: str = "") -> tuple[list[int], set[int]]:
    """Play a match before so many *watchers*.

    Return the microseconds from each move to the next, and how many events the readers got.
    """
    terms = match_pb2.MatchTerms(game="anchorline")
    terms.options.anchorline.target_score = 1000
    terms.options.anchorline.max_turns = turns
    config = folder / "serve.toml"
    folder.mkdir()
    config.write_text(f"[limits]\n{more}\n")
    told = folder / "told"
    with ExitStack() as running:
        options = ["--log-level", "error", "--config", str(config)]
        served = running.enter_context(Served(folder / "data", more=options))
        request = pb.CreateMatchRequest(match_id="m", terms=terms, bots=["a", "b"])
        served.matches().CreateMatch(request, timeout=PATIENCE)
        if watchers:
            gallery = ("-m", "support.gallery", served.address, "m", str(watchers), str(told))
            running.enter_context(background(*gallery))
            wait_for(told.exists, "the watchers to be there")
        fleet = ("-m", "support.fleet", served.address, str(folder / "times"), "2", "a", "b")
        running.enter_context(background(*fleet, stop=signal.SIGTERM))
        wait_for(served.record("m").exists, "the end of the match")
        if watchers:
            wait_for(lambda: "there" not in told.read_text(), "the watchers to be told")
    entries = map(record_pb.RecordEntry.FromString, read_record(served.record("m")))
    moments = [entry.elapsed_micros for entry in entries if entry.HasField("move")]
    counts = set(map(int, told.read_text().split())) if watchers else set[int]()
    return [late - early for early, late in pairwise(moments)], counts


def p99(values: list[int]) -> int:
    return sorted(values)[len(values) * 99 // 100]


def test_every_watcher_that_reads_is_told_everything_beside_as_many_that_do_not(
    tmp_path: Path,
) -> None:
    moves, told = play(tmp_path / "run", 40, 60)

    assert len(moves) == 59
    assert len(told) == 1
    assert min(told) >= 60


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_thousand_watchers_do_not_slow_a_match(tmp_path: Path) -> None:
    """The slowest hundredth of the moves takes at most a tenth longer.

    Half the watchers do not read. Matches with and without them take turns, since a machine is not
    equally fast all day: the slowest hundredth of one match alone differs by a tenth and more.
    """
    ratios = []
    for number in range(15):
        alone, _ = play(tmp_path / f"alone{number}", 0, 3000)
        watched, told = play(tmp_path / f"watched{number}", 1000, 3000)
        assert len(told) == 1
        ratios.append(p99(watched) / p99(alone))

    assert median(ratios) < 1.1, sorted(ratios)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_twin_without_a_pace_they_do(tmp_path: Path) -> None:
    alone, _ = play(tmp_path / "alone", 0, 1000)
    watched, _ = play(tmp_path / "watched", 1000, 1000, "watcher_messages_per_second = 1000000")

    assert p99(watched) > 5 * p99(alone)
