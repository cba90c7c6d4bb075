"""What a line may be at the end of a turn, and what it is worth."""

import pytest

from harbourmaster_engine.anchor.melds import KIND, OPEN, SET
from support.anchor_boards import cards, code, do, position, text

RUN = "7,7: [AS] 5H 6H 7H\n"


def kind(names: str) -> int:
    """Return the kind of the line of *names*: 0 none, 1 open, 2 a set, else a run's length."""
    return KIND.get(bytes(card + 1 for card in cards(names)), 0)


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("5H 6H 7H", 3),
        ("7H 6H 5H", 3),
        ("5H 6H 7H 8H 9H", 5),
        ("5H 6H 7H 8H 9H 10H", 0),
        ("AD 2D 3D", 3),
        ("3D 2D AD", 3),
        ("QD KD AD", 0),
        ("KD AD 2D", 0),
        ("5H 7H 6H", 0),
        ("5H 6D 7H", 0),
        ("10C JC QC KC", 4),
    ],
)
def test_a_run_is_three_to_five_of_one_suit_rising_or_falling_by_one(
    names: str, wanted: int
) -> None:
    assert kind(names) == wanted


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("9H 9S 9C", SET),
        ("9H 9S 9C 9D", SET),
        ("9H 9S 9H", 0),
        ("9H 9S 10C", 0),
        ("9H 9S 9C 9D JK", 0),
        ("AD AC AH", SET),
    ],
)
def test_a_set_is_three_or_four_of_one_rank_in_different_suits(names: str, wanted: int) -> None:
    assert kind(names) == wanted


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("5H 6H", OPEN),
        ("6H 5H", OPEN),
        ("5H 5S", OPEN),
        ("QH KH", OPEN),
        ("AH 2H", OPEN),
        ("KH AH", 0),
        ("5H 5H", 0),
        ("5H 7H", 0),
        ("5H 6S", 0),
        ("5H JK", OPEN),
        ("JK JK", OPEN),
    ],
)
def test_an_open_meld_is_two_cards_that_some_card_could_complete(names: str, wanted: int) -> None:
    assert kind(names) == wanted


@pytest.mark.parametrize(
    ("names", "wanted"),
    [
        ("5H JK 7H", 3),
        ("5H JK 5S", SET),
        ("JK 2H 3H", 3),
        ("JK KH JK", SET),
        ("JK JK KH", 3),
        ("JK JK 5H", 3),
        ("JK JK JK", 3),
        ("JK JK JK JK JK", 5),
        ("5H JK 5S JK", SET),
        ("5H JK 8H", 0),
        ("KH JK AH", 0),
        ("9H JK JK JK KH", 5),
        ("9H 9S JK JK JK", 0),
    ],
)
def test_a_joker_stands_for_whatever_its_line_needs_and_a_run_comes_first(
    names: str, wanted: int
) -> None:
    assert kind(names) == wanted


def test_a_joker_is_judged_for_each_line_by_itself() -> None:
    state = position("7,7: [AS] 5H JK 7H\n0: 9C 9S")
    do(state, "play 5,9 v 9S 9C")  # Nines down, the six of hearts across.

    assert state.scores == (36, 0)


def test_a_line_is_unbroken_and_an_anchor_is_a_wall() -> None:
    state = position(RUN + "0: 8H 9H 10H")
    do(state, "play 7,4 > 10H 9H 8H")  # Two runs on the anchor's two sides.

    assert state.view(0).longest_runs == (3, 0)


@pytest.mark.parametrize(
    "command",
    [
        "play 7,8 > 5H",
        "play 7,8 > 5H 6H",
        "play 6,6 > 5H 6H 7H",
        "play 6,7 v 5H",
        "play 4,7 v 9C 9D JS",
    ],
)
def test_a_line_that_touches_an_anchor_must_be_complete(command: str) -> None:
    state = position("7,7: [AS]\n0: 5H 6H 7H 9C 9D JS")

    assert code(state, command) == "anchor_line"


def test_a_card_beside_an_anchor_must_be_complete_in_that_direction() -> None:
    state = position("7,7: [AS] 5H 6H 7H\n8,6: 4C 5C 6C\n0: 7C")

    assert code(state, "play 8,9 > 7C") == "bad_line"
    state = position("6,6: 4C 5C 6C\n7,7: [AS]\n0: 3C JK")
    # Row 7, column 6 is in an open line down, and bare beside the anchor.
    assert text(state, "play 7,6 v JK") == (
        "row 7, column 6 (JK) touches an anchor and is not a complete meld"
    )


def test_a_bare_card_and_an_open_meld_are_fine_away_from_anchors() -> None:
    state = position(RUN + "0: 6S 2C")

    assert code(state, "play 6,9 > 6S") == ""
    assert text(state, "play 6,9 > 2C") == "column 9, rows 6-7 (2C 6H) is no meld"


def test_the_open_melds_of_the_turn_are_counted_against_the_limit() -> None:
    two = "play 6,9 > 6S + 8,10 > 7C"
    text_of = RUN + "0: 6S 7C 7S"
    assert code(position(text_of), two) == ""
    assert code(position(text_of, options={"open_meld_limit": 1}), two) == "too_many_open"
    assert code(position(text_of), "play 6,9 > 6S 7S") == "too_many_open"


def test_open_melds_already_out_do_not_count() -> None:
    state = position(RUN + "6,10: 7S\n0: 6C", options={"open_meld_limit": 1})

    assert code(state, "play 8,9 > 6C") == ""


def test_e13_a_card_in_two_melds_scores_once_and_adding_completes_nothing_new() -> None:
    state = position(RUN + "0: 8H 8S 8C")
    do(state, "play 7,11 v 8H 8S 8C")

    assert state.scores == (48, 0)
    assert state.view(0).completed_melds == (1, 0)
    assert state.view(0).longest_runs == (4, 0)


def test_a_loose_card_jokers_and_cards_already_out_score_nothing() -> None:
    state = position(RUN + "0: JK 6S")
    do(state, "play 7,11 > JK + 6,9 > 6S")

    assert state.scores == (0, 0)


def test_the_multipliers_and_values_are_options() -> None:
    options = {"meld_multiplier": 3, "loose_multiplier": 1, "card_values": {"8": 50, "6": 7}}
    state = position(RUN + "0: 8H 6S", options=options)
    do(state, "play 7,11 > 8H + 6,9 > 6S")

    assert state.scores == (157, 0)


def test_an_open_meld_that_is_finished_counts_as_completed() -> None:
    state = position(RUN + "6,9: 6S\n0: 6C")
    do(state, "play 8,9 > 6C")

    assert state.view(0).completed_melds == (1, 0)


def test_two_parts_that_are_joined_complete_a_meld_only_if_none_was_complete() -> None:
    state = position("7,7: [AS]\n3,2: 5H 6H . 8H\n0: 7H")
    do(state, "play 3,4 > 7H")
    assert state.view(0).completed_melds == (1, 0)
    state = position("7,7: [AS]\n3,2: 5H 6H 7H . 9H\n0: 8H")
    do(state, "play 3,5 > 8H")

    assert state.view(0).completed_melds == (0, 0)
    assert state.view(0).longest_runs == (5, 0)
