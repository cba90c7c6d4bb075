"""The neutral notation: every move and match survives being written and read."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harbourmaster_engine.anchorline import GAME as ANCHORLINE
from harbourmaster_engine.anchorline import Place
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_engine.notation import replay
from support.cases import Case, all_cases
from support.checks import assert_check_agrees_with_apply, notation_agrees
from support.play import Walk, walk
from support.soak import matches
from support.transcripts import Scribe, transcript_of

CASES = all_cases()
FIRST = {case.game.id: case for case in reversed(CASES)}
FAULTY = Case(ANCHORLINE, 2)
LENGTH = 400
"""How many moves of a match are written down."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_e26_every_move_survives_the_neutral_form(case: Case) -> None:
    for position in walk(case).some(40):
        for move in (position.move, *position.state.legal_moves().moves):
            assert notation_agrees(case, move) == move


@pytest.mark.parametrize("number", matches(1, 20))
@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_random_match_replays_without_a_disagreement(case: Case, number: int) -> None:
    match = walk(case, number)
    transcript = transcript_of(case, number, match.positions[:LENGTH])
    assert list(replay(json.loads(json.dumps(transcript)), case.game)) == []


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_match_with_forfeits_replays_without_a_disagreement(case: Case) -> None:
    scribe, rng = Scribe(case, 1), case.rng("transcript")
    for seat in range(case.seats - 1):
        for _ in range(rng.below(12)):
            if scribe.state.to_move is not None:
                scribe.move(scribe.state.sample_move(rng))
        if scribe.state.to_move is not None:
            scribe.forfeit(seat, ForfeitReason.TIMEOUT)
    transcript = json.loads(json.dumps(scribe.transcript()))
    assert list(replay(transcript, case.game)) == []


def _change(transcript: dict[str, Any], where: str) -> None:
    steps = transcript["steps"]
    match where:
        case "deal":
            transcript["deal"][0].reverse()
        case "seed":
            transcript["seed"] = "07" * 32
        case "move":
            steps[0], steps[2] = steps[2], steps[0]
        case "legal":
            steps[1]["legal"] = False
        case "scores":
            transcript["final"]["scores"][0] += 1
        case "reason":
            transcript["final"]["reason"] = "rain"
        case "left out":
            del steps[3]


@pytest.mark.parametrize("where", ["deal", "seed", "move", "legal", "scores", "reason", "left out"])
@pytest.mark.parametrize("case", FIRST.values(), ids=str)
def test_a_changed_transcript_disagrees(case: Case, where: str) -> None:
    transcript = json.loads(json.dumps(transcript_of(case, 0, walk(case).positions[:40])))
    _change(transcript, where)
    assert list(replay(transcript, case.game))


def test_a_notation_that_loses_something_is_noticed() -> None:
    class Loses:
        move_to_json = staticmethod(ANCHORLINE.notation.move_to_json)

        @staticmethod
        def move_from_json(data: object) -> Place:
            return Place((0, 0))

    lossy = replace(ANCHORLINE, notation=Loses())  # type: ignore[arg-type]
    assert notation_agrees(FAULTY, Place((1, 0))) == Place((1, 0))
    assert notation_agrees(replace(FAULTY, game=lossy), Place((1, 0))) != Place((1, 0))


def _vocabulary(match: Walk) -> tuple[list[str], list[Any]]:
    """Return the keys and the plain values that the moves of *match* are written with."""
    keys: set[str] = set()
    values: dict[str, Any] = {}

    def collect(data: Any) -> None:
        if isinstance(data, dict):
            keys.update(data)
            for value in data.values():
                collect(value)
        elif isinstance(data, list):
            for value in data:
                collect(value)
        else:
            values[repr(data)] = data

    notation = match.case.game.notation
    for position in match.some(200):
        collect(notation.move_to_json(position.move))
    return sorted(keys), list(values.values())


def like(examples: list[Any], part: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values built like *examples*, with any *part* here and there."""
    entries = [entry for each in examples if isinstance(each, list) for entry in each]
    if entries:
        return st.lists(st.one_of(st.sampled_from(entries), like(entries, part)), max_size=12)
    if not all(isinstance(each, dict) for each in examples):
        return st.one_of(st.sampled_from(examples), part)
    names = sorted({name for each in examples for name in each})
    return st.fixed_dictionaries(
        {},
        optional={
            name: st.one_of(
                like([each[name] for each in examples if name in each], part),
                part,
            )
            for name in names
        },
    )


def json_of(case: Case) -> st.SearchStrategy[Any]:
    """Return JSON values that look like the moves of *case*, more or less."""
    keys, values = _vocabulary(walk(case))
    plain = st.one_of(
        st.sampled_from([*values, "JK", "10H"]),
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text("JK1 é", max_size=4),
    )
    names = st.sampled_from([*keys, "name", ""])
    written = [case.game.notation.move_to_json(p.move) for p in walk(case).some(30)]
    part = st.recursive(
        plain,
        lambda inner: st.one_of(
            st.lists(inner, max_size=5), st.dictionaries(names, inner, max_size=3)
        ),
        max_leaves=12,
    )
    kinds = st.sampled_from(sorted({kind for move in written for kind in move}))

    def of_kind(kind: str) -> st.SearchStrategy[Any]:
        inside = [move[kind] for move in written if kind in move]
        return like(inside, part).map(lambda fields: {kind: fields})

    return st.one_of(kinds.flatmap(of_kind), st.sampled_from(written), part)


def _fuzz(case: Case, examples: int) -> None:
    states = [position.state for position in walk(case).some(5)]
    read = 0

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(json_of(case), st.sampled_from(range(len(states))))
    def run(data: Any, which: int) -> None:
        nonlocal read
        try:
            move = case.game.notation.move_from_json(data)
        except ValueError:
            return
        read += 1
        assert_check_agrees_with_apply(case, states[which], move)

    run()
    assert read, "no fuzzed value was read as a move"


@pytest.mark.parametrize("case", FIRST.values(), ids=str)
def test_any_json_is_a_move_or_an_error(case: Case) -> None:
    _fuzz(case, 150)


@pytest.mark.soak
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_any_json_is_a_move_or_an_error_for_a_long_time(case: Case) -> None:
    _fuzz(case, 4_000)
