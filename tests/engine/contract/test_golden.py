"""Golden transcripts: a change of rules shows as a change of a committed file."""

import json
from pathlib import Path

import pytest

from harbourmaster_engine.game import Game
from harbourmaster_engine.notation import replay
from harbourmaster_engine.registry import games
from support.cases import cases_of
from support.golden import FOLDER, golden_text

GAMES = list(games().values())
REFRESH = "PYTHONPATH=tests/support python -m support.golden"


def committed(game: Game) -> str:
    path = FOLDER / f"{game.id}.jsonl"
    assert path.exists(), f"{game.id} has no golden transcripts yet; write them: {REFRESH}"
    return path.read_text(encoding="utf-8")


def changed_lines(old: str, new: str) -> list[str]:
    """Return the ids of the transcripts that differ between two files."""
    before = {json.loads(line)["id"]: line for line in old.splitlines()}
    after = {json.loads(line)["id"]: line for line in new.splitlines()}
    return sorted(
        name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_the_golden_transcripts_are_what_the_rules_give_now(game: Game) -> None:
    changed = changed_lines(committed(game), golden_text(game))
    assert not changed, (
        f"these matches go differently now: {', '.join(changed)}. If that was meant, raise "
        f"rules_version (where an outcome can differ) and write them anew: {REFRESH}"
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_the_golden_transcripts_replay_without_a_disagreement(game: Game) -> None:
    lines = [json.loads(line) for line in committed(game).splitlines()]
    assert len(lines) == len(list(cases_of(game)))
    assert [str(each) for line in lines for each in replay(line, game)] == []
    assert {step.get("legal") for line in lines for step in line["steps"]} >= {True, False}


def test_a_changed_rule_shows_in_the_golden_transcripts(tmp_path: Path) -> None:
    game = games()["anchorline"]
    text = golden_text(game)
    assert changed_lines(committed(game), text.replace('"scores":[1,', '"scores":[2,'))
    assert changed_lines(text, text) == []
    assert changed_lines(text, "") != []
