"""What has gone wrong in other engines (rows E), shown not to happen here, for every game.

Rows whose test is elsewhere have their number in that test's name.
"""

from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, AnyState
from support.cases import Case, all_cases
from support.checks import (
    assert_ends,
    assert_offers_are_legal,
    assert_outcome_is_consistent,
    assert_same_cards,
)
from support.leaks import shown_to
from support.places import hidden_from, places_of
from support.play import LONGEST, by_default, by_list, play, walk

CASES = all_cases()
FIRST = list({case.game.id: case for case in reversed(CASES)}.values())
TOLD_BY_THE_TERMS = {"anchor_arrows", "card_arrows", "arrows_bind_moves"}
WORLDS = 100
"""How often a position is dealt again."""


def seen_of(state: AnyState) -> list[Any]:
    """Return everything that there is to see of *state*, its chance included."""
    views = [repr(state.view(seat)) for seat in (*range(state.seats), SPECTATOR)]
    told = (state.scores, state.turns, state.to_move, state.outcome(), state.legal_moves())
    return [*views, repr(told), state.fingerprint()]


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e2_of_a_hundred_worlds_the_hidden_places_vary_and_hold_the_true_cards_seldom(
    case: Case,
) -> None:
    for position in walk(case).some(4):
        rng, state = case.rng("worlds"), position.state
        for seat in range(case.seats):
            true = hidden_from(seat, case.game.id, state)
            worlds = [
                hidden_from(seat, case.game.id, state.redeal(seat, rng)) for _ in range(WORLDS)
            ]
            for place, cards in true.items():
                found = Counter(world[place] for world in worlds)
                if len(found) > 1:
                    assert found.most_common(1)[0][1] < WORLDS, f"{place} never varies"
                if len(set(cards)) > 6:
                    assert found[cards] < WORLDS // 4, f"{place} is dealt as it truly is too often"


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e4_a_match_that_is_taken_up_again_in_the_middle_draws_the_same_cards(case: Case) -> None:
    """A position is saved as its seed and its moves: chance that was used already included."""
    match = walk(case, 3)
    moves = [position.move for position in match.positions[:600]]
    for middle in (len(moves) // 3, len(moves) // 2, len(moves) - 1):
        again = case.start(3)
        for move in moves[:middle]:
            again.apply(move)
        both = [again, match.positions[middle].state.clone()]
        for move in moves[middle:]:
            told = [state.apply(move) for state in both]
            assert told[0] == told[1]
        assert seen_of(both[0]) == seen_of(both[1])


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e5_a_move_that_is_tried_on_a_clone_leaves_everything_as_it_was(case: Case) -> None:
    for position in walk(case).some(25):
        before = seen_of(position.state)
        for move in (*position.state.legal_moves().moves[:8], position.move):
            twin = position.state.clone()
            twin.apply(move)
            assert seen_of(twin) != before
        assert seen_of(position.state) == before


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e7_what_is_kept_for_speed_is_what_the_history_gives(case: Case) -> None:
    """The moves of a state with a long life are those of one that is made anew from its moves."""
    positions = walk(case, 5).positions[:150]
    for number, position in enumerate(positions):
        if number % 12 == 0:
            anew = case.start(5)
            for earlier in positions[:number]:
                anew.apply(earlier.move)
            assert anew.legal_moves() == position.state.legal_moves()
            assert anew.default_move() == position.state.default_move()


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e8_asking_at_any_moment_is_answered_for_any_seat_and_number_of_moves(
    case: Case,
) -> None:
    match = walk(case)
    for state in (*(position.state for position in match.some(20)), match.end):
        for limit in (-5, 0, 1, 2, 1000):
            assert bool(state.legal_moves(limit).moves) == (state.to_move is not None)
        for seat in (*range(case.seats), SPECTATOR):
            assert case.game.text.picture(state.view(seat))


def played_out(case: Case, numbers: range) -> Counter[str]:
    """Play the matches with these *numbers* to their ends; count the reasons."""
    ends: Counter[str] = Counter()
    for number in numbers:
        state = case.start(number)
        assert_ends(case, state, case.rng(f"ends {number}"), LONGEST)
        assert_outcome_is_consistent(case, state)
        outcome = state.outcome()
        assert outcome is not None
        assert all(abs(score) < 10**6 for score in outcome.scores)
        ends[outcome.reason] += 1
    return ends


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e11_random_matches_end_with_a_whole_score_for_each_seat(case: Case) -> None:
    assert played_out(case, range(100, 105)).total() == 5


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e11_ten_thousand_random_matches_end_with_a_whole_score_for_each_seat(case: Case) -> None:
    assert played_out(case, range(2_000)).total() == 2_000


def public_places(case: Case, state: AnyState) -> Counter[str]:
    """Return the cards that lie open, as the state has them."""
    open_places = [p for p in places_of(case.game.id, state) if SPECTATOR in p.seen_by]
    return Counter(card for place in open_places for card in place.cards)


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e19_the_table_that_a_view_draws_is_the_table(case: Case) -> None:
    """Two states with other open cards have other views, and with the same ones the same.

    That the parts of a view are right is what the transcripts and each game's tests show.
    """
    rng, varied = case.rng("tables"), 0
    for position in walk(case).some(30):
        state = position.state
        twin = state.redeal(0, rng)
        assert public_places(case, twin) == public_places(case, state)
        assert state.view(SPECTATOR) == twin.view(SPECTATOR)
        after = state.clone()
        after.apply(position.move)
        if public_places(case, after) != public_places(case, state):
            assert repr(after.view(SPECTATOR)) != repr(state.view(SPECTATOR))
            varied += 1
    assert varied


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e25_a_view_tells_the_options_in_force(case: Case) -> None:
    """Whoever sees a view knows by which rules the match is played.

    The arrows of Anchorline are told once, with the terms at the start of a match.
    """
    for other in CASES:
        alike = other.game is case.game and other.seats == case.seats
        if alike and other.options.keys() - TOLD_BY_THE_TERMS:
            mine, theirs = (str(_terms(each)) for each in (case, other))
            assert mine != theirs, f"nothing in a view tells {other} from {case}"


def _terms(case: Case) -> Any:
    """Return the parts of a first view that are the same in all matches of *case*."""
    first, second = (case.start(number).view(SPECTATOR) for number in (1, 2))
    names = [each.name for each in fields(first)]
    return {n: getattr(first, n) for n in names if getattr(first, n) == getattr(second, n)}


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e28_no_world_loses_or_doubles_a_card(case: Case) -> None:
    for position in walk(case).some(10):
        rng = case.rng("cards")
        for seat in range(case.seats):
            worlds = [position.state.redeal(seat, rng) for _ in range(5)]
            assert_same_cards(case, [position.state, *worlds])


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e29_a_copy_has_the_hash_of_its_original_at_every_ply(case: Case) -> None:
    for position in walk(case).positions[:400]:
        twin = position.state.clone()
        assert twin.fingerprint() == position.state.fingerprint()
        assert twin.clone().fingerprint() == twin.fingerprint()


def with_cards_again(move: Any) -> list[Any]:
    """Return *move* with each of its rows of cards or cells, and with all of them, three times."""
    rows = [f.name for f in fields(move) if isinstance(getattr(move, f.name), tuple)]
    thrice = {name: getattr(move, name) * 3 for name in rows if getattr(move, name)}
    if not thrice:
        return []
    return [replace(move, **thrice), *(replace(move, **{n: row}) for n, row in thrice.items())]


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e37_a_card_named_again_in_one_move_is_refused(case: Case) -> None:
    """Three times is more often than any deck has a card."""
    for position in walk(case).some(60):
        for move in position.state.legal_moves().moves:
            for wrong in with_cards_again(move):
                assert position.state.check(wrong) is not None, f"{wrong} is allowed"


@pytest.mark.parametrize(
    "case", [c for c in FIRST if c.game.id in ("claim", "wild_rummy")], ids=str
)
def test_e37_a_card_leaves_the_hand_once(case: Case) -> None:
    """Where a move names one card, making it again at once is refused: the card is gone."""
    tried = 0
    for position in walk(case).some(200):
        move = position.move
        card = getattr(move, "card", None)
        if card is None:
            continue
        state = position.state.clone()
        held = list(hands_of(case, state, state.to_move)).count(card)
        seat = state.to_move
        state.apply(move)
        if held == 1 and state.to_move == seat:
            assert state.check(move) is not None
            tried += 1
    assert tried > 3


def hands_of(case: Case, state: AnyState, seat: int | None) -> tuple[int, ...]:
    """Return the hand that *seat* sees."""
    assert seat is not None
    hand: tuple[int, ...] = state.view(seat).hand
    return hand


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e43_a_position_without_a_move_ends_the_match(case: Case) -> None:
    for number in range(3):
        for position in walk(case, number, by_list).some(60):
            assert_offers_are_legal(case, position.state)
        assert_offers_are_legal(case, walk(case, number, by_list).end)


@pytest.mark.parametrize("case", FIRST, ids=str)
def test_e46_a_match_in_which_nobody_gets_anywhere_ends_with_a_named_reason(case: Case) -> None:
    state = case.start(1)
    made = sum(1 for _ in play(state, by_default, Stream(bytes(32))))
    outcome = state.outcome()
    assert outcome is not None
    assert made > 0
    assert outcome.reason in case.game.reasons


def test_the_view_is_compared_by_all_that_it_shows() -> None:
    """The comparison used here would see a difference: a planted fault."""
    case = FIRST[0]
    state = walk(case).some(3)[1].state
    other = state.clone()
    assert seen_of(state) == seen_of(other)
    other.apply(other.default_move())
    assert seen_of(state) != seen_of(other)
    assert shown_to(state, 0) != shown_to(other, 0)
