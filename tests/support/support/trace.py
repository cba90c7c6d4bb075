"""Print a hash of everything that happens in a random match of every game.

    python -m support.trace [--by-hash]

The same numbers must come out of every process. With `--by-hash` the moves are chosen in an order
that Python's own hashes decide, which differs from process to process: a planted fault.
"""

import sys
from hashlib import sha256
from typing import Any

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import SPECTATOR, AnyState
from support.cases import Case, all_cases
from support.play import by_list, by_sample, play

MOVES = 120
"""How much of each match is hashed."""


def by_hash(state: AnyState, rng: Stream) -> Any:
    """Choose the move that Python's hash of its text puts first."""
    return min(state.legal_moves().moves, key=lambda move: hash(repr(move)))


def trace(case: Case, faulty: bool) -> str:
    """Return a hash of views, offered moves, moves, events and states of the match of *case*."""
    digest = sha256()
    for choose in (by_sample, by_hash if faulty else by_list):
        positions = play(case.start(), choose, case.rng("trace"))
        for position, _ in zip(positions, range(MOVES), strict=False):
            state = position.state
            seen = [state.view(seat) for seat in (*range(case.seats), SPECTATOR)]
            told = (seen, state.legal_moves(), position.move, position.events)
            digest.update(repr(told).encode() + state.fingerprint())
    return digest.hexdigest()


def main() -> None:
    """Print the hash of every case."""
    for case in all_cases():
        sys.stdout.write(f"{case} {trace(case, '--by-hash' in sys.argv)}\n")


if __name__ == "__main__":
    main()
