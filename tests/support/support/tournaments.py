"""Made-up tournaments: names, results, and a run of a schedule in memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from harbourmaster_tournaments.ledger import GameRow, ToPlay
from harbourmaster_tournaments.schedules import PlannedGame, Progress, Schedule

Key = TypeVar("Key")

Decide = Callable[[PlannedGame], tuple[int, ...]]
"""Says the placements of a game."""


def names(count: int) -> list[str]:
    """Return *count* names, the strongest first."""
    return [f"b{place:02d}" for place in range(count)]


def by_name(game: PlannedGame) -> tuple[int, ...]:
    """Return the placements when the name that comes first always wins."""
    return tuple(1 + sum(other < mine for other in game.entrants) for mine in game.entrants)


def drawn(game: PlannedGame) -> tuple[int, ...]:
    """Return the placements of a game without a winner."""
    return (1,) * len(game.entrants)


def row(
    game: PlannedGame, placements: Sequence[int] | None = None, attempt: int = 1, **more: object
) -> GameRow:
    """Return a result of *game*; by default the seats are placed in their order."""
    seats = len(game.entrants)
    places = tuple(placements or range(1, seats + 1))
    base = GameRow(
        number=game.number,
        stage=game.stage,
        group=game.group,
        seating=game.seating,
        attempt=attempt,
        deal=ToPlay(game, attempt).deal,
        match_id=f"match-{game.number}-{attempt}",
        pool=f"anchorline v1, {seats} seats",
        entrants=game.entrants,
        placements=places,
        scores=tuple(seats - place for place in places),
        reason="rules",
        forfeits=(None,) * seats,
        game_hash=f"{game.number:04x}",
        started=game.number,
        finished=game.number + 1,
    )
    return replace(base, **more)  # type: ignore[arg-type]  # the tests know the fields


class Run:
    """A tournament played in memory, batch by batch."""

    def __init__(self, schedule: Schedule, decide: Decide = by_name) -> None:
        self.schedule = schedule
        self.decide = decide
        self.planned: list[PlannedGame] = []
        self.results: list[GameRow] = []
        self.joined: dict[str, int] = {}
        self.left: dict[str, int] = {}
        self.annulled: frozenset[str] = frozenset()

    def progress(self) -> Progress:
        """Return what a ledger would say now."""
        groups = {game.stage: int(game.group.rpartition("#")[2]) for game in self.planned}
        results = [r for r in self.results if not self.annulled & set(r.entrants)]
        return Progress(
            len(self.planned),
            groups,
            tuple(self.planned),
            tuple(results),
            self.joined,
            self.left,
            self.annulled,
        )

    def issue(self, most: int | None = None) -> list[PlannedGame]:
        """Issue what can be issued now, *most* batches at most, without playing it."""
        new: list[PlannedGame] = []
        for place, batch in enumerate(self.schedule.batches(self.progress())):
            if place == most:
                break
            new += batch
        self.planned += new
        return new

    def play(self, games: Iterable[PlannedGame]) -> None:
        """Play *games* but those of entrants that have left."""
        for game in games:
            if not self.left.keys() & set(game.entrants):
                self.results.append(row(game, self.decide(game)))

    def step(self, most: int | None = None) -> list[PlannedGame]:
        """Issue and play what can be played now, *most* batches at most."""
        games = self.issue(most)
        self.play(games)
        return games

    def finish(self) -> "Run":
        """Play to the end."""
        while self.step():
            pass
        return self


def spread(counts: Mapping[Key, int], keys: Iterable[Key]) -> int:
    """Return the largest minus the smallest count of *keys*; a missing one counts 0."""
    values = [counts.get(key, 0) for key in keys]
    return max(values) - min(values)


def games_per_entrant(games: Iterable[PlannedGame]) -> Counter[str]:
    """Return how many games each entrant has."""
    return Counter(name for game in games for name in game.entrants)


def seats_per_entrant(games: Iterable[PlannedGame]) -> Counter[tuple[str, int]]:
    """Return how often each entrant has each seat."""
    return Counter((name, seat) for game in games for seat, name in enumerate(game.entrants))
