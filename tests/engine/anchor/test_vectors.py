"""Anchor agrees with every shared transcript, and a wrong transcript is noticed."""

import json
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_engine.anchor import GAME
from harbourmaster_engine.notation import replay

VECTORS = Path(__file__).parents[2] / "data" / "vectors"
TRANSCRIPTS: list[dict[str, Any]] = [
    json.loads(line)
    for name in ("anchor.jsonl", "anchor-positions.jsonl")
    for line in (VECTORS / name).read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("transcript", TRANSCRIPTS, ids=lambda each: each["id"])
def test_a_shared_transcript_agrees(transcript: dict[str, Any]) -> None:
    assert [*replay(transcript, GAME)] == []


def test_refusals_have_the_codes_that_the_transcripts_name() -> None:
    whys = {step["why"] for each in TRANSCRIPTS for step in each["steps"] if "why" in step}

    assert whys - {"not_your_turn"} <= set(GAME.codes)


@pytest.mark.parametrize("index", range(len(TRANSCRIPTS)))
def test_a_transcript_with_one_wrong_word_disagrees(index: int) -> None:
    transcript = json.loads(json.dumps(TRANSCRIPTS[index]))
    step = transcript["steps"][-1]
    step["legal"] = not step["legal"]

    assert [*replay(transcript, GAME)]
