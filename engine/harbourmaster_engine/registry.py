"""The games that there are: our five, and any that other packages bring."""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final

from harbourmaster_engine.anchor import GAME as ANCHOR
from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.claim import GAME as CLAIM
from harbourmaster_engine.game import Game
from harbourmaster_engine.tide import GAME as TIDE
from harbourmaster_engine.wild_rummy import GAME as WILD_RUMMY

ENTRY_POINT_GROUP: Final = "harbourmaster.games"
"""Where another package announces a `Game` value of its own."""

OWN: Final = (ANCHOR, CLAIM, TIDE, WILD_RUMMY, ANCHORLINE)
"""The games of this project, in the order of its documentation."""


@cache
def games() -> Mapping[str, Game]:
    """Return every known game by its id; ours cannot be replaced."""
    found: dict[str, Game] = {}
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        game = entry.load()
        if not isinstance(game, Game):
            raise TypeError(f"entry point {entry.name!r} of {ENTRY_POINT_GROUP} is not a Game")
        found[game.id] = game
    return MappingProxyType({game.id: game for game in OWN} | found | {g.id: g for g in OWN})


def find_game(game_id: str) -> Game:
    """Return the game called *game_id*; raise `ValueError` that lists the known ones."""
    game = games().get(game_id)
    if game is None:
        raise ValueError(f"there is no game {game_id!r}: there are {', '.join(games())}")
    return game
