"""Swiss: pairings, byes, standings, and what happens with late joiners and those who leave."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_tournaments.schedules import Grouping, PlannedGame, Swiss
from harbourmaster_tournaments.schedules.matching import NONE, largest_matching
from harbourmaster_tournaments.schedules.pairing import pair_round
from harbourmaster_tournaments.schedules.standings import Standing, standings
from support.tournaments import Run, by_name, names, spread

FIELDS = (2, 3, 4, 5, 6, 7, 8, 31)


def by_chance(seed: int) -> "ByChance":
    return ByChance(Stream(bytes([seed]) * 32))


class ByChance:
    """Lets luck decide every game."""

    def __init__(self, rng: Stream) -> None:
        self._rng = rng

    def __call__(self, game: PlannedGame) -> tuple[int, ...]:
        return self._rng.choice([(1, 2), (2, 1), (1, 1)])


def rounds_of(run: Run) -> list[set[frozenset[str]]]:
    rounds: dict[str, set[frozenset[str]]] = {}
    for game in run.planned:
        rounds.setdefault(game.stage, set()).add(frozenset(game.entrants))
    return list(rounds.values())


def byes_of(run: Run, entrants: list[str]) -> Counter[str]:
    return Counter(
        name for pairs in rounds_of(run) for name in entrants if not any(name in p for p in pairs)
    )


def matchings(left: frozenset[str], pairs: set[frozenset[str]]) -> int:
    """Return by brute force the largest number of disjoint *pairs* within *left*."""
    if not left:
        return 0
    first = min(left)
    best = matchings(left - {first}, pairs)
    for other in left - {first}:
        if frozenset((first, other)) in pairs:
            best = max(best, 1 + matchings(left - {first, other}, pairs))
    return best


@pytest.mark.parametrize("seed", range(60))
def test_the_largest_matching_is_the_one_that_brute_force_finds(seed: int) -> None:
    rng = Stream(bytes([seed, 1] * 16))
    size = 2 + rng.below(8)
    share = 1 + rng.below(9)
    edges = {p for p in combinations(range(size), 2) if rng.below(10) < share}
    friends = [[b for b in range(size) if (min(a, b), max(a, b)) in edges] for a in range(size)]

    mate = largest_matching(friends)

    assert all(b == NONE or (mate[b] == a and b in friends[a]) for a, b in enumerate(mate))
    named = {frozenset((str(a), str(b))) for a, b in edges}
    best = matchings(frozenset(map(str, range(size))), named)
    assert sum(b != NONE for b in mate) == 2 * best


@pytest.mark.parametrize("count", FIELDS)
@pytest.mark.parametrize("seed", range(4))
def test_nobody_meets_twice_while_that_can_be_avoided(count: int, seed: int) -> None:
    """Checked round by round; up to eight bots against brute force."""
    run = Run(Swiss(names(count), rounds=min(count + 2, 9)), by_chance(seed)).finish()

    met: Counter[frozenset[str]] = Counter()
    everybody = frozenset(names(count))
    for pairs in rounds_of(run):
        if count <= 8:
            level = max(met[pair] for pair in pairs)
            fresher = {p for p in map(frozenset, combinations(everybody, 2)) if met[p] < level}
            assert level == 0 or matchings(everybody, fresher) < count // 2
        else:
            assert not any(met[pair] for pair in pairs)
        met.update(pairs)


@pytest.mark.parametrize(("count", "rounds"), [(3, 3), (5, 3), (7, 4), (31, 9), (31, 15)])
@pytest.mark.parametrize("seed", range(4))
def test_byes_even_out(count: int, rounds: int, seed: int) -> None:
    run = Run(Swiss(names(count), rounds), by_chance(seed)).finish()

    byes = byes_of(run, names(count))
    assert sum(byes.values()) == rounds
    assert spread(byes, names(count)) <= 1


@pytest.mark.parametrize("count", [3, 5, 7])
@pytest.mark.parametrize("seed", range(6))
def test_a_second_bye_comes_only_where_another_one_would_cost_a_rematch(
    count: int, seed: int
) -> None:
    """Against brute force, in tournaments as long as a round-robin."""
    run = Run(Swiss(names(count), rounds=count), by_chance(seed)).finish()

    met: Counter[frozenset[str]] = Counter()
    byes: Counter[str] = Counter()
    for pairs in rounds_of(run):
        (idle,) = set(names(count)).difference(*pairs)
        level = max(met[pair] for pair in pairs)
        usable = {p for p in map(frozenset, combinations(names(count), 2)) if met[p] <= level}
        for other in names(count):
            if byes[other] < byes[idle]:
                assert matchings(frozenset(names(count)) - {other}, usable) < count // 2
        byes[idle] += 1
        met.update(pairs)


@pytest.mark.parametrize("count", FIELDS)
def test_every_round_is_as_large_as_can_be(count: int) -> None:
    run = Run(Swiss(names(count), rounds=4)).finish()

    assert [len(pairs) for pairs in rounds_of(run)] == [count // 2] * 4


def test_the_first_round_is_upper_half_against_lower_half() -> None:
    run = Run(Swiss(names(8), rounds=1)).finish()

    assert rounds_of(run) == [{frozenset((f"b0{i}", f"b0{i + 4}")) for i in range(4)}]


def test_winners_meet_winners() -> None:
    run = Run(Swiss(names(8), rounds=2)).finish()

    winners = {"b00", "b01", "b02", "b03"}
    assert all(pair <= winners or not pair & winners for pair in rounds_of(run)[1])


def test_with_enough_rounds_the_strongest_stands_first() -> None:
    run = Run(Swiss(names(16), rounds=5)).finish()

    table = Swiss(names(16), rounds=5).standings(run.progress())
    assert table[0].name == "b00"
    assert table[0].points == 5 * 2 * 2
    assert table[-1].name == "b15"


def test_both_seatings_are_played_and_without_rotation_seats_even_out() -> None:
    both = Run(Swiss(names(6), rounds=3)).finish().planned
    seatings = Counter(game.entrants for game in both)
    assert all(seatings[a, b] == seatings[b, a] for a, b in seatings)

    single = Run(Swiss(names(8), 6, grouping=Grouping(rotation=False))).finish().planned
    first = Counter(game.entrants[0] for game in single)
    assert all(abs(2 * first[name] - 6) <= 2 for name in names(8))


def test_p51_a_round_waits_for_the_last_result_of_the_one_before() -> None:
    run = Run(Swiss(names(4), rounds=2))
    games = run.issue()
    run.play(games[:-1])

    assert run.issue() == []
    run.play(games[-1:])
    assert len(run.issue()) == 4


def test_a_round_that_was_issued_is_not_paired_again_after_a_stop() -> None:
    """T24: the stop is inside a group."""
    run = Run(Swiss(names(6), rounds=3))
    run.step()
    run.play(run.issue()[:3])

    assert list(Swiss(names(6), rounds=3).batches(run.progress())) == []


def test_buchholz_is_the_sum_of_the_opponents_points() -> None:
    groups = [{"a": 2, "b": 0}, {"c": 1, "d": 1}, {"a": 1, "c": 1}, {"b": 2, "d": 0}]

    table = standings(["a", "b", "c", "d"], groups, {}, 1)

    assert [(r.name, r.points, r.buchholz) for r in table] == [
        ("a", 3, 4),
        ("c", 2, 4),
        ("b", 2, 4),
        ("d", 1, 4),
    ]


def test_then_sonneborn_berger_and_then_the_direct_encounter() -> None:
    """b won half of d's single point away from it; c drew with a and d."""
    groups = [{"a": 2, "b": 0}, {"c": 1, "d": 1}, {"a": 1, "c": 1}, {"b": 2, "d": 0}]
    table = {row.name: row for row in standings(["a", "b", "c", "d"], groups, {}, 1)}
    assert table["b"].sonneborn_berger == Fraction(1)
    assert table["c"].sonneborn_berger == Fraction(1 + 3, 2)

    level = standings(["x", "y"], [{"x": 0, "y": 2}, {"x": 2, "y": 0}, {"x": 1, "y": 1}], {}, 1)
    assert [row.name for row in level] == ["x", "y"]
    circle = [{"x": 2, "y": 0}, {"y": 2, "z": 0}, {"z": 2, "x": 0}]
    assert [row.name for row in standings(["z", "y", "x"], circle, {}, 1)] == ["z", "y", "x"]


