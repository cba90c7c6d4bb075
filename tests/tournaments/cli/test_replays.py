"""`replay` and `explain` as commands."""

import json
from pathlib import Path

import pytest

from support.commands import RANDOM, faulty, harbourmaster, play


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a match in which seat 1 answers illegally from its third decision on."""
    folder = tmp_path_factory.mktemp("data")
    bad = faulty("illegal", "--after", "3")
    return Path(play(RANDOM, bad, more=["--data", str(folder)])["record"])


def test_replay_tells_who_moves_what_changed_the_clocks_and_the_outcome(record: Path) -> None:
    text = harbourmaster("replay", str(record)).stdout

    assert "Anchorline for 2 seats" in text
    assert "-- decision 1: seat 0 is asked, 70.000 s left" in text
    assert "  > Seat 0 places " in text
    assert "illegal move" in text
    assert "why: the index" in text
    assert "Seat 1 (bot1) forfeits the match: illegal move." in text
    assert "The end: Anchorline ended by last_seat: seat 0 wins" in text


def test_replay_of_one_seat_shows_no_view_of_the_other(record: Path) -> None:
    text = harbourmaster("replay", str(record), "--seat", "0").stdout

    assert "seat 0 is asked" in text
    assert "seat 1 is asked" not in text
    assert "why: its move was refused: index_out_of_range" in text.split("forfeits the match")[1]
    assert "why: the index" not in text.split("forfeits the match")[0]


def test_replay_shows_a_range_of_decisions(record: Path) -> None:
    steps = json.loads(
        harbourmaster("replay", str(record), *("--from", "2", "--to", "3"), "--json").stdout
    )

    assert [step["kind"] for step in steps] == ["start", "move", "move"]
    assert [step["decision"] for step in steps[1:]] == [2, 3]


def test_explain_prints_the_view_as_picture_and_as_json(record: Path) -> None:
    text = harbourmaster("explain", str(record)).stdout
    reports = json.loads(harbourmaster("explain", str(record), "--json").stdout)

    assert text.count("illegal move: seat 1 (bot1), decision 6, attempt") == 3
    assert "then: the seat forfeited the match" in text
    assert len(reports) == 3
    for report in reports:
        assert report["asked"]["view"]["anchorline"]["stackCounts"]
        assert report["asked"]["picture"].splitlines()[-1].strip() in text


@pytest.mark.parametrize("command", ["replay", "explain"])
def test_a_file_that_is_no_record_is_refused_in_a_sentence(command: str, tmp_path: Path) -> None:
    path = tmp_path / "no.hmr"
    path.write_bytes(b"\x05hello")

    done = harbourmaster(command, str(path), check=False)

    assert done.returncode == 1
    assert done.stderr == "harbourmaster: entry 1: it is not a record entry\n"
