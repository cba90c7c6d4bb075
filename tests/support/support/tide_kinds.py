"""What kinds of moves a bot makes that picks at random from the offered ones.

    PYTHONPATH=tests/support python -m support.tide_kinds

prints their shares for every format and number of seats.
"""

import sys
from collections import Counter
from typing import Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.tide import GAME, Draw, Pass, TideMove, TideState, TideView
from harbourmaster_engine.tide.moves import FORMATS, SIDE

KINDS: Final = ("open", "lay", "extend", "split", "rearrange", "draw", "pass")


def kind_of(view: TideView, move: TideMove) -> str:
    """Return the kind of *move*, made by the seat that has *view*.

    `open` is the first rearrangement of a seat in a round. Of the later ones, `split` takes cards
    out of a line and leaves its others where they lay, `rearrange` moves cards otherwise, `extend`
    moves none but lays a card against one that was out, and `lay` only makes new islands.
    """
    if isinstance(move, Draw):
        return "draw"
    if isinstance(move, Pass):
        return "pass"
    assert view.to_move is not None
    if not view.opened[view.to_move]:
        return "open"
    old = dict(zip(view.cells, view.cards, strict=True))
    new = dict(zip(move.cells, move.cards, strict=True))
    if any(new.get(cell) != card for cell, card in old.items()):
        cut = any(cell not in new and _neighbours(cell) & _kept(old, new) for cell in old)
        return "split" if cut else "rearrange"
    added = new.keys() - old.keys()
    return "extend" if any(_neighbours(cell) & old.keys() for cell in added) else "lay"


def shares(matches: int, seats: int, game_format: str) -> Counter[str]:
    """Return how many moves of each kind random bots make in so many matches."""
    made: Counter[str] = Counter()
    for number in range(matches):
        rng = Stream(number.to_bytes(32, "big"))
        options = {"format": game_format}
        state: TideState = GAME.start(number.to_bytes(32, "little"), seats, options)  # type: ignore[assignment]
        while state.to_move is not None:
            move = rng.choice(state.legal_moves().moves)
            made[kind_of(state.view(state.to_move), move)] += 1
            state.apply(move)
    return made


def line_of_shares(game_format: str, seats: int, made: Counter[str]) -> str:
    """Return the shares of all kinds in per cent as a line."""
    cells = "".join(f"{kind:>11}{100 * made[kind] / made.total():>5.1f}%" for kind in KINDS)
    return f"{game_format:<11}{seats:>2}{cells}"


def main(matches: int = 4) -> None:
    """Print the shares for every format and number of seats."""
    for game_format in FORMATS:
        for seats in range(2, 7):
            line = line_of_shares(game_format, seats, shares(matches, seats, game_format))
            sys.stdout.write(f"{line}\n")


def _neighbours(cell: int) -> set[int]:
    row, column = divmod(cell, SIDE)
    beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return {r * SIDE + c for r, c in beside if 0 <= r < SIDE and 0 <= c < SIDE}


def _kept(old: dict[int, int], new: dict[int, int]) -> set[int]:
    return {cell for cell, card in old.items() if new.get(cell) == card}


if __name__ == "__main__":
    main()
