"""Claim: ownership, worth and score, sentence by sentence."""

import pytest

from harbourmaster_engine.cards import RANK_NAMES, parse_card
from harbourmaster_engine.claim.groups import worth_of
from support.claim_boards import board, do, table


def worths(cards: str) -> list[int]:
    return list(worth_of([parse_card(card) for card in cards.split()]))


def test_a_single_belongs_to_nobody() -> None:
    state = board(hands=["5S", "2C"])
    do(state, "play 5S")

    assert table(state) == "1: 5S"
    assert state.view(0).worths == (0, 0)


@pytest.mark.parametrize("command", ["play 6H right 1", "merge 1 2"])
def test_a_single_that_becomes_part_of_a_group_belongs_to_the_seat_that_did_it(
    command: str,
) -> None:
    state = board("1: 5S\n2: 6D", hands=["2D", "6H"], turn=1)
    do(state, command)

    assert table(state).startswith("1: 5S/1 ")


def test_a_card_played_into_a_group_belongs_to_the_seat_that_played_it() -> None:
    state = board("1: 5S/1 6S/1", hands=["7H", "2C"])
    do(state, "play 7H right 1")

    assert table(state) == "1: 5S/1 6S/1 7H/0"


def test_a_replacement_belongs_to_the_seat_that_put_it_and_the_owner_loses_the_old_card() -> None:
    state = board("1: 5S/1 6H/1", hands=["6S", "2C"])
    assert state.view(0).worths == (0, 2)
    do(state, "replace 1 1 6S")

    assert table(state) == "1: 5S/1 6S/0"
    assert state.view(0).worths == (5, 5)


def test_merging_changes_no_other_ownership() -> None:
    state = board("1: 4H\n2: 5S/1 6H/0\n3: 7C/1 8C/1\n4: 9C", hands=["2C", "2D"])
    do(state, "merge 1 2", "merge 3 4", "merge 1 3")

    assert table(state) == "1: 4H/0 5S/1 6H/0 7C/1 8C/1 9C/0"


def test_e13_the_source_worths_of_5S_6S_7C_8H() -> None:
    assert worths("5S 6S 7C 8H") == [5, 7, 3, 1]


@pytest.mark.parametrize(
    ("cards", "worth"),
    [
        ("5S 6S", 5),
        ("5H 6H", 5),
        ("5S 6C", 2),
        ("5D 6H", 2),
        ("5S 6H", 1),
        ("5C 6D", 1),
        ("5S JK", 0),
    ],
)
def test_same_suit_5_same_colour_2_other_colour_1_a_joker_nothing(cards: str, worth: int) -> None:
    assert worths(cards) == [worth, worth]


def test_a_joker_gives_nothing_and_is_worth_0() -> None:
    assert worths("5S JK 7S 8S") == [0, 0, 5, 5]


def test_a_card_is_worth_10_at_most() -> None:
    assert worths("5S 6S 7S") == [5, 10, 5]


def test_in_a_group_of_13_the_two_ends_are_neighbours_too() -> None:
    twelve = "2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS"

    assert worths(f"AS {twelve}") == [10] * 13
    assert worths(f"{twelve} AC") == [7, *[10] * 10, 7, 4]
    assert worths(twelve) == [5, *[10] * 10, 5]


def test_the_thirteenth_card_makes_the_ends_neighbours() -> None:
    twelve = "2S/1 3S/1 4S/1 5S/1 6S/1 7S/1 8S/1 9S/1 10S/1 JS/1 QS/1 KS/1"
    state = board(f"1: {twelve}", hands=["AS", "2C"])
    assert state.view(0).worths == (0, 110)
    do(state, "play AS right 1")

    assert state.view(0).worths == (10, 120)


@pytest.mark.parametrize(("place", "card", "after"), [(0, "AS", (10, 120)), (12, "KC", (4, 114))])
def test_a_replacement_at_an_end_of_13_counts_the_other_end(
    place: int, card: str, after: tuple[int, int]
) -> None:
    cards = [f"{rank}S" for rank in RANK_NAMES]
    cards[place] = "AC" if place == 0 else "KD"
    state = board(f"1: {' '.join(f'{each}/1' for each in cards)}", hands=[card, "2C"])
    do(state, f"replace 1 {place} {card}")

    assert state.view(0).worths == after


def test_the_score_is_worth_plus_40_for_each_joker_minus_5_for_each_card_left() -> None:
    state = board(
        "1: 5S/0 JK/0 7S/1 8S/1\n2: JK/1 9H/1 10H/0",
        hands=["2C 3C", "2D"],
        decks=["4C", "4D 5D"],
    )

    assert state.view(0).worths == (5, 5 + 5 + 5)
    assert state.view(0).jokers == (1, 1)
    assert state.scores == (5 + 40 - 15, 15 + 40 - 15)


def test_a_joker_that_is_a_single_is_nobodys() -> None:
    state = board(hands=["JK", "2C 5H"])
    do(state, "play JK", "end")
    assert state.view(0).jokers == (0, 0)

    do(state, "play 5H right 1")
    assert state.view(0).jokers == (0, 1)


def test_an_owned_joker_that_is_replaced_counts_for_nobody() -> None:
    state = board("1: JK/1 7C/1", hands=["6C", "2C"])
    do(state, "replace 1 0 6C")

    assert state.view(0).jokers == (0, 0)
    assert state.scores == (5 - 5, 5 - 5)


def test_the_highest_score_wins_and_equal_scores_share_the_place() -> None:
    state = board("1: 7C/2 8C/2", hands=["2C", "2D", "2H"], options={"idle_turns": 1})
    do(state, "end")
    outcome = state.outcome()

    assert outcome is not None
    assert outcome.scores == (-5, -5, 5)
    assert outcome.placements == (2, 2, 1)


def test_e32_the_seat_that_ends_the_match_is_not_the_winner_for_it() -> None:
    state = board("1: 7C/1 8C/1", hands=["5S", "2C"], decks=["", "3C"])
    do(state, "play 5S", "end", "end")
    outcome = state.outcome()

    assert outcome is not None
    assert outcome.scores == (0, 0)
    assert outcome.placements == (1, 1)
