"""Gauntlet: a few seeds against the field; neither plays among itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as default
from itertools import chain
from math import lcm
from typing import Final

from harbourmaster_tournaments.schedules.planned import (
    Grouping,
    GroupPlan,
    PlannedGame,
    Progress,
    ScheduleError,
    check_count,
    check_entrants,
    number,
)
from harbourmaster_tournaments.schedules.round_robin import newcomer_plans, resume_stages

STAGE: Final = "gauntlet"
"""The stage of all games but those of late joiners."""


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """Each of *seeds* plays *groups* rotation groups against each entrant of *field*.

    An entrant that joins late joins the field: it plays its full quota against the seeds, in a
    stage of its own whose groups take turns with the others.
    """

    seeds: Sequence[str]
    field: Sequence[str]
    groups: int = 1
    grouping: Grouping = default(default_factory=Grouping)
    adaptive: bool = default(default=False, init=False)

    def __post_init__(self) -> None:
        if not self.seeds or not self.field:
            raise ScheduleError("a gauntlet needs at least one seed and one entrant in the field")
        check_entrants([*self.seeds, *self.field], 2)
        check_count("the number of rotation groups for each pair", self.groups)

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the games not yet issued, one rotation group at a time."""
        late = sorted(progress.joined.items(), key=lambda item: (item[1], item[0]))
        joins = [newcomer_plans(name, self.seeds, self.groups, self.grouping) for name, _ in late]
        plans = resume_stages([self._plans(), *joins], progress)
        return number(plans, progress.issued, self.grouping)

    def games(self) -> Iterator[PlannedGame]:
        """Yield every game of a tournament that nobody joins late or leaves."""
        return chain.from_iterable(self.batches(Progress()))

    def _plans(self) -> Iterator[GroupPlan]:
        """Yield the groups so that all seeds, and all of the field, keep pace with each other."""
        ordinal = 0
        seeds, others = len(self.seeds), len(self.field)
        for repeat in range(self.groups):
            for place in range(seeds * others):
                seed = place % seeds
                # Both indices run round; a shift when they come together again reaches every pair.
                other = (place + place // lcm(seeds, others)) % others
                pair = self.seeds[seed], self.field[other]
                ordinal += 1
                if self.grouping.may_meet(pair):
                    first = pair if (seed + other) % 2 == 0 else pair[::-1]
                    yield GroupPlan(STAGE, ordinal, first, repeat)
