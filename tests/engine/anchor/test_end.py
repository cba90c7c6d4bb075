"""How a match of Anchor ends, who wins, and what a forfeit changes."""

import pytest

from harbourmaster_engine.anchor import AnchorState
from harbourmaster_engine.game import LAST_SEAT, ForfeitReason, Outcome
from support.anchor_boards import cards, do, position

RUN = "7,7: [AS] 5H 6H 7H\n"
PILE = "pile: 2C 4D 6C 8D 10C QD 2S 4S 9S JC 2C 4D 6C 8D 10C QD\n"
OUT = ForfeitReason.TIMEOUT


def outcome(state: AnchorState) -> Outcome:
    found = state.outcome()
    assert found is not None, "the match goes on"
    return found


def test_once_a_seat_reaches_the_target_the_round_is_finished() -> None:
    state = position(RUN + PILE + "0: 8H 2C\n1: 2D 3D", options={"target_score": 16})
    do(state, "play 7,11 > 8H")
    assert state.outcome() is None
    do(state, "cycle 2D")

    assert outcome(state).reason == "target"
    assert outcome(state).placements == (1, 2)


def test_the_last_seat_of_a_round_ends_the_match_at_once() -> None:
    state = position(RUN + PILE + "0: 2D\n1: 8H", options={"target_score": 16}, turn=1)
    do(state, "play 7,11 > 8H")

    assert outcome(state).reason == "target"


def test_the_match_ends_also_if_the_seat_that_reached_the_target_forfeits_meanwhile() -> None:
    drawn = RUN + PILE + "0: 8H 2C\n1: 2D 3D\n2: 4C 9C"
    state = position(drawn, options={"target_score": 16}, seats=3)
    do(state, "play 7,11 > 8H")
    state.forfeit(0, OUT)
    do(state, "cycle 2D", "cycle 4C")

    assert outcome(state).reason == "target"
    assert outcome(state).scores == (16, 0, 0)
    assert outcome(state).placements == (3, 1, 1)


def test_the_round_also_ends_when_its_last_seat_forfeits_instead_of_playing() -> None:
    drawn = RUN + PILE + "0: 8H 2C\n1: 2D 3D\n2: 4C 9C"
    state = position(drawn, options={"target_score": 16}, seats=3)
    do(state, "play 7,11 > 8H", "cycle 2D")
    state.forfeit(2, OUT)

    assert outcome(state).reason == "target"
    assert outcome(state).placements == (1, 2, 3)


def test_the_match_ends_when_every_seat_passes_in_a_row() -> None:
    state = position("0: 9C\n1: 3D\n2: 4S", seats=3)
    do(state, "pass", "pass", "pass")

    assert outcome(state).reason == "all_passed"


def test_a_turn_that_is_no_pass_starts_the_count_of_passes_again() -> None:
    state = position(RUN + "0: 9C\n1: 8H\n2: 4S", seats=3)
    do(state, "pass", "play 7,11 > 8H", "pass", "pass")
    assert state.outcome() is None
    do(state, "pass")

    assert outcome(state).reason == "all_passed"


def test_the_match_ends_after_rounds_of_the_table_without_a_card_for_the_board() -> None:
    state = position(PILE + "0: 2D 5S\n1: 3D 9H", options={"no_play_rounds": 2})
    do(state, "cycle 2D", "cycle 3D", "cycle 5S")
    assert state.outcome() is None
    do(state, "cycle 9H")

    assert outcome(state).reason == "no_play"


def test_a_round_is_idle_only_if_nobody_in_it_put_a_card_on_the_board() -> None:
    state = position(RUN + PILE + "0: 8H 5S\n1: 3D 9H", options={"no_play_rounds": 1})
    do(state, "play 7,11 > 8H", "cycle 3D")
    assert state.view(0).idle_rounds == 0
    do(state, "cycle 5S")
    assert state.outcome() is None
    do(state, "cycle 9H")

    assert outcome(state).reason == "no_play"


def test_a_setup_in_the_middle_of_a_round_counts_it_from_its_first_seat() -> None:
    state = position(PILE + "0: 2D\n1: 3D", turn=1, round_play=True, no_play=4)
    do(state, "cycle 3D")

    assert state.view(0).idle_rounds == 0


def test_the_target_is_looked_at_before_passes_and_passes_before_idle_rounds() -> None:
    options = {"target_score": 50, "no_play_rounds": 1}
    state = position("0: 9C\n1: 3D", options=options, scores=[50, 0])
    do(state, "pass", "pass")
    assert outcome(state).reason == "target"
    state = position("0: 9C\n1: 3D", options=options)
    do(state, "pass", "pass")

    assert outcome(state).reason == "all_passed"


