"""Tide: runs, sets, jokers in them, and legal tables."""

import pytest

from harbourmaster_engine.tide.lines import LEGAL_LINES, MELDS
from support.tide_boards import RUN, code_of, position, refusal_of, table_of

EVERYTHING = "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC AD 2D 3D 4D 5D KD 9H 9D 9S 9S 8H 7H JK JK"


def code_of_line(line: str) -> str | None:
    """Return how a table of one line is refused to a seat that holds all it needs."""
    return code_of(position(hands=[EVERYTHING, "KS"]), line)


@pytest.mark.parametrize(
    "line",
    [
        "AC 2C 3C",
        "3C 2C AC",
        "JC QC KC",
        "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC",
        "KC QC JC 10C 9C 8C 7C 6C 5C 4C 3C 2C AC",
    ],
)
def test_a_run_is_three_to_thirteen_cards_of_one_suit_that_rise_or_fall_by_one(line: str) -> None:
    assert code_of_line(line) is None
    assert code_of_line(line.replace(" ", "\n")) is None


@pytest.mark.parametrize("line", ["QC KC AC", "KC AC 2C", "2C AC KC"])
def test_the_ace_is_low_only(line: str) -> None:
    assert code_of_line(line) == "bad_line"


@pytest.mark.parametrize("line", ["2C 3C 5C", "3C 4C 3C", "2C 3C 4D", "AC 3C 5C", "AD KC QC"])
def test_ranks_of_a_run_rise_or_fall_by_one_each_in_one_suit(line: str) -> None:
    state = position(hands=["AC 2C 3C 3C 4C 5C 4D AD QC KC", "KS"])
    assert code_of(state, line) == "bad_line"


@pytest.mark.parametrize("line", ["9H 9D 9S", "9S 9H 9C", "9H 9D 9S 9C"])
def test_a_set_is_three_or_four_cards_of_one_rank_with_different_suits(line: str) -> None:
    assert code_of_line(line) is None


@pytest.mark.parametrize("line", ["9H 9S 9S", "9H 9D 9S 9S", "9H 9D 9S 9C 9S"])
def test_e34_two_copies_of_one_suit_are_refused_in_a_set(line: str) -> None:
    assert code_of_line(line) == "bad_line"


@pytest.mark.parametrize("line", ["JK 2C 3C", "2C JK 4C", "JC QC JK", "9H JK 9S 9C"])
def test_a_meld_may_have_one_joker(line: str) -> None:
    if line == "JC QC JK":
        assert code_of_line(line) is None
        assert code_of_line("QC KC JK") == "bad_line"
    else:
        assert code_of_line(line) is None


@pytest.mark.parametrize("line", ["JK 2C JK", "JK 2C 3C 4C JK", "9H JK 9S JK"])
def test_a_meld_has_at_most_one_joker(line: str) -> None:
    assert code_of_line(line) == "two_jokers"


def test_a_joker_has_no_place_beyond_ace_and_king() -> None:
    assert code_of_line("JK AC 2C") == "bad_line"
    assert code_of_line("AC 2C JK") is None
    assert code_of_line("QC KC JK") == "bad_line"
    assert code_of_line("9H 9D 9S 9C JK") == "bad_line"


def test_the_known_melds_are_as_many_as_there_are() -> None:
    """Runs: of every length and low rank, 4 suits, both ways. Sets: all orders of 3 or 4 suits.

    With a joker: in each place of every run; beside each order of 2 suits in 3 places, and of 3
    suits in 4 places.
    """
    runs = {length: 4 * 2 * (14 - length) for length in range(3, 14)}
    natural = sum(runs.values()) + 13 * (24 + 24)
    wild = sum(length * number for length, number in runs.items()) + 13 * (3 * 12 + 4 * 24)

    assert sum(mask == 0 for mask in MELDS.values()) == natural
    assert len(MELDS) == natural + wild
    assert len(LEGAL_LINES) == len(MELDS) + 53


