"""Tide: which card a joker is."""

import pytest

from harbourmaster_engine.tide import Rearrange, TableRearranged
from harbourmaster_engine.tide.moves import cell_at
from support.tide_boards import RUN, code_of, lay, position, refusal_of, shown, table_of

SET = "3S 3H JK=3D"
"""A set whose joker is the 3D; it might be the 3C as well."""


def test_in_a_run_the_joker_is_settled_by_its_place() -> None:
    state = position(hands=["5H JK 7H AH", "KS"])
    lay(state, "5H JK 7H")

    assert shown(state)[5, 6] == "JK=6H"


def test_in_a_set_of_four_the_joker_is_settled() -> None:
    state = position(hands=["5H 5C JK 5S AH", "KS"])
    lay(state, "5H 5C JK 5S")

    assert shown(state)[5, 7] == "JK=5D"


def test_a_set_of_three_needs_a_declaration() -> None:
    state = position(hands=["5H 5C JK AH", "KS"])

    refusal = refusal_of(state, table_of("5H 5C JK"))
    assert refusal.code == "joker_undeclared"
    assert refusal.text == "the joker at (5, 7) must be declared: its lines leave 5D or 5S"
    lay(state, "5H 5C JK=5S")
    assert shown(state)[5, 7] == "JK=5S"


@pytest.mark.parametrize("card", ["5H", "5C", "6D", "KS"])
def test_a_declaration_must_fit_its_line(card: str) -> None:
    state = position(hands=["5H 5C JK AH", "KS"])
    assert code_of(state, f"5H 5C JK={card}") == "joker_declaration"


def test_a_declaration_may_say_what_the_line_settles_anyway() -> None:
    state = position(hands=["5H JK 7H AH", "KS"])

    assert code_of(state, "5H JK=6H 7H") is None
    assert code_of(state, "5H JK=6D 7H") == "joker_declaration"


def test_a_crossing_line_may_settle_a_joker() -> None:
    state = position(hands=["9S 9H JK 10D JD AH", "KS"])
    lay(state, "9S 9H JK\n.  . 10D\n.  . JD")

    assert shown(state)[5, 7] == "JK=9D"


def test_two_sets_may_settle_a_joker_between_them() -> None:
    state = position(hands=["9S 9H JK 9H 9C AH", "KS"])
    lay(state, "9S 9H JK\n.  . 9H\n.  . 9C")

    assert shown(state)[5, 7] == "JK=9D"


def test_a_joker_is_the_same_card_for_both_of_its_lines() -> None:
    state = position(hands=["9S 9H 9C JK 10C JC AH", "KS"])
    code = code_of(state, "9S 9H 9C JK\n. . . 10C\n. . . JC")

    assert code == "joker_two_cards"


def test_a_declaration_must_fit_both_lines() -> None:
    state = position(hands=["9S 9H JK 9S 9C AH", "KS"])

    assert code_of(state, "9S 9H JK=9C\n. . 9S\n. . 9C") == "joker_declaration"
    assert code_of(state, "9S 9H JK=9D\n. . 9S\n. . 9C") is None


def test_a_declaration_on_a_natural_card_is_refused() -> None:
    state = position(RUN, hands=["6S AH", "KS"])
    move = table_of("3S 4S 5S 6S=6S")

    assert refusal_of(state, move).text == "6S at (5, 8) is no joker and is never declared"


def test_a_declaration_where_no_card_lies_is_refused() -> None:
    state = position(RUN, hands=["6S AH", "KS"])
    move = table_of("3S 4S 5S 6S")
    declared = Rearrange(move.cells, move.cards, ((cell_at(9, 9), 4),))

    assert refusal_of(state, declared).code == "joker_declaration"


def test_a_joker_is_declared_once_and_never_as_a_joker() -> None:
    state = position(hands=["5H JK 7H AH", "KS"])
    move = table_of("5H JK=6H 7H")
    twice = Rearrange(move.cells, move.cards, move.declared * 2)
    as_joker = Rearrange(move.cells, move.cards, ((move.declared[0][0], 52),))

    assert refusal_of(state, twice).code == "joker_declaration"
    assert refusal_of(state, as_joker).code == "joker_declaration"


def test_a_joker_that_sits_with_its_lines_unchanged_stays_what_it_was_unsaid() -> None:
    state = position(SET, hands=["10S JS QS AH", "KS"])
    lay(state, "3S 3H JK", (9, 1, "10S JS QS"))

    assert shown(state)[5, 7] == "JK=3D"


def test_a_joker_that_sits_may_be_said_to_be_what_it_is_but_nothing_else() -> None:
    state = position(SET, hands=["10S JS QS AH", "KS"])
    others = (9, 1, "10S JS QS")

    assert code_of(state, "3S 3H JK=3D", others) is None
    refusal = refusal_of(state, table_of("3S 3H JK=3C", others))
    assert refusal.code == "joker_sits"
    assert "(5, 7)" in refusal.text
    assert "stays 3D" in refusal.text


def test_a_card_added_to_its_line_frees_a_joker_that_sits() -> None:
    state = position(SET, hands=["3D 9C AH", "KS"])

    assert code_of(state, "3S 3H JK=3D 3D") == "joker_declaration"
    lay(state, "3S 3H JK 3D")
    assert shown(state)[5, 7] == "JK=3C"


