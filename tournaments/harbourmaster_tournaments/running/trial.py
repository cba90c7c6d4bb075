"""The sequential test of a tournament: fed by rotation groups, in the order of the schedule."""

from collections.abc import Iterable

from harbourmaster_tournaments.ledger import GameRow
from harbourmaster_tournaments.ratings import Sprt, SprtState, SprtTerms, Verdict
from harbourmaster_tournaments.ratings.sprt import pairs_of
from harbourmaster_tournaments.running.rows import rated_games

PAIR = 2
"""The games of a rotation group of two seats."""


class Trial:
    """Takes results in any order, and gives the test what is complete in the schedule's order.

    Long games may not be won as often as short ones, so the order of finishing would tell.
    """

    def __init__(self, terms: SprtTerms, first: str) -> None:
        """Make the test of whether the bot called *first* is better."""
        self._terms = terms
        self._first = first
        self._games: dict[int, GameRow] = {}
        """The results that the test has not had yet, by number."""
        self._next = 1
        """The number of the first game of the next rotation group."""
        self._sprt = Sprt(self._terms)

    def begin(self, results: Iterable[GameRow]) -> None:
        """Begin again with all *results* that count; later ones come by `take`."""
        self._sprt = Sprt(self._terms)
        self._games = {}
        self._next = 1
        for row in results:
            self.take(row)

    def take(self, row: GameRow) -> None:
        """Take a result. A later attempt at a game stands in for the one before."""
        if row.number >= self._next:
            self._games[row.number] = row
        while self._next in self._games and self._next + 1 in self._games:
            pair = [self._games.pop(self._next + place) for place in range(PAIR)]
            self._next += PAIR
            for points in pairs_of(rated_games(pair), self._first):
                self._sprt.add(points)

    @property
    def decided(self) -> bool:
        """Whether the test has come to its end."""
        return self.state().verdict is not Verdict.UNDECIDED

    def state(self) -> SprtState:
        """Return how the test stands."""
        return self._sprt.state()