def test_only_a_three_card_set_leaves_its_joker_two_cards() -> None:
    for line, mask in MELDS.items():
        if mask.bit_count() == 2:
            assert len(line) == 3
        else:
            assert mask.bit_count() <= 1


def test_a_line_is_a_longest_unbroken_row_or_column() -> None:
    state = position(RUN, hands=["6S 7S 8S", "KS"])

    assert code_of(state, "3S 4S 5S 6S 7S 8S") is None
    assert code_of(state, "3S 4S 5S . 6S 7S 8S") is None
    assert code_of(state, "6S 7S 8S 3S 4S 5S") == "bad_line"
    assert code_of(state, "3S 4S 5S", "3S 4S 5S\n6S 7S 8S") == "two_on_a_cell"
    assert code_of(state, "3S 4S 5S\n6S 7S 8S") == "bad_line"


def test_a_line_does_not_go_on_in_the_next_row_or_column() -> None:
    state = position(hands=["3S 4S 5S 6S 7S 8S", "KS"])

    assert code_of(state, (0, 23, "3S 4S 5S"), (1, 0, "6S 7S 8S")) is None
    assert code_of(state, (23, 0, "3S\n4S\n5S"), (0, 1, "6S\n7S\n8S")) is None
    assert code_of(state, (23, 25, "3S\n4S\n5S"), (0, 0, "6S\n7S\n8S")) is None


def test_every_line_is_a_meld_so_that_no_two_card_line_is_legal() -> None:
    state = position(RUN, hands=["3D 3H", "KS"])

    assert code_of(state, "3S 4S 5S\n3D") == "bad_line"
    assert code_of(state, "3S 4S 5S\n3D\n3H") is None


def test_every_card_is_in_at_least_one_meld() -> None:
    state = position(RUN, hands=["9C 6S", "KS"])

    assert code_of(state, RUN, (9, 9, "9C")) == "loose_card"
    assert code_of(state, "3S 4S 5S . 6S") == "loose_card"
    assert code_of(state, RUN, (4, 8, "6S")) == "loose_card"


def test_melds_may_cross_and_share_a_card() -> None:
    state = position(RUN, hands=["4D 4H 5D 5H", "KS"])

    assert code_of(state, "3S 4S 5S\n.  4D .\n.  4H .") is None
    crossed = (4, 5, ".  4D .\n3S 4S 5S\n.  4H .")
    assert code_of(state, crossed) is None


def test_melds_side_by_side_are_judged_both_ways() -> None:
    state = position(RUN, hands=["3D 4D 5D 3H 4H 5H", "KS"])

    assert code_of(state, "3S 4S 5S\n3D 4D 5D") == "bad_line"
    assert code_of(state, "3S 4S 5S\n3D 4D 5D\n3H 4H 5H") is None


def test_islands_are_fine() -> None:
    state = position(RUN, hands=["3D 4D 5D", "KS"])
    assert code_of(state, RUN, (20, 20, "3D 4D 5D")) is None


def test_the_sentence_names_the_line_at_fault() -> None:
    state = position(RUN, hands=["3D QC", "KS"])

    row = refusal_of(state, table_of(RUN, (7, 6, "QC 3D")))
    assert row.text == "row 7, columns 6-7 (QC 3D): two cards are not a meld"
    column = refusal_of(state, table_of("3S 4S 5S\n3D"))
    assert column.text == "column 5, rows 5-6 (3S 3D): two cards are not a meld"


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("2C 3C 5C", "its ranks do not rise or fall by one each from ace to king"),
        ("2C 3C 4D", "it is neither of one suit nor of one rank"),
        ("9H 9S 9S", "a set has no suit twice"),
        ("9H 9D 9S 9C JK", "a set has at most four cards"),
        ("AC JK 3C JK", "a meld has at most one joker"),
        ("JK AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC", "a run has at most thirteen cards"),
    ],
)
def test_the_sentence_says_what_is_wrong_with_the_line(line: str, fault: str) -> None:
    state = position(hands=[EVERYTHING, "KS"])
    assert refusal_of(state, table_of(line)).text.endswith(fault)
