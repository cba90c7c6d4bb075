"""Games that were not played, or that nobody would play."""

from harbourmaster_tournaments.ratings import RatedGame, Tally, tables


def game(
    number: int, placements: tuple[int, int], *forfeits: str | None, played: bool
) -> RatedGame:
    return RatedGame(
        number=number,
        pool="pool",
        group=f"g{number}",
        entrants=("ann", "bob"),
        placements=placements,
        scores=(0, 0),
        forfeits=forfeits or (None, None),
        played=played,
    )


def test_t31_a_game_that_both_bots_forfeited_is_lost_by_both_and_drawn_by_none() -> None:
    tally = Tally()
    tally.add(game(1, (1, 2), played=True))
    tally.add(game(2, (1, 1), "not_connected", "not_connected", played=False))
    (table,) = tables(tally)
    ann, bob = (row.standing for row in table.rows)

    assert (ann.wins, ann.draws, ann.losses, ann.points) == (1, 0, 1, 1.0)
    assert (bob.wins, bob.draws, bob.losses, bob.points) == (0, 0, 2, 0.0)
    assert (ann.games, ann.unplayed, table.games) == (2, 1, 2)
    assert ann.forfeits == (("not_connected", 1),)


def test_a_field_in_which_nothing_was_played_has_no_ratings() -> None:
    tally = Tally()
    tally.add(game(1, (1, 1), "not_ready", "not_connected", played=False))
    (table,) = tables(tally)

    assert [(row.bot, row.elo, row.standing.losses) for row in table.rows] == [
        ("ann", None, 1),
        ("bob", None, 1),
    ]
