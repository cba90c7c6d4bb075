"""Plays of one and two groups, and anchor plays."""

import pytest

from harbourmaster_engine.anchor import Group, Play
from support.anchor_boards import cards, code, do, hand, move, position, text

RUN = "7,7: [AS] 5H 6H 7H\n"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("play 7,11 > 8H 9H", ""),
        ("play 7,10 > 8H 9H", "occupied"),
        ("play 5,9 v 6S JK 8H", "occupied"),
        ("play 7,14 > 8H 9H", "off_board"),
        ("play 3,3 > 8H", "not_connected"),
        ("play 7,11 > 2C", "not_held"),
        ("play 7,11 > 8H 8H", "not_held"),
        ("play 7,11 > 8H + 7,12 > 9H + 6,9 > 6S", "group_count"),
    ],
)
def test_a_group_is_hand_cards_on_empty_cells_next_to_a_card(command: str, wanted: str) -> None:
    assert code(position(RUN + "0: 8H 9H 6S JK"), command) == wanted


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (((7, 12), (7, 11)), ""),
        (((7, 11), (7, 13)), "gap"),
        (((7, 11), (6, 12)), "not_one_line"),
        (((7, 11), (7, 11)), "cell_twice"),
        (((7, 11),), "malformed"),
    ],
)
def test_the_cells_of_a_group_are_consecutive_in_any_order(
    cells: tuple[tuple[int, int], ...], wanted: str
) -> None:
    state = position(RUN + "0: 8H 9H")
    refusal = state.check(Play((Group(cells, cards("9H 8H")),)))

    assert (refusal.code if refusal else "") == wanted


def test_cells_already_filled_do_not_bridge_a_group() -> None:
    state = position("7,7: [AS]\n3,3: 6H\n0: 5H 7H")
    bridging = Play((Group(((3, 2), (3, 4)), cards("5H 7H")),))

    refusal = state.check(bridging)
    assert refusal is not None
    assert refusal.code == "gap"
    assert code(state, "play 3,2 > 5H + 3,4 > 7H") == ""


def test_a_group_needs_cards() -> None:
    state = position(RUN + "0: 8H")

    assert state.check(Play((Group((), ()),))).code == "empty_group"  # type: ignore[union-attr]
    assert state.check(Play(())).code == "group_count"  # type: ignore[union-attr]


def test_the_second_group_may_lean_on_the_first_and_not_the_other_way_round() -> None:
    state = position(RUN + "0: 6S 6C 8D")

    assert code(state, "play 6,9 > 6S + 5,9 > 6C") == ""
    assert code(state, "play 5,9 > 6C + 6,9 > 6S") == "not_connected"


def test_two_groups_may_be_legal_together_where_neither_is_alone() -> None:
    state = position("7,7: [AS] . 6H .\n0: 5H 7H", options={"open_meld_limit": 0})

    assert code(state, "play 7,8 > 5H") == "anchor_line"
    assert code(state, "play 7,10 > 7H") == "too_many_open"
    assert code(state, "play 7,8 > 5H + 7,10 > 7H") == ""


def test_e40_a_parallel_play_is_connected_through_its_neighbours() -> None:
    state = position(RUN + "0: 6S 7S", options={"open_meld_limit": 3})

    assert code(state, "play 6,9 > 6S 7S") == ""


def test_only_what_touches_side_to_side_is_connected() -> None:
    assert code(position(RUN + "0: 8S"), "play 6,11 > 8S") == "not_connected"


def test_without_ace_melds_natural_aces_are_only_for_anchor_plays() -> None:
    options = {"aces_meld": False}
    state = position("7,7: [AS]\n0: AD 2D 3D 4D JK", options=options)

    assert code(state, "play 7,8 > AD 2D 3D") == "ace_in_play"
    assert code(state, "play 7,8 > JK 2D 3D") == ""
    assert code(state, "anchor 1,1 > AD 2D 3D 4D") == ""


def test_after_a_play_the_hand_is_drawn_up_to_seven_or_as_far_as_the_pile_goes() -> None:
    state = position(RUN + "0: 8H 2C 3C 4C 6C 9C JC\npile: 2D 3D")
    do(state, "play 7,11 > 8H")
    assert hand(state, 0) == "2C 3C 4C 6C 9C JC 3D"
    state = position(RUN + "0: 8H 2C\npile: 2D 3D")
    do(state, "play 7,11 > 8H")

    assert hand(state, 0) == "2C 2D 3D"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("anchor 2,2 > AD 9H 9S 9C", ""),
        ("anchor 2,2 v AD 9H 9S 9C", ""),
        ("anchor 2,2 > 9H 9S 9C AD", ""),
        ("anchor 2,2 > AD 9H 9S 9C 9D", ""),
        ("anchor 2,2 > AD 9H 9S JK", ""),
        ("anchor 2,2 > 9H AD 9S 9C", "anchor_ace"),
        ("anchor 2,2 > AD AC 9H 9S 9C", "anchor_ace"),
        ("anchor 2,2 > JK 9H 9S 9C", "anchor_ace"),
        ("anchor 2,2 > AD 9H 9S", "count"),
        ("anchor 2,2 > AD 9H 9S QD", "anchor_meld"),
        ("anchor 6,8 > AD 9H 9S 9C", "touches"),
        ("anchor 6,11 > AD 9H 9S 9C", ""),
        ("anchor 12,12 > AD 9H 9S 9C", "off_board"),
    ],
)
def test_an_anchor_play_is_an_ace_at_the_end_of_a_meld_that_touches_nothing(
    command: str, wanted: str
) -> None:
    state = position(RUN + "0: AD AC 9H 9S 9C 9D JK QD")

    assert code(state, command) == wanted


def test_the_ace_of_an_anchor_play_becomes_an_anchor_and_scores_nothing() -> None:
    state = position(RUN + "0: AD 9H 9S 9C\n1: 8H 8C 8D")
    do(state, "anchor 8,11 > AD 9H 9S 9C")

    assert state.scores == (54, 0)
    assert state.view(0).anchors == ((7, 7), (8, 11))
    assert code(state, "play 7,11 > 8H") == "anchor_line"
    do(state, "play 9,11 v 8H 8C 8D")
    assert state.scores == (54, 48)
    assert state.view(0).completed_melds == (1, 1)


def test_nobody_owns_an_anchor() -> None:
    state = position("7,7: [AS]\n0: 2C\n1: 8H 8C 8D", turn=1)

    assert code(state, "play 7,8 > 8H 8C 8D") == ""


def test_the_refusal_names_what_is_at_fault() -> None:
    state = position(RUN + "0: 8H 9H 6S 7S")

    assert text(state, "play 7,10 > 8H") == "group 1: 7H lies on row 7, column 10"
    assert text(state, "play 7,11 > QC") == "you hold no QC, the move names more"
    assert text(state, "play 3,3 > 8H") == (
        "group 1 at row 3, column 3 is not next to a card on the board"
    )
    assert move("play 7,11 > 8H") in state.legal_moves(100).moves
