"""Tide: the shared transcripts and positions agree."""

from pathlib import Path

import pytest

from harbourmaster_engine.transcript import disagreements

VECTORS = Path(__file__).parents[2] / "data" / "vectors"


@pytest.mark.parametrize("name", ["tide.jsonl", "tide-positions.jsonl"])
def test_transcripts_agree(name: str) -> None:
    assert (VECTORS / name).read_text().count('"id"') >= 12
    assert [str(each) for each in disagreements(VECTORS / name)] == []
