"""Wild Rummy: the stock, washes, going out, scores, and the end of the match."""

from typing import Any

import pytest

from harbourmaster_engine.cards import parse_card
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import Outcome
from harbourmaster_engine.wild_rummy import (
    GAME,
    CardDiscarded,
    MeldLaid,
    Phase,
    RoundBegan,
    RoundEnded,
    StockRenewed,
    WildRummyState,
)
from support.wild_rummy_boards import discard_top, do, hand, position, refused, start


def outcome(state: WildRummyState) -> Outcome:
    found = state.outcome()
    assert found is not None
    return found


def test_a_turn_that_starts_with_an_empty_stock_has_all_discards_but_the_top_shuffled_into_it() -> (
    None
):
    state = position("stock: 10H\ndiscards: 9D 8D 7D JS\n0: 6H 3S\n1: 2D", phase="draw")
    do(state, "draw stock")
    events = do(state, "discard 6H")
    expected = [parse_card(name) for name in ("9D", "8D", "7D", "JS")]
    Stream.for_round(bytes(32), 5).shuffle(expected)

    assert state._stock == expected
    assert events[1] == StockRenewed(4)
    view = state.view(1)
    assert (view.stock_count, discard_top(state), view.discards_below) == (4, "6H", 0)


def test_the_stock_is_not_renewed_while_it_has_a_card() -> None:
    state = position("stock: 10H 10D\ndiscards: 9D 8D\n0: 6H 3S\n1: 2D", phase="draw")
    do(state, "draw stock", "discard 6H")

    assert (state.view(1).stock_count, state.view(1).discards_below) == (1, 2)


def test_of_two_discards_the_lower_one_becomes_the_stock() -> None:
    state = position("stock: 10H\ndiscards: 9D\n0: 6H 3S\n1: 2D", phase="draw")
    do(state, "draw stock", "discard 6H", "draw stock")

    assert hand(state, 1) == "2D 9D"
    assert (state.view(1).stock_count, discard_top(state)) == (0, "6H")


def test_with_one_discard_the_round_is_a_wash_and_nobody_scores() -> None:
    state = position("stock: 10H\n0: 6H 3S\n1: 2D", phase="draw", scores=[7, 9])
    do(state, "draw stock")
    events = do(state, "discard 6H")

    assert events[1:] == [RoundEnded(5, None, 0, (7, 9)), RoundBegan(6, 1)]
    assert state.scores == (7, 9)
    assert (state.to_move, state.view(1).phase, state.view(1).round) == (1, Phase.OPEN, 6)


@pytest.mark.parametrize("discards", ["", "9D"])
def test_a_turn_that_starts_without_stock_and_with_one_discard_or_none_is_a_wash(
    discards: str,
) -> None:
    state = position(f"stock:\ndiscards: {discards}\n0: 6H 3S\n1: 2D", phase="draw")

    assert state.view(0).round == 6
    assert state.view(0).round_winners == (None,)


def test_a_meld_that_leaves_no_card_ends_the_round_at_once_without_a_discard() -> None:
    state = position("0: 3H 4H 5H\n1: AC KD 10S 9C 5D")
    events = do(state, "meld 3H 4H 5H")

    assert [type(event) for event in events] == [MeldLaid, RoundEnded, RoundBegan]
    assert state.scores == (54, 0)
    assert state.turns == 1


def test_an_addition_that_leaves_no_card_ends_the_round_at_once() -> None:
    state = position("meld: 7H 8H 9H\n0*: 6H\n1: 2D")
    do(state, "add 6H 1 low")

    assert state.scores == (2, 0)


def test_a_discard_that_leaves_no_card_ends_the_round() -> None:
    state = position("0: 6H\n1: 2D")
    events = do(state, "discard 6H")

    assert isinstance(events[0], CardDiscarded)
    assert events[1] == RoundEnded(5, 0, 2, (2, 0))


def test_an_opening_discard_that_leaves_no_card_ends_the_round_and_is_no_turn() -> None:
    state = position("0: 6H\n1: 2D", phase="open")
    events = do(state, "discard 6H")

    assert events[1] == RoundEnded(5, 0, 2, (2, 0))
    assert state.turns == 0


def test_a_purchase_never_empties_the_hand() -> None:
    state = position("meld: 5C 5D 7C\n0*: 6C\n1: 2D")
    do(state, "buy 6C 1[1]")

    assert hand(state, 0) == "5D"
    assert state.to_move == 0


