"""The gin rummy of other libraries, random steps in the same process as ours.

Both are the optional extra `bench`. Neither game is one of ours; gin rummy is the nearest that they
have: two hands, a stock, a discard pile, melds. Each step does what ours does: the moves are
listed, the seat to move is shown what it may see, and a move chosen at random is made.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from harbourmaster_tournaments.bench.engine import STEPS, WORDS, Figure
from harbourmaster_tournaments.bench.floors import LISTED_STEP, PER_SECOND
from harbourmaster_tournaments.bench.timing import nanoseconds_each

INSTALL: Final = "pip install 'harbourmaster[bench]'"


def bench_others(repeats: int, report: Callable[[str], None]) -> tuple[list[Figure], list[str]]:
    """Return the figures of the libraries that are installed, and a sentence for each other."""
    figures, missing = [], []
    for module, library, measures in LIBRARIES:
        if find_spec(module) is None:
            missing.append(f"{library} is not installed and was left out: {INSTALL}")
            continue
        for note, make in measures:
            report(f"{library}: gin rummy")
            rate = 1e9 / nanoseconds_each(make(import_module(module)), repeats)
            figures.append(
                Figure(f"{library} gin rummy", LISTED_STEP, rate, PER_SECOND, None, note)
            )
    return figures, missing


def _open_spiel(observe: str) -> Callable[[Any], Callable[[], int]]:
    def make(pyspiel: Any) -> Callable[[], int]:
        game = pyspiel.load_game("gin_rummy")

        def work() -> int:
            done = used = 0
            while done < STEPS:
                state = game.new_initial_state()
                while not state.is_terminal():
                    used += 1
                    if state.is_chance_node():
                        outcomes = state.chance_outcomes()
                        state.apply_action(outcomes[WORDS[used & 4095] % len(outcomes)][0])
                        continue
                    getattr(state, observe)(state.current_player())
                    actions = state.legal_actions()
                    state.apply_action(actions[WORDS[used & 4095] % len(actions)])
                    done += 1
            return done

        return work

    return make


def _rlcard(rlcard: Any) -> Callable[[], int]:
    env = rlcard.make("gin-rummy", config={"seed": 1})

    def work() -> int:
        done = 0
        while done < STEPS:
            seen, _ = env.reset()
            while not env.is_over():
                actions = list(seen["legal_actions"])
                seen, _ = env.step(actions[WORDS[done & 4095] % len(actions)])
                done += 1
        return done

    return work


LIBRARIES: Final = (
    (
        "pyspiel",
        "OpenSpiel",
        (
            ("C++; the view as a string", _open_spiel("observation_string")),
            ("C++; the view as a list of numbers", _open_spiel("observation_tensor")),
        ),
    ),
    ("rlcard", "RLCard", (("Python; the view as arrays", _rlcard),)),
)
