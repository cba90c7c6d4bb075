"""What all games share: options, placements, errors."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.anchorline import CoinReturned
from harbourmaster_engine.game import (
    ForfeitReason,
    Game,
    IllegalMove,
    Option,
    Refusal,
    SeatForfeited,
    one_of,
    placements,
    true_or_false,
    whole_number,
)

SIZES = Option("size", "how big", 5, whole_number(1, 9))
SHAPES = Option("shape", "which shape", "round", one_of("round", "square"))
LIMITS = Option(
    "limit", "how many", lambda seats, values: values["size"] * seats, whole_number(1, 99)
)
GAME = replace(ANCHORLINE, id="toy", min_seats=2, max_seats=4, options=(SIZES, SHAPES, LIMITS))
LONE = replace(GAME, max_seats=2, options=())


def test_what_is_not_given_has_its_default() -> None:
    assert GAME.resolve(2, {}) == {"size": 5, "shape": "round", "limit": 10}
    assert GAME.resolve(2, {"size": None}) == GAME.resolve(2, {})


def test_a_default_may_depend_on_the_seats_and_on_the_options_before_it() -> None:
    assert GAME.resolve(3, {"size": 7})["limit"] == 21
    assert GAME.resolve(4, {})["limit"] == 20


def test_non_defaults_are_what_is_needed_to_say_it_again() -> None:
    values = GAME.resolve(3, {"size": 7, "limit": 21, "shape": "square"})
    assert GAME.non_defaults(values, 3) == {"size": 7, "shape": "square"}
    assert GAME.resolve(3, GAME.non_defaults(values, 3)) == values


def test_an_unknown_option_lists_the_good_ones() -> None:
    with pytest.raises(ValueError, match=r"^toy has no option 'sise': it has size, shape, limit$"):
        GAME.resolve(2, {"sise": 1})
    with pytest.raises(ValueError, match="it has none"):
        LONE.resolve(2, {"size": 1})


@pytest.mark.parametrize(
    ("game", "seats", "sentence"),
    [
        (GAME, 5, "toy has 2 to 4 seats, not 5"),
        (GAME, 1, "toy has 2 to 4 seats, not 1"),
        (LONE, 3, "toy has 2 seats, not 3"),
    ],
)
def test_a_wrong_number_of_seats_says_the_range(game: Game, seats: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{sentence}$"):
        game.resolve(seats, {})


@pytest.mark.parametrize("value", [0, 10, -1, True, 5.0, "5", [5]])
def test_a_whole_number_is_one_in_its_range(value: Any) -> None:
    with pytest.raises(
        ValueError, match=r"toy: option size is .*: it takes a whole number from 1 to 9"
    ):
        GAME.resolve(2, {"size": value})


@pytest.mark.parametrize("value", ["", "ROUND", 1, ["round"], {}])
def test_a_choice_is_one_of_its_words(value: Any) -> None:
    with pytest.raises(ValueError, match=r"option shape is .*: it takes one of round, square"):
        GAME.resolve(2, {"shape": value})


@pytest.mark.parametrize("value", [0, 1, "true", "", []])
def test_a_truth_value_is_no_number(value: Any) -> None:
    with pytest.raises(ValueError, match="it takes true or false"):
        true_or_false(value)
    assert true_or_false(True)
    assert not true_or_false(False)


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([3, 1, 2], (1, 3, 2)),
        ([2, 2, 1], (1, 1, 3)),
        ([1, 2, 2, 0], (3, 1, 1, 4)),
        ([0, 0, 0], (1, 1, 1)),
        ([-5], (1,)),
    ],
)
def test_ties_share_the_better_place(keys: list[int], places: tuple[int, ...]) -> None:
    assert placements(keys) == places


def test_forfeits_rank_below_all_others_and_the_later_one_higher() -> None:
    assert placements([9, 8, 1, 2], [0, 1]) == (4, 3, 2, 1)
    assert placements([9, 8, 1, 1], [1, 0]) == (3, 4, 1, 1)
    assert placements([0, 0], [1]) == (1, 2)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=6), st.data())
def test_placements_count_those_who_are_better(keys: list[int], data: st.DataObject) -> None:
    out = data.draw(
        st.lists(st.sampled_from(range(len(keys))), unique=True, max_size=len(keys) - 1)
    )
    places = placements(keys, out)
    for place in places:
        assert place == 1 + sum(other < place for other in places)
    playing = [seat for seat in range(len(keys)) if seat not in out]
    for a in playing:
        assert all(places[a] < places[seat] for seat in out)
        assert all((keys[a] > keys[b]) == (places[a] < places[b]) for b in playing)
    assert [places[seat] for seat in out] == sorted((places[seat] for seat in out), reverse=True)


def test_an_illegal_move_carries_its_refusal() -> None:
    refusal = Refusal("occupied", "a card lies there")
    error = IllegalMove(refusal)
    assert error.refusal == refusal
    assert str(error) == "a card lies there"
    assert isinstance(error, ValueError)


def test_a_forfeit_has_the_same_sentence_in_every_game() -> None:
    event = SeatForfeited(1, ForfeitReason.TIMEOUT)
    assert ANCHORLINE.describe(event) == "Seat 1 is out of the match (timeout)."
    assert ANCHORLINE.describe(CoinReturned(0)) == ANCHORLINE.text.describe_event(CoinReturned(0))
