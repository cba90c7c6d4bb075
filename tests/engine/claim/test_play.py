"""Claim in random play: the engine against the rules written plainly, and what is hidden."""

import hashlib
from collections.abc import Iterator

import pytest

from harbourmaster_engine.cards import fresh_deck
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.claim import (
    GAME,
    ClaimEvent,
    ClaimMove,
    ClaimState,
    Merge,
    Play,
    Replace,
    Side,
    TurnEnded,
)
from harbourmaster_engine.claim.groups import fit_of, starts_of
from harbourmaster_engine.game import SPECTATOR, LegalMoves
from support import claim_reference as reference
from support.claim_boards import board, do

FORMATS = [
    (2, {}),
    (3, {}),
    (4, {}),
    (2, {"hand_size": 27}),
    (2, {"hand_size": 1, "max_actions": 1}),
    (3, {"hand_size": 9, "max_actions": 3, "idle_turns": 2}),
]


def matches(seats: int, options: dict[str, int], count: int) -> Iterator[tuple[ClaimState, Stream]]:
    for number in range(count):
        seed = hashlib.sha256(f"{seats}{options}{number}".encode()).digest()
        yield ClaimState.deal(GAME.resolve(seats, options), seats, seed), Stream(seed)


@pytest.mark.parametrize(("seats", "options"), FORMATS)
def test_the_legal_moves_and_scores_are_those_of_the_rules_at_every_decision(
    seats: int, options: dict[str, int]
) -> None:
    for state, rng in matches(seats, options, 3):
        while state.to_move is not None:
            view = state.view(state.to_move)
            offered = state.legal_moves()
            assert offered.complete
            assert len(set(offered.moves)) == len(offered.moves)
            assert set(offered.moves) == reference.legal_moves(view)
            assert list(view.scores) == reference.scores(view)
            state.apply(rng.choice(offered.moves))


def every_move(state: ClaimState) -> Iterator[ClaimMove]:
    """Yield all moves with cards and ids that there are, legal or not."""
    numbers = [*state._items, 0, 99]
    for card in range(53):
        yield Play(card)
        for number in numbers:
            yield Play(card, number, Side.LEFT)
            yield Play(card, number, Side.RIGHT)
            yield from (Replace(number, index, card) for index in range(-1, 14))
    yield from (Merge(left, right) for left in numbers for right in numbers)


def test_check_agrees_with_the_list_on_every_move_there_is() -> None:
    for state, rng in matches(2, {}, 1):
        while state.to_move is not None:
            offered = set(state.legal_moves().moves)
            if state.turns % 5 == 0:
                fine = {move for move in every_move(state) if state.check(move) is None}
                assert fine == {move for move in offered if move != state.default_move()}
            state.apply(state.sample_move(rng))


@pytest.mark.parametrize(("seats", "options"), FORMATS)
def test_e25_folding_the_events_over_the_first_view_gives_every_later_public_view(
    seats: int, options: dict[str, int]
) -> None:
    for state, rng in matches(seats, options, 3):
        folded = state.view(SPECTATOR)
        while state.to_move is not None:
            for event in state.apply(state.sample_move(rng)):
                reference.fold(folded, event)
            assert folded == state.view(SPECTATOR)


@pytest.mark.parametrize(("seats", "options"), FORMATS)
def test_no_card_is_lost_or_doubled(seats: int, options: dict[str, int]) -> None:
    for state, rng in matches(seats, options, 3):
        while state.to_move is not None:
            state.apply(state.sample_move(rng))
            twin = state.redeal(0, rng)
            assert all_cards(state) == all_cards(twin) == sorted(fresh_deck(jokers=2))


def differences(state: ClaimState, seat: int, rng: Stream) -> list[str]:
    """Return what *seat* could tell apart in a deal that it must not be able to tell apart."""
    twin = state.redeal(seat, rng)
    found = []
    for viewer in (seat, SPECTATOR):
        if repr(twin.view(viewer)) != repr(state.view(viewer)):
            found.append("view")
    if seat == state.to_move:
        if repr(twin.legal_moves()) != repr(state.legal_moves()):
            found.append("moves")
        move = state.sample_move(rng.clone())
        if repr(state.clone().apply(move)) != repr(twin.apply(move)):
            found.append("events")
    return found


def test_what_a_seat_sees_is_the_same_in_every_deal_that_it_cannot_tell_apart() -> None:
    for state, rng in matches(3, {}, 3):
        while state.to_move is not None:
            for seat in (0, 1, 2, SPECTATOR):
                assert differences(state, seat, rng) == []
            state.apply(state.sample_move(rng))


