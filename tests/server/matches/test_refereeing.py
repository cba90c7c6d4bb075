"""What the referee makes of answers, late answers and no answers, to the millisecond."""

from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration

from harbourmaster.v1 import bot_service_pb2 as pb
from harbourmaster.v1 import game_pb2, match_pb2, match_service_pb2
from harbourmaster_server.terms import to_duration
from support.arena import Arena, ScriptedBot, open_arena, run, spin


def milliseconds(count: float) -> Duration:
    return to_duration(round(count * 1000))


def terms(
    *, bank: float = 1000, increment: float = 0, grace: float = 50, **policy: match_pb2.FaultRule
) -> match_pb2.MatchTerms:
    """A bank clock without extra time for the first turn, and a fault policy."""
    clock = match_pb2.ClockTerms(
        bank=match_pb2.BankLimit(
            initial_time=milliseconds(bank), increment=milliseconds(increment)
        ),
        first_turn_allowance=milliseconds(0),
        grace=milliseconds(grace),
        connect_time=milliseconds(200),
        ready_time=milliseconds(1000),
    )
    faults = match_pb2.FaultPolicy(max_strikes=2, reconnect_time=milliseconds(500), **policy)
    return match_pb2.MatchTerms(clock=clock, policy=faults)


DEFAULT_MOVE = match_pb2.FaultRule(action=match_pb2.FAULT_ACTION_DEFAULT_MOVE)


async def two(arena: Arena, asked: match_pb2.MatchTerms) -> tuple[ScriptedBot, ScriptedBot, str]:
    """Two bots at a match in which seat 0 is asked."""
    first, second = await arena.bot("first"), await arena.bot("second")
    match_id = await arena.match("first", "second", terms=asked)
    assert first.request.decision == 1
    return first, second, match_id


async def result(arena: Arena, match_id: str) -> match_service_pb2.MatchInfo:
    return await arena.referee.wait(match_id)


def reasons(info: match_service_pb2.MatchInfo) -> list[str]:
    names = [game_pb2.SeatEndReason.Name(seat.reason) for seat in info.outcome.seats]
    return [name.removeprefix("SEAT_END_REASON_").lower() for name in names]


def test_t6_an_answer_at_limit_and_grace_counts_and_one_a_millisecond_later_loses(
    tmp_path: Path,
) -> None:
    async def play(late: float) -> tuple[int, list[str]]:
        async with open_arena(tmp_path / str(late)) as arena:
            first, second, match_id = await two(arena, terms(bank=1000, grace=50))
            await arena.time.advance(1050 + late)
            await first.reply()
            if second.all("decision_request"):
                return second.request.decision, []
            await arena.time.advance(100)
            return 0, reasons(await result(arena, match_id))

    assert run(play(0)) == (2, [])
    assert run(play(1)) == (0, ["timeout", "last_seat"])


def test_the_late_move_is_not_applied_and_the_text_has_the_numbers(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            first, _, match_id = await two(arena, terms(bank=1000, grace=50))
            await arena.time.advance(1051)
            await first.reply()
            return await result(arena, match_id)

    info = run(play())
    assert info.decisions == 0 or info.outcome.seats[0].score == 0
    assert info.outcome.seats[0].text == (
        "decision 1: an answer after 1051.0 ms; allowed: 1000.0 ms left + 50 ms of grace"
    )


def test_time_shown_is_what_is_left_and_a_turn_adds_the_increment(tmp_path: Path) -> None:
    async def play() -> list[int]:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms(bank=1000, increment=20, grace=0))
            shown = [first.request.time_left_micros]
            await arena.time.advance(300)
            await first.reply()
            await second.reply()
            shown.append(first.request.time_left_micros)
            shown.append(first.last("move_receipt").time_left_micros)
            return shown

    assert run(play()) == [1_000_000, 720_000, 720_000]


