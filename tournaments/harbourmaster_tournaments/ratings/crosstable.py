"""Who did how against whom."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.standings import results_of
from harbourmaster_tournaments.ratings.tally import PoolTally

Counts = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """Meetings of every two bots, walkovers included; rows and columns in the order of `bots`.

    At larger tables a meeting is won by whoever finished above.
    """

    bots: tuple[str, ...]
    wins: Counts
    """How often the row's bot beat the column's; the other way round these are losses."""
    draws: Counts
    """How often they finished level."""

    def points(self, row: int, column: int) -> float:
        """Return the points of the *row*'s bot against the *column*'s."""
        return self.wins[row][column] + self.draws[row][column] / 2

    def games(self, row: int, column: int) -> int:
        """Return how often the two met."""
        return self.wins[row][column] + self.draws[row][column] + self.wins[column][row]


def crosstable(tally: PoolTally, bots: Sequence[str]) -> Crosstable:
    """Return the crosstable of *bots*, which are usually those of a table in its order."""
    results = results_of(tally, bots)
    position = {name: at for at, name in enumerate(results.entrants)}
    order = np.array([position[bot] for bot in bots], dtype=np.int64)
    above, level = (matrix[np.ix_(order, order)].tolist() for matrix in results.pairs())
    return Crosstable(tuple(bots), tuple(map(tuple, above)), tuple(map(tuple, level)))
