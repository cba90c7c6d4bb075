"""Tide: the quick judge of tables says what the plain reference says."""

from collections import Counter

import pytest

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.tide import GAME, Rearrange, TideMove, TideState, TideView
from support.tide_boards import position, table_of
from support.tide_reference import jokers_after


def assert_same(state: TideState, move: Rearrange) -> bool:
    """Assert that engine and reference agree on *move*; return whether it is legal."""
    assert state.to_move is not None
    jokers = jokers_after(state.view(state.to_move), move)
    refusal = state.check(move)
    assert (refusal is None) == (jokers is not None), f"{refusal}: {move}"
    if jokers is not None and len(move.cells) < 106:
        twin = state.clone()
        event = twin.apply(move)[0]
        assert {divmod(cell, 26): card for cell, card in event.jokers} == jokers  # type: ignore[union-attr]
    return jokers is not None


def changed(view: TideView, move: Rearrange, rng: Stream) -> Rearrange:
    """Return *move* with a card, a cell or a declaration changed, so that it may still be legal."""
    cells, cards, declared = list(move.cells), list(move.cards), list(move.declared)
    at, other = rng.below(len(cells)), rng.below(len(cells))
    match rng.below(8):
        case 0:
            cells[at], cells[other] = cells[other], cells[at]
        case 1:
            cells[at] = max(0, min(675, cells[at] + rng.choice([-26, -1, 1, 26])))
        case 2:
            cards[at] = rng.choice(view.hand or (0,))
        case 3:
            del cells[at], cards[at]
        case 4:
            cells.append(cells[at] + rng.choice([-26, -1, 1, 26]))
            cards.append(rng.choice(view.hand or (0,)))
        case 5:
            declared = []
        case _:
            jokers = [cell for cell, card in zip(cells, cards, strict=True) if card == 52]
            if jokers:
                cell = rng.choice(jokers)
                stood = dict(view.jokers).get(cell, 0)
                near = [*(card for _, card in view.jokers), stood, (stood + 13) % 52]
                declared = [(cell, rng.choice([*near, rng.below(52)]))]
    return Rearrange(tuple(cells), tuple(cards), tuple(declared))


@pytest.mark.parametrize("number", range(6))
def test_random_and_changed_tables_are_judged_as_the_reference_does(number: int) -> None:
    seats, rng = 2 + number % 3, Stream(bytes([number]))
    state = GAME.start(number.to_bytes(32, "big"), seats, {"format": "EMPTY_HAND"})
    assert isinstance(state, TideState)
    seen: Counter[bool] = Counter()
    while state.to_move is not None:
        view = state.view(state.to_move)
        moves: tuple[TideMove, ...] = state.legal_moves().moves
        for move in moves[1:4]:
            assert isinstance(move, Rearrange)
            assert assert_same(state, move)
            for _ in range(3):
                seen[assert_same(state, changed(view, move, rng))] += 1
        state.apply(rng.choice(moves))
    assert seen[True] > 5
    assert seen[False] > 50


JOKERS = """
    3S 3H JK=3D . .  .
    .  .  .     . .  .
    8S 8H JK=8C . .  .
    .  .  .     . .  .
    5D 6D 7D    8D 9D .
"""


def test_jokers_that_are_moved_about_are_judged_as_the_reference_does() -> None:
    state = position(JOKERS, hands=["3D 8C 8D 10D 4D 5C 6C QS", "KS"])
    sets = ["3S 3H JK", "3S 3H JK=3D", "3S 3H JK=3C", "3S 3H JK 3D", "3S 3H 3D", "8S JK 8H 8D"]
    others = ["8S 8H JK", "8S 8H JK=8D", "JK 8H 8S", "8S 8H 8C", "8S 8H JK 8D", "3H JK 3S"]
    runs = ["5D 6D 7D 8D 9D 10D", "4D 5D 6D 7D 8D 9D", "JK 5D 6D 7D 8D 9D", "5D 6D 7D 8D 9D JK"]
    legal = 0
    for first in sets:
        for second in others:
            for third in runs:
                for column in (5, 12):
                    move = table_of((5, column, first), (7, 5, second), (9, 5, third))
                    legal += assert_same(state, move)
    assert legal > 10
