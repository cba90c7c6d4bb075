"""Ratings of one pool on the Elo scale, with 95 % intervals and likelihoods of superiority."""

from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.intervals import (
    against_anchor,
    against_mean,
    cluster_covariance,
    difference_variances,
    model_covariance,
    normal_probability,
)
from harbourmaster_tournaments.ratings.model import ELO, Problem, maximise, problem_of
from harbourmaster_tournaments.ratings.observations import (
    Floats,
    Ints,
    Observations,
    components,
)
from harbourmaster_tournaments.ratings.terms import Terms

NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Field:
    """Entrants whose ratings can be compared, as games connect them. Arrays are in their order."""

    entrants: tuple[str, ...]
    ratings: Floats
    """(n,): Elo; the mean is 0, or the anchor has its given rating."""
    errors: Floats
    """(n,): half the width of the 95 % interval in Elo, by the larger standard error."""
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
    parts = sorted(components(seen), key=lambda part: (-len(part), part))
    marks = _marks(seen)
    fields = [
        _field(seen, terms, np.array(part), estimate.strengths, model, cluster, marks)
        for part in parts
    ]
    return Fit(tuple(fields), _seat_effects(problem, estimate.strengths))


def _seat_effects(problem: Problem, strengths: Floats) -> tuple[float, ...] | None:
    if not problem.seats:
        return None
    effects = strengths[problem.entrants :]
    return tuple((ELO * (effects - effects.mean())).tolist())


def _field(
    seen: Observations,
    terms: Terms,
    part: Ints,
    strengths: Floats,
    model: Floats,
    cluster: Floats | None,
    marks: list[str],
) -> Field:
    names = tuple(seen.entrants[entrant] for entrant in part)
    own = strengths[part]
    anchored = terms.anchor in names
    if anchored:
        at = names.index(str(terms.anchor))
        ratings = ELO * (own - own[at]) + terms.anchor_rating
        model = against_anchor(model, part, at)
        cluster = None if cluster is None else against_anchor(cluster, part, at)
    else:
        ratings = ELO * (own - own.mean())
        model = against_mean(model, part)
        cluster = None if cluster is None else against_mean(cluster, part)
    by_model = _errors(model)
    by_group = None if cluster is None else _errors(cluster)
    return Field(
        entrants=names,
        ratings=ratings,
        errors=NORMAL_95 * (by_model if by_group is None else np.maximum(by_model, by_group)),
        model_errors=by_model,
        cluster_errors=by_group,
        superiority=superiority(own, model, cluster),
        marks=tuple(marks[entrant] for entrant in part),
        anchored=anchored,
    )


def _marks(seen: Observations) -> list[str]:
    """Return the mark of every entrant."""
    behind = (seen.ranks[:, :, None] <= seen.ranks[:, None, :]).sum(axis=1)
    ahead = (seen.ranks[:, :, None] >= seen.ranks[:, None, :]).sum(axis=1)
    won = np.ones(len(seen.entrants), dtype=bool)
    lost = np.ones(len(seen.entrants), dtype=bool)
    np.logical_and.at(won, seen.members, behind == 1)
    np.logical_and.at(lost, seen.members, ahead == 1)
    return [">" if w else "<" if x else "" for w, x in zip(won, lost, strict=True)]


def _errors(covariance: Floats) -> Floats:
    errors: Floats = ELO * np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return errors


def superiority(strengths: Floats, model: Floats, cluster: Floats | None) -> Floats:
    """Return the probability that each entrant is stronger than each other (LOS).

    The difference of two strengths is taken for normal, with the larger of its two variances.
    """
    variances = difference_variances(model)
    if cluster is not None:
        variances = np.maximum(variances, difference_variances(cluster))
    differences = strengths[:, None] - strengths[None, :]
    np.fill_diagonal(variances, 1.0)
    return normal_probability(differences / np.sqrt(variances))