@pytest.mark.parametrize(
    ("wild", "cards", "points"),
    [
        (5, "5C", 15),
        (5, "AC", 10),
        (5, "JC", 10),
        (5, "QC", 10),
        (5, "KC", 10),
        (5, "10C", 10),
        (5, "2C 3C 4C 6C 7C 8C 9C", 39),
        (1, "AC", 15),
        (1, "5C", 5),
        (13, "KC KD", 30),
        (10, "10C JC", 25),
        (2, "2C 2D AC", 40),
    ],
)
def test_e13_what_is_left_costs_15_for_the_wild_rank_10_for_a_10_j_q_k_and_else_face_value(
    wild: int, cards: str, points: int
) -> None:
    state = position(f"wild: {wild}\n0: 6H\n1: {cards}")
    events = do(state, "discard 6H")

    assert events[1] == RoundEnded(wild, 0, points, (points, 0))


def test_the_winner_scores_what_is_left_in_all_other_hands() -> None:
    state = position("0: 2C\n1: 6H\n2: KD 2S\n3: 5C", turn=1, scores=[1, 2, 3, 4])
    do(state, "discard 6H")

    assert state.scores == (1, 2 + 2 + 12 + 15, 3, 4)


def test_the_deal_moves_one_seat_to_the_left_and_the_wild_rank_one_rank_up() -> None:
    state = start(3, {"max_turns_per_round": 1})
    seen = []
    while state.to_move is not None:
        view = state.view(0)
        if view.phase is Phase.OPEN:
            seen.append((view.round, view.wild_rank, view.dealer, state.to_move))
        state.apply(state.default_move())

    assert seen == [(k, k, (k - 1) % 3, (k - 1) % 3) for k in range(1, 14)]


def test_each_round_has_a_fresh_deck_from_a_stream_of_its_own() -> None:
    long, short = (start(2, {"max_turns_per_round": turns}) for turns in (1, 7))
    for state in (long, short):
        while state.view(0).round < 2:
            state.apply(state.default_move())

    assert [long.view(seat).hand for seat in (0, 1)] == [short.view(seat).hand for seat in (0, 1)]
    assert long.view(0).melded == (False, False)
    assert long.view(0).melds == ()
    assert long.view(0).hand_counts == (7, 8)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_after_max_turns_per_round_the_round_is_a_wash(limit: int) -> None:
    state = start(2, {"max_turns_per_round": limit})
    turns = 0
    while state.view(0).round == 1:
        assert state.view(0).round_turns == turns
        was_open = state.view(0).phase is Phase.OPEN
        events = state.apply(state.default_move())
        turns += isinstance(events[0], CardDiscarded) and not was_open

    assert turns == limit
    assert state.turns == limit
    assert state.scores == (0, 0)
    assert state.view(0).round_winners == (None,)


def test_a_seat_that_goes_out_in_the_last_turn_of_the_limit_scores() -> None:
    state = position("0: 6H\n1: 2D", options={"max_turns_per_round": 4}, round_turns=3)
    do(state, "discard 6H")

    assert state.scores == (2, 0)


@pytest.mark.parametrize("rounds", [1, 2, 13])
def test_the_match_has_as_many_rounds_as_the_option_says(rounds: int) -> None:
    state = start(2, {"rounds": rounds, "max_turns_per_round": 2})
    while state.to_move is not None:
        state.apply(state.default_move())

    assert len(state.view(0).round_winners) == rounds
    assert outcome(state).reason == "rounds"


def test_after_the_last_round_the_highest_total_wins_and_equal_totals_share() -> None:
    state = position("wild: 13\n0: 10H\n1: 8D 2C\n2: KC 3H", scores=[0, 28, 5])
    do(state, "discard 10H")

    assert outcome(state) == Outcome((28, 28, 5), (1, 1, 3), "rounds", (None, None, None))
    assert state.to_move is None
    assert state.legal_moves().moves == ()
    assert refused(state, "draw stock") == "over"
    assert [state.view(seat).to_move for seat in (-1, 0, 1, 2)] == [None] * 4


def test_e32_the_score_of_another_may_win_when_a_seat_goes_out() -> None:
    state = position("wild: 13\n0: 10H\n1: 2C", scores=[0, 28])
    do(state, "discard 10H")

    assert outcome(state).placements == (2, 1)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"rounds": 0}, "1 to 13"),
        ({"rounds": 14}, "1 to 13"),
        ({"rounds": True}, "1 to 13"),
        ({"return_taken_discard": 1}, "true or false"),
        ({"max_turns_per_round": 0}, "1 to 10000"),
        ({"jokers": 2}, "no option 'jokers'"),
    ],
)
def test_options_out_of_range_are_refused_with_the_good_values(
    options: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        start(2, options)


@pytest.mark.parametrize("seats", [1, 5])
def test_there_are_two_to_four_seats(seats: int) -> None:
    with pytest.raises(ValueError, match="2 to 4"):
        start(seats)


def test_the_defaults_are_thirteen_rounds_of_200_turns_and_the_taken_card_stays() -> None:
    assert GAME.resolve(2, {}) == {
        "rounds": 13,
        "return_taken_discard": False,
        "max_turns_per_round": 200,
    }
