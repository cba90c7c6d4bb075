"""Cards: numbers, names, ranks and suits."""

from collections import Counter

import pytest

from harbourmaster_engine.cards import (
    JOKER,
    NAMES,
    RANK,
    SUIT,
    card_name,
    card_names,
    fresh_deck,
    make_card,
    parse_card,
)


def test_a_fresh_deck_is_clubs_diamonds_hearts_spades_each_from_ace_to_king() -> None:
    names = card_names(fresh_deck())
    assert " ".join(names[:13]) == "AC 2C 3C 4C 5C 6C 7C 8C 9C 10C JC QC KC"
    assert names[13] == "AD"
    assert names[26] == "AH"
    assert names[51] == "KS"
    assert len(set(names)) == 52


def test_a_second_deck_comes_after_the_first_and_the_jokers_come_last() -> None:
    deck = fresh_deck(2, jokers=4)
    assert len(deck) == 108
    assert deck[:52] == deck[52:104] == fresh_deck()
    assert deck[104:] == [JOKER] * 4
    assert Counter(Counter(deck).values()) == {2: 52, 4: 1}


@pytest.mark.parametrize("card", [*range(52), JOKER])
def test_every_card_can_be_written_and_read(card: int) -> None:
    assert parse_card(card_name(card)) == card


@pytest.mark.parametrize(
    ("name", "rank", "suit"), [("AC", 1, 0), ("10H", 10, 2), ("KS", 13, 3), ("2D", 2, 1)]
)
def test_a_name_is_rank_then_suit(name: str, rank: int, suit: int) -> None:
    card = parse_card(name)
    assert (RANK[card], SUIT[card]) == (rank, suit)
    assert make_card(rank, suit) == card
    assert NAMES[card] == name


def test_a_joker_has_neither_rank_nor_suit() -> None:
    assert parse_card("JK") == JOKER
    assert (RANK[JOKER], SUIT[JOKER]) == (0, 4)


@pytest.mark.parametrize(
    "text", ["", "1C", "11H", "ah", "AC ", "C10", "XX", None, 5, ["AC"], b"AC"]
)
def test_what_names_no_card_is_an_error_that_says_how(text: object) -> None:
    with pytest.raises(ValueError, match="is not a card: write rank then suit, such as 10H, or JK"):
        parse_card(text)
