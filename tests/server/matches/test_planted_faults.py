"""Faults planted in the referee, which the tests of refereeing must be able to see."""

from pathlib import Path

import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import match_pb2
from harbourmaster_server.clock import Clock
from harbourmaster_server.matches.decision import Decision, Reply
from harbourmaster_server.matches.match import Match
from harbourmaster_server.terms import to_duration
from support.arena import Arena, ScriptedBot, open_arena, run

MILLISECOND = 1000


def terms(bank: int = 1000, grace: int = 50) -> match_pb2.MatchTerms:
    clock = match_pb2.ClockTerms(
        bank=match_pb2.BankLimit(initial_time=to_duration(bank * MILLISECOND)),
        first_turn_allowance=to_duration(0),
        grace=to_duration(grace * MILLISECOND),
    )
    policy = match_pb2.FaultPolicy(illegal_move=match_pb2.FaultRule(retries=2))
    return match_pb2.MatchTerms(game="anchorline", clock=clock, policy=policy)


async def two(arena: Arena) -> tuple[ScriptedBot, ScriptedBot]:
    first, second = await arena.bot("first"), await arena.bot("second")
    await arena.match("first", "second", terms=terms())
    return first, second


async def old_answer_is_stale(arena: Arena) -> bool:
    """Let a bot answer an old decision while the next is open; return whether that is open yet."""
    first, second = await two(arena)
    await first.reply()
    await second.reply()
    await first.reply(decision=1)
    return second.request.decision == 2


async def late_answer_loses(arena: Arena) -> bool:
    """Let a bot answer 1 ms past limit and grace; return whether its move was refused."""
    first, second = await two(arena)
    await arena.time.advance(1051)
    if not first.all("match_end"):
        await first.reply()
    return not second.all("decision_request")


async def retry_shares_the_clock(arena: Arena) -> bool:
    """Let a bot answer illegally after 600 ms, and in 600 ms more; return whether that is late."""
    first, second = await two(arena)
    await arena.time.advance(600)
    await first.reply(offered_index=99)
    await arena.time.advance(600)
    if not first.all("match_end"):
        await first.reply(attempt=2)
    return not second.all("decision_request")


def take_any(match: Match, session: object, reply: pb.MoveReply, arrived: int) -> None:
    """Take any reply for an answer to what is open."""
    if match.decision is not None:
        match.decision.settle(Reply(reply, arrived))


def never_flag(clock: Clock, taken: int) -> tuple[int, Clock]:
    """Charge, and let nobody run out of time."""
    return taken, clock._replace(left=max(0, (clock.left or 0) - taken))


def try_with_a_new_clock(decision: Decision) -> None:
    """Begin the next attempt as if nothing had been thought yet."""
    sound_try(decision)
    decision.taken = 0


sound_try = Decision.try_again


@pytest.mark.parametrize(
    ("scenario", "place", "name", "fault"),
    [
        (old_answer_is_stale, Match, "receive", take_any),
        (late_answer_loses, Clock, "charge", never_flag),
        (retry_shares_the_clock, Decision, "try_again", try_with_a_new_clock),
    ],
    ids=["stale answers pass", "no flag falls", "a retry gets a new clock"],
)
def test_twin_a_scenario_holds_and_with_its_fault_it_does_not(
    scenario: object,
    place: type,
    name: str,
    fault: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def play(folder: Path) -> bool:
        async with open_arena(folder) as arena:
            if scenario is late_answer_loses:
                # The deadline's own watch would end it first.
                monkeypatch.setattr("harbourmaster_server.matches.deadline.SETTLE_NANOS", 10**12)
            held: bool = await scenario(arena)  # type: ignore[operator]
            return held

    assert run(play(tmp_path / "sound"))
    monkeypatch.setattr(place, name, fault)
    assert not run(play(tmp_path / "faulty"))
