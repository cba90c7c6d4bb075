"""Swiss: a fixed number of rounds, each between entrants that have done equally well so far."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harbourmaster_tournaments.schedules.pairing import pair_round
from harbourmaster_tournaments.schedules.planned import (
    Grouping,
    GroupPlan,
    PlannedGame,
    Progress,
    check_count,
    check_entrants,
    number,
)
from harbourmaster_tournaments.schedules.standings import Standing, group_scores, standings


@dataclass(frozen=True, slots=True)
class Swiss:
    """*rounds* rounds, in which each pair plays *groups* rotation groups. Two seats only.

    Round 1 goes by the order of *entrants*, the strongest first. Pairing and tie-breaks: see
    `pairing` and `standings`. A round is issued whole, when every game of the one before has its
    result, and stays as it was issued, whatever is ruled later.

    An entrant that joins late has no points and is paired from the next round on. Of one that has
    left, the opponents keep what they won; a group that was not finished, or whose games were
    annulled, counts as a bye for the opponent.
    """

    entrants: Sequence[str]
    rounds: int
    groups: int = 1
    grouping: Grouping = field(default_factory=Grouping)
    adaptive: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        check_entrants(self.entrants, 2)
        check_count("the number of rounds", self.rounds)
        check_count("the number of rotation groups for each pair", self.groups)

    def batches(self, progress: Progress) -> Iterator[tuple[PlannedGame, ...]]:
        """Yield the next round, if the last one is complete and there is one more."""
        rounds = _rounds(progress)
        if len(rounds) >= self.rounds or not _complete(progress):
            return
        rows = [row for row in self.standings(progress) if row.name not in progress.left]
        met = Counter(pair for games in rounds for pair in _pairs(games))
        paired = pair_round(rows, met, self.grouping.may_meet)
        plans = self._plans(len(rounds) + 1, paired.pairs, _firsts(progress))
        batch = [game for games in number(plans, progress.issued, self.grouping) for game in games]
        if batch:
            yield tuple(batch)

    def standings(self, progress: Progress) -> list[Standing]:
        """Return all entrants but the annulled ones, from the best to the last."""
        scores = group_scores(progress.results)
        byes: Counter[str] = Counter()
        counted = []
        finished = {game.number for game in progress.results}
        for games in _rounds(progress):
            byes.update(self._idle(games, progress))
            for name, group in _groups(games).items():
                whole = all(game.number in finished for game in group)
                if whole and not progress.annulled & set(group[0].entrants):
                    counted.append(scores[name])
                elif progress.left.keys() & set(group[0].entrants):
                    byes.update(set(group[0].entrants) - progress.left.keys())
        present = [n for n in self._everybody(progress) if n not in progress.annulled]
        return standings(present, counted, byes, self.grouping.size(2))

    def _everybody(self, progress: Progress) -> list[str]:
        late = sorted(progress.joined, key=lambda name: (progress.joined[name], name))
        return [*self.entrants, *late]

    def _idle(self, games: Sequence[PlannedGame], progress: Progress) -> Iterator[str]:
        """Yield who was there in a round and had no game, once for each group it missed."""
        before = games[0].number - 1
        busy = {name for game in games for name in game.entrants}
        for name in self._everybody(progress):
            there = progress.joined.get(name, 0) <= before
            gone = name in progress.left and progress.left[name] <= before
            if there and not gone and name not in busy:
                for _ in range(self.groups):
                    yield name

    def _plans(
        self, turn: int, pairs: Sequence[tuple[str, str]], firsts: Mapping[str, int]
    ) -> Iterator[GroupPlan]:
        ordinal = 0
        for upper, lower in pairs:
            start = (upper, lower) if firsts[upper] <= firsts[lower] else (lower, upper)
            for extra in range(self.groups):
                ordinal += 1
                repeat = (turn - 1) * self.groups + extra
                # Without rotation an odd repeat turns the seats round; the first group shall not.
                pair = start if (turn - 1) * self.groups % 2 == 0 else start[::-1]
                yield GroupPlan(f"swiss {turn}", ordinal, pair, repeat)


def _rounds(progress: Progress) -> list[list[PlannedGame]]:
    rounds: dict[str, list[PlannedGame]] = {}
    for game in progress.planned:
        rounds.setdefault(game.stage, []).append(game)
    return list(rounds.values())


def _groups(games: Sequence[PlannedGame]) -> dict[str, list[PlannedGame]]:
    groups: dict[str, list[PlannedGame]] = {}
    for game in games:
        groups.setdefault(game.group, []).append(game)
    return groups


def _pairs(games: Sequence[PlannedGame]) -> set[frozenset[str]]:
    return {frozenset(game.entrants) for game in games}


def _complete(progress: Progress) -> bool:
    """Return whether every game that can still have a result has one."""
    finished = {game.number for game in progress.results}
    return all(
        game.number in finished or progress.left.keys() & set(game.entrants)
        for game in progress.planned
    )


def _firsts(progress: Progress) -> Counter[str]:
    """Return how much more often each entrant sat first than second."""
    firsts: Counter[str] = Counter()
    for game in progress.planned:
        firsts[game.entrants[0]] += 1
        firsts[game.entrants[1]] -= 1
    return firsts
