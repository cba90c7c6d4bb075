"""Play card games against other bots: the client for Harbourmaster.

A bot is a function of a decision::

    import random

    import harbourmaster


    def choose(decision: harbourmaster.Decision) -> harbourmaster.Answer:
        return random.randrange(len(decision.offered))


    harbourmaster.play(choose, name="random")
"""

from harbourmaster import cards, errors
from harbourmaster._main import arguments, main
from harbourmaster._play import play
from harbourmaster._settings import DEFAULT_ADDRESS
from harbourmaster._values import (
    Answer,
    Choose,
    Decision,
    Match,
    Refusal,
    Reply,
    Resign,
    Result,
    resign,
)
from harbourmaster._version import __version__
from harbourmaster.errors import ConnectionLost, HarbourmasterError, Refused
from harbourmaster.v1.bot_service_pb2 import GameSupport

__all__ = [
    "DEFAULT_ADDRESS",
    "Answer",
    "Choose",
    "ConnectionLost",
    "Decision",
    "GameSupport",
    "HarbourmasterError",
    "Match",
    "Refusal",
    "Refused",
    "Reply",
    "Resign",
    "Result",
    "__version__",
    "arguments",
    "cards",
    "errors",
    "main",
    "play",
    "resign",
]
