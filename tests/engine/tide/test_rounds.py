"""Tide: how rounds and matches end, and what they score."""

from typing import Any

import pytest

from harbourmaster_engine.cards import fresh_deck
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import Outcome
from harbourmaster_engine.tide import (
    GAME,
    Draw,
    Pass,
    RoundBegan,
    RoundEnded,
    TableRearranged,
    TideState,
)
from support.tide_boards import RUN, code_of, hand, lay, position

LONGER = "3S 4S 5S 6S"


def outcome(state: TideState) -> Outcome:
    found = state.outcome()
    assert found is not None
    return found


def log(state: TideState) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = GAME.notation.summary(state)["round_log"]
    return found


def test_a_match_has_two_decks_and_two_jokers() -> None:
    state = GAME.start(bytes(32), 3)
    dealt = [card for seat in range(3) for card in state.view(seat).hand]

    assert sorted([*dealt, *state._pile]) == sorted(fresh_deck(2, 2))  # type: ignore[attr-defined]
    assert len(dealt) + state.view(0).pile_count == 106


def test_cards_are_dealt_one_at_a_time_from_the_first_seat() -> None:
    deck = fresh_deck(2, 2)
    Stream.for_round(bytes(32), 1).shuffle(deck)
    state = GAME.start(bytes(32), 3, {"hand_size": 4})

    dealt = deck[::-1]
    for seat in range(3):
        assert state.view(seat).hand == tuple(sorted(dealt[seat:12:3]))
    state.apply(Draw())
    assert sorted(state.view(0).hand) == sorted([*dealt[0:12:3], dealt[12]])


def test_each_seat_is_dealt_fourteen_cards_unless_told_otherwise() -> None:
    assert GAME.start(bytes(32), 6).view(0).hand_counts == (14,) * 6
    assert GAME.start(bytes(32), 2, {"hand_size": 53}).view(0).pile_count == 0


def test_the_first_seat_moves_on_by_one_from_round_to_round() -> None:
    for number, first in ((1, 0), (2, 1), (3, 2), (4, 0)):
        assert position(hands=["6S", "7S", "8S"], round=number).to_move == first
    state = position(RUN, hands=["6S", "7S", "8S"])
    *_, began = lay(state, LONGER)

    assert isinstance(began, RoundBegan)
    assert (began.round, began.first, began.hand_counts, began.pile_count) == (2, 1, (14,) * 3, 64)
    assert state.to_move == 1


def test_a_new_round_is_dealt_from_a_fresh_deck_with_its_own_stream() -> None:
    state = position(RUN, hands=["6S", "7S", "8S"])
    lay(state, LONGER)
    deck = fresh_deck(2, 2)
    Stream.for_round(bytes(32), 2).shuffle(deck)

    assert state.view(1).hand == tuple(sorted(deck[::-1][0:42:3]))
    assert state.view(0).cells == ()
    assert state.view(0).opened == (False,) * 3


def test_a_seat_whose_hand_is_empty_went_out_and_wins_the_round() -> None:
    state = position(RUN, hands=["6S", "KC JK AD"], scores=[5, -5])
    rearranged, ended, _ = lay(state, LONGER)

    assert isinstance(rearranged, TableRearranged)
    assert ended == RoundEnded(1, "went_out", (0,), (49, -49))
    assert log(state) == [{"how": "went_out", "winners": [0], "scores": [49, -49]}]


def test_a_seat_goes_out_with_its_opening_too() -> None:
    state = position(hands=["10S JS QS", "KC"], opened=[])
    lay(state, "10S JS QS")

    assert state.scores == (13, -13)


def test_e13_every_other_seat_loses_its_hand_and_the_winner_scores_the_sum() -> None:
    state = position(RUN, hands=["6S", "KC", "JC 2D", "JK AD"])
    lay(state, LONGER)

    assert state.scores == (13 + 13 + 31, -13, -13, -31)


def test_a_joker_left_in_a_hand_costs_thirty() -> None:
    state = position(RUN, hands=["6S", "JK JK"])
    lay(state, LONGER)

    assert state.scores == (60, -60)


