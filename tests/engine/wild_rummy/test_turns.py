"""Wild Rummy: rounds, turns, draws, discards, additions and purchases."""

import pytest

from harbourmaster_engine.cards import parse_card
from harbourmaster_engine.wild_rummy import (
    AddCard,
    BuyWild,
    CardAdded,
    End,
    Phase,
    StockDrawn,
    WildBought,
)
from support.wild_rummy_boards import (
    discard_top,
    do,
    hand,
    legal,
    melds,
    move,
    position,
    refused,
    stands_for,
    start,
)

SEED = bytes(range(32))
SEVEN_OF_DIAMONDS = parse_card("7D")


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_seat_0_deals_seven_cards_each_and_an_eighth_to_itself(seats: int) -> None:
    state = start(seats)

    assert state.view(0).hand_counts == (8, *[7] * (seats - 1))
    assert state.view(0).stock_count == 52 - 7 * seats - 1
    assert state.view(0).dealer == 0
    assert state.to_move == 0


def test_cards_are_dealt_one_at_a_time_from_the_left_of_the_dealer_who_gets_the_eighth_last() -> (
    None
):
    state = start(3)
    twin = start(3)
    twin._clear_table(1, 0)
    deck = [*range(52)]
    twin._stream.shuffle(deck)
    dealt = deck[::-1]

    for seat, first in ((1, 0), (2, 1), (0, 2)):
        expected = [dealt[first + 3 * i] for i in range(7)] + ([dealt[21]] if seat == 0 else [])
        assert state.view(seat).hand == tuple(sorted(expected))
    assert state._stock == deck[:30]


def test_the_dealer_opens_with_a_discard_and_nothing_else() -> None:
    state = position("stock: 2C 3C\n0: 3H 4H 5H 6H 7H 8H 9H KD\n1: 2D", phase="open", turn=0)

    for command in ("draw stock", "draw discard", "meld 3H 4H 5H", "add 3H 1", "buy 3H 1[0]"):
        assert refused(state, command) == "opening_discard_only"
    do(state, "discard KD")
    assert (state.to_move, state.view(0).phase, state.turns) == (1, Phase.DRAW, 0)
    assert state.view(0).round_turns == 0
    do(state, "draw discard")
    assert hand(state, 1) == "2D KD"


def test_the_turn_goes_to_the_left_of_the_dealer_and_round_the_table() -> None:
    state = start(3)
    order = []
    for _ in range(5):
        order.append(state.to_move)
        state.apply(state.default_move())
        while state.view(0).phase is Phase.PLAY:
            state.apply(state.default_move())
    state.apply(state.default_move())

    assert order == [0, 1, 2, 0, 1]


def test_a_turn_begins_with_a_draw() -> None:
    state = position("discards: 9D\n0*: 3H 4H 6H\n1: 2D", phase="draw")

    for command in ("discard 3H", "meld 3H 4H 6H", "add 3H 1", "buy 3H 1[0]"):
        assert refused(state, command) == "draw_first"


@pytest.mark.parametrize(
    ("draw", "card", "top"), [("draw stock", "3C", "9D"), ("draw discard", "9D", "8D")]
)
def test_the_draw_is_the_top_of_the_stock_or_of_the_discard_pile(
    draw: str, card: str, top: str
) -> None:
    state = position("stock: 2C 3C\ndiscards: 8D 9D\n0: 3H\n1: 2D", phase="draw")
    do(state, draw)

    assert sorted(hand(state, 0).split()) == sorted(["3H", card])
    assert discard_top(state) == top


def test_there_is_one_draw_in_a_turn() -> None:
    state = position("discards: 8D 9D\n0: 3H\n1: 2D", phase="draw")
    do(state, "draw stock")

    assert refused(state, "draw stock") == "already_drawn"
    assert refused(state, "draw discard") == "already_drawn"


def test_an_empty_discard_pile_has_nothing_to_draw() -> None:
    state = position("0: 3H\n1: 2D", phase="draw")

    assert refused(state, "draw discard") == "nothing_to_draw"
    assert len(state.legal_moves().moves) == 1


def test_e22_what_a_seat_draws_from_the_stock_is_in_no_event() -> None:
    state = position("discards: 9D\n0: 3H\n1: 2D", phase="draw")

    assert do(state, "draw stock") == [StockDrawn(0)]


