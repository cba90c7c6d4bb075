"""Tide: what a turn may be."""

import pytest

from harbourmaster_engine.game import IllegalMove
from harbourmaster_engine.notation import try_step
from harbourmaster_engine.tide import (
    GAME,
    CardDrawn,
    Draw,
    Pass,
    Passed,
    Rearrange,
    TableRearranged,
)
from support.tide_boards import (
    RUN,
    cards,
    code_of,
    hand,
    lay,
    placed,
    position,
    refusal_of,
    shown,
    table_of,
)

NEW = (9, 9, "8D 9D 10D")


def test_a_card_is_added_at_either_end_of_a_run() -> None:
    state = position(RUN, hands=["2S 6S 9C", "KS"])
    lay(state, (5, 4, "2S 3S 4S 5S 6S"))

    assert hand(state, 0) == "9C"
    assert (state.to_move, state.turns) == (1, 1)


def test_the_whole_table_may_be_moved() -> None:
    state = position(RUN, hands=["6S 7S", "KS"])
    lay(state, (20, 2, "6S\n5S\n4S\n3S"))

    assert shown(state) == {(20, 2): "6S", (21, 2): "5S", (22, 2): "4S", (23, 2): "3S"}


def test_melds_are_split_and_recombined() -> None:
    state = position("3S 4S 5S 6S 7S", hands=["5S 7H 7D 2C", "KS"])

    lay(state, "3S 4S 5S 6S", (9, 1, "7S 7H 7D"))
    assert hand(state, 0) == "2C 5S"


def test_a_run_is_split_by_a_second_copy_of_its_middle_card() -> None:
    state = position("3S 4S 5S 6S 7S", hands=["5S 2C", "KS"])
    lay(state, "3S 4S 5S", (9, 1, "5S 6S 7S"))

    assert hand(state, 0) == "2C"


def test_a_card_that_somebody_else_played_may_be_used() -> None:
    state = position(hands=["8D 9D 10D 2C", "JD QD 2D"])
    lay(state, "8D 9D 10D")
    lay(state, "8D 9D 10D JD QD")

    assert hand(state, 1) == "2D"


def test_every_card_that_was_on_the_table_stays_on_it() -> None:
    state = position("3S 4S 5S 6S", hands=["7S 8D 9D 10D", "KS"])

    refusal = refusal_of(state, table_of("4S 5S 6S 7S"))
    assert refusal.code == "card_missing"
    assert refusal.text.startswith("3S was on the table")
    assert code_of(state, (9, 9, "8D 9D 10D")) == "card_missing"


def test_cards_on_the_table_are_a_multiset() -> None:
    state = position("3S 4S 5S\n.\n3S 4S 5S", hands=["6S 6S", "KS"])

    assert code_of(state, "3S 4S 5S 6S") == "card_missing"
    assert code_of(state, (2, 2, "3S 4S 5S 6S"), (4, 2, "3S 4S 5S")) is None


def test_at_least_one_card_is_added() -> None:
    state = position(RUN, hands=["6S", "KS"])

    assert code_of(state, RUN) == "nothing_added"
    assert code_of(state, (9, 9, RUN)) == "nothing_added"
    assert code_of(position(hands=["6S", "KS"])) == "nothing_added"


def test_all_added_cards_come_from_the_own_hand() -> None:
    state = position(RUN, hands=["6S 7S", "2S"])

    refusal = refusal_of(state, table_of((5, 4, "2S 3S 4S 5S 6S")))
    assert refusal.code == "not_held"
    assert refusal.text == "2S was added 1 times, and you hold 0"


def test_a_card_held_once_is_not_added_twice() -> None:
    state = position(RUN, hands=["6S 6H 6D 7S", "KS"])

    assert code_of(state, "3S 4S 5S 6S", (9, 9, "6S 6H 6D")) == "not_held"
    assert code_of(state, "3S 4S 5S 6S JK") == "not_held"


def test_no_two_cards_share_a_cell() -> None:
    state = position(RUN, hands=["6S", "KS"])

    refusal = refusal_of(state, table_of(RUN, (5, 7, "6S")))
    assert refusal.code == "two_on_a_cell"
    assert refusal.text == "5S and 6S share the cell (5, 7)"


@pytest.mark.parametrize("cell", [-1, 676, 10**100])
def test_all_cells_are_on_the_table(cell: int) -> None:
    state = position(RUN, hands=["6S", "KS"])
    move = table_of(RUN)
    refusal = refusal_of(state, Rearrange((*move.cells, cell), (*move.cards, 44)))

    assert refusal.code == "off_table"
    assert len(refusal.text) < 200


