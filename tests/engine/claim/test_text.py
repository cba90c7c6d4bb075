"""Claim in words and pictures."""

from harbourmaster_engine.claim import text
from harbourmaster_engine.game import SPECTATOR, ForfeitReason
from support.claim_boards import board, do, move


def test_a_picture_shows_table_owners_worths_seats_and_the_own_hand() -> None:
    state = board("1: 5S/0 6S/1 7C/1\n4: JK", hands=["7S 10H", "2C"], decks=["KD", ""])

    assert text.picture(state.view(0)).splitlines() == [
        "  1:   5S   6S   7C",
        "      0/5  1/7  1/2",
        "  4:   JK",
        "seat 0: -10 points, worth 5, jokers 0, hand 2, deck 1 (to move)",
        "seat 1: 4 points, worth 9, jokers 0, hand 1, deck 0",
        "hand: 10H 7S",
    ]


def test_a_picture_of_an_empty_table_with_a_seat_that_left() -> None:
    state = board(hands=["2C", "2D", "2H"])
    state.forfeit(1, ForfeitReason.RESIGNED)

    assert text.picture(state.view(SPECTATOR)).splitlines() == [
        "the table is empty",
        "seat 0: -5 points, worth 0, jokers 0, hand 1, deck 0 (to move)",
        "seat 1: -5 points, out of the match",
        "seat 2: -5 points, worth 0, jokers 0, hand 1, deck 0",
    ]


def test_a_picture_says_what_a_seat_is_known_to_hold() -> None:
    state = board("1: 5S/1 6S/1 7C/1", hands=["7S", "2C"])
    do(state, "replace 1 2 7S")

    assert "hand 1, deck 0, holds 7C (to move)" in text.picture(state.view(1))


def test_moves_in_a_few_words() -> None:
    words = {
        "play 5S": "play 5S as a single",
        "play 5S left 3": "play 5S to the left of item 3",
        "merge 3 5": "merge item 3 with item 5 on its right",
        "replace 3 2 7S": "replace place 2 of item 3 with 7S",
        "end": "end the turn",
    }

    assert {command: text.describe_move(move(command)) for command in words} == words


def test_events_as_sentences() -> None:
    state = board("1: 5S/1 6S/1 7C/1\n2: 8C", hands=["7S 9H", "2C"], decks=["KD", ""])
    told = [
        text.describe_event(event)
        for command in ("replace 1 2 7S", "play 9H right 2", "merge 1 2", "play 7C", "end")
        for event in do(state, command)
    ]

    assert told == [
        "Seat 0 replaces 7C at place 2 of item 1 with 7S and takes 7C.",
        "Seat 0 plays 9H to the right of item 2.",
        "Seat 0 merges item 2 into item 1, on its right.",
        "Seat 0 plays 7C as item 3.",
        "Seat 0 ends its turn and draws 1.",
    ]
