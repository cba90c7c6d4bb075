"""Wild Rummy: what is a meld, and what each of its cards stands for."""

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.wild_rummy.melds import read_meld
from harbourmaster_engine.wild_rummy.moves import Meld, MeldLaid
from support.wild_rummy_boards import do, legal, melds, move, names, position, refused, stands_for


def laid(cards: str, wild: int = 5) -> str:
    """Return what the cards stand for once laid down, or the code of the refusal."""
    state = position(f"wild: {wild}\n0: {cards} JC\n1: JD")
    if not legal(state, f"meld {cards}"):
        return refused(state, f"meld {cards}")
    do(state, f"meld {cards}")
    assert melds(state) == [cards]
    return stands_for(state, 1)


@pytest.mark.parametrize("cards", ["7S 7H 7C", "7S 7H 7C 7D"])
def test_a_set_is_three_or_four_of_one_rank(cards: str) -> None:
    assert laid(cards) == cards


@pytest.mark.parametrize(
    ("cards", "code"),
    [
        ("7S", "too_short"),
        ("7S 7H", "too_short"),
        ("7S 7H 9C", "not_a_meld"),
        ("7S 7H 7C 9C", "not_a_meld"),
        ("7S 7H 7C 7D 5C", "too_long"),
        ("7S 7H 7C 5S 5C", "too_long"),
    ],
)
def test_other_cards_are_no_set(cards: str, code: str) -> None:
    assert laid(cards) == code


@pytest.mark.parametrize("cards", ["7S 7S 7H", "7S 7H 7S", "7S 8S 7S", "5C 5C 5D"])
def test_no_suit_is_in_a_set_twice_because_no_card_is_named_twice(cards: str) -> None:
    state = position("0: 7S 7H 8S 5C 5D\n1: 2D")

    assert refused(state, f"meld {cards}") == "not_held"


@pytest.mark.parametrize(
    "cards",
    [
        "3H 4H 6H",
        "4H 3H 6H",
        "6H 4H 3H",
        "3H 4H 6D",
        "KD AD 2D",
        "QD KD AD 2D",
        "2D AD KD",
        "3D 2D AD",
        "AD 3D 4D",
    ],
)
def test_a_run_is_one_suit_in_sequence_from_low_to_high_never_round_the_corner(cards: str) -> None:
    assert laid(cards) == "not_a_meld"


@pytest.mark.parametrize(
    "cards", ["AD 2D 3D", "QD KD AD", "10D JD QD KD AD", "9H 10H JH QH", "6C 7C 8C"]
)
def test_the_ace_is_low_or_high(cards: str) -> None:
    assert laid(cards) == cards


def test_a_run_has_thirteen_cards_at_most() -> None:
    low = "AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH"
    high = "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH"

    assert laid(low) == low
    assert laid(high) == high
    state = position(f"0: {low} 5C\n1: 2D")
    assert refused(state, f"meld {low} 5C") == "too_long"


@pytest.mark.parametrize(
    ("cards", "meaning"),
    [
        ("5C 3H 4H", "2H 3H 4H"),
        ("3H 4H 5C", "3H 4H 5H"),
        ("3H 5C 5D 6H", "3H 4H 5H 6H"),
        ("5C 2D 3D", "AD 2D 3D"),
        ("AD 5C 3D", "AD 2D 3D"),
        ("QD KD 5C", "QD KD AD"),
        ("5C KD AD", "QD KD AD"),
        ("QD 5C AD", "QD KD AD"),
        ("5C 5D QD KD", "10D JD QD KD"),
    ],
)
def test_e14_the_order_alone_settles_what_a_wild_in_a_run_stands_for(
    cards: str, meaning: str
) -> None:
    assert laid(cards) == meaning


@pytest.mark.parametrize("cards", ["5C AD 2D", "KD AD 5C", "5C AD 2D 3D", "QD KD AD 5C"])
def test_a_wild_does_not_carry_a_run_past_an_ace(cards: str) -> None:
    assert laid(cards) == "not_a_meld"


def test_a_natural_5_makes_4_5_6_of_one_suit_a_run_in_a_round_of_5s() -> None:
    assert laid("4H 5H 6H") == "4H 5H 6H"
    state = position("0: 4H 5H 6H 2S\n1: 2D")
    do(state, "meld 4H 5H 6H")
    assert state.view(0).melds[0].wilds == 0


@pytest.mark.parametrize(
    ("cards", "meaning"),
    [
        ("4H 5H 5C", "4H 5H 6H"),
        ("5C 5H 6H", "4H 5H 6H"),
        ("5H 3H 4H", "2H 3H 4H"),
        ("5H 6H 7H", "5H 6H 7H"),
        ("3H 4H 5H 5C", "3H 4H 5H 6H"),
    ],
)
def test_a_card_of_the_wild_rank_is_natural_in_its_own_place_and_wild_elsewhere(
    cards: str, meaning: str
) -> None:
    assert laid(cards) == meaning


