"""Free-for-all: tables of three to six, everybody against everybody."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import comb, factorial
from typing import Final

from harbourmaster_tournaments.schedules.design import (
    Block,
    all_tables,
    balanced_tables,
    is_symmetric,
)
from harbourmaster_tournaments.schedules.even_seats import seat_evenly
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
    everybody sits at equally many tables and meets everybody else equally often (±1). Of such a
    design, every further rotation group is at other tables, so that this holds for all of them.
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
        return sum(0 in block for block, _ in self._tables(0))

    def _tables(self, repeat: int) -> Iterator[tuple[Block, int]]:
        return _some_tables(len(self.entrants), self.seats, self.tables, repeat)

    def _newcomer(self, name: str, present: Sequence[str]) -> Iterator[GroupPlan]:
        """Yield the groups of a late joiner: it and tables of one seat less among the others."""

        def tables(repeat: int) -> Iterator[tuple[Block, int]]:
            others = len(present)
            wanted = None if self.tables is None else -(-self.tables * (self.seats - 1) // others)
            found = list(_some_tables(others, self.seats - 1, wanted, repeat))
            seated = seat_evenly([(*block, others) for block, _ in found], self.seats)
            return zip(seated, (times for _, times in found), strict=True)

        return self._plans(f"join {name}", (*present, name), tables)

    def _plans(
        self,
        stage: str,
        entrants: Sequence[str],
        tables: Callable[[int], Iterator[tuple[Block, int]]],
    ) -> Iterator[GroupPlan]:
        ordinal = 0
        for repeat in range(self.groups):
            for block, times in tables(repeat):
                fixed = stage != STAGE or is_symmetric(len(entrants), block)
                ordered = self._ordered(block, times, repeat, fixed)
                names = tuple(entrants[number] for number in ordered)
                ordinal += 1
                if self.grouping.may_meet(names):
                    yield GroupPlan(stage, ordinal, names, repeat)

    def _ordered(self, block: Block, times: int, repeat: int, fixed: bool) -> Block:
        """Return the seats of *block*, which came *times* before, with other neighbours each time.

        Without rotation all move on by one seat each time; their neighbours change when all have
        had every seat. A *fixed* table keeps its order: its seats are even only with other tables'.
        """
        if self.grouping.rotation:
            return reordered(block, times)
        seats = block if fixed else reordered(block, times // self.seats)
        # The group is turned on by its repeat later on.
        on = (times - repeat) % self.seats
        return seats[on:] + seats[:on]


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


def _some_tables(
    n: int, k: int, per_entrant: int | None, repeat: int
) -> Iterator[tuple[Block, int]]:
    """Yield all tables where they are few and no number is asked for, else a balanced design.

    With each table comes how often it came in the repeats before.
    """
    if per_entrant is None and comb(n, k) <= FEW:
        return ((block, repeat) for block in all_tables(n, k))
    return balanced_tables(n, k, per_entrant or max(k, FEW * k // n), repeat)
