"""Claim: a turn and the end of the match, sentence by sentence."""

import pytest

from harbourmaster_engine.claim import (
    CardPlayed,
    CardReplaced,
    EndTurn,
    ItemsMerged,
    Play,
    Replace,
    Side,
    TurnEnded,
)
from harbourmaster_engine.game import IllegalMove
from support.claim_boards import board, do, hand, legal, refused, rows, table

EXAMPLE = "1: 5S/1 6S/1 7C/1 8H/1 9S/1"


def test_a_turn_holds_any_number_of_actions_then_end_turn() -> None:
    state = board(hands=["5S 6S 7S", "2C"])
    do(state, "play 5S", "play 6S right 1", "play 7S")
    assert (state.to_move, state.turns) == (0, 0)

    do(state, "end")
    assert (state.to_move, state.turns) == (1, 1)


def test_a_turn_may_hold_no_action() -> None:
    state = board()
    do(state, "end", "end")

    assert (state.to_move, state.turns) == (0, 2)


def test_a_card_is_played_as_a_new_single_or_to_either_end_of_a_single_or_group() -> None:
    state = board("1: 5S", hands=["4H 6H 7H 9H", "2C"])
    do(state, "play 9H", "play 6H right 1", "play 4H left 1", "play 7H right 1")

    assert table(state) == rows("""
        1: 4H/0 5S/0 6H/0 7H/0
        2: 9H
    """)


def test_only_a_card_in_the_own_hand_is_played() -> None:
    state = board("1: 5S", hands=["6H", "2C"], decks=["3D", ""])

    for command in ("play 2C", "play 3D", "play 5S", "play 4S left 1"):
        assert refused(state, command) == "not_held"


def test_a_card_leaves_the_hand_once() -> None:
    state = board("1: 5S/0 6S/0", hands=["7H", "2C"])
    do(state, "play 7H right 1")

    assert hand(state, 0) == ""
    assert refused(state, "play 7H") == "not_held"


def test_of_two_jokers_in_hand_each_is_played_by_itself() -> None:
    state = board(hands=["JK JK", "2C"])
    assert state.legal_moves().moves.count(Play(52)) == 1
    do(state, "play JK")

    assert hand(state, 0) == "JK"
    do(state, "play JK right 1")
    assert table(state) == "1: JK/0 JK/0"


def test_a_merge_puts_the_first_item_to_the_left_of_the_second() -> None:
    state = board("1: 6S\n2: 4S/1 5S/1")

    assert refused(state, "merge 1 2") == "not_a_sequence"
    assert do(state, "merge 2 1") == (ItemsMerged(0, 2, 1),)
    assert table(state) == "2: 4S/1 5S/1 6S/0"


def test_items_that_are_not_there_or_the_same_do_not_merge() -> None:
    state = board("1: 6S\n2: 5S")

    assert refused(state, "merge 1 1") == "same_item"
    assert refused(state, "merge 1 3") == "no_such_item"
    assert refused(state, "merge 0 1") == "no_such_item"
    assert refused(state, "play 2C left 3") == "no_such_item"
    assert refused(state, "replace 3 0 2C") == "no_such_item"


def test_moving_an_item_without_a_merge_is_no_action() -> None:
    state = board("1: 6S\n2: 9S", hands=["2C", "2D"])
    kinds = {type(move).__name__ for move in state.legal_moves().moves}

    assert kinds == {"EndTurn", "Play"}


@pytest.mark.parametrize(
    ("place", "better", "worse"),
    [
        (2, "7S 7H", "7D"),
        (3, "8C 8S", "8D"),
        (4, "9H 9D", "9C"),
        (0, "", "5C 5D 5H"),
        (1, "", "6C 6D 6H"),
    ],
)
def test_the_source_replacements_in_5S_6S_7C_8H_9S(place: int, better: str, worse: str) -> None:
    for card in better.split():
        assert legal(board(EXAMPLE, hands=[card, "2C"]), f"replace 1 {place} {card}")
    for card in worse.split():
        state = board(EXAMPLE, hands=[card, "2C"])
        assert refused(state, f"replace 1 {place} {card}") == "not_worth_more"


def test_a_replacement_must_have_the_rank_that_stands_there() -> None:
    state = board(EXAMPLE, hands=["6H 8C", "2C"])

    assert refused(state, "replace 1 2 6H") == "wrong_rank"
    assert refused(state, "replace 1 2 8C") == "wrong_rank"


def test_the_old_card_goes_to_the_hand_and_may_be_used_again_in_the_turn() -> None:
    state = board(EXAMPLE, hands=["7S 8D", "2C"])

    assert do(state, "replace 1 2 7S") == (CardReplaced(0, 1, 2, 45, 6),)
    assert hand(state, 0) == "7C 8D"
    assert table(state) == "1: 5S/1 6S/1 7S/0 8H/1 9S/1"
    do(state, "play 7C")
    assert table(state).endswith("2: 7C")


def test_the_hand_never_exceeds_hand_size_as_a_replacement_swaps_one_for_one() -> None:
    state = board(EXAMPLE, hands=["7S 8D 10C 10D 10H", "2C"], decks=["KC", ""])
    do(state, "replace 1 2 7S")

    assert state.view(0).hand_counts == (5, 1)
    do(state, "end")
    assert state.view(0).hand_counts == (5, 1)


def test_equal_worth_is_not_more() -> None:
    state = board("1: 5S/1 6H/1 7C/1", hands=["6D", "2C"])

    assert refused(state, "replace 1 1 6D") == "not_worth_more"


