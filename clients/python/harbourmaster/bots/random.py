"""A bot that plays any game: it takes any of the offered moves, each equally likely.

Its choices follow from `--seed`, the game, its seat and the numbers of decision and attempt alone,
not from the match's id: the same deal against the same moves is played the same again.
"""

from random import Random

from harbourmaster._values import Answer, Choose, Decision


def random_bot(seed: int = 0) -> Choose:
    """Return a bot that makes random moves; the same *seed* makes the same ones."""

    def choose(decision: Decision) -> Answer:
        """Take any of the offered moves."""
        place = f"{seed}/{decision.match.game}/{decision.seat}/{decision.number}/{decision.attempt}"
        return Random(place).randrange(len(decision.offered))

    return choose
