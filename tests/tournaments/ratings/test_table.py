"""Tables: order, ranks, columns, and what happens with no games or one-sided ones."""

import json
import math
import random
from dataclasses import replace
from itertools import chain, zip_longest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harbourmaster_tournaments.ratings import (
    PoolTally,
    RatedGame,
    Tally,
    Terms,
    ThinkTime,
    crosstable,
    overall,
    pool_tables,
    tables,
)
from harbourmaster_tournaments.ratings.export import dumps, table_to_json
from support.rated import (
    POOL,
    duel,
    elo,
    match,
    only_table,
    rotated,
    round_robin,
    table_game,
)


def text(games: list[RatedGame]) -> str:
    """Return all tables and crosstables of *games* as one JSON text."""
    tally = Tally.of(games)
    shown = tables(tally)
    crosses = [
        crosstable(tally.pools[table.pool], [row.bot for row in table.rows]) for table in shown
    ]
    return dumps([[table_to_json(table) for table in shown], [cross.wins for cross in crosses]])


def test_the_winner_stands_first_with_the_mean_at_zero() -> None:
    table = only_table([duel(1, "ann", "bob", "1"), duel(2, "bob", "ann", "=")])

    assert [row.bot for row in table.rows] == ["ann", "bob"]
    assert sum(elo(table).values()) == 0
    assert [row.standing.points for row in table.rows] == [1.5, 0.5]


@pytest.mark.parametrize(
    "games",
    [
        pytest.param([], id="no game"),
        pytest.param(match("ann", "bob", 1, 0, 0), id="one game"),
        pytest.param(match("ann", "bob", 1, 0, 1), id="two games"),
        pytest.param(match("ann", "bob", 500, 0, 0), id="all wins"),
        pytest.param(match("ann", "bob", 0, 500, 0), id="all draws"),
        pytest.param(match("ann", "bob", 0, 0, 500), id="all losses"),
        pytest.param([duel(1, "ann", "bob", "1", played=False)], id="only a walkover"),
        pytest.param(rotated(1, "abcdef", (1, 2, 3, 4, 5, 6)) * 1, id="six seats, one way"),
        pytest.param(rotated(1, "abcdef", (1, 1, 1, 1, 1, 1)), id="six seats, all tied"),
    ],
)
def test_t33_every_number_is_finite_or_absent(games: list[RatedGame]) -> None:
    pool = next(iter(Tally.of(games).pools.values()), PoolTally(2))
    table, *_ = pool_tables("pool", pool, ["zoe"])
    written = dumps(table_to_json(table))

    numbers = [value for row in table.rows for value in (row.elo, row.error) if value is not None]
    assert all(map(math.isfinite, numbers))
    assert "NaN" not in written
    assert "Infinity" not in written
    assert json.loads(written)["rows"][-1]["elo"] is None
    assert table.rows[-1].bot == "zoe"


def test_t33_no_games_give_a_table_without_ratings() -> None:
    (table,) = pool_tables("pool", PoolTally(2), ["bob", "ann"])

    assert [(row.bot, row.rank, row.elo, row.error) for row in table.rows] == [
        ("ann", None, None, None),
        ("bob", None, None, None),
    ]
    assert table.warnings == ()


def test_one_sided_results_are_marked() -> None:
    table = only_table(match("ann", "bob", 5, 0, 0))
    even = only_table(match("ann", "bob", 5, 0, 1))

    assert [row.mark for row in table.rows] == [">", "<"]
    assert [row.mark for row in even.rows] == ["", ""]


def test_one_sided_results_are_marked_at_larger_tables() -> None:
    table = only_table(rotated(1, "abc", (1, 2, 3)))
    shared = only_table(rotated(1, "abc", (1, 1, 3)))

    assert [(row.bot, row.mark) for row in table.rows] == [("a", ">"), ("b", ""), ("c", "<")]
    assert [(row.bot, row.mark) for row in shared.rows] == [("a", ""), ("b", ""), ("c", "<")]