def test_a_round_is_blocked_when_every_seat_has_passed_in_a_row_with_an_empty_pile() -> None:
    state = position(RUN, hands=["6S", "KC 3D", "JK"], pile="9D", options={"max_rounds": 1})
    state.apply(Draw())
    for _ in range(2):
        state.apply(Pass())
        assert state.outcome() is None
    _, ended = state.apply(Pass())

    assert ended == RoundEnded(1, "blocked", (0,), (46, -16, -30))
    assert outcome(state) == Outcome((46, -16, -30), (1, 2, 3), "max_rounds", (None,) * 3)


def test_a_rearrangement_between_passes_begins_the_count_anew() -> None:
    state = position(RUN, hands=["6S 9D", "KC", "9C"], pile="", passes=2)
    assert state.view(0).passed == (False, True, True)
    lay(state, LONGER)
    assert state.view(0).passed == (False, False, False)
    state.apply(Pass())
    state.apply(Pass())

    assert state.view(0).round == 1
    state.apply(Pass())
    assert state.view(0).round == 2


def test_of_equal_hands_the_one_with_fewer_cards_wins_a_blocked_round() -> None:
    state = position(RUN, hands=["4C 3C 2C", "9C"], pile="", passes=1)
    state.apply(Pass())

    assert log(state)[0]["winners"] == [1]
    assert state.scores == (-9, 9)


def test_hands_equal_in_both_share_a_blocked_round_and_a_remainder_is_dropped() -> None:
    state = position(RUN, hands=["9D", "4C 3C 2C", "9C"], pile="", passes=2)
    state.apply(Pass())

    assert log(state)[0] == {"how": "blocked", "winners": [0, 2], "scores": [4, -9, 4]}


def test_empty_hand_ends_after_one_round_with_its_winner_first() -> None:
    state = position(
        RUN, hands=["6S", "KC", "2C"], options={"format": "EMPTY_HAND"}, scores=[0, 100, 50]
    )
    lay(state, LONGER)

    assert outcome(state) == Outcome((15, 87, 48), (1, 2, 3), "one_round", (None,) * 3)


def test_empty_hand_counts_a_blocked_round_too_and_a_shared_win_shares_the_place() -> None:
    state = position(
        RUN, hands=["9D", "4C 3C 2C", "9C"], pile="", passes=2, options={"format": "EMPTY_HAND"}
    )
    state.apply(Pass())

    assert outcome(state).placements == (1, 3, 1)
    assert outcome(state).reason == "one_round"


def test_classic_ends_after_a_round_in_which_a_seat_has_the_target_score() -> None:
    state = position(RUN, hands=["6S", "KC JK AD"], scores=[156, -156])
    lay(state, LONGER)

    assert outcome(state) == Outcome((200, -200), (1, 2), "target", (None, None))


def test_classic_goes_on_below_the_target_score() -> None:
    state = position(RUN, hands=["6S", "KC JK AD"], scores=[155, -155])
    lay(state, LONGER)

    assert state.outcome() is None
    assert state.view(0).round == 2


def test_classic_ends_after_max_rounds() -> None:
    state = position(RUN, hands=["3C", "6S"], round=5, turn=1, scores=[90, -30])
    lay(state, LONGER)

    assert outcome(state) == Outcome((87, -27), (1, 2), "max_rounds", (None, None))


def test_where_two_ends_coincide_the_target_is_the_reason() -> None:
    state = position(RUN, hands=["6S", "KC JK AD"], scores=[156, -156], round=5, turn=0)
    lay(state, LONGER)

    assert outcome(state).reason == "target"


def test_equal_totals_share_the_place() -> None:
    state = position(RUN, hands=["6S", "KC", "KD"], options={"max_rounds": 1})
    lay(state, LONGER)

    assert outcome(state).placements == (1, 2, 2)


def test_meld_score_pays_the_cards_that_came_out_of_the_hand_at_once_a_joker_nothing() -> None:
    state = position(RUN, hands=["6S JK 8S 2C", "KC"], options={"format": "MELD_SCORE"})
    (event,) = lay(state, (1, 1, "3S 4S 5S 6S JK 8S"))

    assert state.scores == (14, 0)
    assert isinstance(event, TableRearranged)
    assert event.points == 14


