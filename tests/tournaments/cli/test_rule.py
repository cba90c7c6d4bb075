"""`harbourmaster tournament rule`: what it takes, and what it refuses."""

import csv
import io
import json
from pathlib import Path

import pytest

from harbourmaster_tournaments.cli.main import main
from harbourmaster_tournaments.ledger import Entrant, Ledger, RulingKind
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import names, row


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tournament's folder; the ledger in it has two results."""
    games = list(RoundRobin(names(3)).games())
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(3)])
        ledger.issue(games)
        ledger.record_all([row(game) for game in games[:2]])
    return tmp_path


def rule(folder: Path, *words: str) -> object:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "rule", words[0], str(folder), *words[1:], "--why", "a [test]"])
    return ended.value.code


def test_every_kind_of_ruling_is_written_down_and_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rule(folder, "correct", "--game", "1", "--placements", "2,1", "--who", "ann") == 0
    assert rule(folder, "void", "--game", "2") == 0
    assert rule(folder, "withdraw", "--bot", "b00") == 0
    assert rule(folder, "disqualify", "--bot", "b01") == 0

    assert capsys.readouterr().out.splitlines() == [
        "ruled: correct game 1: a [test]",
        "ruled: void game 2: a [test]",
        "ruled: withdraw b00: a [test]",
        "ruled: disqualify b01: a [test]",
    ]
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        assert [ruling.kind for ruling in ledger.rulings()] == [
            RulingKind.CORRECT,
            RulingKind.VOID,
            RulingKind.WITHDRAW,
            RulingKind.DISQUALIFY,
        ]
        assert ledger.rulings()[0].who == "ann"


def test_programs_get_the_ruling_as_it_was_written_down(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rule(folder, "correct", "--game", "1", "--placements", "2,1", "--json") == 0

    made = json.loads(capsys.readouterr().out)
    assert made["kind"] == "correct"
    assert (made["number"], made["who"], made["why"]) == (1, "organiser", "a [test]")
    assert made["change"]["placements"] == [2, 1]


def test_once_the_seed_is_revealed_it_is_said_that_the_new_deal_is_no_secret(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "reveal.json").write_text("{}")

    assert rule(folder, "void", "--game", "1") == 0
    assert "The seed has been revealed" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("withdraw", "--game", "1"), "to withdraw is to rule on a bot: give its name with --bot"),
        (("void", "--bot", "b00"), "to void is to rule on a game: give its number with --game"),
        (("void", "--game", "1", "--bot", "b00"), "and on nothing else"),
        (("correct", "--game", "1"), "--placements goes with correct, and correct needs it"),
        (("void", "--game", "1", "--placements", "1,2"), "--placements goes with correct"),
        (("correct", "--game", "1", "--placements", "3,4"), "3,4 are no places"),
        (("correct", "--game", "1", "--placements", "a,b"), "write the places by seat"),
        (("void", "--game", "3"), "game 3 has no result that counts"),
        (("void", "--game", "99"), "game 99 has no result that counts"),
        (("disqualify", "--bot", "zoe"), "there is no bot 'zoe' in this tournament"),
        (("annul", "--game", "1"), "'annul' is no ruling"),
    ],
)
def test_a_ruling_that_makes_no_sense_is_refused_in_a_sentence(
    words: tuple[str, ...], sentence: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rule(folder, *words) == 1

    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in said.err
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        assert ledger.rulings() == []


def table(folder: Path, *words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "table", str(folder), *words])
    assert ended.value.code == 0


def test_every_form_of_the_table_marks_who_is_out_and_says_why(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule(folder, "withdraw", "--bot", "b01")
    rule(folder, "disqualify", "--bot", "b00", "--who", "ann")
    capsys.readouterr()
    shown = {}
    for form in ("text", "markdown", "csv", "json"):
        table(folder, "--format", form)
        shown[form] = capsys.readouterr().out

    for form, bar in (("text", "│"), ("markdown", "|")):
        line = next(line for line in shown[form].splitlines() if f"{bar} b00 " in line)
        assert line.split()[1] == "DQ"
        assert "b00 is disqualified by ann: a [test]" in shown[form]
        assert "b01 is withdrawn by organiser: a [test]" in shown[form]
    ruled = {row["bot"]: row["ruling"] for row in csv.DictReader(io.StringIO(shown["csv"]))}
    assert ruled == {"b00": "disqualify", "b01": "withdraw", "b02": ""}
    (first,) = json.loads(shown["json"])
    assert first["out"] == {
        "b00": {"ruling": "disqualify", "who": "ann", "why": "a [test]"},
        "b01": {"ruling": "withdraw", "who": "organiser", "why": "a [test]"},
    }


def test_exported_rulings_mark_the_table_of_the_file_too(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule(folder, "withdraw", "--bot", "b01")
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["tournament", "export", str(folder)])
    file = tmp_path / "games.jsonl"
    file.write_text(capsys.readouterr().out)

    table(file)
    assert "b01 is withdrawn by organiser: a [test]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "sentence"), [("", "holds no games"), ("a,b,1\n", "line 1: it is no JSON")]
)
def test_a_file_without_games_is_refused(
    content: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(content)
    with pytest.raises(SystemExit) as ended:
        main(["tournament", "table", str(file)])

    assert ended.value.code == 1
    assert sentence in " ".join(capsys.readouterr().err.split())
