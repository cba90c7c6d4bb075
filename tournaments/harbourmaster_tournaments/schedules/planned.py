"""Planned games, the rotation groups they come in, and what every schedule offers."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

ATTEMPT_SHIFT: Final = 40
"""Deal indices of a second attempt begin at 2**40, of a third at 2 * 2**40, and so on."""

MOST_COUNTED: Final = 100_000
"""Above so many games a schedule is not counted ahead."""


class ScheduleError(ValueError):
    """A schedule cannot be made of what was asked for; the sentence says what would do."""


@dataclass(frozen=True, slots=True)
class PlannedGame:
    """One game of a tournament: who sits where, on which deal. It never changes once issued."""

    number: int
    """Counts the games of the tournament, from 1, in the order in which they are issued."""
    stage: str
    """The part of the tournament, for example `round-robin` or `swiss 3`."""
    entrants: tuple[str, ...]
    """The entrants' names by seat."""
    group: str
    """The rotation group: the games that share one deal."""
    deal: int
    """The index of the deal's seed; see `deals.deal_seed`."""
    seating: int
    """Which rotation of the group's first seating this is, from 0."""

    @property
    def key(self) -> str:
        """Return the text that names this game for good: stage, opponents, group, seating."""
        parts = [self.stage, sorted(self.entrants), self.group, self.seating]
        return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))


def deal_of_attempt(deal: int, attempt: int) -> int:
    """Return the deal index for the *attempt*-th time (from 1) that a group is played.

    A group that is played again gets a fresh deal, because the old one has been seen.
    """
    return deal + ((attempt - 1) << ATTEMPT_SHIFT)


class Finished(Protocol):
    """What an adaptive schedule must know of a finished game; a ledger's rows will do."""

    @property
    def number(self) -> int:
        """The planned game's number."""
        ...

    @property
    def stage(self) -> str:
        """The planned game's stage."""
        ...

    @property
    def group(self) -> str:
        """The planned game's rotation group."""
        ...

    @property
    def entrants(self) -> tuple[str, ...]:
        """The entrants by seat."""
        ...

    @property
    def placements(self) -> tuple[int, ...]:
        """One place per seat, 1 for the best."""
        ...

    @property
    def scores(self) -> tuple[int, ...]:
        """The game's own score per seat."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tournament has come, as far as its schedule must know."""

    issued: int = 0
    """The number of games issued so far."""
    groups: Mapping[str, int] = field(default_factory=dict)
    """The last rotation group issued of each stage: the ordinal in its name."""
    planned: Sequence[PlannedGame] = ()
    """The issued games; adaptive schedules need them, the others do not look."""
    results: Sequence[Finished] = ()
    """The results that count; adaptive schedules need them, the others do not look."""
    joined: Mapping[str, int] = field(default_factory=dict)
    """Entrants that joined late, with the number of games issued before they did."""
    left: Mapping[str, int] = field(default_factory=dict)
    """Entrants that were withdrawn or disqualified, with the games issued before."""
    annulled: frozenset[str] = frozenset()
    """Those of `left` that were disqualified: their games do not count."""


class Schedule(Protocol):
    """What every format offers to whoever runs the tournament."""

    @property
    def adaptive(self) -> bool:
        """Whether what is to be played depends on results."""
        ...

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the games that may be issued now, in batches to be issued whole.

        Ask again, with the new progress, whenever somebody joins or leaves. When the iterator of an
        adaptive schedule ends, more may come with the next results: ask again then too. The
        tournament is over when nothing comes and nothing is open.
        """
        ...


def known_total(schedule: Schedule, progress: Progress) -> int | None:
    """Return how many games *schedule* has in all, those issued before included.

    `None` if that depends on results, or if they are too many to count them before they are played.
    """
    if schedule.adaptive:
        return None
    count = progress.issued
    for batch in schedule.batches(progress):
        count += len(batch)
        if count > MOST_COUNTED:
            return None
    return count


@dataclass(frozen=True, slots=True)
class Grouping:
    """How rotation groups are made."""

    rotation: bool = True
    """Whether each deal is played once per seating; otherwise once, and seats alternate."""
    same_deals: bool = False
    """Whether every table plays the same deals. Then a bot may have seen a deal before."""
    owners: Mapping[str, str] = field(default_factory=dict)
    """Entrant to owner; no two entrants of one owner share a table. Others have no owner."""

    def may_meet(self, entrants: Sequence[str]) -> bool:
        """Return whether *entrants* all have different owners."""
        owners = [self.owners[name] for name in entrants if name in self.owners]
        return len(set(owners)) == len(owners)

    def size(self, seats: int) -> int:
        """Return how many games a group at a table of *seats* has."""
        return seats if self.rotation else 1


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A rotation group before its games are numbered."""

    stage: str
    ordinal: int
    """Counts the groups of the stage, from 1."""
    entrants: tuple[str, ...]
    """The first seating."""
    repeat: int = 0
    """How many groups these entrants have had in this stage before."""


def group_name(stage: str, ordinal: int) -> str:
    """Return the name of the *ordinal*-th rotation group (from 1) of *stage*."""
    return f"{stage} #{ordinal}"


def ordinal_of(group: str) -> int:
    """Return the ordinal in the name of a rotation group; 0 if it has none."""
    ordinal = group.rpartition("#")[2]
    return int(ordinal) if ordinal.isdecimal() else 0


def games_of(plan: GroupPlan, first: int, grouping: Grouping) -> tuple[PlannedGame, ...]:
    """Return the games of *plan*, numbered from *first*.

    With rotation there is one game for each cyclic rotation of the first seating, so that
    everybody plays every seat once; with two seats these are both seatings. Without rotation the
    group is one game, and the seating moves on by one with every repeat. Deals are counted from 0,
    one for each group (all groups of a tournament have one size), or one for each repeat where
    everybody plays the same deals.
    """
    seats = len(plan.entrants)
    seatings = range(seats) if grouping.rotation else (plan.repeat % seats,)
    deal = plan.repeat if grouping.same_deals else (first - 1) // len(seatings)
    return tuple(
        PlannedGame(
            number=first + offset,
            stage=plan.stage,
            entrants=plan.entrants[seating:] + plan.entrants[:seating],
            group=group_name(plan.stage, plan.ordinal),
            deal=deal,
            seating=seating,
        )
        for offset, seating in enumerate(seatings)
    )


def number(
    plans: Iterable[GroupPlan], issued: int, grouping: Grouping
) -> Iterator[tuple[PlannedGame, ...]]:
    """Yield the games of each of *plans*, numbered on from the *issued* ones."""
    for plan in plans:
        games = games_of(plan, issued + 1, grouping)
        issued += len(games)
        yield games


def check_entrants(entrants: Sequence[str], least: int) -> None:
    """Raise `ScheduleError` unless there are at least *least* entrants of different names."""
    if len(entrants) < least:
        raise ScheduleError(
            f"this schedule needs at least {least} entrants, not {len(entrants)}: add some"
        )
    doubles = sorted({name for name in entrants if list(entrants).count(name) > 1})
    if doubles:
        raise ScheduleError(f"two entrants are called {doubles[0]!r}: give each its own name")


def check_count(name: str, value: int, least: int = 1) -> None:
    """Raise `ScheduleError` unless *value* is at least *least*."""
    if value < least:
        raise ScheduleError(f"{name} is {value}: it must be at least {least}")
