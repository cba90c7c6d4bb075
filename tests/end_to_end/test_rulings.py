"""An organiser rules by command while the tournament runs, is killed, and goes on."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harbourmaster_tournaments.ledger import GameRow, Ledger, LedgerMissing
from support.commands import harbourmaster, wait_until_gone
from support.patience import wait_for
from support.restarts import Interrupted


def games(run: Interrupted) -> list[GameRow]:
    try:
        return run.games()
    except LedgerMissing:
        return []


@contextmanager
def running(run: Interrupted) -> Iterator[subprocess.Popen[str]]:
    """Start the tournament, and see that it is over, one way or the other."""
    process = run.start()
    try:
        yield process
    finally:
        process.kill()
        process.communicate()
        assert wait_until_gone(run.mark) == []


def rule(run: Interrupted, *words: str) -> str:
    return harbourmaster("tournament", "rule", words[0], str(run.into), *words[1:]).stdout


def test_a_void_ruling_in_the_middle_has_the_group_played_again_in_the_same_run(
    tmp_path: Path,
) -> None:
    run = Interrupted(tmp_path, groups=2, at_once=1)
    with running(run) as process:
        wait_for(lambda: len(games(run)) >= 1, "the first game")
        said = rule(run, "void", "--game", "1", "--why", "the network was down")
        _, told = process.communicate(timeout=100)

    assert said == "ruled: void game 1: the network was down\n"
    assert process.returncode == 0, told
    assert "ruled: void game 1: the network was down" in told
    with Ledger.open(run.into / "ledger.sqlite", own=False) as ledger:
        counted = [(row.number, row.attempt) for row in ledger.results()]
        (ruling,) = ledger.rulings()
    assert counted == [(1, 2), (2, 2), (3, 1), (4, 1)]
    assert (ruling.who, ruling.number, ruling.attempt) == ("organiser", 1, 1)


def test_a_bot_that_is_withdrawn_in_the_middle_plays_no_more_also_after_kill_9(
    tmp_path: Path,
) -> None:
    run = Interrupted(tmp_path, groups=20, at_once=1, thought=0.02)
    with running(run) as process:
        wait_for(lambda: len(games(run)) >= 2, "two games")
        rule(run, "withdraw", "--bot", "b", "--why", "its author asked")
        process.send_signal(signal.SIGKILL)
    before = len(games(run))
    run.finish(run.start())
    table = json.loads(harbourmaster("tournament", "table", str(run.into), "--json").stdout)

    assert len(games(run)) == before < 20
    assert table[0]["games"] == before
    with Ledger.open(run.into / "ledger.sqlite", own=False) as ledger:
        assert [ruling.entrant for ruling in ledger.rulings()] == ["b"]
        assert ledger.outstanding() == []
