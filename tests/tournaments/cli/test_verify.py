"""`harbourmaster verify`: a line for each record, and what holds of all of them."""

import json
from pathlib import Path

import pytest

from support.commands import RANDOM, harbourmaster, play


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of two matches, with their two records."""
    data = tmp_path_factory.mktemp("data")
    for _ in range(2):
        play(RANDOM, RANDOM, more=["--data", str(data)])
    return data


def test_every_record_has_one_line_and_the_end_counts_them(folder: Path) -> None:
    lines = harbourmaster("verify", *map(str, (folder / "records").iterdir())).stdout.splitlines()

    assert [line.split()[0] for line in lines[:2]] == ["GOOD", "GOOD"]
    assert [line.partition(":")[0] for line in lines[2:7]] == [
        *["proved"] * 3,
        *["signed, not proved"] * 2,
    ]
    assert lines[7:] == ["2 records: 2 good, 0 bad"]


def test_a_folder_stands_for_the_records_in_it(folder: Path) -> None:
    expected = harbourmaster("verify", str(folder / "records")).stdout

    assert harbourmaster("verify", str(folder)).stdout.count("GOOD") == expected.count("GOOD") == 2


def test_a_record_that_is_named_twice_is_counted_once(folder: Path) -> None:
    places = [folder, folder / "records", *(folder / "records").iterdir()]
    assert harbourmaster("verify", *map(str, places)).stdout.count("GOOD") == 2


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    done = harbourmaster("verify", str(tmp_path), check=False)

    assert done.returncode == 1
    assert f"{tmp_path} holds no records" in " ".join(done.stderr.split())


def test_one_bad_record_is_counted_and_fails_the_command(folder: Path, tmp_path: Path) -> None:
    whole, other = sorted((folder / "records").iterdir())
    broken = tmp_path / "broken.hmr"
    content = bytearray(other.read_bytes())
    content[len(content) // 2] ^= 1
    broken.write_bytes(content)

    done = harbourmaster("verify", str(whole), str(broken), check=False)
    facts = harbourmaster("verify", str(whole), str(broken), "--json", check=False)

    assert done.returncode == facts.returncode == 1
    assert f"BAD  {broken}: " in done.stdout
    assert "the outcome follows from the moves and forfeits (of 1 record)" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 records: 1 good, 1 bad"
    assert [each["good"] for each in json.loads(facts.stdout)] == [True, False]


def test_a_warning_that_holds_of_some_records_says_of_how_many(
    folder: Path, tmp_path: Path
) -> None:
    known, other = sorted((folder / "records").iterdir())
    alone = tmp_path / "deep" / "alone.hmr"
    alone.parent.mkdir()
    alone.write_bytes(other.read_bytes())

    lines = harbourmaster("verify", str(known), str(alone)).stdout.splitlines()

    assert (
        "warning: no trusted key was given: anybody could have signed this (of 1 record)" in lines
    )