@pytest.mark.parametrize(
    "cards", ["5C 5D 7H", "5C 6H 5D", "4H 5C 5D", "7S 5C 5D", "5H 5C 6D", "3H 5C 5D 5H 7H"]
)
def test_a_meld_never_holds_more_wilds_than_naturals(cards: str) -> None:
    assert laid(cards) == "too_many_wilds"


@pytest.mark.parametrize(
    ("cards", "meaning"),
    [
        ("7S 7H 5C", "7S 7H *"),
        ("5C 7S 7H", "* 7S 7H"),
        ("7S 5C 7H 5D", "7S * 7H *"),
        ("7S 7H 7D 5C", "7S 7H 7D *"),
    ],
)
def test_in_a_set_a_wild_stands_for_the_rank_in_any_suit_not_shown(
    cards: str, meaning: str
) -> None:
    assert laid(cards) == meaning


@pytest.mark.parametrize("cards", ["5C 5D 5H", "5S 5D 5H 5C"])
def test_a_set_of_the_wild_rank_is_all_natural(cards: str) -> None:
    assert laid(cards) == cards


@pytest.mark.parametrize(
    ("cards", "meaning"),
    [
        ("AC 2C 3C", "AC 2C 3C"),
        ("QC KC AC", "QC KC AC"),
        ("AS 2C 3C", "AC 2C 3C"),
        ("2C 3C AC", "2C 3C 4C"),
        ("AC QC KC", "JC QC KC"),
        ("2C AC 4C", "2C 3C 4C"),
    ],
)
def test_in_the_round_of_aces_an_ace_is_natural_at_either_end_and_wild_elsewhere(
    cards: str, meaning: str
) -> None:
    assert laid(cards, wild=1) == meaning


@pytest.mark.parametrize(("wild", "card"), [(1, "AS"), (2, "2S"), (11, "JS"), (13, "KS")])
def test_in_round_k_the_kth_rank_is_wild(wild: int, card: str) -> None:
    assert laid(f"7H 8H {card}", wild) == "7H 8H 9H"
    assert laid(f"7H 8H {card}", 5) == "not_a_meld"


def test_the_cards_leave_the_hand_and_the_melds_are_numbered_from_1() -> None:
    state = position("0: 3H 4H 6H 5H 7C 7D 7S 2S\n1: 2D")
    events = do(state, "meld 3H 4H 5H", "meld 7C 7D 7S")

    assert [event.meld for event in events if isinstance(event, MeldLaid)] == [1, 2]
    assert names(state.view(0).hand) == "6H 2S"


def test_every_reading_is_what_counting_places_says() -> None:
    """Compare with a reading that tries every kind of meld and every start."""
    rng = Stream(b"readings")
    seen = {True: 0, False: 0}
    for _ in range(4_000):
        wild = rng.below(13) + 1
        size = 3 + rng.below(3)
        suit = 13 * rng.below(4)
        low = rng.below(13)
        # Cards near each other and of the wild rank, so that many are melds.
        pool = [suit + (low + i) % 13 for i in range(5)]
        pool += [wild - 1 + 13 * i for i in range(4)]
        cards: list[int] = []
        while len(cards) < size:
            card = rng.choice(pool)
            if card not in cards:
                cards.append(card)
        found = read_meld(tuple(cards), wild)
        expected = readings(cards, wild)
        assert len(expected) <= 1
        assert isinstance(found, Meld) == bool(expected), (cards, wild)
        if isinstance(found, Meld):
            assert list(found.stands_for) == expected[0]
        seen[bool(expected)] += 1
    assert min(seen.values()) > 200


def readings(cards: list[int], wild: int) -> list[list[int | None]]:
    """Return every reading of *cards* as a meld, by trial."""
    trials: list[list[int | None]] = []
    for suit in range(4):
        for low in range(1, 15 - len(cards) + 1):
            trials.append([suit * 13 + (low + i - 1) % 13 for i in range(len(cards))])
    for rank in range(13):
        if len(cards) <= 4:
            trials.append([card if card % 13 == rank else None for card in cards])
    found = []
    for trial in trials:
        pairs = list(zip(cards, trial, strict=True))
        wilds = [card for card, stands in pairs if card != stands]
        if all(card % 13 == wild - 1 for card in wilds) and 2 * len(wilds) <= len(cards):
            found.append(trial)
    return found


def test_a_meld_must_be_held() -> None:
    state = position("0: 3H 4H 6H 5C\n1: 5H")

    assert refused(state, "meld 3H 4H 5H") == "not_held"
    assert "5H" in str(state.check(move("meld 3H 4H 5H")))
