"""`harbourmaster bench engine`: how fast the rules are, in one process, against their floors."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import AnyState, Game
from harbourmaster_tournaments.bench import floors
from harbourmaster_tournaments.bench.corpus import (
    JUNK,
    Form,
    Played,
    forms_of,
    play,
    positions,
    wrong_moves,
)
from harbourmaster_tournaments.bench.floors import floor_of
from harbourmaster_tournaments.bench.full import full_boards, full_table
from harbourmaster_tournaments.bench.machine import Machine
from harbourmaster_tournaments.bench.timing import nanoseconds_each, nanoseconds_of

STEPS: Final = 3_000
"""The least number of steps in a batch."""
STATES: Final = 60
"""How many positions of a match are cloned and looked at."""
FUZZED: Final = 25
"""How many positions of each match are asked about wrong moves."""
WRONG: Final = 40
"""How many wrong moves each of them is asked about."""
LONG_MATCH: Final = 1_000_000
"""A target score that is never reached, so that the board fills up."""

_STREAM: Final = Stream(sha256(b"bench").digest())
WORDS: Final = tuple(_STREAM.word() for _ in range(1 << 12))
"""Numbers that choose the moves, made beforehand so that choosing costs next to nothing."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that was measured."""

    form: str
    """The game, and its format where it has several."""
    what: str
    value: float
    unit: str
    floor: float | None
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the floor was reached, or `None` without one."""
        if self.floor is None:
            return None
        if self.unit == floors.PER_SECOND:
            return self.value >= self.floor
        return self.value <= self.floor


@dataclass(frozen=True, slots=True)
class Result:
    """A whole run."""

    machine: Machine
    repeats: int
    figures: tuple[Figure, ...]
    others: tuple[Figure, ...]
    """Libraries of others in the same run."""
    missing: tuple[str, ...]
    """A sentence for each library that is not installed."""

    def to_json(self) -> dict[str, Any]:
        """Return the run as plain data."""
        rows = [asdict(figure) | {"reached": figure.reached} for figure in self.figures]
        return asdict(self) | {"figures": rows}


def bench_game(game: Game, repeats: int, report: Callable[[str], None]) -> list[Figure]:
    """Measure every format of *game*; *report* is told what goes on."""
    figures = []
    for form in forms_of(game):
        report(f"{form}: playing")
        matches = _matches(form)
        for what, measure in MEASURES.items():
            report(f"{form}: {what}")
            value, unit, note = measure(form, matches, repeats)
            figures.append(Figure(str(form), what, value, unit, floor_of(game.id, what), note))
    report(f"{game.id}: the largest position")
    return figures + _largest(game, repeats)


def _matches(form: Form) -> list[Played]:
    """Return whole matches with at least `STEPS` moves together."""
    matches: list[Played] = []
    while sum(len(match.moves) for match in matches) < STEPS:
        matches.append(play(form, len(matches)))
    return matches


def _listed_step(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    count = len(matches)

    def work() -> int:
        done = 0
        for number in range(count):
            state = form.start(number)
            while (seat := state.to_move) is not None:
                state.view(seat)
                moves = state.legal_moves().moves
                state.apply(moves[WORDS[done & 4095] % len(moves)])
                done += 1
        return done

    return 1e9 / nanoseconds_each(work, repeats), floors.PER_SECOND, f"{count} matches"


def _bare_step(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    def work() -> int:
        done = 0
        for match in matches:
            state = form.start(match.number)
            for move in match.moves:
                state.apply(move)
                state.view(state.to_move or 0)
            done += len(match.moves)
        return done

    return 1e9 / nanoseconds_each(work, repeats), floors.PER_SECOND, f"{len(matches)} matches"


def _clone(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    return _on_positions(matches, repeats, lambda state: state.clone())


def _view(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    return _on_positions(matches, repeats, lambda state: state.view(0))


def _on_positions(
    matches: Sequence[Played], repeats: int, call: Callable[[AnyState], object]
) -> tuple[float, str, str]:
    states = positions(matches[0], STATES)

    def work() -> int:
        for _ in range(STEPS // len(states)):
            for state in states:
                call(state)
        return STEPS // len(states) * len(states)

    return nanoseconds_each(work, repeats) / 1e3, floors.MICROS, f"{len(states)} positions"


def _worst_check(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    rng = form.rng("wrong moves")
    worst, slowest, asked = 0, "", 0
    for state in _some(matches):
        for move in _asked(form, state, matches[0], rng):
            took = nanoseconds_of(state.check, move)
            asked += 1
            if took > worst:
                worst, slowest = took, type(move).__name__
    return worst / 1e3, floors.MICROS, f"{asked} moves; a {slowest}"


def _worst_list(form: Form, matches: Sequence[Played], repeats: int) -> tuple[float, str, str]:
    times = [nanoseconds_of(lambda state: state.legal_moves(), state) for state in _some(matches)]
    return max(times) / 1e3, floors.MICROS, f"{len(times)} positions"


def _some(matches: Sequence[Played]) -> list[AnyState]:
    return [state for match in matches[:4] for state in positions(match, FUZZED)]


def _asked(form: Form, state: AnyState, match: Played, rng: Stream) -> Iterable[object]:
    """Return moves to ask *state* about: right ones, wrong ones and what is none at all."""
    right = [*state.legal_moves().moves[:10], *match.moves[:: max(1, len(match.moves) // 20)]]
    for kind in ("pass", "draw", "return_coin", "end_turn"):
        try:
            right.append(form.game.notation.move_from_json({kind: {}}))
        except ValueError:
            continue
    return (*right, *wrong_moves(right, rng, WRONG), *JUNK)


MEASURES: Final = {
    floors.LISTED_STEP: _listed_step,
    floors.BARE_STEP: _bare_step,
    floors.CLONE: _clone,
    floors.VIEW: _view,
    floors.WORST_CHECK: _worst_check,
    floors.WORST_LIST: _worst_list,
}


def _largest(game: Game, repeats: int) -> list[Figure]:
    if game.id == "anchor":
        form = Form(game, 2, {"target_score": LONG_MATCH})
        return [_slowest(game, floors.FULL_BOARD, full_boards(_matches(form), 12), repeats)]
    if game.id == "tide":
        return [_slowest(game, floors.FULL_TABLE, [full_table(game)], repeats)]
    return []


def _slowest(game: Game, what: str, asked: Sequence[tuple[AnyState, Any]], repeats: int) -> Figure:
    """Return the longest of the median times to check each of the legal moves *asked*."""
    times = []
    for state, move in asked:
        if (refusal := state.check(move)) is not None:
            raise RuntimeError(f"a move to measure is illegal: {refusal.text}")
        times.append(nanoseconds_each(_batch(state, move), repeats) / 1e3)
    note = f"the slowest of {len(times)} plays" if len(times) > 1 else "each card in two melds"
    return Figure(game.id, what, max(times), floors.MICROS, floor_of(game.id, what), note)


def _batch(state: AnyState, move: Any) -> Callable[[], int]:
    def work() -> int:
        for _ in range(200):
            state.check(move)
        return 200

    return work