def test_melding_adding_and_buying_come_in_any_order_and_number() -> None:
    state = position("meld: 8C 5D 10C\nmeld: 7S 7H 5S\n0*: 9C 7D 3H 4H 2H AH KD\n1: 2D")
    do(state, "buy 9C 1[1]", "meld 2H 3H 4H", "add 5D 1 low", "buy 7D 2[2]", "add AH 3 low")
    do(state, "discard KD")

    assert melds(state) == ["5D 8C 9C 10C", "7S 7H 7D", "AH 2H 3H 4H"]
    assert hand(state, 0) == "5S"


def test_a_discard_ends_the_turn() -> None:
    state = position("0: 3H KD\n1: 2D")
    do(state, "discard KD")

    assert (state.to_move, state.turns, state.view(0).round_turns) == (1, 1, 1)
    assert discard_top(state) == "KD"
    assert refused(state, "discard 2D") == "draw_first"


def test_the_view_shows_the_top_discard_and_the_number_below_it() -> None:
    state = position("discards: 7D 8D 9D\n0: 3H KD\n1: 2D")
    view = state.view(1)

    assert (discard_top(state), view.discards_below) == ("9D", 2)


def test_a_discard_must_be_held() -> None:
    assert refused(position("0: 3H KD\n1: 2D"), "discard 2D") == "not_held"


def test_the_card_taken_from_the_discard_pile_is_not_discarded_in_the_same_turn() -> None:
    state = position("discards: 9D\n0: 3H KD\n1: 2D", phase="draw")
    do(state, "draw discard")

    assert refused(state, "discard 9D") == "taken_discard"
    assert set(state.legal_moves().moves) == {move("discard KD"), move("discard 3H")}
    do(state, "discard KD")


def test_with_the_option_it_may_be() -> None:
    state = position(
        "discards: 9D\n0: 3H KD\n1: 2D", phase="draw", options={"return_taken_discard": True}
    )
    do(state, "draw discard", "discard 9D")

    assert state.to_move == 1


def test_it_may_be_discarded_when_it_is_the_only_card() -> None:
    state = position("0: 9D\n1: 2D", taken="9D")
    assert legal(state, "discard 9D")


def test_it_may_be_discarded_when_the_other_cards_were_played() -> None:
    state = position("discards: 9D\n0: 3H 4H 5H\n1: 2D", phase="draw")
    do(state, "draw discard")
    assert refused(state, "discard 9D") == "taken_discard"
    do(state, "meld 3H 4H 5H")
    assert legal(state, "discard 9D")


def test_it_may_be_discarded_once_it_has_left_the_hand_and_come_back() -> None:
    state = position("discards: 9D 5S\n0: 4H 6H 5H KD\n1: 2D", phase="draw")
    do(state, "draw discard")
    assert refused(state, "discard 5S") == "taken_discard"
    do(state, "meld 4H 5S 6H")
    assert state.view(1).taken is None
    do(state, "buy 5H 1[1]")

    assert legal(state, "discard 5S")


def test_in_the_next_turn_it_may_be_discarded() -> None:
    state = position("discards: 9D\nstock: 2C 3C 4C\n0: 3H KD\n1: 2D JD", phase="draw")
    do(state, "draw discard", "discard KD", "draw stock", "discard JD", "draw stock")

    assert legal(state, "discard 9D")


@pytest.mark.parametrize("command", ["add 7C 1 high", "buy 5C 1[1]"])
def test_adding_and_buying_need_a_meld_of_the_seats_own_in_this_round(command: str) -> None:
    state = position("meld: 4C 5D 6C\n0: 7C 5C 8D 8H 8S KD\n1*: 2D")

    assert refused(state, command) == "not_melded"
    do(state, "meld 8D 8H 8S")
    assert legal(state, command)


def test_a_seat_adds_to_anyones_meld() -> None:
    state = position("meld: 4C 5D 6C\n0*: 7C KD\n1*: 2D")

    assert do(state, "add 7C 1 high") == [CardAdded(0, 1, parse_card("7C"), End.HIGH)]
    assert melds(state) == ["4C 5D 6C 7C"]


