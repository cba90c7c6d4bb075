"""Twins of the tests of recovery, of connections that come and go, and of what lasts.

Every safety test of the referee has a twin: the same test with a planted fault, which must turn it
red. Those that need more than a fault and the original stand beside it.
"""

import ast
import asyncio
import dataclasses
import os
import re
import threading
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler

import pytest

from harbourmaster_server import recovery, referee, scraping, server
from harbourmaster_server.clock import Clock
from harbourmaster_server.desk import Desk
from harbourmaster_server.matches.match import Match
from harbourmaster_server.records import Journal
from harbourmaster_server.referee import Referee
from harbourmaster_server.services import bots
from harbourmaster_server.sessions.lobby import Lobby
from harbourmaster_server.sessions.registry import Sessions
from harbourmaster_server.sessions.session import Session
from support.plants import instead, process, without
from support.twins import TESTS, Twin, module_of, play_twin

# Recovery.


def clocks_forgotten(sound: Any, *given: Any) -> Match:
    match: Match = sound(*given)
    for seat in match.seats:
        seat.clock = Clock.start(match.terms.clock)
    return match


def attempt_forgotten(sound: Any, *given: Any) -> Match:
    match: Match = sound(*given)
    match.attempt = 1
    return match


def counted_from_one(sound: Any, folder: Path) -> Any:
    return dataclasses.replace(sound(folder), highest_number=0)


def torn_is_damaged(sound: Any, folder: Path) -> dict[int, list[bytes]]:
    return {number: entries[:2] for number, entries in sound(folder).items()}


def old_journal_deleted(sound: Any, folder: Path) -> Any:
    found = sound(folder)
    found.delete_old_segments()
    return found


def untruncated(journal: Journal, data: bytes) -> None:
    if os.write(journal._handle, data) < len(data):
        raise OSError(28, "full")


async def saved_once(sound: Any, asked: Referee, match: Match, store: Any) -> bool:
    try:
        store.save(match.id, match.chain.entries)
    except OSError:
        return False
    return True


def gone_with_the_match(sound: Any, asked: Referee, match: Match) -> Any:
    asked.desk.journal.release(match.number)
    return sound(asked, match)


BACK = "server/test_recovery.py::test_"
DISK = "server/test_disk_trouble.py::test_"
RECOVERY = [
    Twin(
        f"{BACK}a_match_goes_on_at_the_same_decision_with_the_same_view_offers_and_clock",
        instead(recovery, "_match", clocks_forgotten),
    ),
    Twin(
        f"{BACK}e38_an_attempt_that_was_refused_before_the_kill_is_still_spent",
        instead(recovery, "_match", attempt_forgotten),
    ),
    Twin(f"{BACK}a_pause_of_the_referee_is_in_the_record", without(Match, "note_pause")),
    Twin(
        f"{BACK}a_kill_in_the_middle_of_a_start_leaves_both_journals_and_no_match_mixed_up",
        instead(referee, "recover", counted_from_one),
    ),
    Twin(
        f"{BACK}a_damaged_entry_voids_its_match_and_nothing_else",
        without(Referee, "_void_left_over"),
        "there is no match",
        {"moves": 3},
    ),
    Twin(
        f"{BACK}a_torn_end_is_as_if_it_had_never_been_written",
        instead(recovery, "read_journal", torn_is_damaged),
    ),
    Twin(
        f"{BACK}a_start_on_a_full_disk_fails_in_a_sentence_and_leaves_the_journal",
        instead(referee, "recover", old_journal_deleted),
        "",
        {"monkeypatch": "fixture"},
    ),
    Twin(
        f"{DISK}a_full_disk_tears_nothing_that_a_kill_would_then_find",
        lambda patch: patch.setattr(Journal, "_write", untruncated),
        "",
        {"disk": "fixture"},
    ),
    Twin(
        f"{DISK}a_record_that_cannot_be_saved_is_saved_later_and_the_match_counts_once",
        instead(Referee, "_save", saved_once),
        "",
        {"monkeypatch": "fixture"},
    ),
    Twin(
        f"{DISK}a_referee_that_stops_with_a_record_unsaved_saves_it_at_its_next_start",
        instead(Referee, "_put_away", gone_with_the_match),
        "",
        {"monkeypatch": "fixture"},
    ),
    Twin(
        f"{BACK}a_match_of_launched_bots_waits_for_them_and_is_void_when_it_is_not_wanted",
        without(referee, "is_launched", False),
    ),
    Twin(
        f"{DISK}a_match_made_while_the_disk_is_full_is_told_of_when_it_is_safe",
        instead(Desk, "written", lambda _, __: asyncio.sleep(0)),
        "",
        {"disk": "fixture"},
    ),
]