class TellsByOrder(ClaimState):
    """Has a planted fault: the order of the moves depends on the top of a deck."""

    __slots__ = ()

    def legal_moves(self, limit: int = 0) -> LegalMoves[ClaimMove]:
        offered = super().legal_moves(limit)
        deck = self._decks_left()[1]
        return LegalMoves(offered.moves[:: -1 if deck and deck[-1] % 2 else 1], True)


class TellsByEvent(ClaimState):
    """Has a planted fault: the event of a drawn card holds the card."""

    __slots__ = ()

    def apply(self, move: ClaimMove) -> tuple[ClaimEvent, ...]:
        deck = self._decks_left()[self._to_move]
        return tuple(
            TurnEnded(event.seat, deck[-1]) if isinstance(event, TurnEnded) and deck else event
            for event in super().apply(move)
        )


@pytest.mark.parametrize(("faulty", "what"), [(TellsByOrder, "moves"), (TellsByEvent, "events")])
def test_a_planted_leak_is_found(faulty: type[ClaimState], what: str) -> None:
    found = set()
    for number in range(5):
        state = faulty.deal(GAME.resolve(2, {}), 2, bytes([number]) * 32)
        rng = Stream(bytes([number]))
        while state.to_move is not None and state.turns < 8:
            found.update(differences(state, state.to_move, rng))
            state.apply(state.sample_move(rng))

    assert found == {what}


def test_a_redeal_varies_every_hidden_place_and_keeps_what_was_seen() -> None:
    state = board(
        "1: 5S/1 6S/1 7C/1",
        hands=["7S 2C 3C", "9D 10D JD"],
        decks=["QD KD AD", "4H 5H 6H"],
    )
    do(state, "replace 1 2 7S")
    deals = [state.redeal(1, Stream(bytes([n]))) for n in range(40)]

    assert {deal._hands[1] for deal in deals} == {state._hands[1]}
    assert len({deal._hands[0] for deal in deals}) > 10
    assert all(6 in deal._hands[0] for deal in deals)
    for seat in (0, 1):
        assert len({deal._decks[seat] for deal in deals}) > 10
    assert len({deal._stream.key() for deal in deals}) == 40


def test_a_card_seen_to_go_to_a_hand_is_known_until_it_is_played() -> None:
    state = board("1: 5S/1 6S/1 7C/1", hands=["7S 2C", "9D"])
    do(state, "replace 1 2 7S")
    assert state.view(1).known_cards == ((6,), ())

    do(state, "play 2C")
    assert state.view(1).known_cards == ((6,), ())
    do(state, "play 7C")
    assert state.view(1).known_cards == ((), ())


def test_a_spectator_sees_no_hand() -> None:
    assert board().view(SPECTATOR).hand == ()


def test_the_order_of_the_moves_is_decided_by_the_table_and_the_hand_alone() -> None:
    played = board(hands=["5S 6D 7H 4C 2C 3C", "2D"], options={"hand_size": 9})
    do(played, "play 7H", "play 5S", "play 6D", "play 4C")
    same = board("1: 7H\n2: 5S\n3: 6D\n4: 4C", hands=["3C 2C", "2D"])

    assert played.legal_moves() == same.legal_moves()


def test_a_clone_is_independent_both_ways() -> None:
    state = board("1: 5S/1 6S/1 7C/1", hands=["7S 2C", "9D"])
    twin = state.clone()
    assert twin.fingerprint() == state.fingerprint()
    before = state.fingerprint()
    do(twin, "replace 1 2 7S", "play 7C", "end")

    assert state.fingerprint() == before
    assert twin.fingerprint() != before


def test_the_fit_of_every_group_built_by_play_is_that_of_its_cards() -> None:
    for state, rng in matches(2, {"hand_size": 12}, 6):
        while state.to_move is not None:
            state.apply(state.sample_move(rng))
            for number, item in state._items.items():
                built, fresh = state._fits[number], fit_of(item.cards)
                assert built.starts == starts_of(item.cards)
                assert (built.before, built.after, built.better, built.wants, built.size) == (
                    fresh.before,
                    fresh.after,
                    fresh.better,
                    fresh.wants,
                    fresh.size,
                )


def test_a_bot_that_ends_every_turn_loses_by_idle_turns_in_ten() -> None:
    state = GAME.start(bytes(32), 2)
    while state.to_move is not None:
        state.apply(state.default_move())

    assert state.turns == 10


def test_a_turn_is_finite_however_long_a_seat_plays_on() -> None:
    for state, rng in matches(2, {"hand_size": 27, "max_actions": 10_000}, 3):
        actions = 0
        while len(moves := state.legal_moves().moves) > 1:
            state.apply(rng.choice(moves[1:]))
            actions += 1
        assert actions < 10_000


def all_cards(state: ClaimState) -> list[int]:
    places = [item.cards for item in state._items.values()]
    places += [*state._hands, *state._decks_left(), state._aside]
    return sorted(card for cards in places for card in cards)
