"""What a seat may see, what the events tell, and the other deals that it could be in."""

from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest

from harbourmaster_engine.anchor import (
    GAME,
    AcesReturned,
    AnchorSet,
    AnchorState,
    AnchorView,
    CardsDiscarded,
    CardsDrawn,
    CardsPlaced,
    MarketTaken,
    Passed,
    PileRebuilt,
    Scored,
    TurnStarted,
)
from harbourmaster_engine.anchor.moves import SIDE
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, ForfeitReason, SeatForfeited
from support.anchor_boards import cards, do, position, start


def fold(view: AnchorView, event: Any) -> AnchorView:
    """Return what *view*, a spectator's, becomes by *event*."""
    match event:
        case CardsPlaced(seat, cells, placed):
            view = _put(view, cells, placed)
            return replace(view, hand_counts=_add(view.hand_counts, seat, -len(placed)))
        case AnchorSet(seat, cell, card):
            view = _put(view, (cell,), (card,))
            counts = _add(view.hand_counts, seat, -1)
            return replace(view, anchors=(*view.anchors, cell), hand_counts=counts)
        case Scored(seat, points, melds, longest):
            return replace(
                view,
                scores=_add(view.scores, seat, points),
                completed_melds=_add(view.completed_melds, seat, melds),
                longest_runs=_most(view.longest_runs, seat, longest),
            )
        case TurnStarted(seat, turns, idle, played):
            return replace(view, to_move=seat, turns=turns, idle_rounds=idle, round_played=played)
        case SeatForfeited(seat):
            counts = _add(view.hand_counts, seat, -view.hand_counts[seat])
            return replace(view, out=(*view.out, seat), hand_counts=counts)
        case Passed(seat):
            return replace(view, passed=tuple(sorted({*view.passed, seat})))
    return _fold_swap(view, event)


def _fold_swap(view: AnchorView, event: Any) -> AnchorView:
    match event:
        case CardsDiscarded(seat, gone):
            return replace(
                view,
                market=(*view.market, *gone),
                discard_count=view.discard_count + len(gone),
                hand_counts=_add(view.hand_counts, seat, -len(gone)),
            )
        case MarketTaken(seat, taken):
            market = list(view.market)
            for card in taken:
                market.remove(card)
            return replace(
                view,
                market=tuple(market),
                discard_count=view.discard_count - len(taken),
                hand_counts=_add(view.hand_counts, seat, len(taken)),
            )
        case AcesReturned(seat, count):
            counts = _add(view.hand_counts, seat, -count)
            return replace(view, pile_count=view.pile_count + count, hand_counts=counts)
        case CardsDrawn(seat, count):
            counts = _add(view.hand_counts, seat, count)
            return replace(view, pile_count=view.pile_count - count, hand_counts=counts)
        case PileRebuilt(count):
            view = replace(view, pile_count=view.pile_count + count)
            return replace(view, discard_count=view.discard_count - count)
    raise AssertionError(f"nobody knows what {event} does")


def _put(view: AnchorView, cells: Any, placed: Any) -> AnchorView:
    board = bytearray(view.board)
    for (row, column), card in zip(cells, placed, strict=True):
        board[row * SIDE + column] = card + 1
    return replace(view, board=bytes(board))


