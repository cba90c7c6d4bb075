"""Round-robin: everybody plays everybody else, round after round, by the circle method.

The entrants stand in a circle. In round `r` entrant `r` is paired with nobody (or with the last
one, if their number is even), and the two at the same distance on either side of it play each
other. So after every round everybody has played equally often, but for one game in odd fields.
Seating: of two in the circle, the one that has the other within its next half sits first, so each
sits first equally often; the last entrant of an even field alternates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from harbourmaster_tournaments.schedules.planned import (
    Grouping,
    GroupPlan,
    PlannedGame,
    Progress,
    check_count,
    check_entrants,
    number,
)

STAGE = "round-robin"
"""The stage of all games but those of late joiners."""


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """Every pair plays *groups* rotation groups.

    An entrant that joins late plays its full quota against everybody who is there, in a stage of
    its own whose groups take turns with the others. The games of an entrant that has left are no
    longer issued; the others' games do not change.
    """

    entrants: Sequence[str]
    groups: int = 1
    grouping: Grouping = field(default_factory=Grouping)
    adaptive: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        check_entrants(self.entrants, 2)
        check_count("the number of rotation groups for each pair", self.groups)

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the games not yet issued, one rotation group at a time."""
        stages = [self._plans()]
        present = [*self.entrants]
        for name, _ in sorted(progress.joined.items(), key=lambda item: (item[1], item[0])):
            stages.append(newcomer_plans(name, tuple(present), self.groups, self.grouping))
            present.append(name)
        return number(resume_stages(stages, progress), progress.issued, self.grouping)

    def games(self) -> Iterator[PlannedGame]:
        """Yield every game of a tournament that nobody joins late or leaves."""
        return chain.from_iterable(self.batches(Progress()))

    def _plans(self) -> Iterator[GroupPlan]:
        ordinal = 0
        for repeat in range(self.groups):
            for pair in circle(self.entrants):
                ordinal += 1
                if self.grouping.may_meet(pair):
                    yield GroupPlan(STAGE, ordinal, pair, repeat)


def circle(entrants: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield every pair of *entrants* once, round by round, the one to sit first in front."""
    size = len(entrants) - 1 if len(entrants) % 2 == 0 else len(entrants)
    for turn in range(size):
        if size < len(entrants):
            pair = entrants[turn], entrants[size]
            yield pair if turn % 2 == 0 else pair[::-1]
        for distance in range(1, (size + 1) // 2):
            left, right = (turn - distance) % size, (turn + distance) % size
            if 2 * distance > size // 2:
                left, right = right, left
            yield entrants[left], entrants[right]


def newcomer_plans(
    name: str, opponents: Sequence[str], groups: int, grouping: Grouping
) -> Iterator[GroupPlan]:
    """Yield the groups that a late joiner plays against those who were there before it."""
    met = [other for other in opponents if grouping.may_meet((name, other))]
    ordinal = 0
    for repeat in range(groups):
        for place, other in enumerate(met):
            ordinal += 1
            pair = (name, other) if place % 2 == 0 else (other, name)
            yield GroupPlan(f"join {name}", ordinal, pair, repeat)


def resume_stages(stages: Sequence[Iterator[GroupPlan]], progress: Progress) -> Iterator[GroupPlan]:
    """Yield what is left of *stages*, taking turns, without the groups of those who have left."""
    going = [_left_of(stage, progress) for stage in stages]
    while going:
        for stage in tuple(going):
            plan = next(stage, None)
            if plan is None:
                going.remove(stage)
            else:
                yield plan


def _left_of(stage: Iterator[GroupPlan], progress: Progress) -> Iterator[GroupPlan]:
    for plan in stage:
        issued = plan.ordinal <= progress.groups.get(plan.stage, 0)
        if not issued and progress.left.keys().isdisjoint(plan.entrants):
            yield plan
