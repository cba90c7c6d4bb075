"""Wild Rummy: pictures, sentences and the neutral notation."""

from typing import Any

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.wild_rummy import GAME, WildRummyState
from support.wild_rummy_boards import do, move, position, start

COMMANDS = (
    ("draw stock", {"draw": {"from": "stock"}}, "draw from the stock"),
    ("draw discard", {"draw": {"from": "discard"}}, "draw from the discard pile"),
    ("meld 3H 4H 10H", {"meld": {"cards": ["3H", "4H", "10H"]}}, "meld 3H 4H 10H"),
    ("add 7S 2", {"add": {"meld": 2, "card": "7S"}}, "add 7S to meld 2"),
    (
        "add 7S 2 low",
        {"add": {"meld": 2, "card": "7S", "end": "low"}},
        "add 7S to the low end of meld 2",
    ),
    (
        "buy 6C 2[1]",
        {"buy": {"meld": 2, "index": 1, "card": "6C"}},
        "buy the wild in place 1 of meld 2 for 6C",
    ),
    ("discard 9D", {"discard": {"card": "9D"}}, "discard 9D"),
)


@pytest.mark.parametrize(("command", "json", "words"), COMMANDS)
def test_a_move_has_a_neutral_form_and_words(command: str, json: Any, words: str) -> None:
    assert GAME.notation.move_to_json(move(command)) == json
    assert GAME.notation.move_from_json(json) == move(command)
    assert GAME.text.describe_move(move(command)) == words


@pytest.mark.parametrize(
    "json",
    [
        None,
        {},
        {"draw": {}},
        {"draw": {"from": "hand"}},
        {"draw": {"from": []}},
        {"meld": {"cards": "3H"}},
        {"meld": {"cards": ["3H", "JK"]}},
        {"add": {"meld": "1", "card": "3H"}},
        {"add": {"meld": True, "card": "3H"}},
        {"add": {"meld": 1, "card": "3H", "end": "middle"}},
        {"buy": {"meld": 1, "card": "3H"}},
        {"discard": {}},
        {"pass": {}},
        {"draw": {"from": "stock"}, "discard": {"card": "3H"}},
    ],
)
def test_what_is_no_move_is_an_error(json: Any) -> None:
    with pytest.raises(ValueError, match=r"."):
        GAME.notation.move_from_json(json)


def test_every_move_and_event_of_a_match_has_words() -> None:
    state = start(3, {"rounds": 3})
    rng = Stream(b"words")
    while state.to_move is not None:
        made = state.sample_move(rng)
        json = GAME.notation.move_to_json(made)
        assert GAME.notation.move_from_json(json) == made
        for event in state.apply(made):
            assert GAME.text.describe_event(event).endswith(".")
        assert GAME.text.picture(state.view(-1))


def test_a_picture_shows_the_table_the_seats_and_the_own_hand() -> None:
    state = position(
        "stock: 2C 3C\ndiscards: 8D 9D\nmeld: 4C 5D 6C\nmeld: 7S 7H 5S\n0*: 9C JH\n1: 2D",
        phase="draw",
        scores=[12, 0],
    )
    do(state, "draw discard")

    assert GAME.text.picture(state.view(0)).splitlines() == [
        "round 5 of 13, every 5 is wild; turn 1 of 200 at most",
        "stock 2, discards 8D",
        "meld 1: 4C 5D=5C 6C",
        "meld 2: 7S 7H 5S=*",
        "seat 0: 12 points, 3 cards, has melded, dealer, to play and discard",
        "seat 1: 0 points, 1 card",
        "hand: 9C 9D JH",
        "9D was taken from the discard pile in this turn",
    ]
    assert "hand" not in GAME.text.picture(state.view(-1))


@pytest.mark.parametrize(
    ("setup", "wrong"),
    [
        ("meld: 4C 6C 7C\n0: 9C\n1: 2D", "no run|not wild|place"),
        ("meld: 4C\n0: 9C\n1: 2D", "a meld that is none"),
        ("0: 9C 9C\n1: 2D", "twice"),
        ("0: 9C JK\n1: 2D", "no jokers"),
    ],
)
def test_a_position_that_cannot_be_is_an_error(setup: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        position(setup)


def test_a_match_is_the_same_from_the_same_seed() -> None:
    def play() -> WildRummyState:
        state, rng = start(4, {"rounds": 2}), Stream(b"same")
        while state.to_move is not None:
            state.apply(state.sample_move(rng))
        return state

    assert play().fingerprint() == play().fingerprint()
