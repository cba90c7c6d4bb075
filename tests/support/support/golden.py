"""The golden transcripts: matches in `tests/data/golden/` that pin the rules of every game.

    PYTHONPATH=tests/support python -m support.golden

writes them anew. A change of rules then shows in review as a change of these files. Each line of a
game's file is one match: random moves by `sample_move`, here and there a wrong one with the code of
its refusal, and in matches of three and more a seat that leaves.
"""

import json
from pathlib import Path
from typing import Any, Final

from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import ForfeitReason, Game
from harbourmaster_engine.registry import games
from support.cases import Case, cases_of
from support.mutate import mutate
from support.transcripts import Scribe

FOLDER: Final = Path(__file__).parents[2] / "data" / "golden"
MOST_MOVES: Final = 150
UNWRITABLE: Final = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a notation may raise over a mutant of a move, which need not be a move at all."""
MOST_CHARACTERS: Final = 30_000
"""A match that takes more is written down up to here."""


def golden_text(game: Game) -> str:
    """Return what the file of *game* should hold."""
    lines = (json.dumps(golden(case), separators=(",", ":")) for case in cases_of(game))
    return "".join(f"{line}\n" for line in lines)


def golden(case: Case) -> dict[str, Any]:
    """Return the golden transcript of *case*."""
    scribe, rng = Scribe(case), case.rng("golden")
    written = 0
    leaves = 20 + rng.below(30) if case.seats > 2 else MOST_MOVES
    for number in range(MOST_MOVES):
        state = scribe.state
        if state.to_move is None or written > MOST_CHARACTERS:
            break
        if number == leaves:
            scribe.forfeit(rng.below(case.seats), ForfeitReason.DISCONNECTED)
            continue
        move = state.sample_move(rng)
        if number % 4 == 0 and (wrong := wrong_move(case, move, rng)) is not None:
            scribe.move(wrong)
        if state.check(move) is None:
            scribe.move(move)
        written = len(json.dumps(scribe.transcript()))
    return scribe.transcript()


def wrong_move(case: Case, move: Any, rng: Stream) -> Any:
    """Return a mutant of *move* that can be written down, or `None` if there is none soon."""
    right = written_form(case, move)
    for _ in range(20):
        text = written_form(case, mutate(move, rng))
        if text not in ("", right):
            return case.game.notation.move_from_json(json.loads(text))
    return None


def written_form(case: Case, move: Any) -> str:
    """Return the text of *move* in the neutral form, or nothing if it cannot be read again."""
    notation = case.game.notation
    try:
        text = json.dumps(notation.move_to_json(move))
        again = json.dumps(notation.move_to_json(notation.move_from_json(json.loads(text))))
    except UNWRITABLE:
        return ""
    return text if text == again and len(text) < 2000 else ""


def main() -> None:
    """Write the golden transcripts of every registered game."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for game in games().values():
        (FOLDER / f"{game.id}.jsonl").write_text(golden_text(game), encoding="utf-8")


if __name__ == "__main__":
    main()