@pytest.mark.parametrize(
    "cell", [[5, 26], [26, 5], [-1, 5], [5, -1], [5], "5", [5.0, 5], [True, 5]]
)
def test_the_notation_knows_only_cells_of_the_table(cell: object) -> None:
    state = position(RUN, hands=["6S", "KS"])
    step = {"seat": 0, "move": {"rearrange": [*placed(RUN), {"cell": cell, "card": "6S"}]}}

    assert try_step(GAME, state, step) is not None


def test_the_cells_of_the_corners_are_on_the_table() -> None:
    state = position(hands=["AS 2S 3S AH 2H 3H AD 2D 3D AC 2C 3C", "KS"])
    corners = [
        (0, 0, "AS 2S 3S"),
        (0, 25, "AH\n2H\n3H"),
        (25, 23, "AD 2D 3D"),
        (23, 0, "AC\n2C\n3C"),
    ]

    assert code_of(state, *corners) is None


def test_the_table_need_not_be_listed_in_any_order() -> None:
    state = position(RUN, hands=["6S", "KS"])
    move = table_of("3S 4S 5S 6S")

    assert state.check(Rearrange(move.cells[::-1], move.cards[::-1])) is None


def test_a_draw_takes_the_top_card_and_ends_the_turn() -> None:
    state = position(RUN, hands=["6S", "KS"], pile="2C 9S KC")

    assert state.apply(Draw()) == (CardDrawn(0),)
    assert hand(state, 0) == "KC 6S"
    assert state.view(1).pile_count == 2
    assert state.to_move == 1


def test_a_draw_from_an_empty_pile_is_illegal() -> None:
    assert refusal_of(position(RUN, pile=""), Draw()).code == "pile_empty"


def test_a_pass_is_legal_only_with_an_empty_pile() -> None:
    state = position(RUN, pile="2C")
    refusal = refusal_of(state, Pass())
    assert refusal.code == "pile_not_empty"
    assert refusal.text == "the pile has 1 cards: rearrange or draw"

    assert position(RUN, pile="").apply(Pass()) == (Passed(0),)


def test_a_seat_may_pass_or_draw_although_it_could_lay_a_card() -> None:
    assert position(RUN, hands=["6S", "KS"], pile="").check(Pass()) is None
    assert position(RUN, hands=["6S", "KS"]).check(Draw()) is None


def test_a_seat_that_has_not_opened_may_draw_and_pass() -> None:
    assert position(opened=[]).check(Draw()) is None
    assert position(opened=[], pile="").check(Pass()) is None


def test_the_first_cards_of_a_round_are_worth_the_opening_minimum() -> None:
    state = position(RUN, hands=["8D 9D 10D 2H 2S 2C AH KC QC JC", "KS"], opened=[])

    refusal = refusal_of(state, table_of(RUN, NEW))
    assert refusal.code == "opening_too_small"
    assert refusal.text == "the new cards are worth 27: the first ones of a round take 30"
    assert code_of(state, RUN, NEW, (12, 1, "2H 2S 2C")) is None
    assert code_of(state, RUN, (9, 9, "JC QC KC")) is None


@pytest.mark.parametrize(("minimum", "code"), [(27, None), (28, "opening_too_small"), (0, None)])
def test_the_opening_minimum_is_an_option(minimum: int, code: str | None) -> None:
    state = position(hands=["8D 9D 10D", "KS"], opened=[], options={"opening_minimum": minimum})
    assert code_of(state, NEW) == code


def test_an_opening_counts_a_joker_as_what_it_stands_for() -> None:
    state = position(hands=["8D 8H JK JH KH", "KS"], opened=[])

    assert code_of(state, "8D 8H JK=8S") == "opening_too_small"
    assert code_of(state, "JH JK KH") is None


def test_an_opening_counts_the_ace_one_and_the_king_thirteen() -> None:
    state = position(hands=["AS AH AD KS KH KD", "2S"], opened=[], options={"opening_minimum": 40})

    assert code_of(state, "KS KH KD") == "opening_too_small"
    assert code_of(state, "KS KH KD", (9, 9, "AS AH AD")) is None


def test_before_opening_every_card_stays_where_it_is() -> None:
    state = position(RUN, hands=["QD QH QS", "KS"], opened=[False, True])
    queens = (10, 5, "QD QH QS")

    refusal = refusal_of(state, table_of((4, 5, RUN), queens))
    assert refusal.code == "moved_before_opening"
    assert refusal.text == "3S at (5, 5) must stay there until you have opened"
    assert code_of(state, "5S 4S 3S", queens) == "moved_before_opening"
    assert code_of(state, RUN, queens) is None


def test_before_opening_a_joker_that_is_out_stands_for_what_it_stood_for() -> None:
    state = position("3S 3H JK=3D", hands=["QD QH QS", "KS"], opened=[])
    queens = (10, 5, "QD QH QS")

    assert code_of(state, "3S 3H JK=3C", queens) == "joker_sits"
    assert code_of(state, "3S 3H JK", queens) is None


