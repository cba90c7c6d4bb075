"""Pictures and sentences for people."""

from typing import Any

import pytest

from harbourmaster_engine.anchor import GAME, Passed
from harbourmaster_engine.anchor.text import describe_event, describe_move, picture
from harbourmaster_engine.game import ForfeitReason
from support.anchor_boards import move, position


def test_the_picture_shows_the_board_the_hand_the_market_and_the_seats() -> None:
    state = position(
        "7,7: [AS] 5H JK 10H\n0: 8H 9H\n1: 2C\npile: 3C\ndiscards: 2H 4H", scores=[12, 0]
    )
    lines = picture(state.view(0)).splitlines()

    assert lines[8] == "   7 " + "   . " * 7 + "[ AS]  5H   JK  10H " + "   . " * 3 + "   ."
    assert lines[16] == "pile 1, discards 2, market (oldest first) 2H 4H"
    assert lines[17] == "your hand 8H 9H"
    assert lines[18] == "seat 0: 12 points, 0 melds, longest run 0, 2 cards, to move"
    assert "your hand" not in picture(state.view(-1))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("play 7,11 > 8H + 6,9 > 6S", "play 8H at (7, 11) and 6S at (6, 9)"),
        (
            "anchor 1,1 > AD 2D 3D 4D",
            "anchor play AD at (1, 1) 2D at (1, 2) 3D at (1, 3) 4D at (1, 4)",
        ),
        ("cycle 5H 6H", "cycle 5H 6H"),
        ("pick 2H for 5H", "pick 2H for 5H"),
        ("exchange AD", "exchange AD"),
        ("pass", "pass"),
    ],
)
def test_moves_are_told_in_a_few_words(command: str, words: str) -> None:
    assert describe_move(move(command)) == words


@pytest.mark.parametrize(
    ("command", "sentences"),
    [
        (
            "play 7,11 > 8H",
            [
                "Seat 0 places 8H at (7, 11).",
                "Seat 0 scores 16; melds completed: 0, longest run 4.",
                "Seat 0 draws 1.",
                "It is the turn of seat 1; turns so far: 1.",
            ],
        ),
        (
            "anchor 1,1 > AD 2D 3D 4D",
            [
                "Seat 0 sets AD at (1, 1) as an anchor.",
                "Seat 0 places 2D at (1, 2) 3D at (1, 3) 4D at (1, 4).",
                "Seat 0 scores 18; melds completed: 1, longest run 3.",
            ],
        ),
        ("pick 2H for 8H", ["Seat 0 takes 2H from the market.", "Seat 0 discards 8H."]),
        ("exchange AD", ["Seat 0 shuffles 1 of its aces into the pile.", "Seat 0 draws 1."]),
        (
            "cycle 8H",
            [
                "Seat 0 discards 8H.",
                "Seat 0 draws 1.",
                "The 3 older discards are shuffled into a new pile.",
            ],
        ),
    ],
)
def test_events_are_told_as_sentences(command: str, sentences: list[str]) -> None:
    state = position(
        "7,7: [AS] 5H 6H 7H\n0: 8H AD 2D 3D 4D 9C JC\n1: 2C\npile: 3C\ndiscards: KC 2S 3S 4H 2H"
        if command.startswith("cycle")
        else "7,7: [AS] 5H 6H 7H\n0: 8H AD 2D 3D 4D 9C JC\n1: 2C\npile: 3C\ndiscards: 2H"
    )
    told = [describe_event(event) for event in state.apply(move(command))]

    assert told[: len(sentences)] == sentences


def test_passes_forfeits_and_the_end_are_told() -> None:
    state: Any = position("0: 9C\n1: 9D")
    events = [*state.apply(move("pass")), *state.forfeit(1, ForfeitReason.TIMEOUT)]

    assert [describe_event(event) for event in events] == [
        "Seat 0 passes.",
        "It is the turn of seat 1; turns so far: 1.",
        "Seat 1 is out: timeout.",
        "The match is over after 1 turns.",
    ]
    with pytest.raises(TypeError, match="not an event"):
        describe_event(GAME)
    assert describe_event(Passed(3)) == "Seat 3 passes."
