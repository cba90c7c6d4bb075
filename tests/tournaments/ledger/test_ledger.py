"""The ledger: what is written once, what remains to be played, and what counts."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from sqlalchemy import event

from harbourmaster_tournaments.ledger import (
    BadRuling,
    Entrant,
    GameRow,
    Ledger,
    NotPlanned,
    Receipt,
    RulingKind,
    TermsChanged,
)
from harbourmaster_tournaments.schedules import Knockout, RoundRobin, Schedule, Swiss
from support.tournaments import Run, by_name, names, row

GAMES = list(RoundRobin(names(8), 10).games())
TERMS = {"game": "anchorline", "clock": {"bank": 10}}


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with Ledger.open(place) as opened:
        opened.begin("spring", TERMS, [Entrant(name) for name in names(5)])
        yield opened


def issue(ledger: Ledger, schedule: Schedule, batches: int) -> None:
    progress = ledger.progress(with_games=schedule.adaptive)
    for batch in islice(schedule.batches(progress), batches):
        ledger.issue(batch)


def play(ledger: Ledger, most: int | None = None, **more: object) -> list[GameRow]:
    rows = [
        row(todo.game, by_name(todo.game), todo.attempt, **more)
        for todo in ledger.outstanding()[:most]
    ]
    for each in rows:
        assert ledger.record(each) is Receipt.NEW
    return rows


def test_what_was_written_is_read_back(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 3)
    think = "[[120,2,[[8,2]]],[70,1,[[9,1]]]]"
    rows = play(ledger, think=think, forfeits=(None, "timeout"), record="x.record", played=False)

    assert ledger.games() == rows
    assert ledger.results() == rows
    assert [game.number for game in ledger.planned()] == [1, 2, 3, 4, 5, 6]
    assert ledger.tournament() == "spring"
    assert ledger.terms() == TERMS
    assert [entrant.name for entrant in ledger.entrants()] == names(5)


def test_new_rows_can_be_read_alone(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 3)
    play(ledger, 4)
    first, seen = ledger.games_after(0)
    rest = play(ledger)

    assert len(first) == 4
    assert ledger.games_after(seen) == (rest, seen + 2)
    assert ledger.games_after(seen + 2) == ([], seen + 2)


def test_t22_stopped_at_14_of_20_games_exactly_six_more_are_played(place: str) -> None:
    schedule = RoundRobin(names(5), 1)
    with Ledger.open(place) as ledger:
        ledger.begin("spring", TERMS, [Entrant(name) for name in names(5)])
        issue(ledger, schedule, 7)
        play(ledger)

    with Ledger.open(place) as ledger:
        assert ledger.outstanding() == []
        issue(ledger, schedule, 100)
        rest = play(ledger)
        assert [each.number for each in rest] == [15, 16, 17, 18, 19, 20]
        assert ledger.results() == [
            row(game, by_name(game)) for game in RoundRobin(names(5)).games()
        ]


@pytest.mark.parametrize("stop", [0, 1, 5, 7, 12, 19, 20])
def test_t24_stopped_at_any_game_the_rest_is_played_and_nothing_twice(
    place: str, stop: int
) -> None:
    """Also T21: what is recorded is what counts is what is shown, wherever it stopped."""
    schedule = RoundRobin(names(5), 1)
    with Ledger.open(place) as ledger:
        ledger.begin("spring", TERMS, [Entrant(name) for name in names(5)])
        issue(ledger, schedule, stop // 2 + 1)
        done = play(ledger, stop)
        assert len(ledger.results()) == len(ledger.games()) == stop

    with Ledger.open(place) as ledger:
        issue(ledger, schedule, 100)
        rest = play(ledger)
        assert sorted(each.number for each in (*done, *rest)) == list(range(1, 21))
        assert len({game.key for game in ledger.planned()}) == 20
        assert ledger.outstanding() == []


@pytest.mark.parametrize("schedule", [Swiss(names(5), 3), Knockout(names(5), 3)])
def test_t25_stopped_after_every_game_an_adaptive_tournament_is_the_same(
    place: str, schedule: Schedule
) -> None:
    with Ledger.open(place) as ledger:
        ledger.begin("spring", TERMS, [Entrant(name) for name in names(5)])
    played = 1
    while played:
        with Ledger.open(place) as ledger:
            issue(ledger, schedule, 1)
            played = len(play(ledger, 1))

    in_one_go = Run(schedule).finish()
    with Ledger.open(place, own=False) as ledger:
        planned, results = ledger.planned(), ledger.results()
    assert sorted(game.entrants for game in planned) == sorted(
        game.entrants for game in in_one_go.planned
    )
    assert [each.number for each in results] == list(range(1, len(in_one_go.planned) + 1))


def test_p60_a_result_that_arrives_twice_is_taken_once(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 1)
    (first, _) = play(ledger)

    assert ledger.record(first) is Receipt.DOUBLE
    assert ledger.record(replace(first, finished=99)) is Receipt.DOUBLE
    assert len(ledger.games()) == 2


def test_p60_another_result_of_the_same_attempt_changes_nothing(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 1)
    (first, _) = play(ledger)

    other = replace(first, placements=first.placements[::-1])
    assert ledger.record(other) is Receipt.CONFLICT
    assert ledger.results()[0] == first


def test_p31_a_void_game_has_its_group_played_again_on_a_fresh_deal(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 3)
    rows = [row(todo.game) for todo in ledger.outstanding()]
    for each in rows[:3]:
        ledger.record(each)
    void = replace(rows[3], void_cause="the referee's disk was full")
    assert ledger.record(void) is Receipt.NEW

    again = {todo.game.number: todo for todo in ledger.outstanding()}
    assert {n: todo.attempt for n, todo in again.items()} == {3: 2, 4: 2, 5: 1, 6: 1}
    assert again[3].deal == again[4].deal == again[3].game.deal + 2**40
    assert [each.number for each in ledger.results()] == [1, 2]
    play(ledger)
    assert [(e.number, e.attempt) for e in ledger.results()] == [
        (1, 1),
        (2, 1),
        (3, 2),
        (4, 2),
        (5, 1),
        (6, 1),
    ]
    assert len(ledger.games()) == 8


def test_p52_a_result_of_an_attempt_that_is_over_is_kept_as_void(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 1)
    first, second = (row(todo.game) for todo in ledger.outstanding())
    ledger.record(replace(first, void_cause="the host went down"))

    assert ledger.record(second) is Receipt.STALE
    assert ledger.games()[-1].void_cause == "stale attempt"
    assert ledger.results() == []
    assert [todo.attempt for todo in ledger.outstanding()] == [2, 2]


def test_what_was_never_issued_is_not_taken(ledger: Ledger) -> None:
    games = list(RoundRobin(names(5)).games())
    issue(ledger, RoundRobin(names(5)), 1)

    with pytest.raises(NotPlanned, match="game 3 was never issued"):
        ledger.record(row(games[2]))
    with pytest.raises(NotPlanned, match="attempt 2 came while attempt 1"):
        ledger.record(row(games[0], attempt=2))
    with pytest.raises(NotPlanned, match="the result has entrants"):
        ledger.record(replace(row(games[0]), entrants=("b03", "b04")))
    with pytest.raises(NotPlanned, match="deal 9 was played, and attempt 1 has deal 0"):
        ledger.record(replace(row(games[0]), deal=9))
    assert ledger.games() == []


def test_games_are_issued_in_order_and_whole(ledger: Ledger) -> None:
    batches = list(RoundRobin(names(5)).batches(ledger.progress()))
    ledger.issue(batches[0])

    with pytest.raises(NotPlanned, match="game 5 was to be issued where game 3 comes next"):
        ledger.issue(batches[2])
    with pytest.raises(NotPlanned, match="game 5 was to be issued where game 4 comes next"):
        ledger.issue([batches[1][0], batches[2][0]])
    with pytest.raises(NotPlanned, match="were issued before, under other numbers"):
        ledger.issue([replace(game, number=game.number + 2) for game in batches[0]])
    assert len(ledger.planned()) == 2


def test_several_results_are_written_all_or_none(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 1)
    rows = [row(todo.game) for todo in ledger.outstanding()]

    with pytest.raises(NotPlanned):
        ledger.record_all([*rows, replace(rows[0], number=7)])
    assert ledger.games() == []
    assert ledger.record_all(rows) == [Receipt.NEW, Receipt.NEW]


def test_a_void_ruling_has_the_group_played_again(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 2)
    play(ledger)

    ruling = ledger.rule(RulingKind.VOID, who="ann", why="wrong build", number=2)

    assert (ruling.group, ruling.attempt, ruling.issued) == ("round-robin #1", 1, 4)
    assert [each.number for each in ledger.results()] == [3, 4]
    assert [(t.game.number, t.attempt) for t in ledger.outstanding()] == [(1, 2), (2, 2)]
    play(ledger)
    assert len(ledger.results()) == 4
    assert ledger.rulings() == [ruling]


def test_a_corrected_result_counts_as_corrected(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 1)
    rows = play(ledger)

    change = {"placements": [1, 1], "scores": [0, 0]}
    ledger.rule(RulingKind.CORRECT, who="ann", why="a rule was read wrong", number=1, change=change)

    assert ledger.results()[0] == replace(rows[0], placements=(1, 1), scores=(0, 0))
    assert ledger.games() == rows


def test_a_withdrawn_bot_keeps_its_results_and_plays_no_more(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 4)
    play(ledger, 5)
    half = ledger.outstanding()[0].game.entrants[0]
    ledger.rule(RulingKind.WITHDRAW, who="ann", why="asked for it", entrant=half)

    assert len(ledger.results()) == 5
    assert all(half not in todo.game.entrants for todo in ledger.outstanding())
    assert ledger.progress().left == {half: 8}
    issue(ledger, RoundRobin(names(5)), 100)
    assert all(half not in game.entrants for game in ledger.planned()[8:])


def test_a_disqualified_bot_loses_its_results_too(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 100)
    play(ledger)
    ledger.rule(RulingKind.DISQUALIFY, who="ann", why="two bots of one author", entrant="b02")

    assert len(ledger.results()) == 12
    assert all("b02" not in each.entrants for each in ledger.results())
    assert ledger.progress().annulled == {"b02"}


@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        (RulingKind.VOID, {}, "give its number"),
        (RulingKind.VOID, {"number": 4}, "game 4 has no result that counts"),
        (RulingKind.VOID, {"number": 1, "why": " "}, "needs who made it and why"),
        (RulingKind.CORRECT, {"number": 1}, "a correction of nothing"),
        (RulingKind.CORRECT, {"number": 1, "change": {"deal": 3}}, "a correction of deal"),
        (RulingKind.CORRECT, {"number": 1, "change": {"scores": [1]}}, "one entry for each of 2"),
        (RulingKind.CORRECT, {"number": 1, "change": {"placements": [3, 1]}}, "3,1 are no places"),
        (RulingKind.CORRECT, {"number": 1, "change": {"placements": [2, 2]}}, "2,2 are no places"),
        (RulingKind.WITHDRAW, {"entrant": "zed"}, "there is no bot 'zed'"),
    ],
)
def test_a_ruling_on_nothing_is_refused(
    ledger: Ledger, kind: RulingKind, given: dict[str, object], sentence: str
) -> None:
    issue(ledger, RoundRobin(names(5)), 2)
    play(ledger, 2)

    with pytest.raises(BadRuling, match=sentence):
        ledger.rule(kind, **{"who": "ann", "why": "it is so", **given})  # type: ignore[arg-type]
    assert ledger.rulings() == []


def test_nobody_is_withdrawn_twice(ledger: Ledger) -> None:
    ledger.rule(RulingKind.WITHDRAW, who="ann", why="asked for it", entrant="b01")

    with pytest.raises(BadRuling, match="bot b01 is out already: withdraw by ann"):
        ledger.rule(RulingKind.WITHDRAW, who="bob", why="again", entrant="b01")


def test_going_on_with_the_same_terms_changes_nothing(ledger: Ledger) -> None:
    assert ledger.begin("spring", TERMS, [Entrant(name) for name in reversed(names(5))]) == []


@pytest.mark.parametrize(
    ("tournament", "terms", "bots", "sentence"),
    [
        ("autumn", TERMS, names(5), 'tournament was "spring" and is "autumn"'),
        ("spring", {**TERMS, "clock": {"bank": 20}}, names(5), "clock.bank was 10 and is 20"),
        ("spring", {"clock": {"bank": 10}}, names(5), 'game was "anchorline" and is not given'),
        ("spring", {**TERMS, "x": 1}, names(5), "x is 1 and was not given"),
        ("spring", TERMS, names(6), "bot b05 is new"),
        ("spring", TERMS, names(4), "bot b04 is missing"),
    ],
)
def test_other_terms_or_bots_are_refused_and_the_difference_named(
    ledger: Ledger, tournament: str, terms: dict[str, object], bots: list[str], sentence: str
) -> None:
    with pytest.raises(TermsChanged) as refused:
        ledger.begin(tournament, terms, [Entrant(name) for name in bots])

    assert sentence in str(refused.value)
    assert ledger.terms() == TERMS


def test_another_command_of_a_bot_is_noticed(place: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.begin("spring", TERMS, [Entrant("a", None, {"command": "./a"}), Entrant("b")])
        with pytest.raises(TermsChanged, match=r'bot a: command was "./a" and is "./a2"'):
            ledger.begin("spring", TERMS, [Entrant("a", None, {"command": "./a2"}), Entrant("b")])


def test_a_forced_change_is_recorded(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 2)
    terms = {**TERMS, "clock": {"bank": 20}}
    bots = [Entrant("b00", "ann"), *map(Entrant, ["b01", "b02", "b03", "new"])]

    found = ledger.begin("spring", terms, bots, who="ann", force="the clock was too short")

    assert len(found) == 4
    assert ledger.terms() == terms
    assert {e.name: e.joined for e in ledger.entrants()}["new"] == 4
    assert ledger.progress().joined == {"new": 4}
    (ruling,) = ledger.rulings()
    assert (ruling.kind, ruling.entrant) == (RulingKind.WITHDRAW, "b04")
    assert ledger.begin("spring", terms, bots) == []


def test_force_does_not_turn_one_tournament_into_another(ledger: Ledger) -> None:
    with pytest.raises(TermsChanged, match='tournament was "spring"'):
        ledger.begin("autumn", TERMS, [Entrant(name) for name in names(5)], force="really")


def test_a_late_joiner_is_let_in_by_name(ledger: Ledger) -> None:
    issue(ledger, RoundRobin(names(5)), 3)
    ledger.join(Entrant("late"))
    issue(ledger, RoundRobin(names(5)), 100)

    assert sum("late" in game.entrants for game in ledger.planned()) == 10
    with pytest.raises(TermsChanged, match="there is a bot late already"):
        ledger.join(Entrant("late"))


def test_t48_what_a_game_costs_the_ledger_does_not_grow_with_the_games_before(
    tmp_path: Path,
) -> None:
    """Every statement finds its rows by an index: none looks through all games."""
    said: list[tuple[str, tuple[object, ...]]] = []
    with Ledger.open(tmp_path / "ledger.sqlite") as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(8)])
        ledger.issue(GAMES)
        ledger.rule(RulingKind.WITHDRAW, who="ann", why="a", entrant="b07")
        event.listen(
            ledger._database._engine,
            "before_cursor_execute",
            lambda _, __, statement, values, *___: said.append((statement, values)),
        )
        ledger.record(row(GAMES[0]))
        ledger.rulings_after(1)

    with closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as connection:
        plans = [
            step[3]
            for statement, values in said
            if statement.startswith(("SELECT", "INSERT"))
            for step in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)
        ]
    assert any("SEARCH games" in plan for plan in plans)
    assert [plan for plan in plans if plan.startswith("SCAN")] == []