def test_other_formats_pay_nothing_for_cards_laid() -> None:
    state = position(RUN, hands=["6S 2C", "KC"])
    (event,) = lay(state, LONGER)

    assert isinstance(event, TableRearranged)
    assert (event.points, state.scores) == (0, (0, 0))


def test_meld_score_settles_nothing_at_the_end_of_a_round() -> None:
    state = position(RUN, hands=["6S", "KC JK"], options={"format": "MELD_SCORE"}, scores=[5, 20])
    lay(state, LONGER)

    assert state.scores == (11, 20)
    assert log(state) == [{"how": "went_out", "winners": [0], "scores": [11, 20]}]
    assert state.view(0).round == 2


def test_meld_score_settles_nothing_in_a_blocked_round() -> None:
    options = {"format": "MELD_SCORE"}
    state = position(RUN, hands=["9S", "KC"], pile="", passes=1, options=options)
    state.apply(Pass())

    assert state.scores == (0, 0)
    assert log(state)[0]["winners"] == [0]


def test_meld_score_ends_the_moment_a_seat_reaches_the_target_also_in_mid_round() -> None:
    state = position(
        RUN, hands=["6S 2C", "KC"], options={"format": "MELD_SCORE"}, scores=[194, 199]
    )
    lay(state, LONGER)

    assert outcome(state) == Outcome((200, 199), (1, 2), "target", (None, None))
    assert log(state) == []
    assert (state.turns, hand(state, 0)) == (1, "2C")


def test_meld_score_ends_after_max_rounds_with_the_highest_total_first() -> None:
    state = position(
        RUN, hands=["6S", "KC"], options={"format": "MELD_SCORE"}, scores=[5, 20], round=10, turn=0
    )
    lay(state, LONGER)

    assert outcome(state) == Outcome((11, 20), (2, 1), "max_rounds", (None, None))


def test_after_the_end_every_move_is_refused() -> None:
    state = position(RUN, hands=["6S", "KC"], options={"max_rounds": 1})
    lay(state, LONGER)

    for move in (Draw(), Pass(), None):
        refusal = state.check(move)
        assert refusal is not None
        assert refusal.code == "over"
    assert code_of(state, RUN) == "over"
    assert state.legal_moves().moves == ()
    assert state.legal_moves().complete


def test_turns_count_the_one_that_ends_a_round() -> None:
    state = position(RUN, hands=["6S", "KC"])
    lay(state, LONGER)
    state.apply(Draw())

    assert state.turns == 2


@pytest.mark.parametrize(
    ("game_format", "rounds"), [("CLASSIC", 5), ("MELD_SCORE", 10), ("EMPTY_HAND", 1)]
)
def test_the_default_of_max_rounds_depends_on_the_format(game_format: str, rounds: int) -> None:
    options = GAME.resolve(2, {"format": game_format})

    assert options["max_rounds"] == rounds
    assert "max_rounds" not in GAME.non_defaults(options, 2)


def test_another_number_of_rounds_than_one_is_refused_for_empty_hand() -> None:
    with pytest.raises(ValueError, match="always 1 round"):
        GAME.start(bytes(32), 2, {"format": "EMPTY_HAND", "max_rounds": 2})
    assert GAME.resolve(2, {"format": "EMPTY_HAND", "max_rounds": 1})["max_rounds"] == 1


def test_hands_of_all_seats_fit_the_deck() -> None:
    assert GAME.resolve(6, {"hand_size": 17})["hand_size"] == 17
    with pytest.raises(ValueError, match="6 seats can be dealt at most 17 cards each"):
        GAME.start(bytes(32), 6, {"hand_size": 18})


@pytest.mark.parametrize(
    "options",
    [{"format": "QUICK"}, {"hand_size": 0}, {"opening_minimum": -1}, {"target_score": True}],
)
def test_options_out_of_range_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"option {next(iter(options))}"):
        GAME.resolve(2, options)


def test_two_to_six_seats_play() -> None:
    for seats in range(2, 7):
        assert GAME.start(bytes(32), seats).seats == seats
    for seats in (1, 7):
        with pytest.raises(ValueError, match="2 to 6 seats"):
            GAME.start(bytes(32), seats)
