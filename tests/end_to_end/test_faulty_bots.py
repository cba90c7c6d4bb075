"""Real bots with one fault each: every match ends by its own reason, and nothing is left alive."""

from pathlib import Path
from typing import Any

import pytest

from support.commands import GREEDY, RANDOM, faulty, play, wait_until_gone
from support.patience import PATIENCE

TIMES = ("--increment", "0s", "--grace", "50ms", "--reconnect-time", "500ms")
SHORT = {
    "not_connected": ("--connect-time", "15s"),
    "not_ready": ("--ready-time", "8s"),
    "timeout": ("--bank", "6s"),
}
"""The limit that a fault is to break. The good bot has to keep it, on a busy machine too."""


def against_random(bot: str, reason: str, tmp_path: Path) -> dict[str, Any]:
    """Let *bot* play seat 0 against a good bot, and see that no process is left."""
    mark = f"HARBOURMASTER_TEST={tmp_path.name}"
    more = [*TIMES, "--bank", f"{PATIENCE:g}s", *SHORT.get(reason, ())]
    result = play(f"env {mark} {bot}", f"env {mark} {RANDOM}", more=more)
    assert wait_until_gone(mark) == []
    return result


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        pytest.param("sleep 1000", "not_connected", id="never connects"),
        pytest.param("false", "not_connected", id="exits at once"),
        pytest.param(faulty("silent"), "not_connected", id="connects and says nothing"),
        pytest.param(faulty("never-ready"), "not_ready", id="never becomes ready"),
        pytest.param(faulty("crash", "--after", "3"), "disconnected", id="crashes"),
        pytest.param(faulty("hang", "--after", "3"), "timeout", id="hangs"),
        pytest.param(faulty("illegal", "--after", "3"), "illegal_move", id="answers illegally"),
        pytest.param(faulty("garbage", "--after", "3"), "protocol_error", id="sends garbage"),
        pytest.param(faulty("stale"), "timeout", id="answers an old decision"),
        pytest.param(faulty("close", "--after", "3"), "disconnected", id="closes the stream"),
    ],
)
def test_t30_each_fault_has_its_own_reason(bot: str, reason: str, tmp_path: Path) -> None:
    result = against_random(bot, reason, tmp_path)

    assert [seat["reason"] for seat in result["seats"]] == [reason, "last_seat"]
    assert [seat["placement"] for seat in result["seats"]] == [2, 1]
    assert result["seats"][0]["text"]


def test_a_crash_is_told_with_exit_code_and_last_words(tmp_path: Path) -> None:
    result = against_random(
        "python -c \"raise SystemExit('out of fish')\"", "not_connected", tmp_path
    )

    assert "exit code 1" in result["seats"][0]["text"]
    assert "out of fish" in result["seats"][0]["text"]


def test_e38_an_answer_that_comes_twice_is_harmless(tmp_path: Path) -> None:
    result = against_random(faulty("twice"), "rules", tmp_path)

    assert {seat["reason"] for seat in result["seats"]} == {"rules"}


def test_p57_the_same_seed_gives_the_same_game_and_another_seed_another() -> None:
    seeds = ["ab" * 32, "ab" * 32, "cd" * 32]
    hashes = [play(GREEDY, GREEDY, more=["--seed", seed])["game_hash"] for seed in seeds]

    assert hashes[0] == hashes[1]
    assert hashes[0] != hashes[2]
