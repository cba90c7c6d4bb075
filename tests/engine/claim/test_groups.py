"""Claim: which cards make a group, sentence by sentence."""

import pytest

from support.claim_boards import board, do, legal, refused, rows, table

CLUBS_2_TO_KING = "2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC"


def owned(cards: str, seat: int = 0) -> str:
    return " ".join(f"{card}/{seat}" for card in cards.split())


def test_ranks_rise_by_one_from_left_to_right_and_suits_do_not_matter() -> None:
    state = board("1: 5S", hands=["6H 4D 7C 3C", "2C"])

    assert refused(state, "play 7C right 1") == "not_a_sequence"
    assert refused(state, "play 4D right 1") == "not_a_sequence"
    assert refused(state, "play 6H left 1") == "not_a_sequence"
    do(state, "play 6H right 1", "play 4D left 1", "play 3C left 1", "play 7C right 1")
    assert table(state) == "1: 3C/0 4D/0 5S/0 6H/0 7C/0"


@pytest.mark.parametrize(("ace", "card"), [("left", "2C"), ("right", "KC")])
def test_an_ace_is_before_a_2_or_after_a_king(ace: str, card: str) -> None:
    other = "right" if ace == "left" else "left"
    state = board(f"1: {card}", hands=["AS", "2D"])

    assert refused(state, f"play AS {other} 1") == "not_a_sequence"
    assert legal(state, f"play AS {ace} 1")


@pytest.mark.parametrize(
    ("group", "command"),
    [
        ("QS/0 KS/0 AS/0", "play 2H right 1"),
        ("QS/0 KS/0 AS/0", "play JK right 1"),
        ("AS/0 2S/0", "play KH left 1"),
        ("AS/0 2S/0", "play JK left 1"),
        ("KS/0 JK/0", "play 2H right 1"),
        ("JK/0 2S/0", "play KH left 1"),
        ("JK/0 2S/0", "play JK left 1"),
    ],
)
def test_no_group_goes_past_an_ace(group: str, command: str) -> None:
    assert refused(board(f"1: {group}", hands=["2H JK KH", "2D"]), command) == "not_a_sequence"


def test_a_single_ace_is_still_both_low_and_high() -> None:
    state = board("1: AS\n2: KD\n3: 2D", hands=["KC 2C JK", "2H"])

    for command in ("play KC left 1", "play 2C right 1", "merge 1 3", "merge 2 1"):
        assert legal(state, command)
    for command in ("play KC right 1", "play 2C left 1", "merge 3 1", "merge 1 2"):
        assert refused(state, command) == "not_a_sequence"
    assert legal(state, "play JK left 1")
    assert legal(state, "play JK right 1")


def test_a_joker_takes_the_rank_its_place_gives_it() -> None:
    state = board("1: 5S/0 JK/0", hands=["7D 6D", "2C"])

    assert refused(state, "play 6D right 1") == "not_a_sequence"
    assert legal(state, "play 7D right 1")


def test_the_source_with_two_jokers_before_an_8_they_are_6_and_7() -> None:
    state = board("1: JK/0 JK/0", hands=["8S 5D", "6C 7C"])
    do(state, "play 8S right 1", "end")

    assert refused(state, "replace 1 0 7C") == "wrong_rank"
    assert legal(state, "replace 1 0 6C")
    assert legal(state, "replace 1 1 7C")


def test_the_source_with_a_joker_before_a_5_it_is_4() -> None:
    state = board("1: JK/0 5S/0 6S/0", hands=["4D 3D", "2C"])

    assert refused(state, "play 4D left 1") == "not_a_sequence"
    assert legal(state, "play 3D left 1")
    assert legal(state, "replace 1 0 4D")


def test_two_jokers_go_before_and_after_only_what_leaves_room_for_them() -> None:
    state = board("1: JK/0 JK/0", hands=["KC QC AC 2C 3C", "2D"])

    assert refused(state, "play KC left 1") == "not_a_sequence"
    assert legal(state, "play QC left 1")
    assert legal(state, "play AC left 1")
    assert refused(state, "play 2C right 1") == "not_a_sequence"
    assert legal(state, "play 3C right 1")
    assert legal(state, "play AC right 1")


def test_two_single_jokers_make_a_group_without_ranks() -> None:
    state = board("1: JK", hands=["JK", "2C AC"])
    do(state, "play JK left 1", "end")

    assert table(state) == "1: JK/0 JK/0"
    assert refused(state, "replace 1 0 2C") == "joker_without_rank"
    assert refused(state, "replace 1 1 AC") == "joker_without_rank"


def test_a_group_has_at_most_13_cards_and_at_13_nothing_can_be_added() -> None:
    state = board(f"1: {owned(CLUBS_2_TO_KING)}", hands=["AC AD JK", "2D"])
    assert legal(state, "play AC left 1")
    do(state, "play AD right 1")

    assert refused(state, "play AC left 1") == "group_full"
    assert refused(state, "play JK right 1") == "group_full"


def test_at_13_cards_can_still_be_replaced() -> None:
    state = board(f"1: AD/0 {owned(CLUBS_2_TO_KING)}", hands=["AC", "2D"])

    assert legal(state, "replace 1 0 AC")


def test_a_merge_may_make_13_cards_but_not_14() -> None:
    six, seven, eight = "AC 2C 3C 4C 5C 6C", "7D 8D 9D 10D JD QD KD", "7H 8H 9H 10H JH QH KH AH"
    state = board(f"1: {owned(six)}\n2: {owned(seven)}\n3: {owned(eight)}", hands=["2H", "3H"])

    assert refused(state, "merge 1 3") == "group_full"
    assert legal(state, "merge 1 2")


def test_groups_merge_only_where_ranks_go_on() -> None:
    state = board("1: 3C/0 4C/0\n2: 5D/1 6D/1\n3: 7H\n4: 6S", hands=["2C", "2D"])

    assert refused(state, "merge 2 1") == "not_a_sequence"
    assert refused(state, "merge 1 3") == "not_a_sequence"
    assert refused(state, "merge 1 4") == "not_a_sequence"
    do(state, "merge 1 2", "merge 1 3")
    assert table(state) == rows("""
        1: 3C/0 4C/0 5D/1 6D/1 7H/0
        4: 6S
    """)


def test_a_group_never_splits_whatever_is_done() -> None:
    state = board("1: 5S/0 6S/0\n2: 4D", hands=["7S 3H 9C", "2C"])

    for each in state.legal_moves().moves:
        after = state.clone()
        after.apply(each)
        assert any("5S/0 6S/0" in line for line in table(after).splitlines())