def test_a_bye_is_a_won_group_against_an_opponent_like_oneself() -> None:
    table = standings(["a", "b", "c"], [{"a": 4, "b": 0}], {"c": 1}, 2)

    assert {(row.name, row.points, row.buchholz) for row in table} == {
        ("a", 4, 0),
        ("b", 0, 4),
        ("c", 4, 4),
    }


def test_a_late_joiner_has_no_points_and_no_byes_for_the_rounds_it_missed() -> None:
    run = Run(Swiss(names(4), rounds=3))
    run.step()
    run.joined["late"] = len(run.planned)

    table = {row.name: row for row in Swiss(names(4), 3).standings(run.progress())}
    assert (table["late"].points, table["late"].byes) == (0, 0)
    run.step()
    assert sum("late" in pair for pair in rounds_of(run)[1]) + byes_of(run, ["late"])["late"] == 2


def test_one_that_is_withdrawn_is_not_paired_and_its_open_group_is_a_bye_for_the_other() -> None:
    schedule = Swiss(names(4), rounds=2)
    run = Run(schedule)
    games = run.issue()
    run.play(game for game in games if "b00" not in game.entrants)
    run.left["b00"] = len(run.planned)

    table = {row.name: row for row in schedule.standings(run.progress())}
    assert (table["b02"].points, table["b02"].byes) == (4, 1)
    run.step()
    assert all("b00" not in pair for pair in rounds_of(run)[1])


