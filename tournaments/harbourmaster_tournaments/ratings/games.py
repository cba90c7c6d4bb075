"""What the ratings know of one finished game."""

from dataclasses import dataclass

from harbourmaster_tournaments.ratings.think import ThinkTime

MOST_SEATS = 6
"""The largest table that can be rated."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """One finished game as the ledger knows it; everything per seat is in seat order.

    Raises `ValueError` when the parts do not fit together.
    """

    number: int
    """The game's number in the schedule, from 1."""
    pool: str
    """What may be fitted together: game, rules version, options and number of seats."""
    group: str
    """Its rotation group: the games of one deal."""
    entrants: tuple[str, ...]
    """Who sat where."""
    placements: tuple[int, ...]
    """1 is best; entrants that share a number are tied."""
    scores: tuple[int, ...]
    """The game's own scores."""
    forfeits: tuple[str | None, ...]
    """Per seat the reason of its forfeit (`timeout`, `resigned`, ...), or `None`."""
    played: bool = True
    """False for a walkover: it scores, but says nothing about strength and is not fitted."""
    think: tuple[ThinkTime, ...] = ()
    """Think time per seat; empty where it was not measured."""

    def __post_init__(self) -> None:
        seats = len(self.entrants)
        if not 2 <= seats <= MOST_SEATS:
            raise ValueError(f"game {self.number} has {seats} seats; 2 to {MOST_SEATS} are rated")
        if not len(self.placements) == len(self.scores) == len(self.forfeits) == seats:
            raise ValueError(
                f"game {self.number}: placements, scores and forfeits need one entry for each of "
                f"the {seats} seats"
            )
        if len(self.think) not in (0, seats):
            raise ValueError(f"game {self.number}: give think time for all {seats} seats or none")
        if len(set(self.entrants)) != seats:
            raise ValueError(f"game {self.number}: an entrant cannot sit at a table twice")
