"""Anchorline's neutral notation: the shared transcripts, moves and positions."""

from pathlib import Path
from typing import Any

import pytest

from harbourmaster_engine.anchorline import GAME, Place, ReturnCoin, Shift
from harbourmaster_engine.transcript import disagreements
from support.anchorline import board

VECTORS = Path(__file__).parents[2] / "data" / "vectors"


@pytest.mark.parametrize("name", ["anchorline.jsonl", "anchorline-positions.jsonl"])
def test_the_shared_transcripts_agree(name: str) -> None:
    path = VECTORS / name
    assert len(path.read_text(encoding="utf-8").splitlines()) >= 12
    assert [str(each) for each in disagreements(path)] == []


@pytest.mark.parametrize(
    ("move", "data"),
    [
        (Place((1, -2)), {"place": {"cell": [1, -2]}}),
        (Shift((0, 1), (2, 0)), {"move": {"from": [0, 1], "to": [2, 0]}}),
        (ReturnCoin(), {"return_coin": {}}),
    ],
)
def test_moves_have_a_neutral_form(move: Any, data: dict[str, Any]) -> None:
    assert GAME.notation.move_to_json(move) == data
    assert GAME.notation.move_from_json(data) == move


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"place": []},
        {"place": {}},
        {"place": {"cell": [1]}},
        {"place": {"cell": [1, True]}},
        {"place": {"cell": [1, 0.0]}},
        {"place": {"cell": "1,0"}},
        {"move": {"from": [0, 1]}},
        {"pass": {}},
        {"place": {"cell": [1, 0]}, "return_coin": {}},
    ],
)
def test_what_is_no_move_is_an_error(data: object) -> None:
    with pytest.raises(ValueError, match=r"move|cell"):
        GAME.notation.move_from_json(data)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        ({"table": [{"cell": [0, 0], "card": "S1"}]}, "two cards lie on"),
        ({"table": [{"cell": [5000, 0], "card": "S1"}]}, "too far away"),
        ({"table": [{"cell": [1, 0], "card": "S9"}]}, "'S9' is not a card"),
        ({"stacks": [["S1", "S1"], []]}, "'S1' is not a card of Anchorline that is left"),
        ({"stacks": [["G1"], []]}, "the stack of seat 0 holds a card of the other side"),
        ({"coin": [1, 0]}, "where the coin is"),
    ],
)
def test_an_impossible_position_is_an_error(setup: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GAME.notation.from_setup(setup, GAME.resolve(2, {}), 2, bytes(32))


def test_what_a_position_leaves_out_has_a_default() -> None:
    state = GAME.notation.from_setup({}, GAME.resolve(2, {}), 2, bytes(32))
    assert GAME.notation.summary(state) == {
        "scores": [0, 0],
        "turn": 0,
        "turns": 0,
        "over": False,
        "reason": None,
        "placements": None,
        "rounds": 1,
        "table": [],
        "coin": [0, 0],
        "stacks": [[], []],
        "stack_counts": [0, 0],
    }


def test_a_position_may_start_far_out_and_unconnected() -> None:
    """Every card must be connected after a move, whoever left it unconnected."""
    text = "## G1* . . . S2\nS1 . . . . ."
    state = board(text, ((), ("G4",)), {"arrows_bind_moves": False})
    ends = {(2, 1), (2, 0), (2, -1), (1, 1), (1, -1), (0, 1)}
    assert [m.target for m in state.legal_moves().moves if isinstance(m, Shift)]
    assert {m.origin for m in state.legal_moves().moves if isinstance(m, Shift)} == {(5, 0)}
    assert {m.target for m in state.legal_moves().moves if isinstance(m, Shift)} == ends
