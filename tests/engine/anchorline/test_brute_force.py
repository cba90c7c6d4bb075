"""Anchorline against the rules written down in the most naive way."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from harbourmaster_engine.anchorline import GAME, AnchorlineState, ReturnCoin
from harbourmaster_engine.anchorline.moves import DIRECTIONS, Cell
from harbourmaster_engine.anchorline.table import Table, number_of
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR
from support.anchorline import places, shifts
from support.cases import VARIANTS, Case
from support.play import by_list, walk
from support.soak import matches

CASES = [Case(GAME, 2, options) for options in ({}, *VARIANTS["anchorline"])]
POINTS = {3: 1, 4: 2, 5: 5}


def near(cell: Cell) -> set[Cell]:
    return {(cell[0] + x, cell[1] + y) for x, y in DIRECTIONS.values()}


def all_connected(cells: set[Cell]) -> bool:
    seen = {(0, 0)}
    while grown := {c for c in cells for s in seen if c in near(s)} - seen:
        seen |= grown
    return seen == cells


def pointed(state: AnchorlineState, options: Mapping[str, Any], *, bound: bool) -> set[Cell]:
    """Return the free cells to which the card with the coin points."""
    view = state.view(0)
    cards = dict(view.table) | {(0, 0): 0}
    card = cards[view.coin]
    arrows = options["card_arrows"][(card - 1) % 4] if card else options["anchor_arrows"]
    steps = [DIRECTIONS[name] for name in (arrows if bound else DIRECTIONS)]
    return {(view.coin[0] + x, view.coin[1] + y) for x, y in steps} - set(cards)


@pytest.mark.parametrize("number", matches(3, 60))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_legal_moves_are_those_of_the_rules(case: Case, number: int) -> None:
    options = case.game.resolve(2, case.options)
    for state, _, _ in walk(case, number, by_list).positions:
        assert isinstance(state, AnchorlineState)
        view, seat = state.view(0), state.to_move
        assert seat is not None
        cells = {cell for cell, _ in view.table} | {(0, 0)}
        free = pointed(state, options, bound=True)
        placing = free if view.stack_counts[seat] else set()
        assert places(state) == placing
        moving = set()
        if not view.stack_counts[seat]:
            ends = pointed(state, options, bound=options["arrows_bind_moves"])
            own = [cell for cell, card in view.table if (card > 4) == (seat == 1)]
            moving = {(a, b) for a in own for b in ends if all_connected(cells - {a} | {b})}
        assert shifts(state) == moving
        assert (ReturnCoin() in state.legal_moves().moves) == (not placing and not moving)


def naive_lengths(own: set[Cell], last: Cell) -> list[int]:
    """Return the lengths of the lines of three and more in *own* through *last*."""
    found = []
    for x, y in ((0, 1), (1, 0), (1, 1), (1, -1)):
        line = "".join(
            "x" if (last[0] + k * x, last[1] + k * y) in own else "." for k in range(-5, 6)
        )
        length = len(line[:5]) - line[:5].rfind(".") + line[6:].find(".")
        if length >= 3:
            found.append(length)
    return found


def test_e44_the_lines_of_every_board_of_four_own_cards_around_the_anchor() -> None:
    """Also the ninth card's: a line of five on the last cell is one."""
    around = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if (x, y) != (0, 0)]
    fives = 0
    for cells in combinations(around, 4):
        table = Table()
        for card, cell in enumerate(cells, 1):
            table.put(number_of(cell), card)
        own = {(0, 0), *cells}
        for last in cells:
            lines = table.lines(0b11111, number_of(last))
            lengths = sorted(len(line) for line in lines)
            assert lengths == sorted(naive_lengths(own, last))
            assert table.has_line(0b11111, number_of(last)) == bool(lengths)
            fives += 5 in lengths
    assert fives == 4 * 4


@pytest.mark.parametrize("number", matches(5, 100))
def test_scores_are_those_of_the_lines_on_the_table(number: int) -> None:
    case = CASES[0]
    for state, move, events in walk(case, number).positions:
        seat, view = state.to_move, state.view(0)
        if isinstance(move, ReturnCoin):
            continue
        origin, target = getattr(move, "origin", None), getattr(move, "target", None)
        last = target or move.cell
        own = {cell for cell, card in view.table if (card > 4) == (seat == 1)} - {origin}
        expected = sum(POINTS[n] for n in naive_lengths({*own, last, (0, 0)}, last))
        scored = [event.points for event in events if hasattr(event, "points")]
        assert sum(scored) == expected


@pytest.mark.parametrize("number", matches(3, 50))
def test_the_table_knows_its_neighbours(number: int) -> None:
    """What `Table` keeps up to date is what one finds by looking at the cells."""
    for state, _, _ in walk(CASES[0], number).positions:
        assert isinstance(state, AnchorlineState)
        table = state._table
        assert table.present == sum(1 << card for card in table.cards.values())
        for place, card in table.cards.items():
            assert table.where[card] == place
            beside = [
                (bit, table.cards[place + step])
                for bit, step in enumerate(map(number_of, DIRECTIONS.values()))
                if place + step in table.cards
            ]
            assert table.rings[card] == sum(1 << bit for bit, _ in beside)
            assert table.near[card] == sum(1 << other for _, other in beside)


@pytest.mark.parametrize("number", matches(3, 50))
def test_an_offered_move_is_judged_by_the_rules_as_soon_as_the_position_is_another(
    number: int,
) -> None:
    """What was offered needs no further check, but only in the turn in which it was offered."""
    state, rng = CASES[0].start(number), Stream(b"old offers")
    old: tuple[Any, ...] = ()
    refused = 0
    while state.to_move is not None:
        stranger = state.redeal(SPECTATOR, rng)
        offered = state.legal_moves().moves
        for move in (*old, *offered):
            assert state.check(move) == stranger.check(replace(move))
            refused += state.check(move) is not None
        old = offered
        state.apply(rng.choice(offered))
    assert all(state.check(move) is not None for move in old)
    assert refused > 20
