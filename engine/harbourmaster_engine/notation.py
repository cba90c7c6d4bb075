"""Neutral transcripts: a match as JSON that binds no wire format.

A transcript is one object: `id`, `game`, `options` (those that differ from the defaults),
`players`, `seed`, optionally `setup` (a position to start from), `steps`, and optionally `deal`,
`facts` and `final`, which are compared key by key. A step is `{"seat", "move", "legal"}`, or
`{"seat", "forfeit"}` for a seat that leaves.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from harbourmaster_engine.game import AnyState, ForfeitReason, Game, Refusal


def one_key(data: object) -> tuple[str, Mapping[str, Any]]:
    """Return the one key of a move object and the object it holds; raise `ValueError` if not."""
    if not isinstance(data, dict) or len(data) != 1:
        raise ValueError("a move is an object with one key, which names its kind")
    kind, fields = next(iter(data.items()))
    if not isinstance(kind, str) or not isinstance(fields, dict):
        raise ValueError("a move is an object with one key that holds an object")
    return kind, fields


def common_summary(state: AnyState) -> dict[str, Any]:
    """Return the keys of a transcript's `final` that all games share."""
    outcome = state.outcome()
    return {
        "scores": list(state.scores),
        "turn": state.to_move,
        "turns": state.turns,
        "over": outcome is not None,
        "reason": outcome.reason if outcome else None,
        "placements": list(outcome.placements) if outcome else None,
    }


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A place where a transcript says one thing and the engine another."""

    transcript: str
    """The transcript's id."""
    step: int | None
    """The number of the step, from 0, or `None` for the deal, the facts or the end."""
    text: str

    def __str__(self) -> str:
        where = "" if self.step is None else f", step {self.step}"
        return f"{self.transcript}{where}: {self.text}"


def begin(transcript: Mapping[str, Any], game: Game) -> AnyState:
    """Return the state in which *transcript* starts; raise `ValueError` if it cannot."""
    seats, seed = transcript["players"], bytes.fromhex(transcript["seed"])
    options = game.resolve(seats, transcript.get("options", {}))
    if "setup" in transcript:
        return game.notation.from_setup(transcript["setup"], options, seats, seed)
    return game.new(options, seats, seed)


def try_step(game: Game, state: AnyState, step: Mapping[str, Any]) -> Refusal | None:
    """Make one *step*, or return why the rules refuse it, and change nothing."""
    if "forfeit" in step:
        state.forfeit(step["seat"], ForfeitReason(step["forfeit"]))
        return None
    if state.to_move is None:
        return Refusal("over", "the match is over")
    if step["seat"] != state.to_move:
        return Refusal("not_your_turn", f"it is the turn of seat {state.to_move}")
    try:
        move = game.notation.move_from_json(step["move"])
    except ValueError as error:
        return Refusal("malformed", str(error))
    refusal = state.check(move)
    if refusal is None:
        state.apply(move)
    return refusal


def replay(transcript: Mapping[str, Any], game: Game) -> Iterator[Disagreement]:
    """Play *transcript* through the engine and yield every disagreement.

    A refused step must leave the state as it was. After a step that should have been refused and
    was not, or the other way round, the rest would mean nothing: it is not played.
    """
    name = transcript["id"]
    state = begin(transcript, game)
    yield from _compare_start(transcript, game, state)
    for number, step in enumerate(transcript["steps"]):
        before = state.fingerprint()
        refusal = try_step(game, state, step)
        if step.get("legal", True) != (refusal is None):
            said = "legal" if refusal is None else f"refused ({refusal.code}: {refusal.text})"
            yield Disagreement(name, number, f"{json.dumps(step['move'])} is {said}")
            return
        if refusal is not None and state.fingerprint() != before:
            yield Disagreement(name, number, "the refused move changed the state")
        if "scores" in step and step["scores"] != list(state.scores):
            text = f"the scores are {list(state.scores)}, not {step['scores']}"
            yield Disagreement(name, number, text)
    summary = game.notation.summary(state)
    for key, expected in transcript.get("final", {}).items():
        if (found := summary.get(key)) != expected:
            text = f"final {key} is {json.dumps(found)}, not {json.dumps(expected)}"
            yield Disagreement(name, None, text)


def _compare_start(
    transcript: Mapping[str, Any], game: Game, state: AnyState
) -> Iterator[Disagreement]:
    found: dict[str, Any] = {}
    if "deal" in transcript:
        found["deal"] = game.notation.deal(state)
    if "facts" in transcript:
        found["facts"] = game.notation.facts(state)
    for key, value in found.items():
        if value != transcript[key]:
            text = f"the {key} is {json.dumps(value)}, not {json.dumps(transcript[key])}"
            yield Disagreement(transcript["id"], None, text)
