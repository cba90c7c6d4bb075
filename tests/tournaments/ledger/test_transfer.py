"""Games as JSON lines: there and back, and what is refused."""

import json
import re
from dataclasses import replace

import pytest

from harbourmaster_tournaments.ledger import (
    BadImport,
    Entrant,
    Ledger,
    RulingKind,
    effective,
    read_lines,
    write_lines,
)
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import by_name, names, row

GAMES = list(RoundRobin(names(4)).games())


def test_a_ledger_goes_through_a_file_unchanged(
    place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    copy = tmp_path_factory.mktemp("copy") / "ledger.sqlite"
    with Ledger.open(place) as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(4)])
        ledger.issue(GAMES)
        rows = [row(game, by_name(game), think="[[1,1,[[1,1]]],[2,1,[[2,1]]]]") for game in GAMES]
        rows[4] = replace(rows[4], void_cause="the host went down")
        ledger.record_all(rows)
        ledger.record_all([row(t.game, None, t.attempt) for t in ledger.outstanding()])
        ledger.rule(RulingKind.VOID, who="ann", why="wrong build", number=1)
        lines = list(write_lines(ledger.games(), ledger.rulings()))

        with Ledger.open(copy) as second:
            second.restore(*read_lines(lines))
            assert second.results() == ledger.results()
            assert second.outstanding() == ledger.outstanding()
            assert second.planned() == ledger.planned()
            assert second.rulings() == ledger.rulings()
            assert {entrant.name for entrant in second.entrants()} == set(names(4))


def test_somebody_elses_results_need_five_facts_a_game() -> None:
    line = (
        '{"number": 3, "pool": "chess", "group": "g", "entrants": ["x", "y"], "placements": [1, 2]}'
    )

    games, rulings = read_lines([line, ""])

    assert rulings == []
    (game,) = effective(games)
    assert (game.entrants, game.placements, game.scores) == (("x", "y"), (1, 2), (0, 0))
    assert game.played


def test_p60_a_game_that_is_in_the_file_twice_is_taken_once() -> None:
    lines = list(write_lines([row(GAMES[0]), row(GAMES[1]), row(GAMES[0])]))

    assert [game.number for game in read_lines(lines)[0]] == [1, 2]


def test_lines_are_one_object_each_with_sorted_keys() -> None:
    (line,) = write_lines([row(GAMES[0])])

    data = json.loads(line)
    assert list(data) == sorted(data)
    assert "\n" not in line


GOOD = json.loads(next(write_lines([row(GAMES[0])])))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"placements": [2, 1]}, "line 2: game 1 has another result further up"),
        ({"number": "1"}, "number is '1', which is no int"),
        ({"number": True}, "number is True, which is no int"),
        ({"number": 0}, "count from 1"),
        ({"placements": [1]}, "one entry for each of its 2 seats"),
        ({"entrants": ["x", 3]}, "entrants holds 3, which is no str"),
        ({"scores": [1, 2.5]}, "scores holds 2.5, which is no int"),
        ({"elo": 3}, "a game has no elo"),
        ({"entrants": ["x", "x"]}, "an entrant sits at the table twice"),
        ({"entrants": ["x"], "placements": [1]}, "the game has 1 seats: it takes 2 to 6"),
        ({"forfeits": [1, None]}, "forfeits holds 1, which is no str"),
        ({"scores": [10**400, 0]}, "scores holds a number of more than 64 bits"),
        ({"think": "soon"}, "think is no list of"),
        ({"think": "[[1,2,[]]]"}, "think is no list of"),
        ({"think": "[[1,-2,[]],[1,2,[]]]"}, "think is no list of"),
        ({"void_cause": 3}, "void_cause is 3"),
        ({"kind": "forgive"}, "line 2: a ruling has no attempt"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(change: dict[str, object], sentence: str) -> None:
    lines = [json.dumps(GOOD), json.dumps({**GOOD, **change})]
    if "kind" in change:
        sentence = "line 2: a ruling has no"

    with pytest.raises(BadImport, match=sentence) as refused:
        read_lines(lines, "games.jsonl")
    assert str(refused.value).startswith("games.jsonl, line 2: ")


@pytest.mark.parametrize("line", ["{", "[]", "3", '{"kind": "forgive", "who": "a", "why": "b"}'])
def test_what_is_no_game_is_refused(line: str) -> None:
    with pytest.raises(BadImport, match="the file, line 1: "):
        read_lines([line])


def test_a_missing_fact_is_named() -> None:
    with pytest.raises(BadImport, match="the game has no placements"):
        read_lines(['{"number": 1, "pool": "p", "group": "g", "entrants": ["x", "y"]}'])


RULING = {"kind": "correct", "who": "ann", "why": "a", "number": 1, "attempt": 1}


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        ([GOOD, {**RULING, "change": {"placements": [1]}}], "one entry for each of its 2 seats"),
        ([GOOD, {**RULING, "change": {"placements": ["a", "b"]}}], "that are no numbers"),
        ([GOOD, {**RULING, "change": {"pool": "x"}}], "a ruling cannot correct pool"),
        ([GOOD, {**RULING, "change": 3}], "change of the ruling is 3"),
        ([GOOD, {**RULING, "number": "1"}], "number of the ruling is '1'"),
        (
            [GOOD, GOOD | {"number": 2, "entrants": [*"xyz"], "placements": [1, 2, 3]}],
            "one entry for each of its 3 seats",
        ),
        (
            [
                GOOD,
                {
                    "number": 2,
                    "pool": GOOD["pool"],
                    "group": "g",
                    "entrants": [*"xyz"],
                    "placements": [1, 2, 3],
                },
            ],
            "game 2 has 3 seats, and others of 'anchorline v1, 2 seats' have 2",
        ),
    ],
)
def test_lines_that_do_not_fit_together_are_refused(
    lines: list[dict[str, object]], sentence: str
) -> None:
    with pytest.raises(BadImport, match=re.escape(sentence)):
        read_lines(map(json.dumps, lines), "games.jsonl")


def test_of_two_attempts_in_somebody_elses_file_the_later_one_counts() -> None:
    lines = [json.dumps(GOOD), json.dumps({**GOOD, "attempt": 2, "placements": [2, 1]})]

    (counted,) = effective(*read_lines(lines))
    assert (counted.attempt, counted.placements) == (2, (2, 1))


def test_games_are_imported_into_an_empty_ledger_only(place: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.issue(GAMES[:2])
        with pytest.raises(BadImport, match="into an empty ledger only"):
            ledger.restore([row(GAMES[0])])