@pytest.mark.parametrize(
    ("command", "after", "meaning"),
    [
        ("add 7C 1 high", "3C 5D 5C 6C 7C", "3C 4C 5C 6C 7C"),
        ("add 2C 1 low", "2C 3C 5D 5C 6C", "2C 3C 4C 5C 6C"),
        ("add 5H 1 high", "3C 5D 5C 6C 5H", "3C 4C 5C 6C 7C"),
        ("add 5H 1 low", "5H 3C 5D 5C 6C", "2C 3C 4C 5C 6C"),
    ],
)
def test_a_run_takes_the_next_card_or_a_wild_for_it_at_either_end(
    command: str, after: str, meaning: str
) -> None:
    state = position("meld: 3C 5D 5C 6C\n0*: 7C 2C 5H KD\n1: 2D")
    do(state, command)

    assert melds(state) == [after]
    assert stands_for(state, 1) == meaning


@pytest.mark.parametrize(
    "command", ["add 7C 1 low", "add 2C 1 high", "add 8C 1 high", "add 7D 1 high", "add AC 1 low"]
)
def test_a_run_takes_no_other_card(command: str) -> None:
    state = position("meld: 3C 4C 5C 6C\n0*: 7C 2C 8C 7D AC\n1: 2D")

    assert refused(state, command) == "does_not_fit"


def test_the_wild_limit_holds_after_every_addition() -> None:
    state = position("meld: 4H 5H 5C\n0*: 5D 5S 7H 3H KD\n1: 2D")
    do(state, "add 5D 1 high")

    for end in ("low", "high"):
        assert refused(state, f"add 5S 1 {end}") == "too_many_wilds"
    do(state, "add 3H 1 low")
    assert legal(state, "add 5S 1 high")


def test_an_added_card_of_the_wild_rank_that_fits_as_itself_is_natural() -> None:
    state = position("meld: 6H 5C 8H 5D\n0*: 5H KD\n1: 2D")
    do(state, "add 5H 1 low")

    assert stands_for(state, 1) == "5H 6H 7H 8H 9H"
    assert state.view(0).melds[0].wilds == 2


@pytest.mark.parametrize(
    ("meld", "command"),
    [
        ("AD 2D 3D", "add KD 1 low"),
        ("AD 2D 3D", "add 5C 1 low"),
        ("QD 5D AD", "add 2D 1 high"),
        ("JD QD KD 5D", "add 5C 1 high"),
    ],
)
def test_a_run_never_grows_round_the_corner(meld: str, command: str) -> None:
    card = command.split()[1]
    state = position(f"meld: {meld}\n0*: {card} 7S\n1: 9S")

    assert refused(state, command) == "round_the_corner"


@pytest.mark.parametrize(
    ("meld", "command"),
    [
        ("AH 2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH", "add 5C 1 high"),
        ("2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH AH", "add 5C 1 low"),
    ],
)
def test_a_run_of_thirteen_takes_no_card(meld: str, command: str) -> None:
    state = position(f"meld: {meld}\n0*: 5C 7S\n1: 9S")

    assert refused(state, command) == "run_full"


def test_a_run_of_twelve_takes_the_ace_at_one_end_only() -> None:
    twelve = "2H 3H 4H 5H 6H 7H 8H 9H 10H JH QH KH"
    for end, after in (("low", f"AH {twelve}"), ("high", f"{twelve} AH")):
        state = position(f"meld: {twelve}\n0*: AH 5C 7S\n1: 9S")
        do(state, f"add AH 1 {end}")
        assert melds(state) == [after]
        assert refused(state, "add 5C 1 high") == "run_full"


@pytest.mark.parametrize(("card", "after"), [("7C", "7S 7H 5C 7C"), ("5D", "7S 7H 5C 5D")])
def test_a_set_takes_a_fourth_card_or_a_wild_while_it_has_three(card: str, after: str) -> None:
    state = position("meld: 7S 7H 5C\n0*: 7C 5D 7D 8C\n1: 2D")
    assert refused(state, "add 8C 1") == "does_not_fit"
    do(state, f"add {card} 1")

    assert melds(state) == [after]
    assert refused(state, "add 7D 1") == "set_full"


