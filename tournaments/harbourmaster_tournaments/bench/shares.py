"""What kinds of moves a bot makes that chooses evenly among the offered ones."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from harbourmaster_engine.game import Game
from harbourmaster_engine.tide import Draw, Pass, TideMove, TideView
from harbourmaster_engine.tide.moves import SIDE
from harbourmaster_tournaments.bench.corpus import LONGEST, Form, forms_of

TIDE_KINDS: Final = ("open", "lay", "extend", "split", "rearrange", "draw", "pass")
"""What a move in Tide can be; see `tide_kind`."""


@dataclass(frozen=True, slots=True)
class Shares:
    """What random bots did in some matches of one form."""

    form: str
    seats: int
    matches: int
    made: Counter[str]
    """How many moves of each kind were made."""
    points: tuple[float, ...]
    """The mean score of each seat at the end."""

    def share(self, kind: str) -> float:
        """Return which part of the moves was of *kind*, 0 to 1."""
        return self.made[kind] / self.made.total()

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self) | {"made": dict(self.made)}


def all_shares(game: Game, matches: int) -> list[Shares]:
    """Return the shares of every format of *game* with every number of seats."""
    return [
        shares(form, matches)
        for seats in range(game.min_seats, game.max_seats + 1)
        for form in forms_of(game, seats)
    ]


def shares(form: Form, matches: int) -> Shares:
    """Let random bots play so many matches of *form*, and count what they do."""
    kind_of = KIND_OF.get(form.game.id, _class_name)
    made: Counter[str] = Counter()
    totals = [0] * form.seats
    for number in range(matches):
        state, rng = form.start(number), form.rng(f"shares {number}")
        for _ in range(LONGEST):
            if state.to_move is None:
                break
            move = rng.choice(state.legal_moves().moves)
            made[kind_of(state.view(state.to_move), move)] += 1
            state.apply(move)
        totals = [total + score for total, score in zip(totals, state.scores, strict=True)]
    points = tuple(total / matches for total in totals)
    return Shares(str(form), form.seats, matches, made, points)


def _class_name(view: Any, move: Any) -> str:
    return type(move).__name__


def tide_kind(view: TideView, move: TideMove) -> str:
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


def _neighbours(cell: int) -> set[int]:
    row, column = divmod(cell, SIDE)
    beside = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return {r * SIDE + c for r, c in beside if 0 <= r < SIDE and 0 <= c < SIDE}


def _kept(old: dict[int, int], new: dict[int, int]) -> set[int]:
    return {cell for cell, card in old.items() if new.get(cell) == card}


KIND_OF: Final[Mapping[str, Callable[[Any, Any], str]]] = {"tide": tide_kind}