def test_p78_a_retry_after_an_illegal_move_goes_on_the_same_clock(tmp_path: Path) -> None:
    async def play() -> tuple[pb.MoveReceipt, list[str]]:
        async with open_arena(tmp_path) as arena:
            asked = terms(bank=1000, grace=0, illegal_move=match_pb2.FaultRule(retries=2))
            first, _, match_id = await two(arena, asked)
            await arena.time.advance(600)
            await first.reply(offered_index=99)
            receipt = first.last("move_receipt")
            await arena.time.advance(401)
            await arena.time.advance(100)
            return receipt, reasons(await result(arena, match_id))

    receipt, ended = run(play())
    assert receipt.status == pb.MOVE_RECEIPT_STATUS_REFUSED
    assert (receipt.tries_left, receipt.next_attempt) == (2, 2)
    assert receipt.time_left_micros == 400_000
    assert receipt.refusal.reply == game_pb2.REPLY_REFUSAL_CODE_INDEX_OUT_OF_RANGE
    assert ended == ["timeout", "last_seat"]


def test_t52_illegal_moves_lose_when_the_tries_are_used_up(tmp_path: Path) -> None:
    async def play() -> tuple[list[int], list[str]]:
        async with open_arena(tmp_path) as arena:
            asked = terms(illegal_move=match_pb2.FaultRule(retries=1))
            first, _, match_id = await two(arena, asked)
            await first.reply(offered_index=99)
            await first.reply(offered_index=99, attempt=2)
            tries = [receipt.tries_left for receipt in first.all("move_receipt")]
            return tries, reasons(await result(arena, match_id))

    assert run(play()) == ([1, 0], ["illegal_move", "last_seat"])


def test_why_a_move_was_refused_is_told_to_its_seat_alone(tmp_path: Path) -> None:
    """The sentence may name cards of a hand, or what is wrong with a plan."""

    async def play() -> tuple[str, bytes, str]:
        async with open_arena(tmp_path) as arena:
            asked = terms(illegal_move=match_pb2.FaultRule())
            first, second, match_id = await two(arena, asked)
            move = game_pb2.Move()
            move.anchorline.place.cell.x = 77
            await first.reply(move=move)
            info = await result(arena, match_id)
            others = b"".join(event.SerializeToString() for event in second.events)
            why: str = first.last("move_receipt").refusal.text
            return why, others + info.SerializeToString(), info.outcome.seats[0].text

    why, told, text = run(play())
    assert "(77, 0)" in why
    assert b"77, 0" not in told
    assert text == "its move was refused: no_arrow"


def test_t52_or_cost_a_default_move_and_a_strike_up_to_the_limit(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena, terms(illegal_move=DEFAULT_MOVE))
            for _ in range(2):
                await first.reply(offered_index=99)
                await second.reply()
            await first.reply(offered_index=99)
            return await result(arena, match_id)

    info = run(play())
    assert reasons(info) == ["illegal_move", "last_seat"]
    assert info.outcome.seats[0].strikes == 2
    assert info.outcome.seats[0].text.startswith("after 2 strikes: ")


def test_p24_a_timeout_by_the_strike_policy_costs_one_move_and_not_the_match(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[int, int]:
        async with open_arena(tmp_path) as arena:
            asked = terms(bank=500, increment=300, grace=0, timeout=DEFAULT_MOVE)
            first, second, _ = await two(arena, asked)
            await arena.time.advance(600)
            await second.reply()
            return first.request.decision, first.request.time_left_micros

    assert run(play()) == (3, 300_000)


def test_p1_an_answer_to_an_earlier_decision_changes_nothing(tmp_path: Path) -> None:
    async def play() -> tuple[int, int]:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms(timeout=DEFAULT_MOVE, bank=500))
            old = first.request
            await arena.time.advance(600)
            await second.reply()
            await first.reply(decision=old.decision)
            return first.last("move_receipt").status, len(second.all("decision_request"))

    assert run(play()) == (pb.MOVE_RECEIPT_STATUS_STALE, 1)


def test_e23_of_two_answers_to_one_decision_one_counts_and_the_other_is_a_duplicate(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[list[int], int]:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms())
            await first.reply()
            await first.reply()
            statuses = [receipt.status for receipt in first.all("move_receipt")]
            return statuses, second.request.decision

    accepted, duplicate = pb.MOVE_RECEIPT_STATUS_ACCEPTED, pb.MOVE_RECEIPT_STATUS_DUPLICATE
    assert run(play()) == ([accepted, duplicate], 2)