def test_a_set_of_the_wild_rank_takes_its_fourth_card_as_a_natural() -> None:
    state = position("meld: 5C 5D 5H\n0*: 5S KD 2S\n1: 2D")
    assert refused(state, "add KD 1") == "does_not_fit"
    do(state, "add 5S 1")

    assert stands_for(state, 1) == "5C 5D 5H 5S"


def test_an_end_belongs_to_a_run_and_not_to_a_set() -> None:
    state = position("meld: 7S 7H 7C\nmeld: 3C 4C 5C\n0*: 7D 6C\n1: 2D")

    assert refused(state, "add 7D 1 high") == "malformed"
    assert refused(state, "add 6C 2") == "malformed"


@pytest.mark.parametrize("number", [-1, 0, 2, 10**6])
def test_a_meld_must_be_on_the_table(number: int) -> None:
    state = position("meld: 7S 7H 7C\n0*: 7D 6C\n1: 2D")
    for attempt in (AddCard(number, SEVEN_OF_DIAMONDS), BuyWild(number, 0, SEVEN_OF_DIAMONDS)):
        refusal = state.check(attempt)
        assert refusal is not None
        assert refusal.code == "no_such_meld"


def test_a_purchase_puts_the_card_in_the_place_of_the_wild_and_the_wild_in_the_hand() -> None:
    state = position("meld: 5C 5D 7C\n0*: 6C 9C\n1: 2D")

    assert do(state, "buy 6C 1[1]") == [WildBought(0, 1, 1, parse_card("6C"), parse_card("5D"))]
    assert melds(state) == ["5C 6C 7C"]
    assert hand(state, 0) == "9C 5D"


def test_in_a_run_a_wild_is_sold_for_exactly_the_card_it_stands_for() -> None:
    state = position("meld: 4C 5D 6C 5H\n0*: 5C 7C 8C\n1: 2D")

    assert refused(state, "buy 7C 1[1]") == "not_that_card"
    assert refused(state, "buy 5C 1[3]") == "not_that_card"
    do(state, "buy 5C 1[1]", "buy 7C 1[3]")
    assert melds(state) == ["4C 5C 6C 7C"]


@pytest.mark.parametrize("card", ["7D", "7C"])
def test_in_a_set_a_wild_is_sold_for_the_rank_in_any_suit_not_shown(card: str) -> None:
    state = position("meld: 7S 5C 7H\n0*: 7D 7C 6D\n1: 2D")
    assert refused(state, "buy 6D 1[1]") == "not_that_card"
    do(state, f"buy {card} 1[1]")

    assert melds(state) == [f"7S {card} 7H"]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_natural_is_not_for_sale_even_of_the_wild_rank(place: int) -> None:
    state = position("meld: 3H 4H 5H\n0*: 6C 2C\n1: 2D")

    assert refused(state, f"buy 6C 1[{place}]") == "not_a_wild"


@pytest.mark.parametrize("place", [-1, 3, 10**6])
def test_a_purchase_names_a_place_of_the_meld(place: int) -> None:
    state = position("meld: 5C 5D 7C\n0*: 6C 9C\n1: 2D")

    assert refused(state, f"buy 6C 1[{place}]") == "no_such_place"


def test_a_purchase_and_an_addition_need_the_card_in_hand() -> None:
    state = position("meld: 5C 5D 7C\n0*: 9C 2S\n1: 2D")

    assert refused(state, "buy 6C 1[1]") == "not_held"
    assert refused(state, "add 8C 1 high") == "not_held"


def test_a_bought_wild_is_melded_kept_or_thrown_away() -> None:
    text = "meld: 4C 5D 6C\n0*: 5C 8H 9H KD\n1: 2D"

    for command in ("meld 8H 9H 5D", "discard 5D", "discard KD"):
        state = position(text)
        do(state, "buy 5C 1[1]")
        assert legal(state, command)


def test_e31_a_run_extended_twice_in_a_turn_takes_both_cards() -> None:
    state = position("meld: 4C 5C 6C\n0*: 7C 8C KD\n1: 2D")
    do(state, "add 7C 1 high", "add 8C 1 high")

    assert melds(state) == ["4C 5C 6C 7C 8C"]
    assert refused(state, "add 8C 1 high") == "not_held"
