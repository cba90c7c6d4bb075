"""Peers that speak the protocol in random order, with random fields and random bytes."""

import time
from collections import Counter
from pathlib import Path
from queue import Empty

import grpc
import pytest

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import match_pb2
from harbourmaster.v1 import match_service_pb2 as match_pb
from harbourmaster_engine.registry import games
from harbourmaster_server.limits import Limits
from harbourmaster_server.terms import to_duration
from support.fuzz import Fuzzer
from support.live import Live, RawBot, live, stubs
from support.patience import PATIENCE

GOOD = (
    grpc.StatusCode.OK,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.CANCELLED,
)
"""How a call may end: anything but that the referee failed."""

LONGEST_CALL = 300
"""Most messages of one call."""


def terms(game: str) -> match_pb2.MatchTerms:
    turn = match_pb2.TurnLimit(time=to_duration(300_000))
    return match_pb2.MatchTerms(game=game, clock=match_pb2.ClockTerms(turn=turn))


def fuzz(referee: Live, count: int, seed: int) -> Counter[grpc.StatusCode]:
    """Send *count* messages over as many calls as it takes; return how the calls ended."""
    ends: Counter[grpc.StatusCode] = Counter()
    sent = 0
    while sent < count:
        fuzzer = Fuzzer(f"{seed}/{sent}")
        game = fuzzer.rng.choice(list(games()))
        with RawBot(referee.address, "fuzz", open_matches=4, open_decisions=4) as bot:
            bot.next("welcome")
            referee.match("fuzz", "fuzz", terms=terms(game))
            for _ in range(min(LONGEST_CALL, count - sent)):
                if not bot.call.is_active():
                    break
                sent += 1
                bot.send_bytes(message(fuzzer, bot))
                if sent % 16 == 0:
                    time.sleep(0.002)
            # No message at all: a referee that is slow to end a call ends it here at the latest.
            bot.send_bytes(b"\xff")
            ends[bot.status()[0]] += 1
    return ends


def message(fuzzer: Fuzzer, bot: RawBot) -> bytes:
    """Return a message: an answer to what is open, a random one, or no message at all."""
    try:
        while True:
            event = bot.events.get_nowait()
            if event is not None and event.HasField("decision_request"):
                bot.last = event.decision_request
                fuzzer.words.append(bot.last.match_id)
    except Empty:
        pass
    kind = fuzzer.rng.random()
    if kind < 0.5 and bot.last is not None:
        reply = fuzzer.fill(pb.MoveReply())
        reply.match_id, reply.decision = bot.last.match_id, bot.last.decision
        reply.attempt = fuzzer.rng.choice((bot.last.attempt, bot.last.attempt, 2, 99))
        if fuzzer.rng.random() < 0.5:
            reply.offered_index = fuzzer.rng.randrange(3)
        return pb.PlayRequest(events=[pb.BotEvent(move_reply=reply)]).SerializeToString()
    if kind < 0.995:
        return fuzzer.fill(pb.PlayRequest(), depth=6).SerializeToString()
    return fuzzer.bytes()


@pytest.mark.parametrize(
    "count",
    [3_000, pytest.param(1_000_000, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])],
)
def test_t27_whatever_a_bot_says_is_answered_or_refused_and_the_referee_stays_up(
    count: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    limits = Limits(complaints=20, resume_seconds=0.2, sessions_per_bot=1000)
    with live(tmp_path, limits=limits, level="error") as referee:
        ends = fuzz(referee, count, seed=1)
        assert set(ends) <= set(GOOD)
        assert sum(ends.values()) > 5
        with RawBot(referee.address, "a") as first, RawBot(referee.address, "b") as second:
            first.next("welcome")
            second.next("welcome")
            referee.match("a", "b")
            assert first.next("decision_request").decision == 1
        # Neither asyncio nor gRPC saw an exception that nobody took.
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
        # The referee's own log has no error: `live` looks for a traceback.
        assert "the referee failed" not in referee.log.getvalue()


def test_t27_whatever_an_organiser_says_is_answered_or_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    fuzzer = Fuzzer("organiser")
    fuzzer.words += list(games())
    requests = {
        "CreateMatch": match_pb.CreateMatchRequest,
        "GetMatch": match_pb.GetMatchRequest,
        "ListMatches": match_pb.ListMatchesRequest,
        "UnsealMatch": match_pb.UnsealMatchRequest,
        "StreamRecord": match_pb.StreamRecordRequest,
    }
    with live(tmp_path, level="error") as referee:
        stub = stubs(referee.address)
        seen: Counter[grpc.StatusCode] = Counter()
        for _ in range(1_000):
            name = fuzzer.rng.choice([*requests, "CreateMatch"])
            try:
                request = fuzzer.fill(requests[name](), depth=5)
                answer = getattr(stub, name)(request, timeout=PATIENCE)
                if hasattr(answer, "__next__"):
                    list(answer)
                seen[grpc.StatusCode.OK] += 1
            except grpc.RpcError as error:
                refused: grpc.Call = error  # type: ignore[assignment]
                seen[refused.code()] += 1
                assert refused.details(), refused.code()
        assert set(seen) <= set(GOOD)
        assert len(seen) >= 3
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
