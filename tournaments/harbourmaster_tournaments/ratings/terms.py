"""The choices behind a rating table."""

from dataclasses import dataclass

FEWEST_GROUPS = 30
"""With fewer rotation groups their scatter says too little to stand alone."""

MOST_ELO = 100_000
"""No rating is given further from 0 than this."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What an organiser may choose about the ratings."""

    anchor: str | None = None
    """An entrant whose rating is given; without one the mean of a field is 0."""
    anchor_rating: float = 0.0
    """The anchor's rating in Elo."""
    prior_elo: float = 1000.0
    """Standard deviation in Elo of the prior on each strength; smaller pulls harder to the mean."""
    seat_prior_elo: float = 100.0
    """The same for each seat effect, so that a handful of games is not put down to the seat."""
    seat_effect: bool | None = None
    """Whether seats have an effect of their own; by default where the rotation is incomplete."""

    narrow: bool = False
    """Whether intervals may be narrower than the model's where rotation cancels luck.

    By default the larger of the model's error and the rotation groups' is shown. Otherwise, from
    `FEWEST_GROUPS` groups on, it is the groups', but never under half of the model's.
    """

    def __post_init__(self) -> None:
        if not abs(self.anchor_rating) <= MOST_ELO:
            raise ValueError(
                f"anchor_rating is {self.anchor_rating:g}; give at most {MOST_ELO} Elo points"
            )
        for name, value in (("prior_elo", self.prior_elo), ("seat_prior_elo", self.seat_prior_elo)):
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} is {value}; give a positive number of Elo points")

    def floor(self, groups: int) -> float:
        """Return the share of the model's error that is shown at least, with so many groups."""
        return 0.5 if self.narrow and groups >= FEWEST_GROUPS else 1.0
