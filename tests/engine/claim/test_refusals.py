"""Claim: whatever is not a legal move is refused with a code and a sentence, and costs nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_engine.claim import GAME, ClaimState, EndTurn, Merge, Play, Replace, Side
from harbourmaster_engine.claim.moves import CODES
from harbourmaster_engine.game import IllegalMove
from harbourmaster_engine.transcript import disagreements
from support.claim_boards import board, do, move

VECTORS = Path(__file__).parents[2] / "data" / "vectors"
HUGE = 10**6000
NOT_A_NUMBER: list[Any] = [
    None, True, 1.0, "1", "left", [1] * 10_000, {"a": 1}, (1, 2), object(), float("nan"), b"1"
]  # fmt: skip


def position() -> ClaimState:
    return board("1: 5S/1 6S/1 7C/1\n2: 9H", hands=["7D 8D JK", "2C"])


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        ("play 7S", "not_held", "you do not hold 7S"),
        ("play 8D right 4", "no_such_item", "there is no item 4 on the table"),
        ("play 7D left 1", "not_a_sequence", "7D does not go to the left of item 1 (5S 6S 7C)"),
        ("merge 1 1", "same_item", "item 1 (5S 6S 7C) cannot be merged with itself"),
        (
            "merge 1 2",
            "not_a_sequence",
            "item 1 (5S 6S 7C) does not go to the left of item 2 (9H)",
        ),
        (
            "replace 2 0 7D",
            "not_a_group",
            "item 2 (9H) is a single, and a single is never replaced",
        ),
        (
            "replace 1 3 7D",
            "no_such_place",
            "item 1 (5S 6S 7C) has no place 3: it has 0 to 2",
        ),
        (
            "replace 1 1 7D",
            "wrong_rank",
            "7D is not of rank 6, which stands at place 1 of item 1 (5S 6S 7C)",
        ),
        (
            "replace 1 2 7D",
            "not_worth_more",
            "7D would be worth 1 at place 2 of item 1 (5S 6S 7C), and 7C is worth 2 there",
        ),
        (
            "replace 1 2 JK",
            "joker_replaces_nothing",
            "a joker cannot replace 7C at place 2 of item 1 (5S 6S 7C)",
        ),
    ],
)
def test_the_sentence_names_what_is_at_fault(command: str, code: str, sentence: str) -> None:
    refusal = position().check(move(command))

    assert refusal is not None
    assert (refusal.code, refusal.text) == (code, sentence)


def test_the_sentences_for_full_groups_and_jokers_without_a_rank() -> None:
    twelve = "2C/0 3C/0 4C/0 5C/0 6C/0 7C/0 8C/0 9C/0 10C/0 JC/0 QC/0 KC/0"
    state = board(f"1: {twelve} AC/0\n2: JK/0 JK/0", hands=["2D AD", "2H"])

    for command, words in [
        ("play AD left 1", "has 13 cards: nothing can be added"),
        ("merge 2 1", "would make 15 cards, more than 13"),
        ("replace 2 0 2D", "has no rank"),
    ]:
        refusal = state.check(move(command))
        assert refusal is not None
        assert words in refusal.text


@pytest.mark.parametrize(
    "bad", [*NOT_A_NUMBER, HUGE, -HUGE, -1, 53, 99], ids=lambda bad: type(bad).__name__
)
def test_a_part_that_is_anything_else_is_refused_whatever_it_is(bad: Any) -> None:
    state = position()
    before = state.fingerprint()
    tries = [
        Play(bad),
        Play(bad, 1, Side.LEFT),
        Play(20, bad, Side.LEFT),
        Play(20, 1, bad),
        Play(20, bad, bad),
        Merge(bad, 1),
        Merge(1, bad),
        Replace(bad, 0, 20),
        Replace(1, bad, 20),
        Replace(1, 0, bad),
        bad,
    ]

    for each in tries:
        if bad is None and each == Play(20):
            continue  # That is a single, and legal.
        refusal = state.check(each)
        assert refusal is not None, each
        assert refusal.code in CODES
        assert len(refusal.text) < 200
        with pytest.raises(IllegalMove):
            state.apply(each)
    assert state.fingerprint() == before


def test_kinds_that_only_look_like_moves_are_refused() -> None:
    class Better(EndTurn):
        pass

    for each in (Better(), EndTurn, Play, object.__new__(Play), object.__new__(Replace)):
        refusal = position().check(each)
        assert refusal is not None
        assert refusal.code == "malformed"


def test_a_play_with_only_an_item_or_only_a_side_is_no_move() -> None:
    for each in (Play(20, 1), Play(20, None, Side.LEFT), Play(20, 1, "left")):  # type: ignore[arg-type]
        refusal = position().check(each)
        assert refusal is not None
        assert refusal.code == "malformed"


def test_a_refusal_tells_nothing_of_other_hands() -> None:
    state, other = position(), board("1: 5S/1 6S/1 7C/1\n2: 9H", hands=["7D 8D JK", "KC"])

    for card in range(53):
        for each in (Play(card), Play(card, 1, Side.RIGHT), Replace(1, 2, card)):
            assert state.check(each) == other.check(each)


@pytest.mark.parametrize(
    "data",
    [
        {"play": {"card": "5S"}},
        {"play": {"card": "JK", "item": 3, "side": "left"}},
        {"merge": {"left": 3, "right": 5}},
        {"replace": {"group": 3, "index": 2, "card": "7S"}},
        {"end_turn": {}},
    ],
)
def test_the_neutral_form_of_a_move_comes_back(data: dict[str, Any]) -> None:
    notation = GAME.notation

    assert notation.move_to_json(notation.move_from_json(data)) == data


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"end_turn": None},
        {"stop": {}},
        {"play": {}},
        {"play": {"card": "5S", "item": 1}},
        {"play": {"card": "5S", "side": "left"}},
        {"play": {"card": "5S", "item": True, "side": "left"}},
        {"play": {"card": "5S", "item": 1, "side": "top"}},
        {"play": {"card": "5S", "item": 1, "side": []}},
        {"merge": {"left": 1}},
        {"merge": {"left": 1, "right": "2"}},
        {"replace": {"group": 1, "index": 0.0, "card": "5S"}},
    ],
)
def test_what_is_ambiguous_or_no_move_is_rejected_never_guessed(data: object) -> None:
    with pytest.raises(ValueError, match=r"."):
        GAME.notation.move_from_json(data)


@pytest.mark.parametrize("name", ["claim.jsonl", "claim-positions.jsonl"])
def test_the_shared_transcripts_agree(name: str) -> None:
    assert list(disagreements(VECTORS / name)) == []


def test_a_transcript_with_a_fault_is_told(tmp_path: Path) -> None:
    transcript = json.loads((VECTORS / "claim.jsonl").read_text(encoding="utf-8").splitlines()[0])
    transcript["final"]["worth"][0] += 1
    faulty = tmp_path / "faulty.jsonl"
    faulty.write_text(json.dumps(transcript), encoding="utf-8")

    assert len(list(disagreements(faulty))) == 1


def test_a_run_that_was_just_extended_is_extended_again() -> None:
    state = board("1: 5S", hands=["6S 7S 8S", "2C"])
    do(state, "play 6S right 1", "play 7S right 1", "play 8S right 1")

    assert len(state.view(0).items[0].cards) == 4
