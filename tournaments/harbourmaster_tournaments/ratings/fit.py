"""Ratings of one pool on the Elo scale, with 95 % intervals and likelihoods of superiority."""

from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.intervals import (
    cluster_covariance,
    difference_variances,
    model_covariance,
    normal_probability,
    relative,
)
from harbourmaster_tournaments.ratings.model import ELO, Estimate, Problem, maximise, problem_of
from harbourmaster_tournaments.ratings.observations import (
    Floats,
    Ints,
    Observations,
    components,
)
from harbourmaster_tournaments.ratings.separation import sharpen
from harbourmaster_tournaments.ratings.terms import Terms

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Field:
    """Entrants whose ratings can be compared, as games connect them. Arrays are in their order."""

    entrants: tuple[str, ...]
    ratings: Floats
    """(n,): Elo; the mean is 0, or the anchor has its given rating."""
    errors: Floats
    """(n,): half the width of the 95 % interval in Elo, by the larger standard error (`Terms`)."""
    model_errors: Floats
    """(n,): standard errors in Elo by the model alone."""
    cluster_errors: Floats | None
    """(n,): standard errors in Elo by rotation group alone; `None` with fewer than two groups."""
    superiority: Floats
    """(n, n): the probability that the row's entrant is stronger than the column's."""
    marks: tuple[str, ...]
    """`>` for entrants that won all their games, `<` for those that lost all, else empty."""
    anchored: bool
    """Whether the anchor is among them."""

    @property
    def variance_factor(self) -> float | None:
        """The variance by rotation group over that by the model, both summed over entrants.

        Below 1 where playing a deal from every seat cancels luck, above 1 where games of one deal
        tend to end alike; `None` with fewer than two groups.
        """
        if self.cluster_errors is None:
            return None
        return float((self.cluster_errors**2).sum() / (self.model_errors**2).sum())


@dataclass(frozen=True, slots=True)
class Fit:
    """The ratings of one pool."""

    fields: tuple[Field, ...]
    """The largest first, then by the first name."""
    seat_effects: tuple[float, ...] | None
    """Elo that each seat is worth, with mean 0; `None` where rotation is complete."""


def fit(seen: Observations, terms: Terms | None = None) -> Fit:
    """Return the ratings that *seen* gives; without games there is no field."""
    terms = terms or Terms()
    if not len(seen.counts):
        return Fit((), None)
    problem = problem_of(seen, terms)
    estimate = maximise(problem)
    model = model_covariance(estimate)
    cluster = cluster_covariance(seen, problem, estimate, model)
    floor = terms.floor(seen.groups)
    parts = sorted(components(seen), key=lambda part: (-len(part), part))
    pool = _Pool(
        entrants=seen.entrants,
        strengths=estimate.strengths[: problem.entrants],
        model=model,
        cluster=cluster,
        floor=floor,
        statistics=_statistics(seen, problem, estimate, (model, cluster, floor)),
        marks=_marks(seen),
    )
    fields = tuple(_field(pool, terms, np.array(part)) for part in parts)
    return Fit(fields, _seat_effects(problem, estimate.strengths))


@dataclass(frozen=True, slots=True)
class _Pool:
    """What was found out about a whole pool, in units of log strength."""

    entrants: tuple[str, ...]
    strengths: Floats
    model: Floats
    cluster: Floats | None
    floor: float
    """The share of the model's standard error that counts at least."""
    statistics: Floats
    marks: tuple[str, ...]


def _seat_effects(problem: Problem, strengths: Floats) -> tuple[float, ...] | None:
    if not problem.seats:
        return None
    effects = strengths[problem.entrants :]
    return tuple((ELO * (effects - effects.mean())).tolist())


def _field(pool: _Pool, terms: Terms, part: Ints) -> Field:
    names = tuple(pool.entrants[entrant] for entrant in part)
    own = pool.strengths[part]
    at = names.index(terms.anchor) if terms.anchor in names else None
    zero, rating = (own.mean(), 0.0) if at is None else (own[at], terms.anchor_rating)
    by_model = _errors(relative(pool.model, part, at))
    by_group = None if pool.cluster is None else _errors(relative(pool.cluster, part, at))
    return Field(
        entrants=names,
        ratings=ELO * (own - zero) + rating,
        errors=NORMAL_95 * _larger(by_model, by_group, pool.floor),
        model_errors=by_model,
        cluster_errors=by_group,
        superiority=normal_probability(pool.statistics[np.ix_(part, part)]),
        marks=tuple(pool.marks[entrant] for entrant in part),
        anchored=at is not None,
    )


def _marks(seen: Observations) -> tuple[str, ...]:
    """Return the mark of every entrant."""
    behind = (seen.ranks[:, :, None] <= seen.ranks[:, None, :]).sum(axis=1)
    ahead = (seen.ranks[:, :, None] >= seen.ranks[:, None, :]).sum(axis=1)
    won = np.ones(len(seen.entrants), dtype=bool)
    lost = np.ones(len(seen.entrants), dtype=bool)
    np.logical_and.at(won, seen.members, behind == 1)
    np.logical_and.at(lost, seen.members, ahead == 1)
    return tuple(">" if w else "<" if x else "" for w, x in zip(won, lost, strict=True))


def _errors(covariance: Floats) -> Floats:
    errors: Floats = ELO * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return errors


def _larger(by_model: Floats, by_group: Floats | None, floor: float) -> Floats:
    """Return the groups' standard errors, but not under the share *floor* of the model's."""
    return by_model if by_group is None else np.maximum(floor * by_model, by_group)


def _statistics(
    seen: Observations,
    problem: Problem,
    estimate: Estimate,
    covariances: tuple[Floats, Floats | None, float],
) -> Floats:
    """Return (n, n): the difference of every two strengths over its standard error.

    *covariances* are the model's, the groups', and the floor. Pairs whose likelihood is no parabola
    are corrected, see `separation`.
    """
    model, cluster, floor = covariances
    count = problem.entrants
    strengths = estimate.strengths[:count]
    by_model = np.sqrt(difference_variances(model[:count, :count]))
    by_group = None if cluster is None else np.sqrt(difference_variances(cluster[:count, :count]))
    errors = _larger(by_model, by_group, floor)
    np.fill_diagonal(errors, 1.0)
    usual = (strengths[:, None] - strengths[None, :]) / errors
    return sharpen(seen, problem, estimate.strengths, usual)
