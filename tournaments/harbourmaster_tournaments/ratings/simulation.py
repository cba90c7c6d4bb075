"""Do the 95 % intervals hold the truth 95 times in 100? Simulated tournaments that say.

Eight bots over 400 Elo meet in rotation groups: a deal is played once per rotation of the seats.
Each seat of a deal carries a luck of its own, the same in all games of its group, so results are
not those of the fitted model, and swapping seats cancels part of it. In a game a seat's worth is
strength + luck of the deal + Gumbel noise, and the order of worths is the result; without luck
this is exactly the fitted model (Yellott, *Journal of Mathematical Psychology* 15, 1977).

Run it with `python -m harbourmaster_tournaments.ratings.simulation`.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from harbourmaster_tournaments.ratings.export import dumps
from harbourmaster_tournaments.ratings.fit import NORMAL_95, fit
from harbourmaster_tournaments.ratings.limits import least_rmse
from harbourmaster_tournaments.ratings.model import ELO
from harbourmaster_tournaments.ratings.observations import (
    Floats,
    Ints,
    Observations,
    canonical,
    dense_ranks,
)

BOTS = 8
SPAN = 400.0
"""Elo between the weakest and the strongest bot."""
ENOUGH = 60_000
"""Games per pair from which the ratings that infinitely many games would give are estimated."""

FOR_SCALE = 4_000
"""As many are enough to tell how much closer together than the strengths all ratings lie."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One kind of tournament."""

    seats: int
    games: int
    """Games per pair of bots."""
    luck: float
    """Standard deviation in Elo of what a seat's cards are worth."""
    level: float = 0.0
    """Worths within this many Elo of each other are a tie."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What many replicates of a setting showed; shares are over replicates and bots."""

    setting: Setting
    replicates: int
    groups: int
    """Rotation groups in a replicate."""
    coverage: float
    """Share of intervals that hold the truth."""
    below: float
    """Share that lie wholly below the truth."""
    above: float
    """Share that lie wholly above it."""
    coverage_by_model: float
    """Coverage by the model's standard error alone."""
    coverage_by_group: float
    """Coverage by the cluster-robust standard error alone."""
    rmse: float
    """Root mean square error in Elo."""
    limit: float
    """The least that it can be with these games, by the bound of Cramér and Rao."""
    error: float
    """Mean half width of the intervals in Elo."""
    variance_factor: float
    """Mean variance by rotation group over that by the model: below 1 where luck cancels."""


def line_ups(seats: int, groups: int) -> Ints:
    """Return (groups, seats) line-ups in which pairs of bots meet as equally often as can be."""
    options = np.array(list(combinations(range(BOTS), seats)))
    met = np.zeros((BOTS, BOTS), dtype=np.int64)
    used = np.zeros(len(options), dtype=np.int64)
    chosen = []
    for _ in range(groups):
        load = met[options[:, :, None], options[:, None, :]].sum(axis=(1, 2))
        pick = int(np.lexsort((used, load))[0])
        line_up = options[pick]
        met[np.ix_(line_up, line_up)] += 1
        used[pick] += 1
        chosen.append(line_up)
    return np.array(chosen)


