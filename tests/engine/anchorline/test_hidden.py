"""Anchorline: what is seen, what is not, and what is known of the order in a stack."""

from collections import Counter

import pytest

from harbourmaster_engine.anchorline import (
    GAME,
    AnchorlineEvent,
    AnchorlineState,
    AnchorlineView,
    CardPlaced,
    CardShifted,
    CoinReturned,
    LinesScored,
    Place,
    TopTurned,
)
from harbourmaster_engine.anchorline.moves import CARD_NAMES
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR
from support.anchorline import board, stacks_of
from support.cases import Case
from support.play import by_sample, play

RNG_SEED = bytes(31) + b"\x07"


def deals(state: AnchorlineState, count: int = 200) -> list[list[list[str]]]:
    """Return the stacks of *count* other deals of *state*."""
    rng = Stream.for_round(RNG_SEED, 1)
    return [stacks_of(state.redeal(0, rng)) for _ in range(count)]


def test_every_order_below_the_top_is_possible_and_equally_likely() -> None:
    state = board("##*", (("S4", "S3", "S2", "S1"), ("G1",)))
    found = Counter(tuple(seals) for seals, _ in deals(state, 600))
    assert len(found) == 6
    assert all(seals[-1] == "S1" for seals in found)
    assert min(found.values()) > 60


def test_cards_that_went_under_the_stack_stay_below_those_that_were_there() -> None:
    state = board(". G1 .\n## S1* .", (("S4", "S3", "S2"), ("G4", "G3", "G2")))
    state.apply(Place((2, 0)))
    lower, upper = stacks_of(state)[0][:2], stacks_of(state)[0][2:]
    assert sorted(lower) == ["S1", "S2"]
    found = {tuple(seals) for seals, _ in deals(state)}
    assert found == {(*low, *upper) for low in (("S1", "S2"), ("S2", "S1"))}


def test_a_single_card_below_the_top_is_known() -> None:
    state = board("##*", (("S2", "S1"), ("G1",)))
    assert {tuple(seals) for seals, _ in deals(state)} == {("S2", "S1")}


def test_a_top_that_shows_when_those_above_are_gone_is_known_from_then_on() -> None:
    state = board(". G1 .\n## S1* .", (("S3", "S2"), ("G4", "G3", "G2")))
    state.apply(Place((2, 0)))
    assert len({tuple(seals) for seals, _ in deals(state)}) == 2
    state.apply(Place((-1, 1)))
    state.apply(Place((-2, 2)))
    assert state.view(1).stack_counts[0] == 2
    assert {tuple(seals) for seals, _ in deals(state)} == {tuple(stacks_of(state)[0])}


def test_another_deal_has_its_own_chance() -> None:
    state = GAME.start(bytes(32), 2)
    rng = Stream.for_round(RNG_SEED, 1)
    first, second = state.redeal(0, rng), state.redeal(0, rng)
    assert len({s.fingerprint() for s in (state, first, second)}) == 3


@pytest.mark.parametrize("number", range(20))
def test_e25_folding_the_events_over_the_first_view_gives_every_later_view(number: int) -> None:
    case = Case(GAME, 2)
    state = case.start(number)
    told = Fold(state.view(0))
    for position in play(state, by_sample, case.rng("fold")):
        for event in position.events:
            told.take(event)
        for seat in (0, 1, SPECTATOR):
            assert told.agrees(state.view(seat))


class Fold:
    """Keeps the public part of a view up to date from events alone."""

    def __init__(self, first: AnchorlineView) -> None:
        self.table = dict(first.table)
        self.coin = first.coin
        self.tops = list(first.tops)
        self.counts = list(first.stack_counts)
        self.scores = list(first.scores)
        self.turns = first.turns

    def take(self, event: AnchorlineEvent) -> None:
        match event:
            case CardPlaced(seat, card, cell):
                self.table[cell] = card
                self.counts[seat] -= 1
                self.coin = cell
                self.turns += 1
            case CardShifted(_, card, origin, target):
                del self.table[origin]
                self.table[target] = card
                self.coin = target
                self.turns += 1
            case CoinReturned(seat):
                self.coin = (0, 0)
                self.scores[1 - seat] += 1
                self.turns += 1
            case LinesScored(seat, _, points, removed):
                self.coin = (0, 0)
                self.scores[seat] += points
                for cell in removed:
                    self.counts[CARD_NAMES[self.table.pop(cell)][0] == "G"] += 1
            case TopTurned(seat, card):
                self.tops[seat] = card

    def agrees(self, view: AnchorlineView) -> bool:
        seen = (tuple(self.table.items()), self.coin, tuple(self.tops), tuple(self.counts))
        return (*seen, tuple(self.scores), self.turns) == (
            view.table,
            view.coin,
            view.tops,
            view.stack_counts,
            view.scores,
            view.turns,
        )


def test_e25_a_view_tells_the_terms_of_the_match() -> None:
    view = GAME.start(bytes(32), 2, {"target_score": 9, "max_turns": 33}).view(1)
    assert (view.terms.target_score, view.terms.max_turns) == (9, 33)
    assert view.to_move == 0
