"""A sequential test between two entrants that ends as soon as the answer is clear.

The generalised likelihood ratio over pairs of games, in five cells (the pair's points: 0, ½, 1, 1½,
2). Under each hypothesis the distribution over the cells is the likeliest of all those whose mean
is the hypothesis's expected score (Owen, *Empirical Likelihood*, 2001), so neither the share of
draws nor the luck of the deal is assumed. Wald's bounds (*Sequential Tests of Statistical
Hypotheses*, 1945) on the ratio end the test.
"""

import enum
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from harbourmaster_tournaments.ratings.games import RatedGame

CELLS = 5
REGULARISATION = 0.5
"""Added to every cell, so that an empty one never makes a ratio infinite."""
MOST_STEPS = 60
"""Steps when solving for a distribution: enough even if each only halves the interval."""


class Verdict(enum.Enum):
    """What a test says so far."""

    UNDECIDED = "undecided"
    """Neither bound is reached: play on."""
    BETTER = "better"
    """The first entrant is at least about `elo1` stronger: the upper bound is reached."""
    NOT_BETTER = "not better"
    """The first entrant is at most about `elo0` stronger: the lower bound is reached."""


@dataclass(frozen=True, slots=True)
class SprtTerms:
    """The two hypotheses, and how often each may be wrongly rejected."""

    elo0: float = 0.0
    """The difference in Elo under which the test should say `NOT_BETTER`."""
    elo1: float = 10.0
    """The difference in Elo over which it should say `BETTER`."""
    alpha: float = 0.05
    """How often it may say `BETTER` when the difference is `elo0`."""
    beta: float = 0.05
    """How often it may say `NOT_BETTER` when the difference is `elo1`."""

    def __post_init__(self) -> None:
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise ValueError(
                f"elo0 is {self.elo0} and elo1 is {self.elo1}; give elo0 below elo1, both within "
                f"±{MOST_ELO}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(
                f"alpha is {self.alpha} and beta is {self.beta}; give both between 0 and 0.5"
            )

    @property
    def lower(self) -> float:
        """The bound at which `NOT_BETTER` is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The bound at which `BETTER` is accepted."""
        return math.log((1 - self.beta) / self.alpha)


MOST_ELO = 2000
"""Hypotheses lie within this many Elo of zero."""


@dataclass(frozen=True, slots=True)
class SprtState:
    """Where a test stands."""

    verdict: Verdict
    ratio: float
    """The log of the likelihood ratio of `elo1` to `elo0`."""
    lower: float
    upper: float
    pairs: tuple[int, ...]
    """How many pairs gave 0, ½, 1, 1½, 2 points."""
    elo: float | None
    """The difference that the score means, in Elo, each cell regularised; `None` before a pair."""
    error: float | None
    """Half the width of its 95 % interval."""

    @property
    def note(self) -> str:
        """What must be said beside `elo`, else empty."""
        if self.verdict is Verdict.UNDECIDED:
            return ""
        return (
            "The estimate is from a stopped test: stopping when one side looks good pushes it "
            "outwards, so take the verdict, and measure strength in games of fixed number."
        )


@dataclass(slots=True)
class Sprt:
    """A running test of whether the first entrant is better.

    It has no number of games: it runs until it is decided, and pairs that come after the decision
    no longer change it.
    """

    terms: SprtTerms = field(default_factory=SprtTerms)
    _pairs: list[int] = field(default_factory=lambda: [0] * CELLS)
    _ratio: float = 0.0
    _verdict: Verdict = Verdict.UNDECIDED

    def add(self, pair: tuple[float, float]) -> SprtState:
        """Take the first entrant's points (0, ½ or 1) in both games of a pair; return the state.

        A pair is a rotation group: the same deal with seats swapped. Add pairs in the order of the
        schedule, not of finishing, since long games may not be won as often as short ones. Raises
        `ValueError` for other points.
        """
        if any(points not in (0, 0.5, 1) for points in pair) or len(pair) != 2:
            raise ValueError(f"a pair of {pair} has no meaning; give 0, 0.5 or 1 for both games")
        if self._verdict is Verdict.UNDECIDED:
            self._pairs[round(2 * sum(pair))] += 1
            self._ratio = log_ratio(self._pairs, self.terms)
            self._verdict = _verdict(self.terms, self._ratio)
        return self.state()

    def state(self) -> SprtState:
        """Return where the test stands."""
        elo, error = _estimate(self._pairs)
        return SprtState(
            verdict=self._verdict,
            ratio=self._ratio,
            lower=self.terms.lower,
            upper=self.terms.upper,
            pairs=tuple(self._pairs),
            elo=elo,
            error=error,
        )