def groups_for(setting: Setting) -> int:
    """Return how many rotation groups give the setting's games per pair, at least about."""
    pairs = BOTS * (BOTS - 1) // 2
    return max(2, -(-pairs * setting.games // (setting.seats**2 * (setting.seats - 1) // 2)))


def play(setting: Setting, line: Ints, strengths: Floats, rng: np.random.Generator) -> Observations:
    """Return the results of a tournament with these line-ups."""
    groups, seats = line.shape
    turns = (np.arange(seats)[:, None] + np.arange(seats)[None, :]) % seats
    members = line[:, turns].reshape(-1, seats)
    luck = rng.normal(0.0, max(setting.luck, 1e-9) / ELO, (groups, 1, seats))
    noise = rng.gumbel(size=(groups, seats, seats))
    worth = (strengths[members].reshape(noise.shape) + luck + noise).reshape(-1, seats)
    order = np.argsort(-worth, axis=1)
    best_first = np.take_along_axis(worth, order, axis=1)
    falls = best_first[:, :-1] - best_first[:, 1:] > setting.level / ELO
    places = np.concatenate((np.zeros((len(worth), 1), int), np.cumsum(falls, axis=1)), axis=1)
    ranks = np.empty_like(members)
    np.put_along_axis(ranks, order, places, axis=1)
    return canonical(
        tuple(f"bot{bot}" for bot in range(BOTS)),
        members,
        dense_ranks(ranks),
        np.ones(len(members), dtype=np.int64),
        [np.arange(len(members)).reshape(groups, seats)],
    )


def strengths() -> Floats:
    """Return the strengths that the bots play with, evenly spread, in log units."""
    spread: Floats = np.linspace(-SPAN / 2, SPAN / 2, BOTS) / ELO
    return spread


def truth(setting: Setting, rng: np.random.Generator, games: int = ENOUGH) -> Floats:
    """Return the ratings in Elo that infinitely many games would give.

    Without luck and ties those are the strengths. Otherwise luck makes results more even than
    strengths alone would, and the ratings are read off very many *games* per pair.
    """
    if not setting.luck and not setting.level:
        return strengths() * ELO
    many = Setting(setting.seats, games, setting.luck, setting.level)
    lines = list(combinations(range(BOTS), setting.seats))
    repeats = -(-groups_for(many) // len(lines))
    (field,) = fit(play(many, np.array(lines * repeats), strengths(), rng)).fields
    return field.ratings


def simulate(setting: Setting, replicates: int, seed: int) -> Iterator[Floats]:
    """Yield for each replicate (4, bots): error of the rating, and the three half widths.

    The half widths are the shown one, the model's and the rotation groups'.
    """
    rng = np.random.default_rng([seed, setting.seats, setting.games, int(setting.luck)])
    line = line_ups(setting.seats, groups_for(setting))
    right = truth(setting, rng)
    for _ in range(replicates):
        fitted = fit(play(setting, line, strengths(), rng))
        (field,) = fitted.fields
        by_group = field.model_errors * 0 if field.cluster_errors is None else field.cluster_errors
        widths = (field.errors, NORMAL_95 * field.model_errors, NORMAL_95 * by_group)
        yield np.stack((field.ratings - right, *widths))


def limit(setting: Setting, seed: int) -> float:
    """Return the least RMSE in Elo that any estimate can have with the games of *setting*.

    Ties are not in it. With luck the ratings lie closer together than the strengths, and so do
    their errors.
    """
    rng = np.random.default_rng([seed, setting.seats, setting.games, int(setting.luck)])
    line = line_ups(setting.seats, groups_for(setting))
    closer = float(np.std(truth(setting, rng, FOR_SCALE)) / np.std(strengths() * ELO))
    return closer * ELO * least_rmse(line, strengths(), setting.luck / ELO, rng)


def summarise(setting: Setting, replicates: Sequence[Floats], seed: int) -> Outcome:
    """Return what *replicates* of `simulate`, made with *seed*, show."""
    errors, shown, by_model, by_group = np.stack(replicates, axis=1)
    return Outcome(
        setting=setting,
        replicates=len(replicates),
        groups=groups_for(setting),
        coverage=float((np.abs(errors) <= shown).mean()),
        below=float((errors < -shown).mean()),
        above=float((errors > shown).mean()),
        coverage_by_model=float((np.abs(errors) <= by_model).mean()),
        coverage_by_group=float((np.abs(errors) <= by_group).mean()),
        rmse=float(np.sqrt((errors**2).mean())),
        limit=limit(setting, seed),
        error=float(shown.mean()),
        variance_factor=float((by_group**2).mean() / (by_model**2).mean()),
    )


def show(outcomes: Sequence[Outcome], console: Console) -> None:
    """Print *outcomes* as a table."""
    table = Table(title="Coverage of the 95 % intervals (target 93-97 %)")
    columns = "seats games/pair luck groups replicates coverage below above"
    columns += " model group RMSE limit ± factor"
    for column in columns.split():
        table.add_column(column, justify="right")
    for seen in outcomes:
        shares = [seen.coverage, seen.below, seen.above]
        shares += [seen.coverage_by_model, seen.coverage_by_group]
        table.add_row(
            *(str(seen.setting.seats), str(seen.setting.games), f"{seen.setting.luck:.0f}"),
            *(str(seen.groups), str(seen.replicates)),
            *(f"{share:.1%}" for share in shares),
            *(f"{seen.rmse:.1f}", f"{seen.limit:.1f}", f"{seen.error:.1f}"),
            f"{seen.variance_factor:.2f}",
        )
    console.print(table)


def run(settings: Sequence[Setting], replicates: int, seed: int, console: Console) -> list[Outcome]:
    """Simulate each of *settings*, with progress on *console*."""
    outcomes = []
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("simulating", total=len(settings) * replicates)
        for setting in settings:
            seen = []
            for replicate in simulate(setting, replicates, seed):
                seen.append(replicate)
                progress.advance(task)
            outcomes.append(summarise(setting, seen, seed))
    return outcomes


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate two, four and six seats at the asked numbers of games per pair."""
    parser = argparse.ArgumentParser(
        description="Measure the coverage of the rating intervals by simulated tournaments.",
        epilog="example: python -m harbourmaster_tournaments.ratings.simulation --replicates 200",
    )
    parser.add_argument("--replicates", type=int, default=2000, help="tournaments per line")
    parser.add_argument("--seats", type=int, nargs="+", default=[2, 4, 6])
    parser.add_argument("--games", type=int, nargs="+", default=[10, 100, 400], help="per pair")
    parser.add_argument("--luck", type=float, nargs="+", default=[0.0, 80.0], help="Elo of a deal")
    parser.add_argument("--level", type=float, default=0.0, help="Elo within which bots tie")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the outcomes there")
    chosen = parser.parse_args(arguments)
    settings = [
        Setting(seats, games, luck, chosen.level)
        for luck in chosen.luck
        for seats in chosen.seats
        for games in chosen.games
    ]
    console = Console()
    outcomes = run(settings, chosen.replicates, chosen.seed, console)
    show(outcomes, console)
    if chosen.json:
        chosen.json.write_text(dumps([asdict(outcome) for outcome in outcomes]), encoding="utf-8")


if __name__ == "__main__":
    main()
