"""Twins of the tests of refereeing and clocks.

Every safety test of the referee has a twin: the same test with a planted fault, which must turn it
red. Those that need more than a fault and the original stand beside it.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_server.clock import Clock
from harbourmaster_server.matches import closing, deadline, decision, judging, play
from harbourmaster_server.matches.match import Match
from harbourmaster_server.policy import Action, FaultPolicy, FaultRule
from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.sessions.session import Session
from support.plants import both, instead, take_any, unsealed, without
from support.twins import Plant, Twin, play_twin


def never_flag(clock: Clock, taken: int) -> tuple[int, Clock]:
    return taken, clock._replace(left=max(0, (clock.left or 0) - taken))


def new_clock_for_a_retry(sound: Any, asked: decision.Decision) -> None:
    sound(asked)
    asked.taken = 0


def strikes_forgotten(sound: Any, match: Match, seat: Any, *rest: Any, **more: Any) -> None:
    sound(match, seat, *rest, **more)
    seat.strikes = 0


def any_match(session: Session, reply: Any, arrived: int) -> None:
    next(iter(session.matches.values())).receive(session, reply, arrived)


def counted_twice(sound: Any, match: Match) -> Any:
    match.decisions += 1
    return sound(match)


def running_since_the_beginning(sound: Any, match: Match) -> Any:
    opened = sound(match)
    opened.started = match.began
    return opened


def lost_for_everybody(match: Match, _: object) -> None:
    if match.decision is not None:
        match.decision.gone_at = match.desk.time.now()
        match.deadline.arm()


def read_later(sound: Any, match: Match, session: Session, *rest: Any) -> None:
    def read() -> None:
        if session.connection is not None:
            sound(match, session, *rest)

    asyncio.get_running_loop().call_later(0.05, read)


def said_twice(sound: Any, session: Session, **event: Any) -> None:
    sound(session, **event)
    if {"match_end", "seat_eliminated"} & set(event):
        sound(session, **event)


def asked_at_once(session: Session, match: Match, asked: decision.Decision) -> None:
    session._request(match, asked)


def ends_forgotten(sound: Any, session: Session, *given: Any, **more: Any) -> None:
    session._ends.clear()
    sound(session, *given, **more)


def ceiling_for_whoever_moves(match: Match, asked: decision.Decision, fault: Any) -> None:
    asked.open = False
    match.forfeit(match.seats[asked.seat], fault.reason, fault.text)


NO_FLAG = both(
    lambda patch: patch.setattr(Clock, "charge", never_flag),
    lambda patch: patch.setattr(deadline, "SETTLE_NANOS", 10**12),
)
ANY_ANSWER: Plant = lambda patch: patch.setattr(Match, "receive", take_any)  # noqa: E731
NEVER_OUT = without(FaultPolicy, "rule", FaultRule(100, Action.FORFEIT))
RULES = "server/matches/test_refereeing.py::test_"
VOIDS = "server/matches/test_void_causes.py::test_"
TWINS = [
    Twin(
        f"{RULES}t6_an_answer_at_limit_and_grace_counts_and_one_a_millisecond_later_loses", NO_FLAG
    ),
    Twin(f"{RULES}the_late_move_is_not_applied_and_the_text_has_the_numbers", NO_FLAG),
    Twin(
        f"{RULES}time_shown_is_what_is_left_and_a_turn_adds_the_increment",
        instead(Clock, "end_turn", lambda _, clock: clock),
    ),
    Twin(
        f"{RULES}p78_a_retry_after_an_illegal_move_goes_on_the_same_clock",
        instead(decision.Decision, "try_again", new_clock_for_a_retry),
    ),
    Twin(f"{RULES}t52_illegal_moves_lose_when_the_tries_are_used_up", NEVER_OUT),
    Twin(
        f"{RULES}why_a_move_was_refused_is_told_to_its_seat_alone",
        lambda patch: patch.setattr(decision.Fault, "told", property(lambda fault: fault.text)),
    ),
    Twin(
        f"{RULES}t52_or_cost_a_default_move_and_a_strike_up_to_the_limit",
        instead(judging, "_make_default_moves", strikes_forgotten),
    ),
    Twin(
        f"{RULES}p24_a_timeout_by_the_strike_policy_costs_one_move_and_not_the_match",
        without(FaultPolicy, "rule", FaultRule()),
    ),
    Twin(f"{RULES}p1_an_answer_to_an_earlier_decision_changes_nothing", ANY_ANSWER),
    Twin(
        f"{RULES}e23_of_two_answers_to_one_decision_one_counts_and_the_other_is_a_duplicate",
        ANY_ANSWER,
    ),
    Twin(
        f"{RULES}t10_an_answer_to_another_match_is_stale_there_and_here",
        both(ANY_ANSWER, lambda patch: patch.setattr(Session, "take_reply", any_match)),
    ),
    Twin(
        f"{RULES}p3_decisions_count_up_by_one_over_all_seats",
        instead(Match, "open_decision", counted_twice),
    ),
    Twin(
        f"{RULES}t54_a_clock_does_not_move_on_the_others_turn",
        instead(Match, "open_decision", running_since_the_beginning),
    ),
    Twin(
        f"{RULES}a_disconnect_is_forgiven_within_the_reconnect_time_and_the_clock_runs_on",
        instead(deadline.Deadline, "_reconnect_due", lambda _, __, ___, gone_at: gone_at),
    ),
    Twin(
        f"{RULES}a_disconnect_that_lasts_is_another_reason_than_a_timeout",
        instead(deadline.Deadline, "_dues", lambda sound, *given: sound(*given)[:1]),
    ),
    Twin(
        f"{RULES}the_grace_for_a_disconnect_counts_only_while_the_decision_is_open",
        lambda patch: patch.setattr(Match, "connection_lost", lost_for_everybody),
    ),
    Twin(
        f"{RULES}p33_timeout_and_disconnect_at_one_instant_are_a_timeout",
        instead(deadline.Deadline, "_dues", lambda sound, *given: sound(*given)[::-1]),
        arguments={"first_event": "drop"},
    ),
    Twin(
        f"{RULES}an_answer_that_arrived_before_the_peer_vanished_counts",
        instead(Match, "receive", read_later),
    ),
    Twin(
        f"{RULES}a_bot_that_never_comes_loses_by_its_own_reason", without(Lobby, "_absent", set())
    ),
    Twin(f"{RULES}t31_when_nobody_comes_nobody_wins", without(closing, "_nobody_came", False)),
    Twin(
        f"{RULES}open_decisions_are_respected_and_one_held_back_costs_no_time",
        lambda patch: patch.setattr(Session, "ask", asked_at_once),
    ),
    Twin(
        f"{RULES}p13_every_seat_gets_the_end_once_with_its_own_clock",
        instead(Session, "send", said_twice),
    ),
    Twin(
        f"{RULES}an_end_that_was_missed_comes_after_resuming",
        instead(Session, "attach", ends_forgotten),
    ),
    Twin(f"{RULES}p4_a_seat_that_is_out_is_told_once", instead(Session, "send", said_twice)),
    Twin(
        f"{RULES}the_ceiling_is_charged_to_the_seat_that_used_most_of_its_own_time",
        lambda patch: patch.setattr(play, "reach_ceiling", ceiling_for_whoever_moves),
    ),
    Twin(
        f"{RULES}a_sealed_deal_is_sealed_until_it_is_opened",
        instead(closing, "end_message", unsealed),
    ),
    Twin(
        f"{VOIDS}a_message_that_the_referee_fails_at_is_laid_to_its_seat",
        instead(closing, "void", lambda sound, *given: sound(*given[:3])),
        arguments={"seat": 0, "monkeypatch": "fixture"},
    ),
    Twin(
        f"{VOIDS}what_the_referee_breaks_by_itself_is_laid_to_nobody",
        instead(closing, "void", lambda sound, *given: sound(*given[:3], 0)),
        arguments={"place": "request", "answers": 1, "monkeypatch": "fixture"},
    ),
    Twin(
        f"{VOIDS}a_bot_that_is_lost_with_what_it_runs_under_makes_its_match_void",
        without(Match, "lose_side"),
        arguments={"answers": 1},
    ),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_with_its_fault_the_test_is_red(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    play_twin(twin, monkeypatch, tmp_path, request)