def test_t10_an_answer_to_another_match_is_stale_there_and_here(tmp_path: Path) -> None:
    async def play() -> tuple[int, int]:
        async with open_arena(tmp_path) as arena:
            first, _, _ = await two(arena, terms())
            await first.reply(match_id="another")
            return first.last("move_receipt").status, first.request.decision

    assert run(play()) == (pb.MOVE_RECEIPT_STATUS_STALE, 1)


def test_p3_decisions_count_up_by_one_over_all_seats(tmp_path: Path) -> None:
    async def play() -> list[int]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena, terms())
            await arena.play_out(match_id, first, second)
            requests = first.all("decision_request") + second.all("decision_request")
            return sorted(request.decision for request in requests)

    numbers = run(play())
    assert numbers == list(range(1, len(numbers) + 1))


def test_t54_a_clock_does_not_move_on_the_others_turn(tmp_path: Path) -> None:
    async def play() -> int:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms(bank=5000, grace=0))
            await first.reply()
            await arena.time.advance(4000)
            await second.reply()
            left: int = first.request.time_left_micros
            return left

    assert run(play()) == 5_000_000


def test_a_disconnect_is_forgiven_within_the_reconnect_time_and_the_clock_runs_on(
    tmp_path: Path,
) -> None:
    async def play() -> tuple[int, int, list[game_pb2.Event], bool]:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms(bank=5000, grace=0))
            await first.reply()
            await second.reply()
            await first.drop()
            await arena.time.advance(400)
            back = await first.come_back()
            start = back.last("match_start")
            return (
                back.request.decision,
                back.request.time_left_micros,
                list(start.history),
                start.resumed,
            )

    decision, left, history, resumed = run(play())
    assert (decision, left, resumed) == (3, 4_600_000, True)
    assert [event.anchorline.WhichOneof("event") for event in history].count("card_placed") == 2


def test_a_disconnect_that_lasts_is_another_reason_than_a_timeout(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            first, _, match_id = await two(arena, terms(bank=5000))
            await first.drop()
            await arena.time.advance(600)
            return await result(arena, match_id)

    info = run(play())
    assert reasons(info) == ["disconnected", "last_seat"]
    assert "gone for" in info.outcome.seats[0].text


def test_the_grace_for_a_disconnect_counts_only_while_the_decision_is_open(tmp_path: Path) -> None:
    async def play() -> int:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms(bank=60_000))
            await second.drop()
            await arena.time.advance(10_000)
            back = await second.come_back()
            await first.reply()
            return back.request.decision

    assert run(play()) == 2


@pytest.mark.parametrize("first_event", ["drop", "clock"])
def test_p33_timeout_and_disconnect_at_one_instant_are_a_timeout(
    tmp_path: Path, first_event: str
) -> None:
    async def play() -> list[str]:
        async with open_arena(tmp_path) as arena:
            bank = 500 if first_event == "drop" else 700
            first, _, match_id = await two(arena, terms(bank=bank, grace=0))
            if first_event == "clock":
                await arena.time.advance(200)
            await first.drop()
            await arena.time.advance(600)
            return reasons(await result(arena, match_id))

    assert run(play()) == ["timeout", "last_seat"]


def test_an_answer_that_arrived_before_the_peer_vanished_counts(tmp_path: Path) -> None:
    async def play() -> int:
        async with open_arena(tmp_path) as arena:
            first, second, _ = await two(arena, terms())
            await first.reply()
            await first.drop()
            return second.request.decision

    assert run(play()) == 2


