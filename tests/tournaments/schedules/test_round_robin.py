"""Round-robin: pairs, seats, byes and pace, counted."""

import tracemalloc
from collections import Counter
from itertools import combinations, islice

import pytest

from harbourmaster_tournaments.schedules import Grouping, RoundRobin, ScheduleError
from harbourmaster_tournaments.schedules.round_robin import circle
from support.tournaments import Run, games_per_entrant, names, seats_per_entrant, spread

FIELDS = (2, 3, 4, 5, 6, 7, 8, 31)


@pytest.mark.parametrize("count", FIELDS)
@pytest.mark.parametrize("groups", [1, 3])
def test_every_pair_plays_every_seating_equally_often(count: int, groups: int) -> None:
    games = list(RoundRobin(names(count), groups).games())

    seatings = Counter(game.entrants for game in games)
    assert set(seatings) == {
        seating for pair in combinations(names(count), 2) for seating in (pair, pair[::-1])
    }
    assert set(seatings.values()) == {groups}


@pytest.mark.parametrize("count", FIELDS)
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_t45_without_rotation_seats_differ_by_at_most_one(count: int, groups: int) -> None:
    """T45, P82: for each bot, and for each bot against each opponent."""
    games = list(RoundRobin(names(count), groups, Grouping(rotation=False)).games())

    seats = seats_per_entrant(games)
    assert all(spread(seats, [(name, 0), (name, 1)]) <= 1 for name in names(count))
    pairs = Counter(game.entrants for game in games)
    assert all(spread(pairs, [p, p[::-1]]) <= 1 for p in combinations(names(count), 2))
    assert len(games) == groups * count * (count - 1) // 2


@pytest.mark.parametrize("count", [3, 5, 7, 31])
def test_in_an_odd_field_everybody_sits_out_one_round(count: int) -> None:
    pairs = list(circle(names(count)))
    per_round = count // 2

    idle = []
    for start in range(0, len(pairs), per_round):
        playing = {name for pair in pairs[start : start + per_round] for name in pair}
        assert len(playing) == 2 * per_round
        idle += sorted(set(names(count)) - playing)
    assert sorted(idle) == names(count)


@pytest.mark.parametrize("count", [4, 8, 30])
def test_in_an_even_field_everybody_plays_every_round(count: int) -> None:
    pairs = list(circle(names(count)))

    for start in range(0, len(pairs), count // 2):
        playing = [name for pair in pairs[start : start + count // 2] for name in pair]
        assert sorted(playing) == names(count)


@pytest.mark.parametrize(("count", "groups"), [(5, 10), (8, 10), (31, 1), (31, 4), (100, 1)])
def test_t46_after_a_tenth_of_the_games_everybody_has_played_a_tenth(
    count: int, groups: int
) -> None:
    games = list(RoundRobin(names(count), groups).games())
    own = 2 * groups * (count - 1)

    early = games_per_entrant(games[: len(games) // 10])

    assert all(abs(early[name] - own / 10) <= 3 for name in names(count))


def test_numbers_count_up_and_keys_are_unique() -> None:
    games = list(RoundRobin(names(7), 3).games())

    assert [game.number for game in games] == list(range(1, len(games) + 1))
    assert len({game.key for game in games}) == len(games)


def test_a_key_names_stage_opponents_group_and_seating_but_not_the_number() -> None:
    first, second = islice(RoundRobin(["b", "a"]).games(), 2)

    assert first.key == '["round-robin",["a","b"],"round-robin #1",0]'
    assert second.key == '["round-robin",["a","b"],"round-robin #1",1]'


def test_games_of_a_group_come_together() -> None:
    for batch in RoundRobin(names(5), 2).batches(Run(RoundRobin(names(5), 2)).progress()):
        assert len({game.group for game in batch}) == 1
        assert sorted(game.seating for game in batch) == [0, 1]


def test_ten_million_games_cost_no_memory() -> None:
    """A hundred bots and a thousand groups for each pair are 9,900,000 games."""
    games = RoundRobin(names(100), groups=1010).games()
    tracemalloc.start()
    try:
        for _ in islice(games, 50_000):
            pass
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert next(games).number == 50_001
    assert peak < 200_000


@pytest.mark.parametrize("stop", [0, 1, 7, 19])
def test_t22_a_resumed_schedule_goes_on_where_it_stopped(stop: int) -> None:
    whole = list(RoundRobin(names(5), 2).games())
    run = Run(RoundRobin(names(5), 2))
    run.step(stop)

    rest = run.issue()

    assert run.planned == whole
    assert len(rest) == len(whole) - 2 * stop


def test_a_late_joiner_plays_its_full_quota_and_nothing_else_changes() -> None:
    run = Run(RoundRobin(names(4), 3))
    run.step(5)
    run.joined["late"] = len(run.planned)
    run.finish()

    pairs = Counter(frozenset(game.entrants) for game in run.planned)
    assert pairs == {frozenset(p): 6 for p in combinations([*names(4), "late"], 2)}
    seats = seats_per_entrant(run.planned)
    assert seats["late", 0] == seats["late", 1] == 12


def test_a_late_joiner_gets_games_at_once() -> None:
    run = Run(RoundRobin(names(20), 3))
    run.step(5)
    run.joined["late"] = len(run.planned)

    following = run.issue(20)

    assert games_per_entrant(following)["late"] == 20


def test_two_late_joiners_meet_each_other() -> None:
    run = Run(RoundRobin(names(3), 2))
    run.step(2)
    run.joined["x"] = len(run.planned)
    run.step(3)
    run.joined["y"] = len(run.planned)
    run.finish()

    pairs = Counter(frozenset(game.entrants) for game in run.planned)
    assert pairs == {frozenset(p): 4 for p in combinations([*names(3), "x", "y"], 2)}


def test_one_that_has_left_is_issued_no_more_and_the_others_play_all() -> None:
    run = Run(RoundRobin(names(5), 3))
    run.step(7)
    before = [game for game in run.planned if "b01" in game.entrants]
    run.left["b01"] = len(run.planned)
    run.step(4)
    run.finish()

    assert [game for game in run.planned if "b01" in game.entrants] == before
    others = [name for name in names(5) if name != "b01"]
    pairs = Counter(frozenset(game.entrants) for game in run.planned)
    assert all(pairs[frozenset(pair)] == 6 for pair in combinations(others, 2))


def test_bots_of_one_owner_do_not_meet() -> None:
    owners = {"b00": "ann", "b01": "ann", "b02": "bob"}
    games = list(RoundRobin(names(4), grouping=Grouping(owners=owners)).games())

    pairs = {frozenset(game.entrants) for game in games}
    assert frozenset(("b00", "b01")) not in pairs
    assert len(pairs) == 5


@pytest.mark.parametrize(
    ("entrants", "groups", "sentence"),
    [
        (["a"], 1, "at least 2 entrants, not 1"),
        (["a", "b", "a"], 1, "two entrants are called 'a'"),
        (["a", "b"], 0, "rotation groups for each pair is 0: it must be at least 1"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(
    entrants: list[str], groups: int, sentence: str
) -> None:
    with pytest.raises(ScheduleError, match=sentence):
        RoundRobin(entrants, groups)