def pairs_of(games: Iterable[RatedGame], first: str) -> list[tuple[float, float]]:
    """Return the points of *first* in each pair of *games*, in the order of the schedule.

    A pair is a rotation group of two played games that *first* took part in; groups that are not
    complete yet, and walkovers, are left out.
    """
    groups: dict[tuple[str, str], list[RatedGame]] = {}
    for game in sorted(games, key=lambda game: game.number):
        if game.played and len(game.entrants) == 2 and first in game.entrants:
            groups.setdefault((game.pool, game.group), []).append(game)
    return [
        (_points(group[0], first), _points(group[1], first))
        for group in groups.values()
        if len(group) == 2
    ]


def _points(game: RatedGame, first: str) -> float:
    own = game.entrants.index(first)
    mine, theirs = game.placements[own], game.placements[1 - own]
    return 0.5 if mine == theirs else float(mine < theirs)


def _verdict(terms: SprtTerms, ratio: float) -> Verdict:
    if ratio >= terms.upper:
        return Verdict.BETTER
    return Verdict.NOT_BETTER if ratio <= terms.lower else Verdict.UNDECIDED


def expected_score(elo: float) -> float:
    """Return the expected points per game of an entrant that is *elo* points stronger."""
    return 1 / (1 + math.pow(10, -elo / 400))


def log_ratio(pairs: Sequence[int], terms: SprtTerms) -> float:
    """Return the log of the likelihood ratio of `elo1` to `elo0` after *pairs*; 0 before any."""
    if not any(pairs):
        return 0.0
    counts = [count + REGULARISATION for count in pairs]
    under0 = log_likelihood(counts, expected_score(terms.elo0))
    return log_likelihood(counts, expected_score(terms.elo1)) - under0


def log_likelihood(counts: Sequence[float], mean: float) -> float:
    """Return the largest log-likelihood of *counts* (all above 0) with this *mean* score.

    The likeliest distribution has p = q / (1 + t (x - mean)), with q the observed shares, x the
    score of each cell (0 to 1) and t the root of a falling function between two known poles.
    Newton's steps find it, halving the interval wherever one would leave it.
    """
    total = sum(counts)
    offsets = [cell / (CELLS - 1) - mean for cell in range(CELLS)]
    low, high = -1 / offsets[-1], -1 / offsets[0]
    t = 0.0
    for _ in range(MOST_STEPS):
        parts = [x / (1 + t * x) for x in offsets]
        slope = sum(c * part for c, part in zip(counts, parts, strict=True))
        low, high = (t, high) if slope > 0 else (low, t)
        step = slope / sum(c * part * part for c, part in zip(counts, parts, strict=True))
        if abs(step) < 1e-14:
            break
        t = t + step if low < t + step < high else (low + high) / 2
    return sum(c * math.log(c / total / (1 + t * x)) for c, x in zip(counts, offsets, strict=True))


def _estimate(pairs: Sequence[int]) -> tuple[float | None, float | None]:
    """Return the Elo that the mean score of *pairs* means, and half its 95 % interval's width."""
    if not any(pairs):
        return None, None
    counts = [count + REGULARISATION for count in pairs]
    total = sum(counts)
    scores = [cell / (CELLS - 1) for cell in range(CELLS)]
    mean = sum(c * x for c, x in zip(counts, scores, strict=True)) / total
    spread = sum(c * (x - mean) ** 2 for c, x in zip(counts, scores, strict=True)) / total
    slope = 400 / math.log(10) / (mean * (1 - mean))
    elo = -400 * math.log10(1 / mean - 1)
    return elo, 1.959963984540054 * slope * math.sqrt(spread / total)