def test_a_freed_joker_that_sits_stays_what_it_was_where_that_fits() -> None:
    state = position("3S 3H JK=3D 3C", hands=["2C 4C AH", "KS"])
    lay(state, "3S 3H JK", (9, 9, "2C 3C 4C"))

    assert shown(state)[5, 7] == "JK=3D"


def test_a_freed_joker_that_sits_may_be_declared_anew() -> None:
    state = position("3S 3H JK=3D 3C", hands=["2C 4C AH", "KS"])
    lay(state, "3S 3H JK=3C", (9, 9, "2C 3C 4C"))

    assert shown(state)[5, 7] == "JK=3C"


def test_a_line_that_comes_to_cross_it_frees_a_joker_too() -> None:
    state = position(SET, hands=["4C 5C KC AH", "KS"])

    assert code_of(state, "3S 3H JK\n. . 4C\n. . 5C") is None
    lay(state, "3S 3H JK=3C\n. . 4C\n. . 5C")
    assert shown(state)[5, 7] == "JK=3C"


def test_a_crossing_line_that_does_not_fit_what_it_was_settles_a_freed_joker() -> None:
    state = position(SET, hands=["4C 5C KC AH", "KS"])
    lay(state, "3S 3H JK\n. . 4C\n. . 5C")

    assert shown(state)[5, 7] == "JK=3C"


def test_a_line_whose_cards_changed_places_is_changed() -> None:
    state = position(SET, hands=["10S JS QS AH", "KS"])
    lay(state, "3H 3S JK=3C", (9, 1, "10S JS QS"))

    assert shown(state)[5, 7] == "JK=3C"


def test_a_joker_that_was_moved_may_be_declared_anew() -> None:
    state = position(SET, hands=["10S JS QS AH", "KS"])
    lay(state, (20, 5, "3S 3H JK=3C"), (9, 1, "10S JS QS"))

    assert shown(state)[20, 7] == "JK=3C"


def test_a_joker_that_was_moved_stays_undeclared_what_it_was_where_that_fits() -> None:
    state = position(SET, hands=["10S JS QS AH", "KS"])
    lay(state, (20, 5, "3S 3H JK"), (9, 1, "10S JS QS"))

    assert shown(state)[20, 7] == "JK=3D"


def test_a_joker_that_was_moved_undeclared_must_else_be_settled_by_its_lines() -> None:
    state = position(SET, hands=["3D 7S 7H 8C 10C AH", "KS"])

    assert code_of(state, "3S 3H 3D", (9, 1, "7S 7H JK")) == "joker_undeclared"
    lay(state, "3S 3H 3D", (9, 1, "8C JK 10C"))
    assert shown(state)[9, 2] == "JK=9C"


def test_two_jokers_that_moved_stay_undeclared_what_they_were_if_only_one_way_fits() -> None:
    state = position("3S 3H JK=3D\n.\n8S 8H JK=8C", hands=["10S JS QS AH", "KS"])
    run = (15, 1, "10S JS QS")
    lay(state, (20, 5, "8S 8H JK"), (22, 5, "3S 3H JK"), run)

    assert shown(state)[20, 7] == "JK=8C"
    assert shown(state)[22, 7] == "JK=3D"


def test_two_jokers_that_moved_must_be_declared_if_either_could_be_either() -> None:
    state = position("3S 3H JK=3D\n.\n3S 3H JK=3C", hands=["10S JS QS AH", "KS"])
    run = (15, 1, "10S JS QS")

    assert code_of(state, (20, 5, "3S 3H JK"), (22, 5, "3S 3H JK"), run) == "joker_undeclared"
    assert code_of(state, (20, 5, "3S 3H JK=3D"), (22, 5, "3S 3H JK=3D"), run) is None


def test_a_joker_from_the_hand_was_nothing_before() -> None:
    state = position(SET, hands=["8S 8H JK AH", "KS"])

    assert code_of(state, "3S 3H JK", (9, 1, "8S 8H JK")) == "joker_undeclared"
    lay(state, "3S 3H JK", (9, 1, "8S 8H JK=8D"))
    assert shown(state)[9, 3] == "JK=8D"


def test_a_joker_is_freed_by_a_natural_card_in_its_place() -> None:
    state = position("5S JK=6S 7S", hands=["6S QD KD 2C AH", "KS"])
    lay(state, "5S 6S 7S", (8, 1, "JK QD KD"))

    assert shown(state)[5, 6] == "6S"
    assert shown(state)[8, 1] == "JK=JD"


def test_e14_a_declared_joker_is_that_card_on_the_table_and_in_the_event() -> None:
    state = position(hands=["5H 5C JK 2D AH", "KS"])
    (event,) = lay(state, "5H 5C JK=5S")

    assert isinstance(event, TableRearranged)
    assert event.jokers == state.view(0).jokers == ((cell_at(5, 7), 43),)


def test_a_position_without_a_declaration_has_its_joker_settled_by_the_lines() -> None:
    assert shown(position("5S JK 7S"))[5, 6] == "JK=6S"
    with pytest.raises(ValueError, match="must be declared"):
        position("5S 5C JK")
