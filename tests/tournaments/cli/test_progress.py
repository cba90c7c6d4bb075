"""The line of progress of a tournament that is gone on with."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.progress import Progress

from harbourmaster_tournaments.cli.progress import ProgressLine
from harbourmaster_tournaments.ledger import Entrant, Ledger
from harbourmaster_tournaments.running import Standing
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import names, row

GAMES = list(RoundRobin(names(3)).games())


def progress_of(
    folder: Path, played: int, *, then: int = 0, over: bool = True
) -> tuple[str, float, float | None]:
    """Return what is printed, the games done and all games, if *played* were before the start."""
    out = StringIO()
    with Ledger.open(folder / "ledger.sqlite") as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(3)])
        ledger.issue(GAMES)
        ledger.record_all([row(game) for game in GAMES[:played]])
        progress = Progress(console=Console(file=out, width=80))
        line = ProgressLine(progress, "spring", ledger)
        for number in range(played, played + then):
            standing = Standing()
            standing.done, standing.planned = number + 1, len(GAMES)
            line.take(row(GAMES[number]), standing)
        line.finish(over=over)
    (task,) = progress.tasks
    return out.getvalue(), task.completed, task.total


def test_a_tournament_that_was_over_shows_all_its_games_and_says_so(tmp_path: Path) -> None:
    said, done, total = progress_of(tmp_path, len(GAMES))

    assert "nothing was left to play" in said
    assert (done, total) == (len(GAMES), len(GAMES))


@pytest.mark.parametrize(("then", "over"), [(0, False), (1, False), (2, True)])
def test_one_that_was_not_over_is_not_said_to_have_been(
    then: int, over: bool, tmp_path: Path
) -> None:
    said, done, _ = progress_of(tmp_path, len(GAMES) - 2, then=then, over=over)

    assert "nothing was left" not in said
    assert done == len(GAMES) - 2 + then