def test_before_opening_a_joker_that_is_out_is_not_exchanged_for_one_of_the_hand() -> None:
    state = position("3S JK=4S 5S", hands=["4S JK KD QD", "KS"], opened=[])

    assert code_of(state, "3S 4S 5S", (9, 9, "JK QD KD")) == "moved_before_opening"


def test_before_opening_no_new_card_lies_next_to_one_that_was_out() -> None:
    state = position(RUN, hands=["QD QH QS 6S 3D 3H", "KS"], opened=[])

    refusal = refusal_of(state, table_of("3S 4S 5S 6S", (10, 5, "QD QH QS")))
    assert refusal.code == "touches_before_opening"
    assert refusal.text == "6S at (5, 8) lies next to 5S, which was out before you opened"
    crossed = "3S 4S 5S\n3D\n3H"
    assert code_of(state, crossed, (10, 5, "QD QH QS")) == "touches_before_opening"


def test_before_opening_new_cards_may_touch_each_other_and_old_ones_diagonally() -> None:
    state = position(RUN, hands=["QD QH QS KS KH", "KS"], opened=[])

    assert code_of(state, RUN, (6, 8, "QD QH QS")) is None
    assert code_of(state, RUN, (9, 5, "QD QH QS\n. . KS")) == "bad_line"
    assert code_of(state, RUN, (9, 5, "QH\nQS\nQD"), (9, 6, "KH")) == "bad_line"


def test_an_opening_by_itself_may_be_several_melds_that_cross() -> None:
    state = position(RUN, hands=["QD QH QS KS JS", "KS"], opened=[])

    assert code_of(state, RUN, (9, 5, ". . JS\nQD QH QS\n. . KS")) is None


def test_once_it_has_opened_a_seat_rearranges_freely_for_the_rest_of_the_round() -> None:
    state = position(RUN, hands=["QD QH QS 6S 2S", "KS"], opened=[])
    lay(state, RUN, (10, 5, "QD QH QS"))
    state.apply(Draw())

    assert state.view(0).opened == (True, False)
    assert code_of(state, (20, 5, "2S 3S 4S 5S 6S"), (1, 1, "QD QH QS")) is None


def test_the_others_have_not_opened_by_that() -> None:
    state = position(hands=["QD QH QS 6S", "KS KH KD"], opened=[])
    lay(state, "QD QH QS")

    assert code_of(state, "QD QH QS\n. . KS") == "bad_line"
    assert code_of(state, (12, 5, "QD QH QS"), (1, 1, "KS KH KD")) == "moved_before_opening"


@pytest.mark.parametrize(
    "move",
    [
        None,
        "draw",
        Draw,
        ("draw",),
        Rearrange([], ()),  # type: ignore[arg-type]
        Rearrange((1, 2), (1,)),
        Rearrange((1,) * 107, (1,) * 107),
        Rearrange((True, 2, 3), (1, 2, 3)),
        Rearrange((1, 2, 3), (1, 2, 53)),
        Rearrange((1, 2, 3), (1, 2, -1)),
        Rearrange((1, 2, 3), (1, 2, 10**100)),
        Rearrange((1, 2, 3), (1, 2, None)),  # type: ignore[arg-type]
        Rearrange((1, 2, 3), (1, 2, 3), (1, 2)),  # type: ignore[arg-type]
        Rearrange((1, 2, 3), (1, 2, 3), ((1, 2, 3),)),  # type: ignore[arg-type]
        Rearrange(tuple(range(10_000)), tuple(range(10_000))),
    ],
)
def test_what_is_no_move_is_refused_as_malformed(move: object) -> None:
    state = position(RUN)

    assert refusal_of(state, move).code == "malformed"
    with pytest.raises(IllegalMove):
        state.apply(move)  # type: ignore[arg-type]


def test_e35_every_legal_rearrangement_keeps_the_cards_of_the_table_and_adds_those_played() -> None:
    state = position("3S 4S 5S 6S 7S", hands=["5S 7H 7D 2C", "KS"])
    before = sorted(state.view(0).cards)
    (event,) = lay(state, "3S 4S 5S 6S", (9, 1, "7S 7H 7D"))

    assert isinstance(event, TableRearranged)
    assert event.added == cards("7D 7H")
    assert sorted(state.view(0).cards) == sorted([*before, *event.added])


def test_e31_a_run_is_extended_twice_in_one_turn() -> None:
    state = position(RUN, hands=["6S 7S 2S AS", "KS"])

    assert code_of(state, (5, 3, "AS 2S 3S 4S 5S 6S 7S")) is None
