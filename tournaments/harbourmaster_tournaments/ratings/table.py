"""The rating table of a pool: a value without any rendering."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from harbourmaster_tournaments.ratings.fit import Field, Fit, fit
from harbourmaster_tournaments.ratings.observations import Ints, observe
from harbourmaster_tournaments.ratings.standings import Results, Standing, results_of, standings
from harbourmaster_tournaments.ratings.tally import PoolTally, Tally
from harbourmaster_tournaments.ratings.terms import Terms

SURE = 0.975
"""A bot ranks below those that are better than it with at least this likelihood."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table."""

    rank: int | None
    """1 + the bots of the table that are better with a likelihood of at least 97.5 %; `None`
    without a rating. Bots that nobody can tell apart share a rank."""
    bot: str
    elo: float | None
    """The rating, to 0.01; `None` without a fitted game."""
    error: float | None
    """Half the width of its 95 % interval."""
    mark: str
    """`>` if the bot won every game (the true rating may be any higher), `<` if it lost every one,
    else empty."""
    standing: Standing


@dataclass(frozen=True, slots=True)
class Table:
    """The bots that can be compared, best first: by rating, then head to head, then by name."""

    pool: str
    seats: int
    rows: tuple[Row, ...]
    superiority: tuple[tuple[float | None, ...], ...]
    """In the order of the rows: the likelihood, to 0.0001, that a row's bot is stronger than a
    column's; `None` for a bot itself and without a rating."""
    seat_effects: tuple[float, ...] | None
    """Elo that each seat is worth; `None` where rotation is complete and seats need no effect."""
    variance_factor: float | None
    """See `Field.variance_factor`."""
    games: int
    """Games among these bots, walkovers included."""
    forfeits: int
    """How many times a bot of this table forfeited."""
    warnings: tuple[str, ...]


def tables(
    tally: Tally, entrants: Iterable[str] = (), terms: Terms | None = None
) -> tuple[Table, ...]:
    """Return the tables of every pool of *tally*, pools by name.

    *entrants* may name bots that have no game yet: they end every pool's first table, without
    a rating. A pool whose games do not connect all its bots has several tables with a warning.
    """
    names = tuple(entrants)
    return tuple(
        table
        for pool in sorted(tally.pools)
        for table in pool_tables(pool, tally.pools[pool], names, terms)
    )


def pool_tables(
    pool: str, tally: PoolTally, entrants: Iterable[str] = (), terms: Terms | None = None
) -> tuple[Table, ...]:
    """Return the tables of one pool, the one with most bots first."""
    terms = terms or Terms()
    results = results_of(tally, entrants)
    scored = standings(tally, results)
    fitted = fit(observe(tally), terms)
    rated = {name for field in fitted.fields for name in field.entrants}
    idle = [name for name in results.entrants if name not in rated]
    fields: tuple[Field | None, ...] = fitted.fields or (None,)
    above, level = results.pairs()
    return tuple(
        _table(
            pool,
            field,
            fitted,
            _Scores(results, scored, 2 * above + level, results.members.shape[1], tally.forsaken),
            idle if number == 0 else [],
            _warnings(field, fitted, terms),
        )
        for number, field in enumerate(fields)
    )


@dataclass(frozen=True, slots=True)
class _Scores:
    results: Results
    standings: dict[str, Standing]
    halves: Ints
    """(n, n): half points of each against each."""
    seats: int
    forsaken: Mapping[tuple[str, ...], int]
    """How often each table was forfeited by all of its bots."""

    def against(self, name: str, others: list[str]) -> float:
        """Return the share of points that *name* took from *others*; a half without games."""
        position = {entrant: at for at, entrant in enumerate(self.results.entrants)}
        mine = position[name]
        them = [position[other] for other in others if other != name]
        won, lost = int(self.halves[mine, them].sum()), int(self.halves[them, mine].sum())
        return won / (won + lost) if won + lost else 0.5


def _table(
    pool: str,
    field: Field | None,
    fitted: Fit,
    scores: _Scores,
    idle: list[str],
    warnings: tuple[str, ...],
) -> Table:
    order = _order(field, scores) if field else []
    rows = [_row(field, at, scores.standings) for at in order] if field else []
    rows += [Row(None, name, None, None, "", scores.standings[name]) for name in sorted(idle)]
    unrated: list[float | None] = [None] * len(idle)
    likely: list[list[float | None]] = []
    if field:
        for at in order:
            line = np.round(field.superiority[at, order], 4).tolist()
            likely.append([*line, *unrated])
            likely[-1][len(likely) - 1] = None
    likely += [[None] * len(rows) for _ in idle]
    return Table(
        pool=pool,
        seats=scores.seats,
        rows=tuple(rows),
        superiority=tuple(map(tuple, likely)),
        seat_effects=_rounded(fitted.seat_effects),
        variance_factor=_variance_factor(field),
        games=_games(scores, [row.bot for row in rows]),
        forfeits=sum(count for row in rows for _, count in row.standing.forfeits),
        warnings=warnings,
    )


def _games(scores: _Scores, bots: list[str]) -> int:
    """Return the number of games among *bots*, those that nobody played included."""
    among = set(bots)
    forsaken = sum(n for members, n in scores.forsaken.items() if among.issuperset(members))
    return scores.results.among(bots) + forsaken


def _order(field: Field, scores: _Scores) -> list[int]:
    """Return positions in *field*, best first: rating, head to head among equals, name."""
    shown = [round_elo(rating) for rating in field.ratings.tolist()]
    equals: dict[float, list[str]] = {}
    for name, elo in zip(field.entrants, shown, strict=True):
        equals.setdefault(elo, []).append(name)

    def key(at: int) -> tuple[float, float, str]:
        name = field.entrants[at]
        others = equals[shown[at]]
        head = scores.against(name, others) if len(others) > 1 else 0.5
        return (-shown[at], -head, name)

    return sorted(range(len(shown)), key=key)


def _row(field: Field, at: int, scored: dict[str, Standing]) -> Row:
    better = field.superiority[:, at] >= SURE
    name = field.entrants[at]
    return Row(
        rank=1 + int(better.sum()),
        bot=name,
        elo=round_elo(float(field.ratings[at])),
        error=round_elo(float(field.errors[at])),
        mark=field.marks[at],
        standing=scored[name],
    )


def _warnings(field: Field | None, fitted: Fit, terms: Terms) -> tuple[str, ...]:
    warnings = []
    if field and len(fitted.fields) > 1:
        warnings.append(
            f"No games connect these {len(field.entrants)} bots with the others of this pool: "
            "their ratings compare only within this table."
        )
    if field and terms.anchor is not None and not field.anchored:
        warnings.append(
            f"The anchor {terms.anchor} has no games with these bots: their mean rating is 0."
        )
    return tuple(warnings)


def _variance_factor(field: Field | None) -> float | None:
    factor = field.variance_factor if field else None
    return None if factor is None else round(factor, 4)


def _rounded(effects: tuple[float, ...] | None) -> tuple[float, ...] | None:
    return None if effects is None else tuple(round_elo(effect) for effect in effects)


def round_elo(value: float) -> float:
    """Return *value* to 0.01 Elo, without a negative zero."""
    return round(value, 2) + 0.0