@pytest.mark.parametrize(
    ("scores", "melds", "runs", "places"),
    [
        ([50, 40, 40], [0, 3, 2], [0, 0, 5], (1, 2, 3)),
        ([40, 40, 40], [2, 3, 2], [5, 3, 3], (2, 1, 3)),
        ([40, 40, 40], [2, 2, 2], [4, 4, 3], (1, 1, 3)),
    ],
)
def test_ties_go_to_completed_melds_then_the_longest_run_then_are_shared(
    scores: list[int], melds: list[int], runs: list[int], places: tuple[int, ...]
) -> None:
    state = position(
        "0: 9C\n1: 3D\n2: 4S", seats=3, scores=scores, completed_melds=melds, longest_run=runs
    )
    do(state, "pass", "pass", "pass")

    assert outcome(state).placements == places


def test_with_one_seat_left_the_match_ends() -> None:
    state = position(PILE + "0: 9C\n1: 3D", scores=[90, 10])
    state.forfeit(0, OUT)

    assert outcome(state).reason == LAST_SEAT
    assert outcome(state).placements == (2, 1)
    assert outcome(state).forfeits == (OUT, None)


def test_who_forfeits_later_ranks_higher() -> None:
    state = position(PILE + "0: 9C\n1: 3D\n2: 4S", seats=3)
    state.forfeit(1, OUT)
    state.forfeit(0, OUT)

    assert outcome(state).placements == (2, 3, 1)


def test_the_hand_of_a_seat_that_forfeits_leaves_play_unseen() -> None:
    state = position(PILE + "0: 9C\n1: 3D\n2: 4S", seats=3)
    before = state.view(0)
    events = state.forfeit(1, OUT)

    assert state.view(0).hand_counts == (1, 0, 1)
    assert state.view(0).pile_count == before.pile_count
    assert state.view(0).market == before.market
    assert not any(str(cards("3D")[0]) in repr(event).replace("seat=3", "") for event in events)


def test_a_forfeit_on_its_turn_ends_the_turn_without_a_draw_and_is_no_turn() -> None:
    state = position(PILE + "0: 9C\n1: 3D\n2: 4S", seats=3)
    state.forfeit(0, OUT)

    assert state.to_move == 1
    assert state.turns == 0
    assert state.view(1).pile_count == 16


def test_turns_go_round_among_the_seats_that_remain() -> None:
    state = position(PILE + "0: 9C 2H\n1: 3D\n2: 4S 3H", seats=3)
    state.forfeit(1, OUT)
    do(state, "cycle 9C")
    assert state.to_move == 2
    do(state, "cycle 4S")

    assert state.to_move == 0
    assert state.view(0).idle_rounds == 1


def test_the_first_seat_of_a_round_passes_to_the_next_that_remains() -> None:
    options = {"no_play_rounds": 2}
    state = position(PILE + "0: 9C\n1: 3D 2H\n2: 4S 3H", seats=3, options=options)
    state.forfeit(0, OUT)
    do(state, "cycle 3D", "cycle 4S", "cycle 2H")
    assert state.view(0).idle_rounds == 1
    do(state, "cycle 3H")

    assert outcome(state).reason == "no_play"


def test_if_all_that_remain_have_passed_a_forfeit_ends_the_match_at_once() -> None:
    state = position("0: 9C\n1: 3D\n2: 4S", seats=3)
    do(state, "pass", "pass")
    state.forfeit(2, OUT)

    assert outcome(state).reason == "all_passed"


def test_a_forfeit_out_of_turn_ends_it_too_if_all_that_remain_have_passed() -> None:
    state = position("0: 9C\n1: 3D\n2: 4S\n3: 5S", seats=4)
    do(state, "pass", "pass", "pass")
    state.forfeit(3, OUT)
    assert outcome(state).reason == "all_passed"
    state = position("0: 9C\n1: 3D\n2: 4S\n3: 5S", seats=4)
    do(state, "pass", "pass")
    state.forfeit(3, OUT)

    assert state.outcome() is None


def test_a_forfeit_resets_no_count() -> None:
    state = position("0: 9C\n1: 3D\n2: 4S\n3: 5S", seats=4)
    do(state, "pass")
    state.forfeit(1, OUT)
    do(state, "pass", "pass")

    assert outcome(state).reason == "all_passed"


def test_what_a_seat_put_on_the_board_stays_and_others_use_it() -> None:
    state = position(RUN + PILE + "0: 8H\n1: 9H\n2: 4S", seats=3)
    do(state, "play 7,11 > 8H")
    state.forfeit(0, OUT)
    do(state, "play 7,12 > 9H")

    assert state.scores == (16, 18, 0)


def test_a_seat_forfeits_once_and_nobody_after_the_end() -> None:
    state = position(PILE + "0: 9C\n1: 3D\n2: 4S", seats=3)
    state.forfeit(1, OUT)
    with pytest.raises(ValueError, match="seat 1 cannot forfeit"):
        state.forfeit(1, OUT)
    state.forfeit(2, OUT)
    with pytest.raises(ValueError, match="cannot forfeit"):
        state.forfeit(0, OUT)
