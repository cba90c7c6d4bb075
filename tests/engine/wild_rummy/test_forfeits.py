"""Wild Rummy: what happens when a seat leaves the match."""

import pytest

from harbourmaster_engine.game import ForfeitReason, SeatForfeited
from harbourmaster_engine.wild_rummy import (
    Phase,
    RoundBegan,
    RoundEnded,
    StockRenewed,
    WildRummyState,
)
from support.wild_rummy_boards import do, hand, legal, melds, names, position, start

GONE = ForfeitReason.TIMEOUT
THREE = "stock: 2C 3C 4C\ndiscards: 8D 9D\nmeld: 7H 8H 9H\n0: 6H KD\n1*: JC 5S\n2: QC 2D"


def play_round_out(state: WildRummyState) -> None:
    """Let everybody draw and discard until the next round is dealt."""
    number = state.view(0).round
    while state.to_move is not None and state.view(0).round == number:
        state.apply(state.default_move())


@pytest.mark.parametrize("seat", [0, 1])
def test_with_one_seat_left_the_match_ends(seat: int) -> None:
    state = position("0: 6H\n1: 2D", scores=[3, 5])

    assert state.forfeit(seat, GONE) == (SeatForfeited(seat, GONE),)
    found = state.outcome()
    assert found is not None
    assert found.reason == "last_seat"
    assert found.scores == (3, 5)
    assert found.placements == ((2, 1) if seat == 0 else (1, 2))
    assert found.forfeits[seat] is GONE
    assert state.to_move is None


@pytest.mark.parametrize("phase", ["draw", "play"])
def test_its_turn_ends_as_it_stands_without_a_draw_or_a_discard(phase: str) -> None:
    state = position(THREE, phase=phase, turn=1, round_turns=4)
    state.forfeit(1, GONE)
    view = state.view(0)

    assert (state.to_move, view.phase) == (2, Phase.DRAW)
    assert (view.stock_count, view.discards_below) == (3, 1)
    # A forfeit is no turn.
    assert (state.turns, view.round_turns) == (0, 4)


def test_a_seat_that_is_not_to_move_leaves_the_turn_as_it_is() -> None:
    state = position(THREE, turn=1, taken="JC")
    state.forfeit(2, GONE)

    assert (state.to_move, state.view(0).phase) == (1, Phase.PLAY)
    assert state.view(0).taken is not None
    do(state, "discard 5S")
    assert state.to_move == 0


def test_the_order_of_turns_runs_over_the_seats_that_remain() -> None:
    state = start(4)
    state.forfeit(2, GONE)
    order = [state.to_move]
    for _ in range(6):
        while state.to_move == order[-1]:
            state.apply(state.default_move())
        order.append(state.to_move)

    assert order == [0, 1, 3, 0, 1, 3, 0]


def test_its_hand_leaves_play_unseen() -> None:
    state = position(THREE, turn=0)
    events = state.forfeit(1, GONE)

    assert events == (SeatForfeited(1, GONE),)
    assert hand(state, 1) == ""
    assert state.view(0).hand_counts == (2, 0, 2)
    assert state.view(1).hand == ()
    assert state.view(0).discards_below == 1
    assert state.view(0).forfeited == (False, True, False)


def test_nobody_scores_for_its_hand() -> None:
    state = position("0: 6H\n1: KC KD KH\n2: 9S", turn=0)
    state.forfeit(1, GONE)
    events = do(state, "discard 6H")

    assert events[1] == RoundEnded(5, 0, 9, (9, 0, 0))


def test_its_melds_stay_and_can_be_used_by_others() -> None:
    state = position(THREE.replace("0:", "0*:"), turn=0)
    state.forfeit(1, GONE)

    assert melds(state) == ["7H 8H 9H"]
    assert legal(state, "add 6H 1 low")


def test_its_score_is_shown_and_it_ranks_below_every_seat_that_played_on() -> None:
    state = position("wild: 13\n0: 6H\n1: 2D\n2: 2S", scores=[1, 90, 2], turn=0)
    state.forfeit(1, GONE)
    do(state, "discard 6H")
    found = state.outcome()

    assert found is not None
    assert found.scores == (3, 90, 2)
    assert found.placements == (1, 3, 2)
    assert found.reason == "rounds"


def test_of_several_that_forfeited_the_later_one_ranks_higher() -> None:
    state = start(4)
    for seat in (2, 0, 3):
        state.forfeit(seat, GONE)
    found = state.outcome()

    assert found is not None
    assert found.placements == (3, 1, 4, 2)
    assert found.reason == "last_seat"


def test_it_is_not_dealt_in_again() -> None:
    state = start(3, {"max_turns_per_round": 2})
    state.forfeit(1, GONE)
    play_round_out(state)

    # Round 2 is dealt by seat 2: the deal passes over seat 1.
    assert state.view(0).hand_counts == (7, 0, 8)
    assert state.view(0).stock_count == 52 - 15
    assert state.to_move == 2


def test_the_deal_moves_on_over_the_seats_that_remain() -> None:
    state = start(4, {"max_turns_per_round": 1})
    state.forfeit(1, GONE)
    dealers = [state.view(0).dealer]
    for _ in range(4):
        play_round_out(state)
        dealers.append(state.view(0).dealer)

    assert dealers == [0, 2, 3, 0, 2]


def test_the_deal_after_a_dealer_that_left_is_its_left_neighbours() -> None:
    state = start(3, {"max_turns_per_round": 3})
    do(state, f"discard {names(state.view(0).hand[:1])}")
    state.forfeit(0, GONE)
    play_round_out(state)

    assert state.view(1).dealer == 1


def test_an_opening_discard_that_it_owed_is_left_out() -> None:
    state = start(3)
    state.forfeit(0, GONE)
    view = state.view(1)

    assert (state.to_move, view.phase) == (1, Phase.DRAW)
    assert view.discard_top is None
    assert len(state.legal_moves().moves) == 1
    do(state, "draw stock")


def test_the_next_turn_starts_with_a_new_stock_if_the_stock_is_empty() -> None:
    state = position("discards: 7D 8D 9D\n0: 6H\n1: 2D\n2: 2S", turn=0, stock=[])

    assert state.forfeit(0, GONE) == (SeatForfeited(0, GONE), StockRenewed(2))
    assert state.to_move == 1


def test_the_next_turn_may_find_nothing_to_shuffle_which_is_a_wash() -> None:
    state = position("discards: 9D\n0: 6H\n1: 2D\n2: 2S", turn=0, stock=[])
    events = state.forfeit(0, GONE)

    # Seat 1 dealt round 5, so that seat 2 deals round 6.
    assert events[1:] == (RoundEnded(5, None, 0, (0, 0, 0)), RoundBegan(6, 2))
    assert state.view(1).hand_counts == (0, 7, 8)


def test_a_forfeit_in_a_finished_match_or_twice_is_an_error() -> None:
    state = start(3)
    state.forfeit(1, GONE)
    for seat in (1, 3, -1):
        with pytest.raises(ValueError, match="cannot forfeit"):
            state.forfeit(seat, GONE)
    state.forfeit(0, GONE)
    with pytest.raises(ValueError, match="cannot forfeit"):
        state.forfeit(2, GONE)
