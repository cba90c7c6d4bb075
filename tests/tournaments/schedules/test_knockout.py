"""Knockout: brackets, best of n, drawn ties and their end."""

import pytest

from harbourmaster_tournaments.schedules import Grouping, Knockout, PlannedGame, ScheduleError
from harbourmaster_tournaments.schedules.knockout import bracket
from support.tournaments import Run, drawn, names, row


def test_the_best_two_can_meet_only_in_the_final() -> None:
    assert bracket(names(8)) == ["b00", "b07", "b03", "b04", "b01", "b06", "b02", "b05"]


def test_missing_places_are_byes_for_the_best() -> None:
    assert bracket(names(5)) == ["b00", None, "b03", "b04", "b01", None, "b02", None]


@pytest.mark.parametrize("count", [2, 3, 5, 7, 8, 31])
@pytest.mark.parametrize("best_of", [1, 3])
def test_the_strongest_wins_and_everybody_else_loses_one_tie(count: int, best_of: int) -> None:
    schedule = Knockout(names(count), best_of)
    run = Run(schedule).finish()

    assert schedule.winner(run.progress()) == "b00"
    ties = {(game.stage, frozenset(game.entrants)) for game in run.planned}
    assert len(ties) == count - 1
    losers = [max(pair) for _, pair in ties]
    assert sorted(losers) == names(count)[1:]


@pytest.mark.parametrize(("best_of", "played"), [(1, 1), (2, 2), (3, 2), (5, 3), (6, 4)])
def test_a_tie_ends_when_one_cannot_be_caught(best_of: int, played: int) -> None:
    run = Run(Knockout(names(2), best_of)).finish()

    assert len({game.group for game in run.planned}) == played


def test_a_drawn_tie_goes_on_until_a_group_is_won() -> None:
    def decide(game: PlannedGame) -> tuple[int, ...]:
        first_wins = (1, 2) if game.entrants[0] == "b01" else (2, 1)
        return drawn(game) if game.number <= 6 else first_wins

    schedule = Knockout(names(2), best_of=2)
    run = Run(schedule, decide).finish()

    assert len({game.group for game in run.planned}) == 4
    assert schedule.winner(run.progress()) == "b01"


def test_a_tie_that_stays_drawn_is_decided_by_the_games_own_scores() -> None:
    schedule = Knockout(names(2), best_of=1, extra=2)
    run = Run(schedule, drawn)
    while games := run.issue():
        for game in games:
            scores = tuple(10 if name == "b01" else 9 for name in game.entrants)
            run.results.append(row(game, (1, 1), scores=scores))

    assert len({game.group for game in run.planned}) == 3
    assert schedule.winner(run.progress()) == "b01"


def test_and_with_equal_scores_by_seeding() -> None:
    """T28: deterministic bots that always draw do not play for ever."""
    schedule = Knockout(names(4), best_of=1, extra=2)
    run = Run(schedule, drawn).finish()

    assert len({game.group for game in run.planned}) == 3 * 3
    assert schedule.winner(run.progress()) == "b00"


def test_two_seatings_that_each_first_seat_wins_are_a_draw() -> None:
    schedule = Knockout(names(2), best_of=1, extra=0)
    run = Run(schedule, lambda game: (1, 2)).finish()

    assert len(run.planned) == 2
    assert schedule.winner(run.progress()) == "b00"


def test_p51_a_slow_tie_does_not_hold_up_the_others() -> None:
    run = Run(Knockout(names(8), 1))
    first = run.issue()
    slow = first[-1].stage
    run.play(game for game in first if game.stage != slow)

    following = run.issue()

    assert {game.stage for game in following} == {"knockout 2 tie 1"}
    run.play(following)
    assert run.issue() == []


def test_t24_a_tie_stopped_inside_a_group_waits_for_its_other_game() -> None:
    run = Run(Knockout(names(2), 3))
    run.play(run.issue()[:1])

    assert run.issue() == []


def test_who_leaves_has_lost_its_tie() -> None:
    schedule = Knockout(names(4), 3)
    run = Run(schedule)
    run.step()
    run.left["b00"] = len(run.planned)
    run.finish()

    assert schedule.winner(run.progress()) == "b01"
    final = [game for game in run.planned if game.stage == "knockout 2 tie 1"]
    assert {name for game in final for name in game.entrants} == {"b01", "b03"}


def test_a_tie_that_was_won_stays_won_when_the_winner_leaves_later() -> None:
    schedule = Knockout(names(4), 1)
    run = Run(schedule)
    run.step()
    run.left["b00"] = len(run.planned)
    run.finish()

    assert schedule.rounds(run.progress())[0][0].winner == "b00"
    assert schedule.winner(run.progress()) == "b01"


def test_a_tie_that_was_issued_keeps_its_entrants() -> None:
    schedule = Knockout(names(4), 1)
    run = Run(schedule)
    run.step()
    final = run.issue()
    run.results = [row(game, (2, 1) if game.entrants[0] == "b00" else (1, 2)) for game in
                   run.planned[:2]] + run.results[2:]  # fmt: skip

    assert schedule.rounds(run.progress())[0][0].winner == "b03"
    assert schedule.rounds(run.progress())[1][0].entrants == ("b00", "b01")
    assert {name for game in final for name in game.entrants} == {"b00", "b01"}


def test_nobody_joins_a_knockout_late() -> None:
    run = Run(Knockout(names(4), 1))
    run.step()
    run.joined["late"] = len(run.planned)

    with pytest.raises(ScheduleError, match="late cannot join a knockout that has begun"):
        run.issue()


def test_a_knockout_cannot_keep_owners_apart_and_says_so() -> None:
    with pytest.raises(ScheduleError, match="cannot keep two bots of one owner apart"):
        Knockout(names(4), grouping=Grouping(owners={"b00": "ann", "b03": "ann"}))
