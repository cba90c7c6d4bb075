"""`harbourmaster tournament games`: every game, how it ended, and what its record is called."""

import json
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_tournaments.cli.main import main
from harbourmaster_tournaments.ledger import Entrant, Ledger, RulingKind
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import drawn, names, row


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament of three bots: a win, a timeout, a draw, and a game that was voided."""
    first, second, third, fourth = list(RoundRobin(names(3)).games())[:4]
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(3)])
        ledger.issue([first, second, third, fourth])
        late = row(second, forfeits=(None, "timeout"))
        ledger.record_all([row(first), late, row(third, drawn(third)), row(fourth)])
        ledger.rule(RulingKind.VOID, who="ann", why="a [test]", number=fourth.number)
    return tmp_path


def games(folder: Path, *words: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "games", str(folder), *words])
    return ended.value.code


def listed(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert games(folder, *words, "--json") == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_every_game_is_listed_with_its_match_and_its_end(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = listed(folder, capsys)
    late = rows[1]["entrants"][1]
    assert games(folder) == 0
    text = capsys.readouterr().out

    for number in range(1, 5):
        assert f"match-{number}-1" in text
    assert f"{late}: timeout" in text
    assert "void: voided by ann: a [test]" in text
    assert text.splitlines()[-1].startswith("4 games, ")


def test_the_games_that_a_bot_lost_are_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    late = listed(folder, capsys)[1]["entrants"][1]
    mine = listed(folder, capsys, "--bot", late)
    lost = listed(folder, capsys, "--bot", late, "--lost")

    assert all(late in each["entrants"] for each in mine)
    assert 2 in [each["number"] for each in lost]
    assert len(lost) < len(mine)
    for each in lost:
        assert each["placements"][each["entrants"].index(late)] > 1
        assert each["void_cause"] is None


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--lost",), "--lost is about one bot: give its name with --bot"),
        (("--bot", "zoe"), "there is no bot 'zoe' in this tournament: it has b00, b01, b02"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    words: tuple[str, ...], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert games(folder, *words) == 1
    assert sentence in capsys.readouterr().err
