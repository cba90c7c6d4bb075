"""Tables of three to six: who meets whom, in which seat, how soon."""

from collections import Counter
from dataclasses import replace
from itertools import combinations, pairwise
from math import comb

import pytest

from harbourmaster_tournaments.schedules import FreeForAll, Grouping, PlannedGame, ScheduleError
from harbourmaster_tournaments.schedules.design import all_tables, balanced_tables
from harbourmaster_tournaments.schedules.even_seats import seat_evenly
from support.tournaments import Run, games_per_entrant, names, seats_per_entrant, spread

SMALL = [(k, n) for k in (3, 4, 5, 6) for n in range(k, 9)]


def meetings(games: list[PlannedGame]) -> Counter[frozenset[str]]:
    return Counter(frozenset(pair) for game in games for pair in combinations(game.entrants, 2))


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_up_to_eight_bots_play_all_tables_that_brute_force_finds(k: int, n: int) -> None:
    games = list(FreeForAll(names(n), k).games())

    tables = Counter(frozenset(game.entrants) for game in games)
    assert tables == {frozenset(table): k for table in combinations(names(n), k)}


@pytest.mark.parametrize(("k", "n"), SMALL)
def test_every_table_is_played_once_in_each_rotation(k: int, n: int) -> None:
    """So everybody has every seat equally often against every set of opponents."""
    for batch in FreeForAll(names(n), k, 2).batches(Run(FreeForAll(names(n), k)).progress()):
        first = batch[0].entrants
        assert [game.entrants for game in batch] == [first[s:] + first[:s] for s in range(k)]
        assert len({game.deal for game in batch}) == 1


@pytest.mark.parametrize(("k", "n"), [*SMALL, (3, 12), (4, 10), (4, 12), (5, 10), (6, 9), (6, 12)])
def test_t45_without_rotation_seats_are_equal_whatever_number_of_groups_is_played(
    k: int, n: int
) -> None:
    """By one at most, for each entrant and against each set of opponents; by two on the way."""
    seats: Counter[tuple[str, int]] = Counter()
    against: Counter[tuple[frozenset[str], str, int]] = Counter()
    groups = k + 1 if comb(n, k) > 200 else 2 * k + 1
    for games in repeats(FreeForAll(names(n), k, groups, grouping=Grouping(rotation=False))):
        for game in games:
            for seat, name in enumerate(game.entrants):
                seats[name, seat] += 1
                against[frozenset(game.entrants), name, seat] += 1
            assert all(spread(seats, [(name, s) for s in range(k)]) <= 2 for name in game.entrants)
        assert all(spread(seats, [(name, s) for s in range(k)]) <= 1 for name in names(n))
        for table in combinations(names(n), k):
            for name in table:
                assert spread(against, [(frozenset(table), name, s) for s in range(k)]) <= 1


@pytest.mark.parametrize(
    ("k", "n", "tables"),
    [(3, 7, 3), (3, 12, 6), (4, 8, 4), (4, 13, 8), (4, 31, 8), (5, 12, 5), (6, 13, 6), (6, 16, 6)],
)
@pytest.mark.parametrize("rotation", [True, False])
def test_in_a_design_pairs_meet_equally_often_whatever_number_of_groups_is_played(
    k: int, n: int, tables: int, rotation: bool
) -> None:
    """Pairs, counted in rotation groups, and seats by one at most; games exactly."""
    met: Counter[frozenset[str]] = Counter()
    own: Counter[str] = Counter()
    seats: Counter[tuple[str, int]] = Counter()
    against: Counter[tuple[frozenset[str], str, int]] = Counter()
    for groups in range(1, 8):
        schedule = FreeForAll(names(n), k, groups, tables, grouping=Grouping(rotation=rotation))
        *_, games = repeats(schedule)
        met += meetings([game for game in games if game.seating == games[0].seating])
        for game in games:
            own.update(game.entrants)
            seats.update((name, seat) for seat, name in enumerate(game.entrants))
            against.update(
                (frozenset(game.entrants), name, seat) for seat, name in enumerate(game.entrants)
            )
        assert spread(met, map(frozenset, combinations(names(n), 2))) <= 1
        assert spread(own, names(n)) == 0
        assert all(spread(seats, [(name, s) for s in range(k)]) <= 1 for name in names(n))
        for table in {table for table, _, _ in against}:
            for name in table:
                assert spread(against, [(table, name, s) for s in range(k)]) <= 1


