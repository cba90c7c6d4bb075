"""Clocks on a machine that has no time: what bots are charged, against their own measurements."""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import record_pb2 as record_pb
from harbourmaster_server.records import read_record
from harbourmaster_server.terms import to_duration
from support.live import Served
from support.patience import PATIENCE, wait_for
from support.processes import background

LOOP = "while True: pass"


@dataclass(frozen=True)
class Decision:
    """How long one decision took, in microseconds: by the bot, and by the referee."""

    own: int
    taken: int
    charged: int


@dataclass(frozen=True)
class Outcome:
    """What became of some matches."""

    ends: list[tuple[str, int]]
    """The reason of every seat, and the longest time of its own that the bot measured."""
    decisions: list[Decision]


def terms(limit_ms: float, grace_ms: float, bank: bool = False) -> match_pb2.MatchTerms:
    clock = match_pb2.ClockTerms(
        first_turn_allowance=to_duration(0), grace=to_duration(round(grace_ms * 1000))
    )
    limit = to_duration(round(limit_ms * 1000))
    if bank:
        clock.bank.initial_time.CopyFrom(limit)
    else:
        clock.turn.time.CopyFrom(limit)
    return match_pb2.MatchTerms(game="anchorline", clock=clock)


def play(
    folder: Path,
    matches: int,
    rounds: int,
    asked: match_pb2.MatchTerms,
    *,
    think_ms: float = 0,
    hogs: int = 0,
    disturb: Sequence[float] = (),
    fault: str = "none",
) -> Outcome:
    """Play *rounds* times *matches* at once between as many pairs of bots, beside *hogs*.

    *disturb* says for how many seconds the referee's process is stopped, again and again.
    """
    names = [[f"{side}{number}" for side in "ab"] for number in range(matches)]
    files = [folder / f"times{part}" for part in range(2)]
    ids: list[str] = []
    quiet = ["--log-level", "error"]
    with Served(folder / "data", fault=fault, more=quiet) as served, ExitStack() as running:
        for part, file in enumerate(files):
            bots = [pair[part] for pair in names]
            command = ("-m", "support.fleet", served.address, str(file), str(think_ms), *bots)
            running.enter_context(background(*command, stop=signal.SIGTERM))
        for _ in range(hogs):
            running.enter_context(background("-c", LOOP))
        stub = served.matches()
        for number in range(rounds):
            now = [f"r{number}m{place}" for place in range(matches)]
            for match_id, bots in zip(now, names, strict=True):
                request = pb.CreateMatchRequest(match_id=match_id, terms=asked, bots=bots)
                stub.CreateMatch(request, timeout=PATIENCE)
            for seconds in disturb:
                # In the middle of play, or the stop would prove nothing.
                wait_for(lambda: all(moves(stub, each) >= 3 for each in now), "moves")  # noqa: B023
                time.sleep(0.1)
                served.process.send_signal(signal.SIGSTOP)
                time.sleep(seconds)
                served.process.send_signal(signal.SIGCONT)
            for match_id in now:
                path = served.record(match_id)
                wait_for(path.exists, f"the record of {match_id}", 2 * PATIENCE)
            ids += now
    own = {
        (match, int(decision)): int(micros)
        for file in files
        for match, decision, micros in map(str.split, file.read_text().splitlines())
    }
    return outcome([served.record(match_id) for match_id in ids], own)


def moves(stub: Any, match_id: str) -> int:
    """Return how many decisions were asked in a match."""
    found = stub.GetMatch(pb.GetMatchRequest(match_id=match_id), timeout=PATIENCE).match
    return int(found.decisions)


def outcome(records: Sequence[Path], own: dict[tuple[str, int], int]) -> Outcome:
    """Return what *records* tell, beside the bots' *own* times."""
    ends, decisions = [], []
    for path in records:
        longest = [0, 0]
        for entry in map(record_pb.RecordEntry.FromString, read_record(path)):
            if entry.HasField("move"):
                move = entry.move
                mine = own[path.stem, move.decision]
                longest[move.seat] = max(longest[move.seat], mine)
                decisions.append(Decision(mine, move.taken_micros, move.thought_micros))
            elif entry.HasField("fault"):
                mine = own.get((path.stem, entry.fault.decision), 0)
                longest[entry.fault.seat] = max(longest[entry.fault.seat], mine)
            elif entry.HasField("end"):
                for seat in entry.end.outcome.seats:
                    name = game_pb2.SeatEndReason.Name(seat.reason)
                    ends.append((name.removeprefix("SEAT_END_REASON_").lower(), longest[seat.seat]))
    return Outcome(ends, decisions)


def percentile(values: Sequence[int], share: float) -> int:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


@pytest.mark.parametrize(
    ("matches", "rounds"),
    [
        pytest.param(8, 1, id="short"),
        pytest.param(64, 20, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
    ],
)
def test_t1_t4_p37_no_bot_that_kept_its_limit_by_its_own_clock_loses_on_a_busy_machine(
    matches: int, rounds: int, tmp_path: Path
) -> None:
    """The short run shares its machine with other work, and has a longer grace for the network."""
    short = rounds == 1
    asked = terms(50, 1_000 if short else 50)
    found = play(tmp_path, matches, rounds, asked, hogs=os.cpu_count() or 1)

    wronged = [own for reason, own in found.ends if reason == "timeout" and own < 50_000]
    assert wronged == []
    over = [each.charged - each.own for each in found.decisions]
    if not short:
        assert percentile(over, 0.5) < 5_000
        assert percentile(over, 0.999) < 5_000


def test_p36_a_referee_whose_process_stands_still_charges_nobody(tmp_path: Path) -> None:
    found = play(tmp_path, 2, 1, terms(3_000, 50), think_ms=100, disturb=[4.0])

    assert {reason for reason, _ in found.ends} == {"rules"}
    assert max(each.taken for each in found.decisions) < 3_000_000


def test_twin_dated_when_it_is_read_an_answer_is_charged_for_that(tmp_path: Path) -> None:
    found = play(tmp_path, 2, 1, terms(3_000, 50), think_ms=100, disturb=[4.0], fault="read-later")

    assert "timeout" in {reason for reason, _ in found.ends}


@pytest.mark.parametrize(
    "moves_in_all",
    [
        pytest.param(60, id="short"),
        pytest.param(10_000, id="long", marks=[pytest.mark.soak, pytest.mark.timeout(600)]),
    ],
)
def test_t4_quick_answers_with_no_grace_never_run_out_of_time(
    moves_in_all: int, tmp_path: Path
) -> None:
    """Bots take 1 ms for an answer and have 20 s for the match: no increment, no grace."""
    asked = terms(20_000, 0, bank=True)
    asked.options.anchorline.target_score = 1000
    asked.options.anchorline.max_turns = moves_in_all
    found = play(tmp_path, 1, 1, asked, think_ms=1)

    assert {reason for reason, _ in found.ends} == {"rules"}
    assert len(found.decisions) == moves_in_all


def test_t6_a_bot_that_is_50_ms_over_limit_and_grace_always_loses(tmp_path: Path) -> None:
    found = play(tmp_path, 8, 1, terms(50, 50), think_ms=150)

    assert sorted({reason for reason, _ in found.ends}) == ["last_seat", "timeout"]
    assert found.decisions == []