def test_a_rank_is_lost_only_to_bots_that_are_surely_better() -> None:
    close = only_table(match("ann", "bob", 11, 0, 9))
    clear = only_table(match("ann", "bob", 40, 0, 10))

    assert [row.rank for row in close.rows] == [1, 1]
    assert [row.rank for row in clear.rows] == [1, 2]
    assert (clear.superiority[0][1] or 0) >= 0.975


def test_t37_equal_ratings_are_ordered_head_to_head_and_then_by_name() -> None:
    """In a full round-robin, equal points are equal ratings: ann and zoe have 2, low and max 1."""
    beats = [("zoe", "ann"), ("zoe", "max"), ("low", "zoe"), ("ann", "low"), ("ann", "max")]
    beats += [("max", "low")]
    games = [duel(n, a, b, "1", group=f"{n}") for n, (a, b) in enumerate(beats, start=1)]
    table = only_table(games, terms=Terms(seat_effect=False))
    ratings = elo(table)

    assert ratings["ann"] == ratings["zoe"] > ratings["low"] == ratings["max"]
    assert [row.bot for row in table.rows] == ["zoe", "ann", "max", "low"]


def test_t37_bots_that_nothing_tells_apart_are_ordered_by_name() -> None:
    games = [
        *(duel(1, "zoe", "ann", "1", group="1"), duel(2, "ann", "mid", "1", group="2")),
        *(duel(3, "mid", "zoe", "1", group="3"),),
    ]
    level = [duel(1, "zoe", "ann", "="), duel(2, "ann", "zoe", "=")]

    cycle = only_table(games, terms=Terms(seat_effect=False))
    assert set(elo(cycle).values()) == {0.0}
    assert [row.bot for row in cycle.rows] == ["ann", "mid", "zoe"]
    assert [row.bot for row in only_table(level).rows] == ["ann", "zoe"]


def test_t40_shuffled_games_give_the_same_bytes() -> None:
    rng = random.Random(8)
    games = round_robin(7, 4, draws=0.2) + [
        table_game(n, rng.sample("abcdefg", 5), [rng.randint(1, 5) for _ in range(5)])
        for n in range(1001, 1080)
    ]
    games.append(duel(2000, "bot000", "bot001", "1", forfeits=(None, "timeout"), played=False))
    first = text(games)

    for _ in range(4):
        rng.shuffle(games)
        assert text(games) == first


def test_t40_the_order_would_show_in_the_bytes_if_it_mattered() -> None:
    """The planted fault: a rating that goes game by game depends on the order."""

    def one_after_another(games: list[RatedGame]) -> str:
        ratings: dict[str, float] = {}
        for game in games:
            a, b = game.entrants
            gap = ratings.get(a, 0.0) - ratings.get(b, 0.0)
            expected = 1 / (1 + 10 ** (-gap / 400))
            gain = 32 * ((game.placements == (1, 2)) - expected)
            ratings[a], ratings[b] = ratings.get(a, 0.0) + gain, ratings.get(b, 0.0) - gain
        return dumps(ratings)

    games = round_robin(5, 3)
    assert one_after_another(games) != one_after_another(games[::-1])
    assert text(games) == text(games[::-1])


def test_p48_old_games_count_as_much_as_new_ones() -> None:
    rise = match("ann", "bob", 0, 0, 10) + [
        duel(n, "ann", "bob", "1", group=f"{n}") for n in range(11, 21)
    ]
    fall = [replace(game, number=21 - game.number) for game in rise]

    terms = Terms(seat_effect=False)

    assert elo(only_table(rise, terms=terms)) == {"ann": 0.0, "bob": 0.0}
    assert elo(only_table(fall[::-1], terms=terms)) == {"ann": 0.0, "bob": 0.0}


def test_p49_eight_workers_give_the_table_of_one() -> None:
    games = round_robin(6, 8)
    workers = [games[worker::8] for worker in range(8)]
    arriving = [game for batch in zip_longest(*map(reversed, workers)) for game in batch if game]

    assert len(arriving) == len(games)
    assert arriving != games
    assert text(arriving) == text(games)