def _add(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return tuple(count + number * (at == seat) for at, count in enumerate(counts))


def _most(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    return tuple(max(count, number) if at == seat else count for at, count in enumerate(counts))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_e25_the_events_folded_over_the_first_view_give_every_later_one(seats: int) -> None:
    state = GAME.start(bytes([seats]) * 32, seats, {"target_score": 2000})
    rng = Stream(b"fold")
    known = state.view(SPECTATOR)
    while state.to_move is not None:
        move = state.sample_move(rng)
        events = state.apply(move)
        if seats > 2 and state.turns == 20:
            events += state.forfeit(1, ForfeitReason.RESIGNED)
        for event in events:
            known = fold(known, event)
        if not any(type(event) is Passed for event in events):
            passed_on = any(type(event) is TurnStarted for event in events)
            known = replace(known, passed=() if passed_on else known.passed)
        known = replace(known, market=known.market[-3:])
        assert known == state.view(SPECTATOR)
    assert state.turns > 30


def test_a_view_has_no_hand_but_the_own() -> None:
    state = position("0: 9C 2H\n1: 3D 4D\npile: 5S 6S\ndiscards: 7H")
    seen = state.view(1)

    assert seen.hand == cards("3D 4D")
    assert state.view(SPECTATOR).hand == ()
    public = {f.name for f in fields(seen)} - {"hand"}
    assert all(getattr(seen, name) == getattr(state.view(0), name) for name in public)


def _deals(state: AnchorState, seat: int, number: int = 60) -> list[AnchorState]:
    rng = Stream(b"deals")
    return [state.redeal(seat, rng) for _ in range(number)]


def test_a_card_seen_to_be_taken_from_the_market_stays_in_that_hand() -> None:
    state = position("0: 9C 2H\n1: 3D 4D 5D\npile: 5S 6S 7S 8S\ndiscards: 7H")
    do(state, "pick 7H for 9C")

    deals = _deals(state, 1)
    assert all(cards("7H")[0] in deal.view(0).hand for deal in deals)
    assert len({deal.view(0).hand for deal in deals}) == 5


def test_an_own_draw_stays_and_other_places_vary() -> None:
    state = position("0: 9C 2H\n1: 3D 4D\npile: 5S 6S 7S 8S")
    do(state, "cycle 9C", "cycle 3D")

    deals = _deals(state, 0)
    assert {deal.view(0).hand for deal in deals} == {state.view(0).hand}
    assert len({deal.view(1).hand for deal in deals}) > 3
    assert len({tuple(deal._stock.pile) for deal in deals}) > 3


def test_what_was_drawn_from_a_rebuilt_pile_is_one_of_the_discards_all_had_seen() -> None:
    state = position("0: 9C 2H\n1: 3D 4D\npile: 5S\ndiscards: KC KD KH KS QC")
    # The pile is rebuilt from KC KD KH and 9C is in the market.
    do(state, "cycle 9C", "cycle 3D")

    drawn = {card for deal in _deals(state, 0) for card in deal.view(1).hand}
    assert drawn <= {*cards("4D 2H 5S KC KD KH KS")}
    assert all(set(deal._stock.pile) <= {*cards("KC KD KH KS QC 9C")} for deal in _deals(state, 0))


def test_what_was_exchanged_is_an_ace_in_every_deal_but_not_always_the_same() -> None:
    state = position("0: 2D 9S\n1: AD AC 3D\npile: 2C 3C 4C 5C AH", turn=1)
    do(state, "exchange AD")

    firsts = [deal._history for deal in _deals(state, 0)]
    aces = Counter(history[0][1][2] for history in firsts)
    assert all(card % 13 == 0 for (card,) in aces)
    assert len(aces) > 1


def test_a_seat_that_passed_had_to_in_every_deal() -> None:
    state = position("7,7: [AS] 5H 6H 7H\n0: 9C\n1: 2D\n2: 8H 2S", seats=3)
    do(state, "pass")

    for deal in _deals(state, 1):
        assert deal.view(0).hand != cards("8H")


def test_a_deal_can_be_dealt_again_and_played_on() -> None:
    rng = Stream(b"again")
    state = start(3, {"target_score": 2000})
    count = sum(state.view(0).hand_counts)
    for turn in range(60):
        if state.to_move is None:
            break
        if turn % 7 == 6:
            state = state.redeal(turn % 3, rng)
        state.apply(state.sample_move(rng))
    assert count == 21
    everywhere = [code % 64 for code in state._table.board if 0 < code < 255]
    hidden = [*state._hands, state._stock.pile, state._stock.discards]
    everywhere += [card + 1 for place in hidden for card in place]
    assert sorted(everywhere) == sorted([*range(1, 53)] * 2 + [53] * 4)


def test_two_deals_are_offered_the_same_moves_and_told_the_same() -> None:
    state = GAME.start(bytes(32), 2)
    rng = Stream(b"same")
    for _ in range(30):
        if state.to_move is None:
            break
        deal = state.redeal(state.to_move, rng)
        assert deal.legal_moves() == state.legal_moves()
        assert deal.default_move() == state.default_move()
        state.apply(state.sample_move(rng))


def test_offers_do_not_depend_on_having_been_asked_before() -> None:
    asked, silent = GAME.start(bytes(32), 2), GAME.start(bytes(32), 2)
    rng = Stream(b"asked")
    for _ in range(40):
        if asked.to_move is None:
            break
        move = rng.choice(asked.legal_moves().moves)
        asked.apply(move)
        silent.apply(move)
    assert asked.legal_moves() == silent.legal_moves()
    assert asked.fingerprint() == silent.fingerprint()
