"""Which results count: a function of the games and the rulings, whatever order they came in.

- A game row with a void cause does not count, and neither does any game that a `void` ruling
  names. Either way its whole rotation group is played again, as the next attempt: the results of
  earlier attempts are stale, also those that come in later.
- A `correct` ruling replaces the fields it names, for that attempt; the last one wins.
- No game of a disqualified entrant counts. Those of a withdrawn one do.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harbourmaster_tournaments.ledger.rows import STALE, GameRow, Ruling, RulingKind


@dataclass(frozen=True, slots=True)
class JudgedGame:
    """A game with the organiser's corrections, and why it does not count, if it does not."""

    row: GameRow
    void: str | None


def judge(games: Iterable[GameRow], rulings: Sequence[Ruling]) -> list[JudgedGame]:
    """Return all *games*, by number and attempt, under *rulings* (in the order of time)."""
    rows = sorted(games, key=lambda row: (row.number, row.attempt))
    attempts = current_attempts(rows, rulings)
    voids = {
        (r.number, r.attempt): f"voided by {r.who}: {r.why}"
        for r in rulings
        if r.kind is RulingKind.VOID
    }
    out = {r.entrant for r in rulings if r.kind is RulingKind.DISQUALIFY}
    corrections = _corrections(rulings)
    judged = []
    for row in rows:
        void = row.void_cause or voids.get((row.number, row.attempt))
        if void is None and row.attempt < attempts.get(row.group, 1):
            void = STALE
        if void is None and out and (names := out.intersection(row.entrants)):
            void = f"{min(str(name) for name in names)} is disqualified"
        judged.append(JudgedGame(_corrected(row, corrections), void))
    return judged


def effective(games: Iterable[GameRow], rulings: Sequence[Ruling] = ()) -> list[GameRow]:
    """Return the games that count, corrected, by number."""
    return [judged.row for judged in judge(games, rulings) if judged.void is None]


def current_attempts(games: Iterable[GameRow], rulings: Iterable[Ruling]) -> dict[str, int]:
    """Return the attempt now wanted of each rotation group that was ever void; others have 1.

    One that was begun again by somebody else's books, without a word why, counts as well.
    """
    attempts: dict[str, int] = {}
    for row in games:
        if row.void_cause != STALE:
            wanted = row.attempt + (row.void_cause is not None)
            if wanted > 1:
                attempts[row.group] = max(attempts.get(row.group, 1), wanted)
    for ruling in rulings:
        if ruling.kind is RulingKind.VOID and ruling.group and ruling.attempt:
            attempts[ruling.group] = max(attempts.get(ruling.group, 1), ruling.attempt + 1)
    return attempts


def gone(rulings: Iterable[Ruling]) -> dict[str, int]:
    """Return who plays no more, with the number of games issued before that was decided."""
    leaving = (RulingKind.DISQUALIFY, RulingKind.WITHDRAW)
    left: dict[str, int] = {}
    for ruling in rulings:
        if ruling.kind in leaving and ruling.entrant is not None:
            left.setdefault(ruling.entrant, ruling.issued)
    return left


def _corrections(rulings: Iterable[Ruling]) -> dict[tuple[int, int], dict[str, object]]:
    corrections: dict[tuple[int, int], dict[str, object]] = defaultdict(dict)
    for ruling in rulings:
        if ruling.kind is RulingKind.CORRECT and ruling.number and ruling.attempt:
            corrections[ruling.number, ruling.attempt].update(ruling.change)
    return corrections


def _corrected(row: GameRow, corrections: dict[tuple[int, int], dict[str, object]]) -> GameRow:
    change = corrections.get((row.number, row.attempt))
    if not change:
        return row
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in change.items()}
    return replace(row, **values)  # type: ignore[arg-type]  # checked when the ruling was made
