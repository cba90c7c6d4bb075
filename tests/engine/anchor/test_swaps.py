"""Cycles, picks, exchanges and the piles."""

import pytest

from harbourmaster_engine.anchor import (
    CardsDiscarded,
    CardsDrawn,
    PileRebuilt,
    TurnStarted,
)
from harbourmaster_engine.cards import parse_card
from harbourmaster_engine.chance import Stream
from support.anchor_boards import cards, code, do, hand, market, move, position, start

HANDS = "0: 5H 6H 7H 5S 9C QD KD\n1: 2C 4C\n"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("cycle 5H", ""),
        ("cycle 5H 6H 7H", ""),
        ("cycle", "count"),
        ("cycle 5H 6H 7H 5S", "count"),
        ("cycle 2C", "not_held"),
        ("cycle 5H 5H", "not_held"),
    ],
)
def test_a_cycle_discards_one_to_three_cards_that_are_held(command: str, wanted: str) -> None:
    assert code(position(HANDS + "pile: 3C 4D 5D"), command) == wanted


def test_a_cycle_draws_as_many_and_happens_whole_or_not_at_all() -> None:
    state = position(HANDS + "pile: 3C\ndiscards: 2H")

    assert code(state, "cycle 5H 6H") == "pile_short"
    assert code(state, "cycle 5H 6H 7H") == "pile_short"
    do(state, "cycle 5H")
    assert market(state) == "2H 5H"
    assert hand(state, 0) == "3C 9C QD KD 6H 7H 5S"


def test_a_cycles_own_discards_go_down_first_and_may_make_the_pile_it_draws_from() -> None:
    state = position(HANDS + "discards: 2H 3H 4H")
    do(state, "cycle 5H")

    assert market(state) == "3H 4H 5H"
    assert hand(state, 0) == "9C QD KD 2H 6H 7H 5S"


def test_three_cards_can_be_cycled_where_one_cannot_when_they_push_others_out() -> None:
    state = position(HANDS + "pile: 3C\ndiscards: 2H 3H")

    assert code(state, "cycle 5H 6H") == ""
    assert code(state, "cycle 5H 6H 7H") == ""


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("pick 3H for 5H", ""),
        ("pick 2H 3H 4H for 5H 6H 7H", ""),
        ("pick 10D for 5H", "not_in_market"),
        ("pick 2H 2H for 5H 6H", "not_in_market"),
        ("pick 2H 3H for 5H", "count"),
        ("pick 2H for 2H", "not_held"),
    ],
)
def test_a_pick_takes_from_the_market_and_discards_as_many_held_before(
    command: str, wanted: str
) -> None:
    assert code(position(HANDS + "discards: 10D 2H 3H 4H"), command) == wanted


def test_discards_go_down_in_the_order_of_the_move() -> None:
    state = position(HANDS + "pile: 2D\ndiscards: 10D 2H 3H 4H")
    do(state, "pick 4H 3H for 9C 5S")

    assert market(state) == "2H 9C 5S"


def test_of_two_equal_cards_in_the_market_the_older_is_taken() -> None:
    state = position(HANDS + "pile: 2D\ndiscards: 8S 3H 4H 3H")
    do(state, "pick 3H for QD")

    assert market(state) == "4H 3H QD"


def test_an_older_discard_that_slides_into_the_market_is_not_taken_in_its_place() -> None:
    state = position(HANDS + "pile: 2D\ndiscards: 3H 2S 3H 4H")
    do(state, "pick 2S 3H for QD KD")

    assert market(state) == "4H QD KD"
    assert state.view(0).discard_count == 4


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("exchange AD", ""),
        ("exchange AD AC", ""),
        ("exchange", "count"),
        ("exchange JK", "not_an_ace"),
        ("exchange 9S", "not_an_ace"),
        ("exchange AH", "not_held"),
        ("exchange AD AD", "not_held"),
    ],
)
def test_an_exchange_is_of_natural_aces_that_are_held(command: str, wanted: str) -> None:
    assert code(position("0: AD AC JK 9S\npile: 2C"), command) == wanted


def test_an_exchange_shuffles_the_aces_in_and_draws_as_many() -> None:
    state = position("0: AD AC 9S\n1: 2C\npile: 3C 4C 5C 6C")
    before = sorted((*cards("AD AC 3C 4C 5C 6C"),))
    events = state.apply(move("exchange AD AC"))

    assert [type(event).__name__ for event in events] == [
        "AcesReturned",
        "CardsDrawn",
        "TurnStarted",
    ]
    drawn = [card for card in state.view(0).hand if card != parse_card("9S")]
    assert sorted([*drawn, *state._stock.pile]) == before
    assert len(drawn) == 2


def test_an_exchange_with_an_empty_pile_is_refused() -> None:
    assert code(position("0: AD 9S"), "exchange AD") == "pile_empty"


def test_the_pile_is_rebuilt_the_moment_it_is_empty() -> None:
    state = position(HANDS + "pile: 3S\ndiscards: 2C 4C 6C 8C")
    events = state.apply(move("cycle 5H"))

    assert events == (
        CardsDiscarded(0, cards("5H")),
        CardsDrawn(0, 1),
        PileRebuilt(2),
        TurnStarted(1, 1, 0, False),
    )
    assert market(state) == "6C 8C 5H"
    assert sorted(state._stock.pile) == sorted(cards("2C 4C"))


def test_the_pile_is_rebuilt_between_two_draws() -> None:
    state = position(HANDS + "pile: 3S\ndiscards: 2C 4C 6C")
    events = state.apply(move("cycle 5H 6H"))

    assert events[1:4] == (CardsDrawn(0, 1), PileRebuilt(2), CardsDrawn(0, 1))
    assert state.view(0).pile_count == 1


def test_a_rebuilt_pile_is_shuffled_from_the_oldest_first_by_the_rounds_stream() -> None:
    older = [*cards("2C 4C 6C 8C 10C")]
    state = position(HANDS + "pile: 3S\ndiscards: 2C 4C 6C 8C 10C JS QS")
    do(state, "cycle 5H")
    Stream.for_round(bytes(32), 1).shuffle(older)

    assert state._stock.pile == older


def test_the_market_starts_empty_and_one_ace_of_the_deck_stands_in_the_centre() -> None:
    for seats, number in ((2, 1), (6, 2)):
        state = start(seats, seed=number.to_bytes(32, "big"))
        view = state.view(0)
        everywhere = [code % 64 - 1 for code in state._table.board if 0 < code < 255]
        everywhere += [card for held in state._hands for card in held] + state._stock.pile
        assert view.anchors == ((7, 7),)
        assert market(state) == ""
        assert view.hand_counts == (7,) * seats
        assert view.to_move == 0
        assert sorted(everywhere) == sorted([*range(52)] * 2 + [52] * 4)
