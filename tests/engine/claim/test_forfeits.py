"""Claim: matches that a seat leaves."""

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim import ClaimState
from harbourmaster_engine.game import ForfeitReason, Outcome, SeatForfeited
from support.claim_boards import board, do, hand, table

GROUP = "1: 5S/0 6S/1 7S/2"


def leave(state: ClaimState, seat: int) -> None:
    assert state.forfeit(seat, ForfeitReason.TIMEOUT) == (
        SeatForfeited(seat, ForfeitReason.TIMEOUT),
    )


def outcome(state: ClaimState) -> Outcome:
    found = state.outcome()
    assert found is not None
    return found


def test_with_two_seats_the_match_ends_and_the_one_that_left_is_last() -> None:
    state = board("1: 5S/0 6S/0", hands=["2C", "2D 3D"])
    leave(state, 0)

    assert outcome(state) == Outcome((5, -10), (2, 1), "last_seat", (ForfeitReason.TIMEOUT, None))
    assert state.legal_moves().moves == ()


def test_with_three_seats_the_match_goes_on_with_the_next_seat() -> None:
    state = board(GROUP, hands=["2C", "2D", "2H"])
    leave(state, 0)
    assert (state.to_move, state.turns) == (1, 0)

    do(state, "end")
    assert state.to_move == 2
    do(state, "end")
    assert (state.to_move, state.turns) == (1, 2)


def test_a_seat_that_leaves_out_of_its_turn_changes_nothing_about_the_turn() -> None:
    state = board(GROUP, hands=["8S", "2D", "2H"])
    do(state, "play 8S")
    leave(state, 1)

    view = state.view(2)
    assert (view.to_move, view.actions, view.acted) == (0, 1, True)
    do(state, "end")
    assert state.to_move == 2


def test_its_turn_ends_as_it_stands_and_it_draws_no_card() -> None:
    state = board(hands=["5S 2C", "2D", "2H"], decks=["KC QC", "KD", "KH"])
    do(state, "play 5S")
    leave(state, 0)

    view = state.view(1)
    assert table(state) == "1: 5S"
    assert (view.to_move, view.actions, view.acted, view.turns) == (1, 0, False, 0)
    assert view.deck_counts == (0, 1, 1)


def test_its_hand_and_deck_leave_play_unseen() -> None:
    state = board(hands=["5S 2C", "2D", "2H"], decks=["KC QC", "KD", "KH"])
    leave(state, 0)

    view = state.view(1)
    assert (view.hand_counts, view.deck_counts) == ((0, 1, 1), (0, 1, 1))
    assert view.forfeited == (0,)
    assert hand(state, 0) == ""


def test_the_score_shown_for_it_is_the_one_it_had() -> None:
    state = board("1: 5S/0 6S/1", hands=["2C", "7S", "2H"], decks=["KC QC", "", ""])
    leave(state, 0)
    assert state.scores == (5 - 15, 0, -5)

    do(state, "play 7S right 1")
    assert state.scores == (-10, 15, -5)


def test_what_it_put_on_the_table_stays_and_can_be_used_and_replaced_by_others() -> None:
    state = board("1: 5S/0 6H/0\n2: 8D", hands=["2C", "6S 7S", "2H"])
    leave(state, 0)
    do(state, "replace 1 1 6S", "play 7S right 1", "merge 1 2")

    assert table(state) == "1: 5S/0 6S/1 7S/1 8D/1"
    assert state.scores == (1 + 1 - 5, 10 + 6 + 1 - 5, -5)


def test_its_owned_cards_and_jokers_count_for_nobody_else() -> None:
    state = board("1: JK/0 6S/0 7S/0", hands=["2C", "2D", "2H"])
    leave(state, 0)

    assert state.scores == (10 + 40 - 5, -5, -5)


@pytest.mark.parametrize("acted", [True, False])
def test_a_forfeit_resets_and_advances_no_count_of_idle_turns(acted: bool) -> None:
    state = board(
        hands=["2C 3C", "2D", "2H"], idle=2, turn=0, acted=acted, options={"idle_turns": 4}
    )
    leave(state, 0)
    assert (state.view(1).idle, state.turns) == (2, 0)

    do(state, "end")
    assert state.outcome() is None
    do(state, "end")
    assert outcome(state).reason == "idle"


def test_a_seat_whose_turn_a_forfeit_begins_may_have_no_card_and_that_ends_the_match() -> None:
    state = board("1: 5S/1 6S/1", hands=["2C", "", "2H"], decks=["", "KD", ""])
    leave(state, 0)

    assert outcome(state).reason == "empty_hand"
    assert outcome(state).scores == (-5, 5, -5)
    assert outcome(state).placements == (3, 1, 2)


def test_the_empty_hand_of_a_seat_that_left_ends_nothing() -> None:
    state = board(hands=["2C", "2D", "2H"], decks=["KC", "KD", "KH"])
    leave(state, 1)
    do(state, "end")

    assert state.to_move == 2
    assert state.outcome() is None


def test_forfeits_rank_below_all_others_and_the_later_one_higher() -> None:
    state = board(
        "1: 5S/0 6S/0 7S/0\n2: 5H/1 6H/1", hands=["2C", "2D", "2H", "2S"], options={"idle_turns": 2}
    )
    leave(state, 0)
    leave(state, 1)
    do(state, "end", "end")

    assert outcome(state).scores == (15, 5, -5, -5)
    assert outcome(state).placements == (4, 3, 1, 1)
    assert outcome(state).reason == "idle"


def test_with_one_seat_left_the_match_ends() -> None:
    state = board(GROUP, hands=["2C", "2D", "2H"])
    leave(state, 2)
    leave(state, 1)

    assert outcome(state).reason == "last_seat"
    assert outcome(state).placements == (1, 2, 3)
    assert state.to_move is None


def test_a_seat_leaves_once_and_only_while_the_match_goes_on() -> None:
    state = board(hands=["2C", "2D", "2H"])
    leave(state, 1)

    for seat in (1, 3, -1):
        with pytest.raises(ValueError, match="cannot forfeit"):
            leave(state, seat)
    leave(state, 0)
    with pytest.raises(ValueError, match="cannot forfeit"):
        leave(state, 2)


def test_a_redeal_mixes_what_left_play_but_not_what_the_seat_that_left_held_itself() -> None:
    state = board(
        "1: 5S/1 6S/1 7C/1",
        hands=["7S 2C 3C", "9D 10D JD", "QH KH"],
        decks=["QD KD AD", "4H 5H 6H", "AH 2H"],
    )
    do(state, "replace 1 2 7S")
    leave(state, 0)
    others = [state.redeal(1, Stream(bytes([n]))) for n in range(40)]
    own = [state.redeal(0, Stream(bytes([n]))) for n in range(40)]

    assert state.view(1).known_cards == ((6,), (), ())
    assert all(6 in deal._gone[0].hand for deal in others)
    assert len({deal._gone[0].hand for deal in others}) > 5
    assert {deal._gone[0].hand for deal in own} == {state._gone[0].hand}
    assert len({deal._aside for deal in own}) > 5
    for deal, seat in [(others[0], 1), (own[0], 0)]:
        assert deal.view(seat) == state.view(seat)
