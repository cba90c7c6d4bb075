"""Twins of the tests with real processes: the same tests with planted faults, which turn them red.

Those that need more than a fault and the original stand beside it.
"""

from pathlib import Path
from typing import Any

import grpc
import pytest

from harbourmaster_server.matches.match import Match
from harbourmaster_server.sessions.registry import Sessions
from support.plants import both, instead, process, unlimited, without
from support.twins import Plant, Twin, module_of, play_twin

CHAOS = "end_to_end/test_chaos.py"
LOAD = "end_to_end/test_load.py"
RESTART = "end_to_end/test_restart.py"
TWO = {"game": "anchorline", "seats": 2}


def cells(*names: str) -> Plant:
    """Try these bad ends alone: they are those that the fault concerns."""
    return lambda patch: patch.setattr(module_of(CHAOS), "CELLS", list(names))


def referee_with(fault: str) -> Plant:
    """Let the load be put on a referee with *fault*."""

    def play(sound: Any, *given: Any, **more: Any) -> Any:
        return sound(*given, **more, fault=fault)

    return instead(module_of(LOAD), "play", play)


def all_sent_away(sound: Any, match: Match, session: Any, fault: Any) -> None:
    sound(match, session, fault)
    for other in match.sessions():
        if other.connection is not None:
            other.connection.end(grpc.StatusCode.ABORTED, "one of you was bad")


EVERY = (
    f"{CHAOS}::test_p54_p66_every_fault_at_every_moment_costs_the_bot_that_has_it_and_nobody_else"
)
TWINS = [
    Twin(EVERY, both(cells("flood/decision"), unlimited("messages_per_second")), "", TWO, 8),
    Twin(EVERY, both(cells("crash/decision"), without(Match, "connection_lost")), "", TWO, 8),
    Twin(EVERY, both(cells("garbage/ready"), instead(Match, "condemn", all_sent_away)), "", TWO, 8),
    Twin(
        f"{CHAOS}::test_p66_when_many_bots_are_killed_at_once_all_their_streams_are_reclaimed",
        without(Sessions, "dropped"),
        "in vain for the bad bots to go",
        {"count": 4},
    ),
    Twin(
        f"{LOAD}::test_t6_a_bot_that_is_50_ms_over_limit_and_grace_always_loses",
        referee_with("never-flag"),
    ),
    Twin(
        f"{LOAD}::test_t4_quick_answers_with_no_grace_never_run_out_of_time",
        referee_with("overcharge"),
        "",
        {"rounds": 1, "decisions": 40},
    ),
    Twin(
        f"{RESTART}::test_a_serving_referee_that_is_killed_goes_on_with_the_bots_that_dial_again",
        process("journal-unwritten"),
        patience=20,
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_with_its_fault_the_test_is_red(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    play_twin(twin, monkeypatch, tmp_path, request)
