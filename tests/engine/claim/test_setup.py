"""Claim: things, options and set-up, sentence by sentence."""

from collections import Counter

import pytest

from harbourmaster_engine.cards import JOKER, fresh_deck
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim import GAME, ClaimState
from support.claim_boards import board, do, hand, table

SEED = bytes(range(32))


def start(seats: int) -> ClaimState:
    return ClaimState.deal(GAME.resolve(seats, {}), seats, SEED)


def all_cards(state: ClaimState) -> Counter[int]:
    places = [*state._hands, *state._decks_left(), state._aside]
    return Counter(card for cards in places for card in cards)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_there_are_54_cards_a_standard_deck_with_two_jokers(seats: int) -> None:
    cards = all_cards(start(seats))

    assert cards == Counter(fresh_deck(jokers=2))
    assert cards[JOKER] == 2


def test_two_players_or_three_or_four_by_option() -> None:
    for seats in (1, 5):
        with pytest.raises(ValueError, match="2 to 4 seats"):
            GAME.start(SEED, seats)


def test_the_options_and_their_defaults() -> None:
    assert GAME.resolve(2, {}) == {"hand_size": 5, "idle_turns": 10, "max_actions": 200}


@pytest.mark.parametrize(
    "options",
    [{"hand_size": 0}, {"hand_size": 55}, {"idle_turns": 0}, {"max_actions": True}, {"hand": 5}],
)
def test_bad_options_are_an_error_that_says_what_is_good(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"whole number from 1|it has hand_size, idle_turns"):
        GAME.start(SEED, 2, options)


@pytest.mark.parametrize(("seats", "each", "aside"), [(2, 27, 0), (3, 18, 0), (4, 13, 2)])
def test_the_whole_deck_is_dealt_and_what_is_over_is_set_aside_unseen(
    seats: int, each: int, aside: int
) -> None:
    view = GAME.start(SEED, seats).view(0)

    assert [a + b for a, b in zip(view.hand_counts, view.deck_counts, strict=True)] == (
        [each] * seats
    )
    assert view.aside_count == aside


def test_cards_are_dealt_from_the_end_one_at_a_time_from_seat_0_the_first_to_the_bottom() -> None:
    pack = fresh_deck(jokers=2)
    Stream.for_round(SEED, 1).shuffle(pack)
    dealt = pack[::-1]
    state = start(4)

    for seat in range(4):
        whole = dealt[seat:52:4]
        assert list(state._decks_left()[seat]) == whole[:8]
        assert list(state._hands[seat]) == sorted(whole[8:])
    assert sorted(state._aside) == sorted(pack[:2])


def test_each_seat_draws_five_from_the_top_of_its_deck_and_seat_0_begins() -> None:
    state = GAME.start(SEED, 2)

    assert state.view(0).hand_counts == (5, 5)
    assert state.view(0).deck_counts == (22, 22)
    assert state.to_move == 0


def test_a_hand_larger_than_the_deck_takes_all_of_it() -> None:
    view = GAME.start(SEED, 4, {"hand_size": 20}).view(0)

    assert view.hand_counts == (13,) * 4
    assert view.deck_counts == (0,) * 4


def test_ids_are_given_once_and_never_used_again() -> None:
    state = board(hands=["5S 6S 9D", "2C"])
    do(state, "play 5S", "play 6S", "merge 1 2", "play 9D")

    assert table(state) == "1: 5S/0 6S/0\n3: 9D"


def test_a_merge_keeps_the_id_of_the_left_part_also_if_it_is_the_higher_one() -> None:
    state = board("1: 6S\n2: 5S")
    do(state, "merge 2 1")

    assert table(state) == "2: 5S/0 6S/0"


def test_a_setup_that_cannot_be_is_an_error() -> None:
    for items, fault in [
        ([{"id": 1, "cards": ["5S", "7S"], "owners": [0, 0]}], "rise by one"),
        ([{"id": 1, "cards": ["5S"], "owners": [0]}], "a single to nobody"),
        ([{"id": 1, "cards": ["5S", "6S"], "owners": [0, None]}], "belongs to a seat"),
        ([{"id": 0, "cards": ["5S"], "owners": [None]}], "id 0"),
        ([{"id": 1, "cards": ["2C"], "owners": [None]}], "2 cards 2C"),
    ]:
        with pytest.raises(ValueError, match=fault):
            board(items=items)


def test_a_hand_is_sorted_whatever_the_order_of_drawing() -> None:
    state = board(hands=["KS", "2D"], decks=["AC 3C JK 2C", ""])
    do(state, "end")

    assert hand(state, 0) == "AC 2C 3C KS JK"
