"""Tide: matches that a seat leaves before their end."""

import pytest

from harbourmaster_engine.game import ForfeitReason, Outcome, SeatForfeited
from harbourmaster_engine.tide import Draw, Pass, RoundEnded, TideState
from support.tide_boards import RUN, lay, position, shown

TIMEOUT = ForfeitReason.TIMEOUT
LONGER = "3S 4S 5S 6S"


def outcome(state: TideState) -> Outcome:
    found = state.outcome()
    assert found is not None
    return found


def test_with_two_seats_the_other_one_wins_at_once() -> None:
    state = position(RUN, hands=["6S", "KC"], scores=[50, -50])

    assert state.forfeit(0, TIMEOUT) == (SeatForfeited(0, TIMEOUT),)
    assert outcome(state) == Outcome((50, -50), (2, 1), "last_seat", (TIMEOUT, None))
    assert state.to_move is None


def test_with_three_seats_the_others_go_on_and_the_turn_passes_to_the_left() -> None:
    state = position(RUN, hands=["6S 2C", "7S 2D", "8S 2H"])
    state.forfeit(0, TIMEOUT)

    assert (state.to_move, state.turns) == (1, 0)
    state.apply(Draw())
    state.apply(Draw())
    assert state.to_move == 1


def test_a_forfeit_out_of_turn_leaves_the_turn_where_it_is() -> None:
    state = position(RUN, hands=["6S 2C", "7S 2D", "8S 2H"])
    state.forfeit(1, TIMEOUT)
    assert state.to_move == 0
    state.apply(Draw())

    assert state.to_move == 2


def test_the_hand_leaves_play_unseen_and_the_table_stays() -> None:
    state = position(RUN, hands=["6S 2C", "7S 2D", "8S 2H"])
    state.forfeit(0, TIMEOUT)
    view = state.view(1)

    assert view.hand_counts == (0, 2, 2)
    assert view.playing == (False, True, True)
    assert view.pile_count == 5
    assert state.view(0).hand == ()
    assert list(shown(state).values()) == RUN.split()


def test_what_it_laid_can_be_used_by_others() -> None:
    state = position(RUN, hands=["2C", "6S 2D", "8S 2H"])
    state.forfeit(0, TIMEOUT)
    lay(state, LONGER)

    assert state.view(1).hand_counts == (0, 1, 2)


def test_a_round_is_settled_among_those_that_remain() -> None:
    state = position(RUN, hands=["6S", "KC KD", "QC"], scores=[1, 2, 3])
    state.forfeit(1, TIMEOUT)
    lay(state, LONGER)

    assert state.scores == (13, 2, -9)


def test_a_blocked_round_is_won_by_one_of_those_that_remain() -> None:
    state = position(RUN, hands=["AC", "KC", "QC"], pile="", options={"max_rounds": 1})
    state.forfeit(0, TIMEOUT)
    state.apply(Pass())
    state.apply(Pass())

    assert outcome(state) == Outcome((0, -13, 13), (3, 2, 1), "max_rounds", (TIMEOUT, None, None))


def test_if_all_that_remain_have_passed_a_forfeit_blocks_the_round_at_once() -> None:
    state = position(RUN, hands=["AC", "KC", "QC"], pile="", passes=2, options={"max_rounds": 1})
    forfeited, ended = state.forfeit(0, TIMEOUT)

    assert forfeited == SeatForfeited(0, TIMEOUT)
    assert ended == RoundEnded(1, "blocked", (2,), (0, -13, 13))
    assert outcome(state).reason == "max_rounds"
    assert state.turns == 0


def test_a_forfeit_is_no_pass() -> None:
    state = position(RUN, hands=["AC", "KC", "QC", "JC"], pile="", passes=2)
    state.forfeit(0, TIMEOUT)

    assert state.view(1).passed == (False, False, True, True)
    assert state.view(1).round == 1
    state.apply(Pass())
    assert state.view(1).round == 2


def test_a_forfeit_does_not_undo_passes() -> None:
    state = position(RUN, hands=["AC", "KC", "QC", "JC"], pile="", passes=2)
    state.forfeit(2, TIMEOUT)
    state.apply(Pass())
    assert state.view(1).round == 1
    state.apply(Pass())

    assert state.view(1).round == 2


def test_it_is_not_dealt_in_again() -> None:
    state = position(RUN, hands=["2C", "6S", "8S 2H"], turn=1)
    state.forfeit(0, TIMEOUT)
    lay(state, LONGER)

    assert state.view(1).hand_counts == (0, 14, 14)
    assert state.view(1).pile_count == 106 - 28


def test_its_duty_to_begin_a_round_passes_to_the_next_seat_on_the_left() -> None:
    state = position(RUN, hands=["6S", "7S", "8S 2H"])
    state.forfeit(1, TIMEOUT)
    lay(state, LONGER)

    assert state.view(0).round == 2
    assert state.to_move == 2


def test_seats_that_forfeited_rank_last_and_the_later_one_higher() -> None:
    state = position(
        RUN, hands=["6S", "7S", "8S", "9S"], scores=[0, 90, 80, 10], options={"max_rounds": 1}
    )
    state.forfeit(2, ForfeitReason.RESIGNED)
    state.forfeit(1, TIMEOUT)
    lay(state, LONGER)

    assert outcome(state) == Outcome(
        (9, 90, 80, 1), (1, 3, 4, 2), "max_rounds", (None, TIMEOUT, ForfeitReason.RESIGNED, None)
    )


def test_with_one_seat_left_the_match_ends_unsettled() -> None:
    state = position(RUN, hands=["6S", "7S", "8S"], scores=[-5, 9, 9])
    state.forfeit(1, TIMEOUT)
    state.forfeit(2, TIMEOUT)

    assert outcome(state) == Outcome((-5, 9, 9), (1, 3, 2), "last_seat", (None, TIMEOUT, TIMEOUT))


def test_the_round_winner_of_empty_hand_is_first_among_those_that_remain() -> None:
    state = position(RUN, hands=["6S", "7S", "8S"], options={"format": "EMPTY_HAND"})
    state.forfeit(2, TIMEOUT)
    lay(state, LONGER)

    assert outcome(state).placements == (1, 2, 3)


def test_meld_score_shows_the_score_that_it_had() -> None:
    options = {"format": "MELD_SCORE"}
    state = position(RUN, hands=["6S 2C", "7S 2D", "8S"], options=options, scores=[7, 0, 0])
    lay(state, LONGER)
    state.forfeit(0, TIMEOUT)

    assert state.scores == (13, 0, 0)


def test_a_seat_cannot_forfeit_twice_or_after_the_end_or_without_being_there() -> None:
    state = position(RUN, hands=["6S", "7S", "8S"])
    state.forfeit(0, TIMEOUT)
    for seat in (0, -1, 3):
        with pytest.raises(ValueError, match="cannot forfeit"):
            state.forfeit(seat, TIMEOUT)
    state.forfeit(1, TIMEOUT)
    with pytest.raises(ValueError, match="the match is over"):
        state.forfeit(2, TIMEOUT)