def test_a_joker_is_replaced_by_any_natural_card_of_its_rank_whatever_that_is_worth() -> None:
    for card in ("6C", "6D", "6H", "6S"):
        state = board("1: JK/1 7C/1", hands=[card, "2C"])
        do(state, f"replace 1 0 {card}")
        assert table(state) == f"1: {card}/0 7C/1"
        assert hand(state, 0) == "JK"


def test_a_joker_beside_jokers_only_is_replaced_by_a_card_worth_nothing() -> None:
    state = board("1: JK/1 JK/1 7C/1", hands=["5C", "2C"])

    assert legal(state, "replace 1 0 5C")


def test_a_joker_for_an_ace_is_replaced_by_an_ace_low_or_high() -> None:
    for group, place in (("JK/0 2S/0", 0), ("KS/0 JK/0", 1)):
        state = board(f"1: {group}", hands=["AD KD", "2C"])
        assert legal(state, f"replace 1 {place} AD")
        assert refused(state, f"replace 1 {place} KD") == "wrong_rank"


def test_a_joker_replaces_nothing() -> None:
    state = board("1: JK/1 7C/1 8D/1", hands=["JK", "2C"])

    for place in range(3):
        assert refused(state, f"replace 1 {place} JK") == "joker_replaces_nothing"


def test_a_single_is_never_replaced() -> None:
    state = board("1: JK\n2: 9D", hands=["9H", "2C"])

    assert refused(state, "replace 1 0 9H") == "not_a_group"
    assert refused(state, "replace 2 0 9H") == "not_a_group"


def test_the_index_counts_from_0_to_the_last_card() -> None:
    state = board(EXAMPLE, hands=["7S", "2C"])

    for index in (-1, 5, 10**9, -(10**5000)):
        refusal = state.check(Replace(1, index, 45))
        assert refusal is not None
        assert refusal.code == "no_such_place"


def test_end_turn_draws_from_the_own_deck_up_to_hand_size() -> None:
    state = board(hands=["5S", "2C"], decks=["KD QD JD 10D 9D 8D", "3C"])

    assert do(state, "end") == (TurnEnded(0, 4),)
    assert hand(state, 0) == "8D 9D 10D JD 5S"
    assert state.view(0).deck_counts == (2, 1)


def test_an_empty_deck_gives_what_it_has() -> None:
    state = board(hands=["5S", "2C"], decks=["KD", ""])

    assert do(state, "end") == (TurnEnded(0, 1),)
    assert do(state, "end") == (TurnEnded(1, 0),)


def test_a_hand_above_hand_size_in_a_setup_draws_nothing() -> None:
    state = board(hands=["5S 6S 9S", "2C"], decks=["KD", ""], options={"hand_size": 2})

    assert do(state, "end") == (TurnEnded(0, 0),)


def test_the_action_that_reaches_max_actions_also_ends_the_turn() -> None:
    state = board(hands=["5S 6S 9S", "2C"], decks=["KD QD", ""], options={"max_actions": 2})
    do(state, "play 5S")

    assert do(state, "play 6S right 1") == (CardPlayed(0, 44, 1, Side.RIGHT), TurnEnded(0, 2))
    assert (state.to_move, state.turns) == (1, 1)


def test_end_turn_is_not_counted_as_an_action() -> None:
    state = board(hands=["5S", "2C"], options={"max_actions": 1}, decks=["KD KC", "3C 4C"])

    assert do(state, "end") == (TurnEnded(0, 2),)
    assert state.to_move == 1


def test_the_match_ends_after_idle_turns_in_a_row_of_all_seats_together() -> None:
    state = board(options={"idle_turns": 3})
    do(state, "end", "end")
    assert state.outcome() is None

    do(state, "end")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "idle"


@pytest.mark.parametrize(
    ("command", "idle"), [("play 6D", 0), ("replace 2 0 8C", 0), ("merge 1 3", 2)]
)
def test_a_play_or_a_replacement_is_not_idle_but_merging_alone_is(command: str, idle: int) -> None:
    state = board(
        "1: 3D\n2: 8D/0 9C/0\n3: 4D", hands=["6D 8C", "2C"], options={"idle_turns": 5}, idle=1
    )
    do(state, command, "end")

    assert state.view(0).idle == idle


def test_the_match_ends_when_a_seat_starts_its_turn_with_no_cards_in_hand() -> None:
    state = board(hands=["5S", "2C"])
    do(state, "play 5S")
    assert state.outcome() is None
    do(state, "end")
    assert state.outcome() is None

    do(state, "end")
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "empty_hand"
    assert state.to_move is None


def test_a_seat_that_played_its_last_card_goes_on_with_its_turn() -> None:
    state = board("1: 6D", hands=["5S", "2C"])
    do(state, "play 5S")

    assert legal(state, "merge 2 1")


def test_idle_turns_is_looked_at_before_the_empty_hand() -> None:
    state = board(hands=["5S", ""], options={"idle_turns": 2}, idle=1)
    do(state, "end")

    outcome = state.outcome()
    assert outcome is not None
    assert outcome.reason == "idle"


def test_after_the_end_every_move_is_refused_and_none_is_offered() -> None:
    state = board(options={"idle_turns": 1})
    do(state, "end")

    for command in ("play 2C", "end", "merge 1 2"):
        assert refused(state, command) == "over"
    assert state.legal_moves().moves == ()
    with pytest.raises(IllegalMove, match="over"):
        state.apply(EndTurn())
    assert state.view(0).to_move is None