def test_a_bot_that_never_comes_loses_by_its_own_reason(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            await arena.bot("first")
            match_id = await arena.match("first", "absent", terms=terms())
            return await result(arena, match_id)

    info = run(play())
    assert reasons(info) == ["last_seat", "not_connected"]
    assert [seat.placement for seat in info.outcome.seats] == [1, 2]


def test_t31_when_nobody_comes_nobody_wins(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            return await result(arena, await arena.match("one", "two", terms=terms()))

    info = run(play())
    assert reasons(info) == ["not_connected", "not_connected"]
    assert info.outcome.text == "Anchorline was not played: no bot came to its seat"


def test_the_same_bot_can_sit_at_both_seats(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            alone = await arena.bot("alone", open_matches=2)
            match_id = await arena.match("alone", "alone", terms=terms())
            return await arena.play_out(match_id, alone)

    assert set(reasons(run(play()))) == {"rules"}


def test_open_decisions_are_respected_and_one_held_back_costs_no_time(tmp_path: Path) -> None:
    async def play() -> tuple[int, int, int, int]:
        async with open_arena(tmp_path) as arena:
            busy = await arena.bot("busy", open_matches=2, open_decisions=1)
            await arena.bot("other")
            for _ in range(2):
                await arena.match("busy", "other", terms=terms(bank=5000, grace=0))
            before = len(busy.all("decision_request"))
            await arena.time.advance(3000)
            await busy.reply()
            asked = busy.all("decision_request")
            await arena.time.advance(100)
            await busy.reply()
            busy.session.send(pong=pb.Pong())
            await spin()
            receipt = busy.last("move_receipt")
            return before, len(asked), asked[1].time_left_micros, receipt.queued_micros

    assert run(play()) == (1, 2, 5_000_000, 3_000_000)


def test_p13_every_seat_gets_the_end_once_with_its_own_clock(tmp_path: Path) -> None:
    async def play() -> tuple[list[pb.MatchEnd], list[pb.MatchEnd]]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena, terms())
            await arena.play_out(match_id, first, second)
            return first.all("match_end"), second.all("match_end")

    first, second = run(play())
    assert [len(first), len(second)] == [1, 1]
    assert (first[0].seat, second[0].seat) == (0, 1)
    assert first[0].clock.decisions + second[0].clock.decisions > 10
    assert first[0].reveal.seed == second[0].reveal.seed


def test_an_end_that_was_missed_comes_after_resuming(tmp_path: Path) -> None:
    async def play() -> list[pb.MatchEnd]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena, terms())
            await second.drop()
            await first.reply(resignation=pb.Resignation())
            await result(arena, match_id)
            back = await second.come_back()
            return back.all("match_end")

    ends = run(play())
    assert [end.outcome.seats[1].placement for end in ends] == [1]


def test_p4_a_seat_that_is_out_is_told_once(tmp_path: Path) -> None:
    async def play() -> tuple[int, int]:
        async with open_arena(tmp_path) as arena:
            first, second, match_id = await two(arena, terms())
            await first.reply(resignation=pb.Resignation())
            await result(arena, match_id)
            return len(first.all("seat_eliminated")), len(second.all("seat_eliminated"))

    assert run(play()) == (1, 1)


def test_the_ceiling_is_charged_to_the_seat_that_used_most_of_its_own_time(tmp_path: Path) -> None:
    async def play() -> match_service_pb2.MatchInfo:
        async with open_arena(tmp_path) as arena:
            asked = match_pb2.MatchTerms(
                clock=match_pb2.ClockTerms(
                    none=match_pb2.NoLimit(), ceiling=milliseconds(5000), grace=milliseconds(0)
                )
            )
            first, _, match_id = await two(arena, asked)
            await arena.time.advance(4000)
            await first.reply()
            await arena.time.advance(1500)
            return await result(arena, match_id)

    info = run(play())
    assert reasons(info) == ["ceiling", "last_seat"]
    assert "had used 4.000 s" in info.outcome.seats[0].text


def test_a_sealed_deal_is_sealed_until_it_is_opened(tmp_path: Path) -> None:
    async def play() -> tuple[pb.MatchEnd, match_service_pb2.MatchInfo, bytes]:
        async with open_arena(tmp_path) as arena:
            first, second = await arena.bot("first"), await arena.bot("second")
            match_id = await arena.match("first", "second", terms=terms(), sealed=True)
            closed = await arena.play_out(match_id, first, second)
            with pytest.raises(Exception, match="sealed"):
                arena.referee.load_record(match_id)
            opened = await arena.referee.unseal_match(match_id)
            assert arena.referee.load_record(match_id)
            assert not closed.HasField("deal")
            assert closed.game_hash == b""
            return first.last("match_end"), closed, opened.deal.seed

    end, closed, seed = run(play())
    assert end.WhichOneof("deal") == "sealed"
    assert seed not in end.SerializeToString() + closed.SerializeToString()
    assert len(seed) == 32