def test_games_of_a_disqualified_one_count_as_byes() -> None:
    schedule = Swiss(names(4), rounds=2)
    run = Run(schedule, by_name)
    run.step()
    run.left["b00"] = len(run.planned)
    run.annulled = frozenset({"b00"})

    table = {row.name: row for row in schedule.standings(run.progress())}
    assert "b00" not in table
    assert (table["b02"].points, table["b02"].byes) == (4, 1)


def test_bots_of_one_owner_are_not_paired() -> None:
    owners = {"b00": "ann", "b01": "ann", "b02": "ann", "b03": "bob"}
    rows = [Standing(name, 0, 0, Fraction(0), 0) for name in names(4)]

    paired = pair_round(rows, {}, Grouping(owners=owners).may_meet)

    assert paired.pairs == (("b00", "b03"),)
    assert paired.byes == ("b01", "b02")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_t40_the_order_of_results_does_not_matter(order: tuple[int, ...]) -> None:
    run = Run(Swiss(names(6), rounds=4), by_chance(5))
    for _ in range(3):
        run.step()
    shuffled = Run(run.schedule, run.decide)
    shuffled.planned = list(run.planned)
    chunks = [run.results[0::3], run.results[1::3], run.results[2::3]]
    shuffled.results = [row for place in order for row in chunks[place]]

    assert shuffled.issue() == run.issue()


def test_a_hundred_bots_are_paired_quickly() -> None:
    run = Run(Swiss(names(101), rounds=7), by_chance(9)).finish()

    pairs = [pair for pairs in rounds_of(run) for pair in pairs]
    assert len(pairs) == len(set(pairs)) == 7 * 50
    assert list(product([1], byes_of(run, names(101)).values())) == [(1, 1)] * 7