# Connections that go, come, or crowd in; the whole referee.


def not_asked_again(sound: Any, session: Session, connection: Any, *, resumed: bool) -> None:
    session._asked = {}
    sound(session, connection, resumed=resumed)


def all_sessions_of_the_bot(sound: Any, sessions: Sessions, session: Session, line: Any) -> None:
    sound(sessions, session, line)
    for other in sessions.of_bot(session.bot):
        if other.connection is not None:
            sessions._lobby.leave(other)
            other.detach(other.connection)


def nobody_served(lobby: Lobby, session: Session) -> None:
    lobby._sessions[session.bot].append(session)


def fails_at_pings(sound: Any, session: Session, event: Any, arrived: int) -> None:
    if event.HasField("ping"):
        raise KeyError("ping")
    sound(session, event, arrived)


def not_told(sound: Any, served: server.RefereeServer) -> Any:
    return served._referee.drain()


def with_room(sound: Any, served: scraping._Server, *place: Any) -> None:
    sound(served, *place)
    served._free = threading.BoundedSemaphore(10**6)


def strict_about_pings(patch: pytest.MonkeyPatch) -> None:
    kept = [pair for pair in server.OPTIONS if "ping" not in pair[0] or "timeout" in pair[0]]
    patch.setattr(server, "OPTIONS", tuple(kept))


