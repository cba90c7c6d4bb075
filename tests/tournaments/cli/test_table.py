"""`harbourmaster tournament table`: what stands below the table."""

import json
from pathlib import Path

import pytest

from harbourmaster_tournaments.cli.main import main
from harbourmaster_tournaments.ledger import Entrant, Ledger, RulingKind, write_lines
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import row

FILE = """\
[tournament]
name = "trial"
game = "anchorline"

[sprt]
elo1 = {elo1}

[[bot]]
name = "new"

[[bot]]
name = "old"
"""


def shown(
    folder: Path, capsys: pytest.CaptureFixture[str], *words: str, winner: str, elo1: int
) -> str:
    """Return the table of twenty pairs of games that *winner* won."""
    (folder / "tournament.toml").write_text(FILE.format(elo1=elo1))
    games = list(RoundRobin(["new", "old"], groups=20).games())
    with Ledger.open(folder / "ledger.sqlite") as ledger:
        ledger.begin("trial", {}, [Entrant("new"), Entrant("old")])
        ledger.issue(games)
        ledger.record_all(
            [row(game, tuple(1 + (name != winner) for name in game.entrants)) for game in games]
        )
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "table", str(folder), *words])
    assert ended.value.code == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("winner", "elo1", "verdict"),
    [
        ("new", 100, "sequential test: new is better than old, after "),
        ("old", 100, "sequential test: new is not better than old, after "),
        ("new", 2, "sequential test: undecided whether new is better than old, after 20 pairs"),
    ],
)
def test_the_verdict_of_a_sequential_test_stands_below_its_table(
    winner: str, elo1: int, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(tmp_path, capsys, winner=winner, elo1=elo1)

    assert verdict in text
    assert ("from a stopped test" in text) == ("undecided" not in verdict)


def test_programs_get_the_verdict_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (table,) = json.loads(shown(tmp_path, capsys, "--json", winner="new", elo1=100))

    assert table["sequential_test"]["verdict"] == "better"
    assert table["sequential_test"]["ratio"] >= table["sequential_test"]["upper"]


@pytest.mark.parametrize("form", ["json", "csv", "markdown", "text"])
def test_a_file_of_games_tells_who_is_disqualified_just_as_the_ledger_does(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = list(RoundRobin(["a", "b", "c"], groups=2).games())
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        ledger.begin("three", {}, [Entrant(name) for name in "abc"])
        ledger.issue(games)
        ledger.record_all([row(game, (1, 2)) for game in games])
        ledger.rule(RulingKind.DISQUALIFY, who="the jury", why="outside help", entrant="b")
        lines = write_lines(ledger.games(), ledger.rulings())
        (tmp_path / "games.jsonl").write_text("\n".join(lines))
    said = []
    for place in (tmp_path, tmp_path / "games.jsonl"):
        with pytest.raises(SystemExit) as ended:
            main(["tournament", "table", str(place), "--format", form])
        assert ended.value.code == 0
        said.append(capsys.readouterr().out)

    assert said[0] == said[1]
    assert "disqualif" in said[1] or "DQ" in said[1]