reasons = st.sampled_from([None, None, "timeout", "illegal_move", "resigned", "disconnected"])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(reasons, reasons, st.booleans()), min_size=1, max_size=25))
def test_t57_forfeits_add_up_and_are_no_more_than_games(
    endings: list[tuple[str | None, str | None, bool]],
) -> None:
    games = [
        duel(number, "ann", "bob", "=", forfeits=(first, second), played=played)
        for number, (first, second, played) in enumerate(endings, start=1)
    ]
    shown = tables(Tally.of(games))

    counted = sum(table.forfeits for table in shown)
    assert counted == sum(reason is not None for ending in endings for reason in ending[:2])
    for row in chain.from_iterable(table.rows for table in shown):
        assert sum(count for _, count in row.standing.forfeits) <= row.standing.games == len(games)


def test_forfeits_are_counted_by_reason() -> None:
    games = [
        duel(1, "ann", "bob", "1", forfeits=(None, "timeout")),
        duel(2, "bob", "ann", "0", forfeits=("illegal_move", None)),
        duel(3, "ann", "bob", "1", forfeits=(None, "timeout")),
    ]
    ann, bob = only_table(games).rows

    assert ann.standing.forfeits == ()
    assert bob.standing.forfeits == (("illegal_move", 1), ("timeout", 2))


def test_a_game_is_counted_once() -> None:
    with pytest.raises(ValueError, match="game 1 was counted already"):
        Tally.of([duel(1, "ann", "bob", "1"), duel(1, "ann", "bob", "1")])


def test_a_walkover_scores_and_is_not_fitted() -> None:
    played = match("ann", "bob", 2, 0, 2)
    walkover = duel(5, "ann", "bob", "1", forfeits=(None, "not_connected"), played=False)
    with_it, without = only_table([*played, walkover]), only_table(played)

    assert elo(with_it) == elo(without)
    assert [row.standing.points for row in with_it.rows] == [3, 2]
    assert [row.standing.unplayed for row in with_it.rows] == [1, 1]
    assert with_it.games == 5


def test_columns_of_two_seats() -> None:
    games = [
        duel(1, "ann", "bob", "1", think=(ThinkTime.of([100, 300]), ThinkTime.of([50]))),
        duel(2, "bob", "ann", "=", think=(ThinkTime.of([70]), ThinkTime.of([200]))),
        duel(3, "ann", "bob", "1"),
    ]
    ann, bob = (row.standing for row in only_table(games).rows)

    assert (ann.wins, ann.draws, ann.losses) == (2, 1, 0)
    assert (bob.wins, bob.draws, bob.losses) == (0, 1, 2)
    assert (ann.score_difference, bob.score_difference) == (12, -12)
    assert [(seat.games, seat.points) for seat in ann.seats] == [(2, 2.0), (1, 0.5)]
    assert (ann.think.mean, ann.think.count) == (200, 3)
    assert bob.think.mean == 60


def test_columns_of_larger_tables() -> None:
    games = [
        table_game(1, ["ann", "bob", "cid"], [1, 2, 3]),
        table_game(2, ["bob", "cid", "ann"], [1, 1, 3]),
    ]
    standings = {row.bot: row.standing for row in only_table(games).rows}

    assert {bot: standing.placement for bot, standing in standings.items()} == {
        "ann": 2.0,
        "bob": 1.75,
        "cid": 2.25,
    }
    assert standings["bob"].points == 0.5 + 0.75
    assert (standings["ann"].wins, standings["bob"].draws, standings["cid"].losses) == (1, 1, 1)
    assert standings["ann"].score_difference == (-1 + 2.5) + (-3 + 1)


@pytest.mark.parametrize("gaps", [(1, 1, 3), (1, 1, 2), (2, 2, 9)])
def test_how_ties_are_numbered_does_not_matter(gaps: tuple[int, int, int]) -> None:
    def rows(places: tuple[int, int, int]) -> list[tuple[str, float | None, float | None]]:
        table = only_table([table_game(1, ["ann", "bob", "cid"], places)])
        return [(row.bot, row.elo, row.standing.placement) for row in table.rows]

    assert rows(gaps) == rows((1, 1, 3))


