"""Free-for-all: tables of three to six, everybody against everybody."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import comb, factorial
from typing import Final

from harbourmaster_tournaments.schedules.design import Block, all_tables, balanced_tables
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
from harbourmaster_tournaments.schedules.round_robin import resume_stages

STAGE: Final = "free-for-all"
"""The stage of all games but those of late joiners."""

FEW: Final = 1000
"""Up to so many different tables, all of them are played."""


@dataclass(frozen=True, slots=True)
class FreeForAll:
    """Tables of *seats*, each of which plays *groups* rotation groups.

    Where there are at most `FEW` different tables all are played, otherwise a balanced design:
    everybody sits at equally many tables and meets everybody else equally often (±1).
    *tables* asks for a design in which each entrant sits at that many tables (or a few more).
    Where owners keep some bots apart, their common tables are left out, and the rest stays.

    An entrant that joins late plays, in a stage of its own, at tables with those who are there:
    at as many as the others have, so that it meets all of them equally often (±1).
    """

    entrants: Sequence[str]
    seats: int
    groups: int = 1
    tables: int | None = None
    grouping: Grouping = field(default_factory=Grouping)
    adaptive: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if not 3 <= self.seats <= 6:
            raise ScheduleError(f"a free-for-all table has 3 to 6 seats, not {self.seats}")
        check_entrants(self.entrants, self.seats)
        check_count("the number of rotation groups for each table", self.groups)
        check_count("the number of tables for each entrant", self.tables or 1)

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the games not yet issued, one rotation group at a time."""
        stages = [self._plans(STAGE, self.entrants, self._tables)]
        present = [*self.entrants]
        for name, _ in sorted(progress.joined.items(), key=lambda item: (item[1], item[0])):
            stages.append(self._newcomer(name, tuple(present)))
            present.append(name)
        return number(resume_stages(stages, progress), progress.issued, self.grouping)

    def games(self) -> Iterator[PlannedGame]:
        """Yield every game of a tournament that nobody joins late or leaves."""
        return chain.from_iterable(self.batches(Progress()))

    def tables_per_entrant(self) -> int:
        """Return at how many tables each entrant sits, if owners keep nobody apart."""
        return sum(0 in block for block in self._tables())

    def _tables(self) -> Iterator[Block]:
        return _some_tables(len(self.entrants), self.seats, self.tables)

    def _newcomer(self, name: str, present: Sequence[str]) -> Iterator[GroupPlan]:
        """Yield the groups of a late joiner: it and tables of one seat less among the others."""

        def tables() -> Iterator[Block]:
            others = len(present)
            wanted = None if self.tables is None else -(-self.tables * (self.seats - 1) // others)
            for place, block in enumerate(_some_tables(others, self.seats - 1, wanted)):
                seat = place % self.seats
                yield (*block[:seat], others, *block[seat:])

        return self._plans(f"join {name}", (*present, name), tables)

    def _plans(
        self, stage: str, entrants: Sequence[str], tables: Callable[[], Iterator[Block]]
    ) -> Iterator[GroupPlan]:
        ordinal = 0
        for repeat in range(self.groups):
            # Without rotation a table's seats come round before its neighbours change.
            order = repeat if self.grouping.rotation else repeat // self.seats
            for block in tables():
                names = tuple(entrants[number] for number in reordered(block, order))
                if self.grouping.may_meet(names):
                    ordinal += 1
                    yield GroupPlan(stage, ordinal, names, repeat)


def reordered(block: Block, order: int) -> Block:
    """Return *block* with all seats but the first in the *order*-th order, so neighbours change.

    There are (seats - 1)! orders, counted in the factorial number system; then they come again.
    """
    rest = list(block[1:])
    order %= factorial(len(rest))
    taken = []
    for left in range(len(rest), 0, -1):
        place, order = divmod(order, factorial(left - 1))
        taken.append(rest.pop(place))
    return (block[0], *taken)


def _some_tables(n: int, k: int, per_entrant: int | None) -> Iterator[Block]:
    """Yield all tables where they are few and no number is asked for, else a balanced design."""
    if per_entrant is None and comb(n, k) <= FEW:
        return all_tables(n, k)
    return balanced_tables(n, k, per_entrant or max(k, FEW * k // n))