def repeats(schedule: FreeForAll) -> list[list[PlannedGame]]:
    """Return the games that each further rotation group of a schedule adds."""
    games = list(schedule.games())
    ends = [
        sum(1 for _ in replace(schedule, groups=groups).games())
        for groups in range(schedule.groups + 1)[1:]
    ]
    return [games[start:end] for start, end in pairwise([0, *ends])]


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("n", [7, 8, 13, 16, 31, 32, 50, 100])
@pytest.mark.parametrize("share", [1, 3])
def test_in_a_balanced_design_all_pairs_meet_equally_often(k: int, n: int, share: int) -> None:
    """Pairs and seats by one at most; games exactly."""
    tables = [table for table, _ in balanced_tables(n, k, share * k)]

    pairs = Counter(frozenset(pair) for table in tables for pair in combinations(table, 2))
    assert spread(pairs, map(frozenset, combinations(range(n), 2))) <= 1
    seats = Counter((number, seat) for table in tables for seat, number in enumerate(table))
    assert spread(seats, [(number, s) for number in range(n) for s in range(k)]) <= 1
    games = Counter(number for table in tables for number in table)
    assert spread(games, range(n)) == 0
    assert games[0] >= min(share * k, comb(n - 1, k - 1))


def test_a_field_too_large_for_all_tables_gets_a_design() -> None:
    schedule = FreeForAll(names(31), 4)
    games = list(schedule.games())

    assert len(games) < comb(31, 4)
    pairs = meetings(games)
    assert spread(pairs, map(frozenset, combinations(names(31), 2))) <= 4
    assert spread(games_per_entrant(games), names(31)) == 0
    assert games_per_entrant(games)["b00"] == 4 * schedule.tables_per_entrant()


@pytest.mark.parametrize(("n", "k"), [(7, 3), (8, 4), (31, 4), (31, 6)])
def test_t46_after_a_tenth_of_the_games_everybody_has_played_a_tenth(n: int, k: int) -> None:
    games = list(FreeForAll(names(n), k, groups=4 if n < 10 else 1).games())
    own = games_per_entrant(games)

    early = games_per_entrant(games[: len(games) // 10])

    assert all(abs(early[name] - own[name] / 10) <= 3 * k for name in names(n))


def test_the_neighbours_change_from_group_to_group() -> None:
    games = [game for game in FreeForAll(names(4), 4, groups=6).games() if game.seating == 0]

    assert len({game.entrants for game in games}) == 6
    assert {game.entrants[0] for game in games} == {games[0].entrants[0]}


def test_a_late_joiner_meets_everybody_equally_often() -> None:
    run = Run(FreeForAll(names(7), 3, groups=2))
    run.step(10)
    run.joined["late"] = len(run.planned)
    run.finish()

    tables = Counter(frozenset(game.entrants) for game in run.planned)
    assert tables == {frozenset(t): 6 for t in combinations([*names(7), "late"], 3)}


@pytest.mark.parametrize("k", [3, 4, 5, 6])
@pytest.mark.parametrize("n", [6, 7, 9])
@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_a_late_joiner_leaves_seats_nearly_equal_without_rotation(
    k: int, n: int, groups: int
) -> None:
    run = Run(FreeForAll(names(n), k, groups, grouping=Grouping(rotation=False)))
    run.step(5)
    run.joined["late"] = len(run.planned)
    run.finish()

    seats = seats_per_entrant(run.planned)
    most = 2 if groups == 1 else 3
    everybody = [*names(n), "late"]
    assert all(spread(seats, [(name, s) for s in range(k)]) <= most for name in everybody)


def test_one_that_has_left_is_issued_no_more() -> None:
    run = Run(FreeForAll(names(6), 3))
    run.step(4)
    before = len([game for game in run.planned if "b02" in game.entrants])
    run.left["b02"] = len(run.planned)
    run.finish()

    tables = Counter(frozenset(game.entrants) for game in run.planned)
    assert len([game for game in run.planned if "b02" in game.entrants]) == before
    others = [name for name in names(6) if name != "b02"]
    assert all(tables[frozenset(table)] == 3 for table in combinations(others, 3))


def test_bots_of_one_owner_share_no_table() -> None:
    owners = {"b00": "ann", "b03": "ann"}
    games = list(FreeForAll(names(6), 3, grouping=Grouping(owners=owners)).games())

    assert frozenset(("b00", "b03")) not in meetings(games)
    assert len({frozenset(game.entrants) for game in games}) == 20 - 4


def test_all_tables_come_lazily() -> None:
    tables = all_tables(199, 6)

    assert len({frozenset(next(tables)) for _ in range(199)}) == 199


def test_even_seats_give_each_entrant_each_seat_equally_often() -> None:
    tables = [table for table in combinations(range(9), 4) if sum(table) % 3 == 0]

    seated = seat_evenly(tables, 4)

    assert [tuple(sorted(table)) for table in seated] == tables
    seats = Counter((number, seat) for table in seated for seat, number in enumerate(table))
    assert all(spread(seats, [(number, s) for s in range(4)]) <= 1 for number in range(9))


@pytest.mark.parametrize("seats", [2, 7])
def test_tables_have_three_to_six_seats(seats: int) -> None:
    with pytest.raises(ScheduleError, match=f"has 3 to 6 seats, not {seats}"):
        FreeForAll(names(9), seats)
