"""Anchorline in words and pictures."""

import pytest

from harbourmaster_engine.anchorline import (
    GAME,
    CardPlaced,
    CardShifted,
    CoinReturned,
    LinesScored,
    Place,
    ReturnCoin,
    Shift,
    TopTurned,
)
from support.anchorline import board


def test_the_picture_shows_the_grid_the_coin_and_the_stacks() -> None:
    state = board(". G1*\n## .", (("S2", "S1"), ()), scores=[3, 1])
    assert GAME.text.picture(state.view(0)).splitlines() == [
        "  2  .   .   .   .",
        "  1  .   .  [G1] .",
        "  0  .   ##  .   .",
        " -1  .   .   .   .",
        "     -1  0   1   2",
        "coin on G1, arrows N E S W",
        "seat 0 (Seals): 3 points, stack 2, top S1",
        "seat 1 (Gulls): 1 points, stack empty",
    ]


@pytest.mark.parametrize(
    ("drawing", "line"),
    [
        ("##*", "coin on Anchor, arrows E NW"),
        ("## S4*", "coin on S4, arrows SE"),
        ("## G2*", "coin on G2, arrows none"),
    ],
)
def test_the_picture_names_the_arrows_that_count_now(drawing: str, line: str) -> None:
    arrows = {"anchor_arrows": ["E", "NW"], "card_arrows": [["N"], [], ["S"], ["SE"]]}
    state = board(drawing, (("S2",), ("G1",)), arrows)
    assert line in GAME.text.picture(state.view(0)).splitlines()


@pytest.mark.parametrize(
    ("move", "words"),
    [
        (Place((1, 0)), "place at (1, 0)"),
        (Shift((1, 0), (0, 2)), "move (1, 0) to (0, 2)"),
        (ReturnCoin(), "return the coin"),
    ],
)
def test_moves_have_words(move: object, words: str) -> None:
    assert GAME.text.describe_move(move) == words


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (CardPlaced(0, 3, (1, 0)), "Seat 0 places S3 at (1, 0)."),
        (CardShifted(1, 8, (1, 0), (0, 2)), "Seat 1 moves G4 from (1, 0) to (0, 2)."),
        (CoinReturned(1), "Seat 1 returns the coin; seat 0 scores 1."),
        (
            LinesScored(0, (3, 4), 3, ((1, 0), (2, 0))),
            "Seat 0 makes a line of 3 and 4 for 3; cleared: (1, 0), (2, 0).",
        ),
        (TopTurned(1, 5), "Seat 1's next card is G1."),
        (TopTurned(1, None), "Seat 1's stack is empty."),
    ],
)
def test_events_have_sentences(event: object, sentence: str) -> None:
    assert GAME.text.describe_event(event) == sentence