LASTING = "server/test_leaks.py::test_"
LIFE = [
    Twin(
        f"{LASTING}p67_connecting_and_cancelling_leaves_nothing",
        process("memory-kept"),
        "",
        {"cycles": 400},
    ),
    Twin(
        f"{LASTING}p72_matches_on_one_session_leave_nothing_in_memory",
        process("memory-kept"),
        "",
        {"count": 15},
    ),
    Twin(
        f"{LASTING}p67_and_no_task_or_session_is_left_of_it",
        without(Sessions, "_forget"),
        "in vain for the sessions to go",
    ),
    Twin(
        f"{LASTING}p16_a_bot_that_connects_around_the_making_of_its_match_is_seated",
        lambda patch: patch.setattr(Lobby, "enter", nobody_served),
        "no match_start came",
        {"trials": 4},
    ),
    Twin(
        f"{LASTING}p15_old_sessions_that_close_do_not_touch_a_new_match",
        instead(Sessions, "dropped", all_sessions_of_the_bot),
    ),
    Twin(
        f"{LASTING}p79_a_session_with_several_matches_gets_them_all_back",
        instead(Session, "attach", not_asked_again),
        "no decision_request came",
    ),
    Twin(
        "server/test_fuzz.py::test_t27_whatever_a_bot_says_is_answered_or_refused_and_the_referee_stays_up",
        instead(bots, "_take", fails_at_pings),
        "",
        {"count": 600, "caplog": "fixture"},
    ),
    Twin(
        "server/test_half_open.py::test_p69_a_client_that_pings_often_is_not_thrown_out",
        strict_about_pings,
    ),
    Twin(
        "server/test_metrics.py::test_health_follows_draining",
        instead(server.RefereeServer, "drain", not_told),
    ),
    Twin(
        "server/test_metrics.py::test_clients_that_say_nothing_use_up_no_files_and_leave_again",
        instead(scraping._Handler, "handle", lambda _, handler: WSGIRequestHandler.handle(handler)),
    ),
    Twin(
        "server/test_metrics.py::test_no_more_clients_are_served_at_once_than_there_is_room_for",
        instead(scraping._Server, "__init__", with_room),
    ),
]
TWINS = [*RECOVERY, *LIFE]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_with_its_fault_the_test_is_red(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    play_twin(twin, monkeypatch, tmp_path, request)


BESIDE = {
    "test_there_is_a_limit_to_those_who_follow_the_health",
    "test_a_health_watcher_that_leaves_no_room_does_not_hold_up_the_end",
    "test_calls_of_reflection_that_are_left_open_are_bounded_for_each_caller",
    "test_an_idle_referee_uses_hardly_any_processor_time",
    "test_a_watcher_that_does_not_read_is_dropped_and_slows_nobody",
    "test_over_a_real_connection_a_reader_that_stops_is_dropped_with_a_reason",
    "test_over_the_wire_a_play_token_may_not_watch_and_nobody_a_sealed_match",
    "test_nothing_that_a_move_caused_leaves_while_the_disk_is_full_and_the_match_says_so",
    "test_the_pause_is_charged_to_nobody_and_is_in_the_record",
    "test_t60_a_half_open_connection_is_noticed_within_ten_seconds",
    "test_no_secret_is_in_the_bytes_of_a_whole_match",
    "test_p36_a_stall_of_two_seconds_is_charged_to_nobody",
    "test_p36_a_reply_is_dated_when_it_came_wherever_in_the_loop_the_referee_is_slow",
    "test_a_request_that_a_stall_may_have_held_up_is_charged_from_its_end",
    "test_p29_p61_e20_nothing_hidden_is_in_what_a_bot_finds_on_coming_back_nor_in_the_log",
    "test_a_look_that_was_not_to_sleep_dates_from_the_last_one_however_long_the_machine_made_it",
    "test_a_look_that_was_to_sleep_for_4_ms_dates_by_how_long_it_took",
}
"""Tests whose twin is in their own file: a test, or a parameter, that tells of a planted fault."""
KIND = {
    "test_the_same_bot_can_sit_at_both_seats",
    "test_limits_in_force_are_in_the_welcome",
    "test_every_method_of_the_service_is_in_the_table_above",
    "test_health_needs_no_token",
    "test_who_follows_the_health_is_told_that_the_referee_drains",
    "test_of_a_service_that_there_is_not_it_is_told_which_there_are",
    "test_and_is_served_when_it_is_asked_for",
    "test_p10_localhost_is_reached_under_each_of_its_names",
    "test_off_the_loopback_with_tls_needs_no_insecure",
    "test_a_certificate_that_cannot_be_read_is_named",
    "test_what_is_no_certificate_with_its_key_is_told_and_not_taken_for_a_port_in_use",
    "test_why_nobody_can_listen_is_told",
    "test_bots_launched_here_have_a_plain_address_on_the_loopback",
    "test_without_bots_to_launch_a_referee_with_tls_has_no_plain_port",
    "test_a_watch_token_may_watch",
    "test_a_reply_to_a_referee_that_is_not_busy_is_dated_when_it_came",
    "test_the_numbers_follow_a_match",
    "test_a_disk_that_refuses_is_shown_and_pauses_the_matches",
    "test_a_time_is_counted_in_the_bucket_that_holds_it",
    "test_every_kind_of_fault_has_a_count_from_the_start",
    "test_metrics_are_served_over_http_with_the_loop_and_the_process",
    "test_a_stall_of_the_loop_is_counted",
}
"""Tests of what is offered or shown. No guard stands behind them that could be away."""
ELSEWHERE = {
    "test_reflection_tells_the_services_to_who_has_any_token": "the test of all services has it",
    "test_with_tls_an_encrypted_call_is_taken_and_a_plain_one_is_not": "it is gRPC's own guard",
    "test_p85_an_honest_bot_is_far_below_the_rate_that_is_allowed": "it compares two rates",
    "test_t48_the_last_matches_cost_no_more_than_the_first": "it compares two costs of one run",
    "test_many_watchers_share_a_pace_and_each_still_gets_the_whole_story": "it compares two paces",
    "test_turns_are_given_in_order_and_not_quicker_than_so_many_a_second": "it is the guard itself",
    "test_other_rules_void_the_match": "without its guard there is only the engine's own refusal",
    "test_a_bot_that_does_not_come_back_lost_its_connection": "it tells two words apart",
    "test_t27_whatever_an_organiser_says_is_answered_or_refused": "the bots' fuzzer has the twin",
}
TWIN_FILES = [f"test_twins_of_{what}.py" for what in ("matches", "peers", "lasting")]
FILES = (
    "matches/test_refereeing.py",
    *(f"test_{name}.py" for name in ("limits", "identity", "watching", "recovery", "leaks")),
    *(f"test_{name}.py" for name in ("disk_trouble", "fuzz", "half_open", "wire_leaks")),
    *(f"test_{name}.py" for name in ("stalls", "metrics", "standard_services")),
)


def test_no_safety_test_is_without_a_twin() -> None:
    names = set()
    for file in FILES:
        tree = ast.parse((TESTS / "server" / file).read_text(encoding="utf-8"))
        names |= {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
    found = {name for name in names if name.startswith("test_")}
    found -= {name for name in found if re.search("twin|planted|is_noticed$", name)}
    twins = [twin for file in TWIN_FILES for twin in module_of(f"server/{file}").TWINS]
    known = {twin.test.partition("::")[2] for twin in twins} | BESIDE | KIND | set(ELSEWHERE)
    assert sorted(found - known) == []
    assert sorted((BESIDE | KIND | set(ELSEWHERE)) - found) == []
