"""Knockout: who loses a tie is out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harbourmaster_tournaments.schedules.planned import (
    Finished,
    Grouping,
    GroupPlan,
    PlannedGame,
    Progress,
    ScheduleError,
    check_count,
    check_entrants,
    number,
    ordinal_of,
)
from harbourmaster_tournaments.schedules.standings import group_scores


@dataclass(frozen=True, slots=True)
class Tie:
    """Two entrants of whom one goes on to the next round."""

    stage: str
    entrants: tuple[str | None, str | None]
    """The better seed first; `None` for an empty place, against which one is through."""
    decided: bool
    winner: str | None
    """Who goes on; `None` until it is decided, and when nobody does."""


@dataclass(frozen=True, slots=True)
class Knockout:
    """A knockout for two-seat games, by seeding: *entrants* in order, the strongest first.

    The bracket is the usual one, in which the best two can meet only in the final; the places
    missing to a power of two are byes for the best. Each tie is the best of *best_of* rotation
    groups, played one after the other until one entrant cannot be caught; a group is won by who
    has more points in it. Ties go on independently of each other.

    A drawn tie goes on with up to *extra* more groups, and the first that is won decides. If all
    are drawn, the higher sum of the game's own scores over the tie decides, and if these are equal
    too, the better seed is through.

    Nobody joins late. Who leaves has lost the tie that it has not finished. A tie whose games were
    issued keeps its entrants, whatever is ruled later about the one before.
    """

    entrants: Sequence[str]
    best_of: int = 1
    extra: int = 4
    grouping: Grouping = field(default_factory=Grouping)
    adaptive: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_entrants(self.entrants, 2)
        check_count("the number of rotation groups in a tie", self.best_of)
        check_count("the number of extra rotation groups", self.extra, 0)
        owners = [self.grouping.owners[n] for n in self.entrants if n in self.grouping.owners]
        if len(set(owners)) < len(owners):
            raise ScheduleError(
                "a knockout cannot keep two bots of one owner apart: enter one bot for each owner, "
                "or let them meet"
            )

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the next rotation group of every tie that waits for none of its results."""
        if progress.joined:
            raise ScheduleError(
                f"{min(progress.joined)} cannot join a knockout that has begun: begin another one"
            )
        return number(self._plans(progress), progress.issued, self.grouping)

    def winner(self, progress: Progress) -> str | None:
        """Return who won the final, or `None` while that is open."""
        return self.rounds(progress)[-1][0].winner

    def rounds(self, progress: Progress) -> list[list[Tie]]:
        """Return the ties of each round so far as they are known, the final last."""
        view = _View(self, progress)
        places: list[str | None] = bracket(self.entrants)
        rounds: list[list[Tie]] = []
        settled = [True] * len(places)
        while len(places) > 1:
            ties = [
                view.tie(f"knockout {len(rounds) + 1} tie {index + 1}", places, settled, index)
                for index in range(len(places) // 2)
            ]
            rounds.append(ties)
            places = [tie.winner for tie in ties]
            settled = [tie.decided for tie in ties]
        return rounds

    def _plans(self, progress: Progress) -> Iterator[GroupPlan]:
        view = _View(self, progress)
        for ties in self.rounds(progress):
            for tie in ties:
                upper, lower = tie.entrants
                if tie.decided or upper is None or lower is None or view.waits(tie.stage):
                    continue
                played = len(view.groups(tie.stage))
                yield GroupPlan(tie.stage, played + 1, (upper, lower), played)


class _View:
    """The games of a knockout by tie."""

    def __init__(self, knockout: Knockout, progress: Progress) -> None:
        self._knockout = knockout
        self._left = progress.left.keys()
        self._seed = {name: place for place, name in enumerate(knockout.entrants)}
        self._planned: dict[str, dict[str, list[PlannedGame]]] = {}
        for game in progress.planned:
            self._planned.setdefault(game.stage, {}).setdefault(game.group, []).append(game)
        self._results: dict[str, list[Finished]] = {}
        for result in progress.results:
            self._results.setdefault(result.stage, []).append(result)

    def groups(self, stage: str) -> Mapping[str, Sequence[PlannedGame]]:
        """Return the issued games of a tie by rotation group."""
        return self._planned.get(stage, {})

    def waits(self, stage: str) -> bool:
        """Return whether an issued game of a tie has no result yet."""
        finished = {game.number for game in self._results.get(stage, ())}
        return any(g.number not in finished for group in self.groups(stage).values() for g in group)

    def tie(
        self, stage: str, places: Sequence[str | None], settled: Sequence[bool], index: int
    ) -> Tie:
        """Return a tie between two places of the round before, and how it stands."""
        both = slice(2 * index, 2 * index + 2)
        upper, lower = self._by_seed(places[both])
        for group in self.groups(stage).values():
            upper, lower = self._by_seed(group[0].entrants)
            break
        if not all(settled[both]):
            return Tie(stage, (upper, lower), False, None)
        present = [name for name in (upper, lower) if name is not None and name not in self._left]
        winner = self._winner(stage, upper, lower) if upper and lower else None
        if winner is None and len(present) < 2:
            return Tie(stage, (upper, lower), True, present[0] if present else None)
        return Tie(stage, (upper, lower), winner is not None, winner)

    def _by_seed(self, names: Sequence[str | None]) -> tuple[str | None, str | None]:
        last = len(self._seed)
        upper, lower = sorted(names, key=lambda name: self._seed.get(name or "", last))
        return upper, lower

    def _winner(self, stage: str, upper: str, lower: str) -> str | None:
        if self.waits(stage):
            return None
        results = self._results.get(stage, [])
        scores = group_scores(results)
        lead = 0
        played = sorted(self.groups(stage), key=ordinal_of)
        for group in played:
            difference = scores[group][upper] - scores[group][lower]
            lead += (difference > 0) - (difference < 0)
        to_come = self._knockout.best_of - len(played)
        if abs(lead) > max(0, to_come):
            return upper if lead > 0 else lower
        if len(played) < self._knockout.best_of + self._knockout.extra:
            return None
        return lower if _score_difference(results, upper, lower) < 0 else upper


def bracket(entrants: Sequence[str]) -> list[str | None]:
    """Return the places of the first round, two by two, `None` where a bye is."""
    order = [0]
    while len(order) < len(entrants):
        size = 2 * len(order)
        order = [place for seed in order for place in (seed, size - 1 - seed)]
    return [entrants[seed] if seed < len(entrants) else None for seed in order]


def _score_difference(results: Sequence[Finished], upper: str, lower: str) -> int:
    difference = 0
    for game in results:
        scores = dict(zip(game.entrants, game.scores, strict=True))
        difference += scores[upper] - scores[lower]
    return difference
