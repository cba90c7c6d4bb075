"""Tide: views, events, offered moves and deals anew."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, SeatForfeited
from harbourmaster_engine.tide import (
    FORMATS,
    GAME,
    CardDrawn,
    Draw,
    Pass,
    Passed,
    Rearrange,
    RoundBegan,
    RoundEnded,
    TableRearranged,
    TideState,
    TideView,
)
from support.tide_boards import RUN, lay, position

MATCHES = [(2, "CLASSIC"), (3, "MELD_SCORE"), (4, "EMPTY_HAND"), (6, "CLASSIC")]


def start(seats: int, game_format: str, number: int = 0) -> TideState:
    state = GAME.start(number.to_bytes(32, "big"), seats, {"format": game_format})
    assert isinstance(state, TideState)
    return state


def positions(seats: int, game_format: str, number: int = 0) -> Iterator[TideState]:
    """Yield the state of a random match before every move; it may not be changed."""
    state, rng = start(seats, game_format, number), Stream(bytes([seats]))
    while state.to_move is not None:
        yield state
        state.apply(state.sample_move(rng))


def fold(view: TideView, event: Any) -> TideView:
    """Return what the public part of *view* becomes by *event*."""
    nobody = (False,) * len(view.scores)

    def changed(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
        return (*values[:seat], value, *values[seat + 1 :])

    def left_of(seat: int, playing: tuple[bool, ...]) -> int:
        following: list[int] = [*range(seat + 1, len(playing)), *range(seat)]
        return next(other for other in following if playing[other])

    match event:
        case SeatForfeited(seat, _):
            playing = changed(view.playing, seat, False)
            counts = changed(view.hand_counts, seat, 0)
            turn = left_of(seat, playing) if view.to_move == seat else view.to_move
            return replace(view, playing=playing, hand_counts=counts, to_move=turn)
        case RoundEnded(scores=scores):
            return replace(view, scores=scores)
        case RoundBegan(number, first, counts, pile):
            return replace(
                view, round=number, to_move=first, hand_counts=counts, pile_count=pile,
                cells=(), cards=(), jokers=(), opened=nobody, passed=nobody,
            )  # fmt: skip
    seat = event.seat
    view = replace(view, turns=view.turns + 1, to_move=left_of(seat, view.playing))
    match event:
        case CardDrawn():
            counts = changed(view.hand_counts, seat, view.hand_counts[seat] + 1)
            return replace(view, hand_counts=counts, pile_count=view.pile_count - 1, passed=nobody)
        case Passed():
            return replace(view, passed=changed(view.passed, seat, True))
        case TableRearranged(_, cells, cards, jokers, added, points):
            return replace(
                view,
                cells=cells,
                cards=cards,
                jokers=jokers,
                hand_counts=changed(view.hand_counts, seat, view.hand_counts[seat] - len(added)),
                scores=changed(view.scores, seat, view.scores[seat] + points),
                opened=changed(view.opened, seat, True),
                passed=nobody,
            )
    raise AssertionError(f"{event!r} is not known")


@pytest.mark.parametrize(("seats", "game_format"), MATCHES)
def test_e25_events_folded_over_the_first_view_give_the_public_part_of_every_later_one(
    seats: int, game_format: str
) -> None:
    state, rng = start(seats, game_format), Stream(bytes(1))
    view = state.view(SPECTATOR)
    while state.to_move is not None:
        if seats > 3 and state.turns == 30 and state.view(0).playing[2]:
            events = state.forfeit(2, ForfeitReason.TIMEOUT)
        else:
            events = state.apply(state.sample_move(rng))
        for event in events:
            view = fold(view, event)
        if state.to_move is None:
            view = replace(view, to_move=None)
        assert view == state.view(SPECTATOR)


def test_a_view_holds_the_own_hand_and_only_counts_of_the_others() -> None:
    state = position(RUN, hands=["6S 2C", "KS KC KH"], pile="2C 9S")

    assert state.view(1).hand == (12, 38, 51)
    assert state.view(1).hand_counts == (2, 3)
    assert state.view(1).pile_count == 2
    assert state.view(SPECTATOR).hand == ()
    assert replace(state.view(0), hand=()) == state.view(SPECTATOR)


def test_a_view_lists_the_table_in_the_order_of_its_cells() -> None:
    state = position(hands=["3S 4S 5S 6S 7S 8S 2C", "KS"])
    lay(state, (9, 9, "6S 7S 8S"), (2, 2, "3S 4S 5S"))

    assert list(state.view(0).cells) == sorted(state.view(0).cells)
    assert state.view(0).cards == (41, 42, 43, 44, 45, 46)


def test_e22_a_drawn_card_is_in_no_event() -> None:
    state = position(RUN, pile="2C 9S KC")
    (event,) = state.apply(Draw())

    assert event == CardDrawn(0)
    assert CardDrawn.__slots__ == ("seat",)


@pytest.mark.parametrize(("seats", "game_format"), MATCHES)
def test_all_offered_moves_are_legal_and_different_and_the_first_draws_or_passes(
    seats: int, game_format: str
) -> None:
    for state in positions(seats, game_format):
        offered = state.legal_moves()
        assert not offered.complete
        assert offered.moves[0] == (Draw() if state.view(0).pile_count else Pass())
        assert len(set(offered.moves)) == len(offered.moves) <= 12
        for move in offered.moves:
            assert state.check(move) is None


def test_no_more_moves_are_offered_than_asked_for_and_at_least_one() -> None:
    for state in positions(3, "EMPTY_HAND"):
        for limit in (-1, 0, 1, 2, 5):
            assert 1 <= len(state.legal_moves(limit).moves) <= max(1, limit)


def test_offered_moves_are_the_same_when_asked_again_and_use_no_chance_of_the_match() -> None:
    for state in positions(2, "MELD_SCORE"):
        before = state.fingerprint()
        assert state.legal_moves() == state.legal_moves() == state.clone().legal_moves()
        assert state.fingerprint() == before


def test_an_opening_is_found_if_melds_of_the_hand_are_worth_enough() -> None:
    state = position(RUN, hands=["2C 2D 2H 9C 9D 9H 5S KD", "KS"], opened=[])
    offered = state.legal_moves().moves[1:]

    assert offered
    assert all(isinstance(move, Rearrange) and len(move.cells) == 9 for move in offered)


def test_a_joker_is_played_where_it_is_needed_to_open() -> None:
    state = position(hands=["QC KC JK 2D", "KS"], opened=[])
    moves = state.legal_moves().moves

    assert any(isinstance(move, Rearrange) and 52 in move.cards for move in moves)


def test_a_joker_on_the_table_is_exchanged_for_the_card_that_it_stands_for() -> None:
    state = position("3S JK 5S\n.\n7D 8D 9D", hands=["4S KC KH", "KS"])
    swapped = [
        move
        for move in state.legal_moves(64).moves
        if isinstance(move, Rearrange)
        and dict(zip(move.cells, move.cards, strict=True)).get(5 * 26 + 6) == 42
    ]

    assert swapped


def test_the_default_move_draws_and_with_an_empty_pile_passes() -> None:
    assert position(RUN).default_move() == Draw()
    assert position(RUN, pile="").default_move() == Pass()


@pytest.mark.parametrize(("seats", "game_format"), MATCHES)
def test_a_deal_anew_changes_nothing_that_the_seat_sees_and_all_that_it_does_not(
    seats: int, game_format: str
) -> None:
    rng = Stream(bytes(2))
    for number, state in enumerate(positions(seats, game_format)):
        if number % 20 != 5:
            continue
        seat = state.to_move
        assert seat is not None
        twin = state.redeal(seat, rng)
        assert repr(twin.view(seat)) == repr(state.view(seat))
        assert repr(twin.legal_moves()) == repr(state.legal_moves())
        other = (seat + 1) % seats
        deals = [state.redeal(seat, rng) for _ in range(8)]
        assert len({deal.view(other).hand for deal in deals}) > 1
        assert len({deal._pile[: deal._pile_count] for deal in deals}) > 1 or not state._pile_count


def test_a_deal_anew_keeps_all_cards_and_reaches_the_hands_of_seats_that_left() -> None:
    state = start(4, "CLASSIC")
    state.forfeit(1, ForfeitReason.TIMEOUT)

    def everything(each: TideState) -> list[int]:
        hands = [card for hand in (*each._hands, *each._left) for card in hand]
        return sorted([*hands, *each._pile[: each._pile_count], *each._table.cards])

    twin = state.redeal(0, Stream(bytes(1)))
    assert everything(twin) == everything(state)
    assert len(everything(twin)) == 106
    assert twin._left[1] != state._left[1]
    assert state.redeal(1, Stream(bytes(1)))._left[1] == state._left[1]


def test_a_deal_anew_has_other_chance() -> None:
    state = start(2, "CLASSIC")
    twin = state.redeal(0, Stream(bytes(1)))

    assert twin._seed != state._seed
    assert twin._stream.key() != state._stream.key()


def test_clones_are_independent() -> None:
    for state in positions(3, "MELD_SCORE"):
        before = state.fingerprint()
        twin = state.clone()
        assert twin.fingerprint() == before
        twin.apply(twin.default_move())
        assert state.fingerprint() == before
        assert twin.fingerprint() != before


@pytest.mark.parametrize("game_format", FORMATS)
@pytest.mark.parametrize("seats", range(2, 7))
def test_every_match_ends(seats: int, game_format: str) -> None:
    for number in range(2):
        for _state in positions(seats, game_format, number):
            pass
        assert _state.outcome() is not None
        assert (
            sum(_state.scores) == 0
            or game_format == "MELD_SCORE"
            or any(len(winners) > 1 for _, winners, _ in _state._log)
        )


def test_pictures_and_sentences_can_be_read() -> None:
    state = position("3S 3H JK=3D", hands=["6S 2C", "KS"], pile="")
    assert GAME.text.picture(state.view(0)) == (
        "CLASSIC, round 1 of 5, pile 0\n"
        "       5    6    7\n"
        "  5   3S   3H  3D*\n"
        "seat 0: 0 points, 2 cards, opened, to move\n"
        "seat 1: 0 points, 1 cards, opened\n"
        "hand: 2C 6S"
    )
    (passed,) = state.apply(Pass())
    assert GAME.text.describe_event(passed) == "Seat 0 passes."
    assert GAME.text.describe_move(Draw()) == "draw"
