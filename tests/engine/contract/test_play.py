"""Every game, played at random with all its formats and numbers of seats."""

from dataclasses import replace
from typing import Any

import pytest

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.game import LegalMoves
from harbourmaster_engine.registry import games
from support import faults
from support.cases import Case, all_cases
from support.checks import (
    assert_ends,
    assert_no_other_views,
    assert_offers_are_legal,
    assert_outcome_is_consistent,
    assert_same_cards,
    assert_views_work,
)
from support.places import PLACES, all_cards
from support.play import LONGEST, by_default, by_list, by_sample, play, walk
from support.soak import matches

CASES = all_cases()
FAULTY = Case(ANCHORLINE, 2)
"""The case on which faults are planted."""


def test_every_game_has_cases_for_all_its_numbers_of_seats() -> None:
    for game in games().values():
        seats = {case.seats for case in CASES if case.game is game}
        assert seats == set(range(game.min_seats, game.max_seats + 1))


@pytest.mark.parametrize("number", matches(1, 30))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_e46_a_match_of_sampled_moves_ends_with_a_consistent_outcome(
    case: Case, number: int
) -> None:
    assert_outcome_is_consistent(case, walk(case, number).end)


@pytest.mark.parametrize("number", matches(1, 10))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_e46_a_match_of_offered_moves_ends_with_a_consistent_outcome(
    case: Case, number: int
) -> None:
    state = case.start(number)
    for _ in play(state, by_list, case.rng(f"offered {number}")):
        pass
    assert_outcome_is_consistent(case, state)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_e46_p22_a_match_of_default_moves_ends_with_a_consistent_outcome(case: Case) -> None:
    state = case.start()
    for _ in play(state, by_default, case.rng("default")):
        pass
    assert_outcome_is_consistent(case, state)


def test_a_match_that_never_ends_is_noticed() -> None:
    state = faults.NeverEnds(FAULTY.start(), FAULTY)
    with pytest.raises(AssertionError, match="has not ended"):
        assert_ends(FAULTY, state, FAULTY.rng("endless"), 1000)
    assert 0 < assert_ends(FAULTY, FAULTY.start(), FAULTY.rng("endless"), LONGEST) < 1000


@pytest.mark.parametrize("fault", [faults.PlacesEverybodyFirst, faults.ScoresInHalves])
def test_an_inconsistent_outcome_is_noticed(fault: type[faults.Faulty]) -> None:
    end = walk(FAULTY).end
    assert_outcome_is_consistent(FAULTY, faults.Faulty(end, FAULTY))
    with pytest.raises(AssertionError):
        assert_outcome_is_consistent(FAULTY, fault(end, FAULTY))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_e43_legal_moves_are_offered_exactly_while_a_seat_is_to_move(case: Case) -> None:
    match = walk(case)
    for position in match.some(25):
        assert_offers_are_legal(case, position.state)
    assert_offers_are_legal(case, match.end)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_complete_list_holds_every_sampled_move(case: Case) -> None:
    for state, move, _ in walk(case).some(200):
        offered = state.legal_moves()
        assert move in offered.moves or not offered.complete


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_list_is_no_longer_than_its_limit_unless_it_is_complete(case: Case) -> None:
    for state, _, _ in walk(case).some(25):
        short = state.legal_moves(3)
        assert isinstance(short, LegalMoves)
        assert short.moves
        assert short.complete or len(short.moves) <= 3


@pytest.mark.parametrize(
    "fault", [faults.OffersNothing, faults.OffersAnything, faults.DefaultsToNothing]
)
def test_wrong_offers_are_noticed(fault: type[faults.Faulty]) -> None:
    assert_offers_are_legal(FAULTY, faults.Faulty(FAULTY.start(), FAULTY))
    with pytest.raises(AssertionError):
        assert_offers_are_legal(FAULTY, fault(FAULTY.start(), FAULTY))


@pytest.mark.parametrize("number", matches(1, 20))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_card_is_lost_or_made(case: Case, number: int) -> None:
    match = walk(case, number)
    assert_same_cards(case, [position.state for position in match.some(400)] + [match.end])
    assert all_cards(case.game.id, match.end)


def test_a_lost_card_is_noticed() -> None:
    states: list[Any] = [position.state.clone() for position in walk(FAULTY).positions[:9]]
    assert_same_cards(FAULTY, states)
    states[5]._stacks[0].pop(0)
    with pytest.raises(AssertionError, match="position 5"):
        assert_same_cards(FAULTY, states)


def test_a_game_whose_places_are_unknown_is_noticed() -> None:
    stranger = Case(replace(ANCHORLINE, id="stranger"), 2)
    with pytest.raises(AssertionError, match="does not know where stranger is"):
        assert_same_cards(stranger, [stranger.start()])
    assert set(PLACES) >= set(games())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_everybody_has_a_view_before_and_after_the_end(case: Case) -> None:
    match = walk(case)
    for position in match.some(25):
        assert_views_work(case, position.state)
    assert_views_work(case, match.end)


def test_a_view_that_fails_after_the_end_is_noticed() -> None:
    assert_views_work(FAULTY, faults.HidesTheEnd(FAULTY.start(), FAULTY))
    with pytest.raises(AssertionError, match="the match is over"):
        assert_views_work(FAULTY, faults.HidesTheEnd(walk(FAULTY).end, FAULTY))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_seat_that_the_match_does_not_have_has_no_view(case: Case) -> None:
    match = walk(case)
    for state in (case.start(), *[position.state for position in match.some(3)], match.end):
        assert_no_other_views(case, state)


def test_a_view_for_a_seat_that_the_match_does_not_have_is_noticed() -> None:
    with pytest.raises(AssertionError, match="a view for seat -3"):
        assert_no_other_views(FAULTY, faults.CountsSeatsFromTheEnd(FAULTY.start(), FAULTY))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_move_and_event_has_words(case: Case) -> None:
    text = case.game.text
    for _, move, events in walk(case).some(200):
        assert text.describe_move(move)
        for event in events:
            assert case.game.describe(event).strip()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_same_seed_gives_the_same_match(case: Case) -> None:
    first, second = case.start(7), case.start(7)
    other = case.start(8)
    assert first.fingerprint() == second.fingerprint() != other.fingerprint()
    for position in play(first, by_sample, case.rng("same")):
        assert position.events == second.apply(position.move)
    assert first.fingerprint() == second.fingerprint()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_turns_never_go_back_and_scores_are_whole_numbers(case: Case) -> None:
    turns = 0
    for position in walk(case).positions:
        state = position.state
        assert state.seats == case.seats
        assert turns <= state.turns
        assert all(type(score) is int for score in state.scores)
        assert len(state.scores) == case.seats
        turns = state.turns