def test_disconnected_fields_are_separate_tables_with_a_warning() -> None:
    games = [*match("ann", "bob", 2, 0, 1), duel(8, "cid", "dan", "1"), duel(9, "dan", "eve", "1")]
    large, small = tables(Tally.of(games), ["zoe"])

    assert {row.bot for row in large.rows} == {"cid", "dan", "eve", "zoe"}
    assert {row.bot for row in small.rows} == {"ann", "bob"}
    assert "No games connect these 2 bots" in small.warnings[0]
    assert sum(elo(small).values()) == sum(elo(large).values()) == 0
    assert (large.games, small.games) == (2, 3)


def test_a_connected_field_has_no_warning() -> None:
    games = [duel(1, "ann", "bob", "1"), duel(2, "bob", "cid", "1")]

    assert only_table(games, ["zoe"]).warnings == ()


def test_an_anchor_without_games_is_named() -> None:
    table = only_table(match("ann", "bob", 2, 0, 1), terms=Terms(anchor="cid"))

    assert table.warnings == (
        "The anchor cid has no games with these bots: their mean rating is 0.",
    )


def test_pools_are_fitted_apart() -> None:
    here = match("ann", "bob", 3, 0, 1)
    there = [duel(n, "ann", "bob", "0", pool="other/1//2") for n in range(10, 14)]
    game, other = tables(Tally.of(here + there))

    assert (game.pool, other.pool) == (POOL, "other/1//2")
    assert elo(game) == elo(only_table(here))
    assert elo(other)["ann"] < 0 < elo(game)["ann"]


def test_a_pool_has_one_number_of_seats() -> None:
    wide = table_game(2, ["ann", "bob", "cid"], [1, 2, 3])
    games = [duel(1, "ann", "bob", "1", pool=wide.pool), wide]

    with pytest.raises(ValueError, match="game 2 has 3 seats but its pool"):
        Tally.of(games)


def test_the_overall_rating_is_the_mean_over_pools() -> None:
    here = match("ann", "bob", 3, 0, 1)
    there = [duel(n, "bob", "cid", "1", pool="other/1//2") for n in range(10, 14)]
    there += [duel(n, "cid", "bob", "1", pool="other/1//2") for n in range(14, 17)]
    game, other = tables(Tally.of(here + there))
    table = overall([game, other])

    assert table.pools == (POOL, "other/1//2")
    assert [row.bot for row in table.rows] == ["bob", "ann", "cid"]
    assert table.rows[0].elo == pytest.approx((elo(game)["bob"] + elo(other)["bob"]) / 2, abs=0.01)
    assert [row.rank for row in table.rows] == [1, None, None]
    assert table.rows[0].games == 11
    assert [row.elo for row in table.rows[1:]] == [None, None]
    assert table.rows[1].pools == (elo(game)["ann"], None)


def test_the_overall_table_of_nothing_is_empty() -> None:
    assert overall([]).rows == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"entrants": ("ann",)}, "has 1 seats"),
        ({"placements": (1,)}, "one entry for each of the 2 seats"),
        ({"scores": (1, 2, 3)}, "one entry for each of the 2 seats"),
        ({"think": (ThinkTime(),)}, "think time for all 2 seats or none"),
        ({"entrants": ("ann", "ann")}, "cannot sit at a table twice"),
    ],
)
def test_a_game_that_does_not_fit_together_is_refused(
    change: dict[str, tuple[object, ...]], sentence: str
) -> None:
    parts = {
        "entrants": ("ann", "bob"),
        "placements": (1, 2),
        "scores": (1, 0),
        "forfeits": (None, None),
    }
    with pytest.raises(ValueError, match=sentence):
        RatedGame(number=1, pool="p", group="g", **{**parts, **change})  # type: ignore[arg-type]
