"""Anchorline: lines, what they score, what leaves the table, and where it goes."""

import pytest

from harbourmaster_engine.anchorline import (
    CardPlaced,
    CardShifted,
    CoinReturned,
    LinesScored,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from harbourmaster_engine.chance import Stream
from support.anchorline import SEED, board, shows, stacks_of

GULLS = ("G4", "G3", "G2", "G1")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("##* . S2", (1, 0)),
        ("S1 ##* .", (1, 0)),
        (".\n##*\nS1", (0, 1)),
        ("S2\n.\n##*", (0, 1)),
        (". . S2\n. . .\n##* . .", (1, 1)),
        ("S1 . .\n. ##* .\n. . .", (1, -1)),
        (". . .\n. ##* .\nS1 . .", (1, 1)),
        ("##* . .\n. . .\n. . S1", (1, -1)),
    ],
)
def test_three_in_a_row_column_or_diagonal_with_the_anchor_score_one(
    text: str, cell: tuple[int, int]
) -> None:
    state = board(text, (("S4", "S3"), GULLS))
    state.apply(Place(cell))
    assert state.scores == (1, 0)


def test_three_own_cards_without_the_anchor_score_one() -> None:
    state = board("S1 S2*\n. ##", (("S4",), GULLS), {"card_arrows": [[], ["E"], [], []]})
    state.apply(Place((1, 1)))
    assert state.scores == (1, 0)


def test_two_in_a_row_are_no_line() -> None:
    state = board("##*", (("S1",), GULLS))
    state.apply(Place((1, 0)))
    assert state.scores == (0, 0)
    assert shows(state, "## S1*")


def test_four_score_two() -> None:
    state = board("S1 ##* . S2", (("S3",), GULLS))
    state.apply(Place((1, 0)))
    assert state.scores == (2, 0)


def test_five_score_five_and_win() -> None:
    state = board("S4 S1 ##* . S2", (("S3",), GULLS))
    state.apply(Place((1, 0)))
    assert state.scores == (5, 0)
    assert state.to_move is None


def test_an_opponents_card_breaks_a_line() -> None:
    state = board("S1 G1 ##* .", (("S3",), GULLS[:3]))
    state.apply(Place((1, 0)))
    assert state.scores == (0, 0)


def test_a_gap_breaks_a_line() -> None:
    state = board("S1 . ##* .\n. S2 . .", (("S3",), GULLS))
    state.apply(Place((1, 0)))
    assert state.scores == (0, 0)


def test_the_opponents_line_is_not_ones_own() -> None:
    state = board("G1 ##* .", (("S3",), GULLS[:3]))
    state.apply(Place((1, 0)))
    assert state.scores == (0, 0)


def test_only_lines_through_the_card_placed_score() -> None:
    state = board("S1 S2 ##* .\n", (("S3",), GULLS))
    state.apply(Place((0, 1)))
    assert state.scores == (0, 0)
    assert shows(state, ". . S3*\nS1 S2 ##")


def test_e13_several_lines_all_score() -> None:
    state = board("S1 ##* . \n. . S2\n. . S4", (("S3",), GULLS))
    state.apply(Place((1, 0)))
    assert state.scores == (2, 0)
    assert shows(state, "##*")


def test_a_moved_card_makes_lines_too() -> None:
    state = board("S1 ##* .\n. S2 .", ((), GULLS))
    state.apply(Shift((0, -1), (1, 0)))
    assert state.scores == (1, 0)
    assert shows(state, "##*")


def test_the_own_cards_in_the_line_leave_and_the_anchor_stays() -> None:
    state = board("G1 . .\nS1 ##* .\nS2 . .", (("S4", "S3"), GULLS[:3]))
    state.apply(Place((1, 0)))
    assert shows(state, "G1 .\n. ##*\nS2 .")


def test_cards_of_either_side_that_are_no_longer_connected_leave_too() -> None:
    state = board(". . . G1\n## S1* . S3", (("S4",), GULLS[:3]))
    state.apply(Place((2, 0)))
    assert shows(state, "##*")
    assert sorted(stacks_of(state)[0]) == ["S1", "S3", "S4"]
    assert sorted(stacks_of(state)[1]) == ["G1", "G2", "G3", "G4"]


def test_cards_that_are_connected_another_way_stay() -> None:
    state = board(". G1 G2\n## S1* .", (("S4", "S3"), GULLS[:2]))
    state.apply(Place((2, 0)))
    assert shows(state, ". G1 G2\n##* . .")


def test_the_coin_goes_to_the_anchor_after_a_line() -> None:
    state = board("## S1* .", (("S4", "S3"), GULLS))
    state.apply(Place((2, 0)))
    assert state.view(0).coin == (0, 0)


def test_cards_go_back_under_their_stack_shuffled_in_the_order_of_their_numbers() -> None:
    """Seat 0's cards are shuffled first, and the last one comes to lie uppermost of them."""
    state = board(". . G2 G3\n## S3* . S1", (("S4", "S2"), ("G4", "G1")))
    state.apply(Place((2, 0)))
    stream = Stream.for_round(SEED, 1)
    seals, gulls = ["S1", "S2", "S3"], ["G2", "G3"]
    stream.shuffle(seals)
    stream.shuffle(gulls)
    assert stacks_of(state) == [[*seals, "S4"], [*gulls, "G4", "G1"]]


def test_one_card_that_goes_back_needs_no_chance() -> None:
    state = board("G1 ##* .", ((), ("G4", "G2")), turn=1)
    state.apply(Place((1, 0)))
    again = board("##*", ((), ("G4", "G2")), turn=1)
    assert again.view(0).stack_counts == (0, 2)
    assert stacks_of(state)[1][-1] == "G4"
    assert sorted(stacks_of(state)[1]) == ["G1", "G2", "G4"]


def test_the_events_say_what_happened() -> None:
    state = board(". . G1\n## S1* .", (("S4", "S3"), ("G2",)))
    assert state.apply(Place((2, 0))) == (
        CardPlaced(0, 3, (2, 0)),
        TopTurned(0, 4),
        LinesScored(0, (3,), 1, ((2, 0), (1, 0), (2, 1))),
    )


def test_a_stack_that_was_empty_shows_its_new_top() -> None:
    state = board("S1 ##* .\n. S2 .", ((), GULLS))
    events = state.apply(Shift((0, -1), (1, 0)))
    top = state.view(1).tops[0]
    assert top is not None
    assert events == (
        CardShifted(0, 2, (0, -1), (1, 0)),
        LinesScored(0, (3,), 1, ((1, 0), (-1, 0))),
        TopTurned(0, top),
    )


def test_the_last_card_of_a_stack_leaves_it_empty() -> None:
    state = board("##*", (("S4",), GULLS))
    assert state.apply(Place((0, 1))) == (CardPlaced(0, 4, (0, 1)), TopTurned(0, None))
    assert state.view(1).tops == (None, 5)


def test_a_returned_coin_is_an_event() -> None:
    state = board("##*", (("S4",), GULLS), {"anchor_arrows": []})
    assert state.apply(ReturnCoin()) == (CoinReturned(0),)
