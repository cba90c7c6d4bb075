"""Tables: order, ranks, columns, and what happens with no games or one-sided ones."""

from collections.abc import Sequence

from harbourmaster_tournaments.ratings import RatedGame, Table, Tally, tables


def duel(number: int, first: str, second: str, result: str, **more: object) -> RatedGame:
    """A two-seat game; *result* is `1`, `=` or `0` for the first entrant."""
    placements = {"1": (1, 2), "=": (1, 1), "0": (2, 1)}[result]
    group = str(more.pop("group", (number + 1) // 2))
    return RatedGame(
        number=number,
        pool=str(more.pop("pool", "duel/1//2")),
        group=group,
        entrants=(first, second),
        placements=placements,
        scores=(2 - placements[0], 2 - placements[1]),
        forfeits=(None, None),
    )


def only_table(games: Sequence[RatedGame], entrants: Sequence[str] = ()) -> Table:
    (table,) = tables(Tally.of(games), entrants)
    return table


def test_the_winner_stands_first_with_the_mean_at_zero() -> None:
    table = only_table([duel(1, "ann", "bob", "1"), duel(2, "bob", "ann", "=")])

    assert [row.bot for row in table.rows] == ["ann", "bob"]
    assert sum(row.elo or 0 for row in table.rows) == 0
    assert [row.standing.points for row in table.rows] == [1.5, 0.5]
