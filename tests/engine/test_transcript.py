"""Replaying neutral transcripts, in the code and from the command line."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_engine.anchorline import GAME, Place
from harbourmaster_engine.game import ForfeitReason
from harbourmaster_engine.notation import begin, one_key, replay, try_step
from harbourmaster_engine.transcript import main
from support.cases import Case
from support.play import walk
from support.transcripts import Scribe, transcript_of

CASE = Case(GAME, 2)


@pytest.fixture
def transcript() -> dict[str, Any]:
    """Return a sound transcript of a whole match."""
    copy: dict[str, Any] = json.loads(json.dumps(transcript_of(CASE, 0, walk(CASE).positions)))
    return copy


def texts(transcript: dict[str, Any]) -> list[str]:
    return [str(each) for each in replay(transcript, GAME)]


def test_a_sound_transcript_has_no_disagreement(transcript: dict[str, Any]) -> None:
    assert texts(transcript) == []


def test_a_wrong_deal_is_a_disagreement(transcript: dict[str, Any]) -> None:
    transcript["deal"][0].reverse()
    assert len(texts(transcript)) == 1
    assert texts(transcript)[0].startswith("anchorline-2-0: the deal is [[")


def test_a_wrong_fact_is_a_disagreement(transcript: dict[str, Any]) -> None:
    transcript["facts"]["tops"] = ["S9", "G9"]
    assert "the facts is" in texts(transcript)[0]


def test_a_refusal_that_was_expected_to_be_legal_stops_the_replay(
    transcript: dict[str, Any],
) -> None:
    transcript["steps"][3]["move"] = {"place": {"cell": [7, 7]}}
    found = texts(transcript)
    assert len(found) == 1
    assert found[0].startswith("anchorline-2-0, step 3: ")
    assert "is refused (no_arrow: " in found[0]


def test_a_legal_move_that_was_expected_to_be_refused_stops_the_replay(
    transcript: dict[str, Any],
) -> None:
    transcript["steps"][3]["legal"] = False
    assert texts(transcript)[0].endswith("is legal")


def test_wrong_scores_are_a_disagreement(transcript: dict[str, Any]) -> None:
    transcript["steps"][0]["scores"] = [1, 1]
    assert texts(transcript) == ["anchorline-2-0, step 0: the scores are [0, 0], not [1, 1]"]


def test_every_key_of_final_is_compared_and_no_other(transcript: dict[str, Any]) -> None:
    for key in list(transcript["final"]):
        changed = transcript | {"final": {key: "nonsense"}}
        assert len(texts(changed)) == 1
        assert f"final {key} is" in texts(changed)[0]
    assert texts(transcript | {"final": {}}) == []
    assert "final mood is null" in texts(transcript | {"final": {"mood": "good"}})[0]


def test_a_move_out_of_turn_is_refused() -> None:
    state = CASE.start()
    move = {"place": {"cell": [1, 0]}}
    refusal = try_step(GAME, state, {"seat": 1, "move": move})
    assert refusal is not None
    assert refusal.code == "not_your_turn"


def test_what_is_no_move_is_refused() -> None:
    refusal = try_step(GAME, CASE.start(), {"seat": 0, "move": {"fly": {}}})
    assert refusal is not None
    assert refusal.code == "malformed"


def test_a_step_after_the_end_is_refused() -> None:
    step = {"seat": 0, "move": {"place": {"cell": [1, 0]}}}
    refusal = try_step(GAME, walk(CASE).end.clone(), step)
    assert refusal is not None
    assert refusal.code == "over"


def test_a_forfeit_is_a_step() -> None:
    scribe = Scribe(CASE)
    scribe.move(Place((1, 0)))
    scribe.forfeit(0, ForfeitReason.RESIGNED)
    transcript = scribe.transcript()
    assert transcript["steps"][-1] == {"seat": 0, "forfeit": "resigned"}
    assert transcript["final"]["reason"] == "last_seat"
    assert texts(transcript) == []


def test_a_transcript_may_start_from_a_position() -> None:
    head = {"players": 2, "seed": "00" * 32, "setup": {"scores": [2, 3], "turn": 1}}
    state = begin(head, GAME)
    assert (state.scores, state.to_move) == ((2, 3), 1)


@pytest.mark.parametrize("data", [None, [], {}, {"a": {}, "b": {}}, {"a": []}, {1: {}}, "a"])
def test_a_move_is_an_object_with_one_key_that_holds_an_object(data: object) -> None:
    with pytest.raises(ValueError, match="a move is an object with one key"):
        one_key(data)
    assert one_key({"pass": {}}) == ("pass", {})


def write(path: Path, *transcripts: object) -> str:
    path.write_text("\n".join(json.dumps(each) for each in transcripts) + "\n", encoding="utf-8")
    return str(path)


def test_the_command_says_that_there_are_no_disagreements(
    transcript: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([write(tmp_path / "games.jsonl", transcript, transcript)]) == 0
    assert capsys.readouterr().out == "games.jsonl: no disagreements\n"


def test_the_command_prints_each_disagreement_and_fails(
    transcript: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    transcript["steps"][0]["scores"] = [1, 1]
    assert main([write(tmp_path / "games.jsonl", transcript)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "anchorline-2-0, step 0: the scores are [0, 0], not [1, 1]"
    assert lines[1] == "games.jsonl: 1 disagreements"


def _without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda transcript: {k: v for k, v in transcript.items() if k != key}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_without("steps"), "the transcript has no 'steps'"),
        (_without("seed"), "the transcript has no 'seed'"),
        (lambda t: t | {"game": "chess"}, "there is no game 'chess'"),
        (lambda t: t | {"options": {"speed": 1}}, "no option 'speed'"),
        (lambda t: t | {"players": 3}, "2 seats, not 3"),
        (lambda t: t | {"seed": "00"}, "a seed has 32 bytes"),
        (lambda t: t | {"seed": 5}, "cannot be played"),
        (lambda t: t | {"steps": [5]}, "cannot be played"),
        (lambda t: t | {"setup": {"table": [5]}}, "cannot be played"),
        (lambda t: t | {"setup": []}, "cannot be played"),
        (lambda t: t | {"steps": [{"seat": 0, "forfeit": "rain"}]}, "cannot be played"),
        (lambda t: [t], "cannot be played"),
        (lambda t: None, "cannot be played"),
    ],
)
def test_a_transcript_that_cannot_be_played_is_named_with_its_line(
    transcript: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[dict[str, Any]], object],
    words: str,
) -> None:
    assert main([write(tmp_path / "games.jsonl", transcript, change(transcript), transcript)]) == 1
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("games.jsonl:2: the transcript ")
    assert words in first


@pytest.mark.parametrize("text", [b"{", b"\xff\xfe", b"not json"])
def test_a_line_that_is_no_json_is_a_failure(
    text: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.jsonl").write_bytes(text)
    assert main([str(tmp_path / "broken.jsonl")]) == 1
    assert "broken.jsonl" in "".join(capsys.readouterr())


def test_a_file_that_is_not_there_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.jsonl")]) == 1
    assert "none.jsonl: No such file" in capsys.readouterr().err


def test_without_a_file_the_command_says_what_to_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 1
    assert "name one file or more" in capsys.readouterr().err


def test_it_is_a_command(transcript: dict[str, Any], tmp_path: Path) -> None:
    name = write(tmp_path / "games.jsonl", transcript)
    done = subprocess.run(
        [sys.executable, "-m", "harbourmaster_engine.transcript", name],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "games.jsonl: no disagreements\n")
    assert done.stderr == ""
