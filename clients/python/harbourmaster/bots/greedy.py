"""A bot that takes what pays most at once, by a function of its own for each game.

A game `x_y` is played by `choose_x_y` in `harbourmaster.bots.greedy_x_y`. Adding that module adds
the game.
"""

import pkgutil
from functools import cache
from importlib import import_module

from harbourmaster import bots
from harbourmaster._values import Answer, Choose, Decision

_PREFIX = "greedy_"


def known_games() -> tuple[str, ...]:
    """Return the ids of the games that the greedy bot plays, in the order of the alphabet."""
    found = (module.name for module in pkgutil.iter_modules(bots.__path__))
    return tuple(sorted(name.removeprefix(_PREFIX) for name in found if name.startswith(_PREFIX)))


@cache
def greedy_bot(game: str) -> Choose:
    """Return the greedy bot for *game*; raise `ValueError` that lists the games that have one."""
    if game not in known_games():
        raise ValueError(
            f"there is no greedy bot for {game!r}: there are some for {', '.join(known_games())}"
        )
    module = import_module(f"harbourmaster.bots.{_PREFIX}{game}")
    choose: Choose = getattr(module, f"choose_{game}")
    return choose


def choose(decision: Decision) -> Answer:
    """Answer as the greedy bot of the decision's game does."""
    return greedy_bot(decision.match.game)(decision)
