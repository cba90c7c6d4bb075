"""Exports: JSON, CSV and Markdown."""

import csv
import io
import json

import pytest

from harbourmaster_tournaments.ratings import Tally, ThinkTime, crosstable, overall
from harbourmaster_tournaments.ratings.export import (
    cells,
    crosstable_to_json,
    crosstable_to_markdown,
    dumps,
    duration,
    headings,
    overall_to_json,
    overall_to_markdown,
    table_to_csv,
    table_to_json,
    table_to_markdown,
)
from support.rated import duel, match, only_table, rotated

GAMES = [
    duel(1, "ann", "bob", "1", forfeits=(None, "timeout")),
    duel(2, "bob", "ann", "0", think=(ThinkTime.of([1500]), ThinkTime.of([2_000_000]))),
    duel(3, "ann", "bob", "="),
    duel(4, "bob", "ann", "1", forfeits=(None, "resigned")),
]


def test_json_holds_every_column() -> None:
    data = json.loads(dumps(table_to_json(only_table(GAMES, ["zoe"]))))
    ann, bob, zoe = data["rows"]

    assert (ann["rank"], ann["bot"], ann["points"], ann["games"]) == (1, "ann", 2.5, 4)
    assert (ann["wins"], ann["draws"], ann["losses"]) == (2, 1, 1)
    assert ann["seats"] == [{"games": 2, "points": 1.5}, {"games": 2, "points": 1.0}]
    assert (ann["forfeits"], bob["forfeits"]) == ({"resigned": 1}, {"timeout": 1})
    assert (bob["think_mean"], zoe["think_mean"], zoe["elo"]) == (1500.0, None, None)
    assert data["superiority"][0][1] == pytest.approx(1 - data["superiority"][1][0])
    assert data["variance_factor"] > 0


def test_json_refuses_what_is_no_number() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumps({"elo": float("nan")})


def test_csv_can_be_read_back() -> None:
    rows = list(csv.DictReader(io.StringIO(table_to_csv(only_table(GAMES, ["zoe"])))))

    assert [row["bot"] for row in rows] == ["ann", "bob", "zoe"]
    assert (rows[0]["points"], rows[0]["seat_1_points"], rows[0]["seat_2_games"]) == (
        "2.5",
        "1.5",
        "2",
    )
    assert (rows[0]["forfeits_resigned"], rows[0]["forfeits_timeout"]) == ("1", "0")
    assert (rows[2]["elo"], rows[2]["games"]) == ("", "0")


def test_cells_fit_their_headings() -> None:
    for table in (only_table(GAMES, ["zoe"]), only_table(rotated(1, "abc", (1, 2, 2)))):
        for row in table.rows:
            assert len(cells(table, row)) == len(headings(table))


def test_markdown_shows_marks_dashes_and_warnings() -> None:
    table = only_table(match("ann", "bob", 4, 0, 0), ["a|b\nc"])
    lines = table_to_markdown(table).splitlines()

    assert lines[2].startswith("| 1 | ann | >")
    assert lines[3].split(" | ")[2].startswith("<-")
    assert lines[4].startswith("| - | a&#124;b c | - | - | 0 |")
    assert {line.count("|") for line in lines} == {13}


def test_larger_tables_show_the_mean_place() -> None:
    table = only_table(rotated(1, "abc", (1, 2, 2)))

    assert "place" in headings(table)
    assert [cells(table, row)[6] for row in table.rows] == ["1.00", "2.50", "2.50"]


def test_the_crosstable_counts_both_sides() -> None:
    tally = Tally.of(GAMES)
    (pool,) = tally.pools.values()
    cross = crosstable(pool, ["ann", "bob", "zoe"])

    assert cross.points(0, 1) == 2.5
    assert cross.points(1, 0) == 1.5
    assert cross.games(0, 1) == cross.games(1, 0) == 4
    assert crosstable_to_json(cross)["draws"] == ((0, 1, 0), (1, 0, 0), (0, 0, 0))
    assert crosstable_to_markdown(cross).splitlines()[2] == "| ann | - | 2.5/4 | - |"


def test_the_overall_table_has_a_column_for_each_pool() -> None:
    table = overall([only_table(GAMES)])

    assert overall_to_markdown(table).splitlines()[0].endswith("| points | game/1//2 |")
    assert json.loads(dumps(overall_to_json(table)))["rows"][0]["bot"] == "ann"


@pytest.mark.parametrize(
    ("micros", "text"),
    [(None, "-"), (999.0, "999 µs"), (1500.0, "1.5 ms"), (2.5e6, "2.5 s"), (0.0, "0 µs")],
)
def test_durations_have_a_unit(micros: float | None, text: str) -> None:
    assert duration(micros) == text
