"""Twins of the tests of limits, sessions, rights, watchers and sealed deals.

Every safety test of the referee has a twin: the same test with a planted fault, which must turn it
red. Those that need more than a fault and the original stand beside it.
"""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_server import referee, server
from harbourmaster_server.errors import AlreadyExists
from harbourmaster_server.identity import RIGHTS, Gatekeeper, Identity, Tokens
from harbourmaster_server.matches import closing
from harbourmaster_server.matches.match import Match
from harbourmaster_server.matches.publication import Publication
from harbourmaster_server.news import News
from harbourmaster_server.referee import Referee
from harbourmaster_server.services import matches, watching
from harbourmaster_server.sessions import registry
from harbourmaster_server.sessions.registry import SecondSession, Sessions
from harbourmaster_server.sessions.session import Session
from support.plants import GOES_ON, instead, process, take_any, unlimited, unsealed, without
from support.twins import Plant, Twin, play_twin

# Limits and sessions.


def offence(name: str, **more: str) -> dict[str, str]:
    return {"offend": f"@{name}", "code": more.get("code", ""), "text": more.get("text", "")}


def always_there(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(registry, "any", lambda _: True, raising=False)


def policy_of(policy: SecondSession) -> Plant:
    """Return a fault: every second session is treated by *policy*."""

    def init(sound: Any, sessions: Sessions, desk: Any, lobby: Any, _: Any) -> None:
        sound(sessions, desk, lobby, policy)

    return instead(Sessions, "__init__", init)


def tokens_for_all(sound: Any, sessions: Sessions, identity: Any, hello: Any, line: Any) -> Any:
    session = sessions._by_token.get(hello.resume_token)
    return sound(sessions, session.identity if session else identity, hello, line)


def first_come(sound: Any, sessions: Sessions, session: Session, *rest: Any) -> Any:
    if session.connection is not None:
        raise AlreadyExists("there is a session")
    return sound(sessions, session, *rest)


LIMIT = "server/test_limits.py::test_"
P34 = f"{LIMIT}p34_going_over_a_limit_ends_the_session_with_a_reason_and_costs_the_sender_alone"
SECOND = f"{LIMIT}a_second_session_of_a_bot_is_what_the_policy_says"
LIMITS = [
    Twin(P34, unlimited("message_bytes"), GOES_ON, offence("too_large")),
    Twin(P34, unlimited("events_per_message"), GOES_ON, offence("too_many_events")),
    Twin(P34, unlimited("messages_per_second"), GOES_ON, offence("too_fast")),
    Twin(P34, unlimited("complaints"), GOES_ON, offence("out_of_place")),
    Twin(
        f"{LIMIT}p58_a_bot_that_does_not_read_is_ended_when_too_much_is_unread",
        unlimited("unread_bytes"),
    ),
    Twin(
        f"{LIMIT}calls_that_are_not_read_to_their_end_are_limited",
        unlimited("sessions_per_bot"),
        GOES_ON,
    ),
    Twin(
        f"{LIMIT}t27_a_hello_out_of_range_is_refused_with_the_field_and_its_range",
        without(registry, "check_hello"),
        GOES_ON,
        {"fields": {"open_matches": 5}, "text": ""},
    ),
    Twin(
        f"{LIMIT}another_major_version_is_told_which_to_use",
        without(registry, "check_hello"),
        GOES_ON,
    ),
    Twin(
        f"{LIMIT}a_peer_that_says_no_hello_is_sent_away_in_time",
        unlimited("hello_seconds"),
        "",
    ),
    Twin(
        f"{LIMIT}sessions_of_one_bot_and_sessions_in_all_are_limited",
        unlimited("sessions_per_bot"),
        GOES_ON,
    ),
    Twin(
        f"{LIMIT}sessions_of_one_bot_and_sessions_in_all_are_limited",
        unlimited("sessions"),
        GOES_ON,
    ),
    Twin(
        f"{LIMIT}sessions_that_are_gone_for_nothing_do_not_count",
        without(Sessions, "_forget_idle"),
        "a bot may have 2",
    ),
    Twin(
        f"{LIMIT}a_bot_that_was_started_again_comes_back_where_a_second_session_is_refused",
        always_there,
        "a second one is refused here",
    ),
    Twin(f"{LIMIT}a_long_note_is_cut_in_the_record", unlimited("note_characters")),
    Twin(SECOND, policy_of(SecondSession.ALLOW), "", {"policy": SecondSession.REFUSE}),
    Twin(SECOND, policy_of(SecondSession.ALLOW), "", {"policy": SecondSession.REPLACE}),
    Twin(SECOND, policy_of(SecondSession.REFUSE), "", {"policy": SecondSession.ALLOW}),
    Twin(
        SECOND,
        instead(Sessions, "_take_up", first_come),
        "there is a session",
        {"policy": SecondSession.ALLOW},
    ),
    Twin(
        f"{LIMIT}a_resume_token_of_somebody_else_opens_nothing",
        instead(Sessions, "open", tokens_for_all),
        GOES_ON,
    ),
]

# Who may do what.


def everybody(_: object, __: object, metadata: object, name: str = "") -> Identity:
    return Identity(name, rights=RIGHTS)


def all_matches(patch: pytest.MonkeyPatch) -> None:
    """Let a session answer in any match of its referee."""
    made: list[Match] = []
    sound = Match.__init__

    def init(match: Match, *given: Any, **more: Any) -> None:
        sound(match, *given, **more)
        made.append(match)

    def take_reply(session: Session, reply: Any, arrived: int) -> None:
        take_any(made[0], session, reply, arrived)

    patch.setattr(Match, "__init__", init)
    patch.setattr(Session, "take_reply", take_reply)


class Everything:
    """Holds whatever it is asked for."""

    def __contains__(self, _: object) -> bool:
        return True


WHO = "server/test_identity.py::test_"
IDENTITY = [
    Twin(
        f"{WHO}p63_a_method_takes_the_right_it_needs_and_no_other",
        without(Identity, "may", True),
        "",
        {"method": "GetMatch"},
    ),
    Twin(
        f"{WHO}p63_a_method_takes_the_right_it_needs_and_no_other",
        instead(Gatekeeper, "identify", everybody),
        "",
        {"method": "CreateMatch"},
    ),
    Twin(
        f"{WHO}every_call_of_every_service_but_health_needs_a_token",
        process("anybody"),
    ),
    Twin(
        f"{WHO}playing_takes_a_token_with_the_right_to_play",
        instead(Referee, "check_play", lambda _, __, identity: identity),
        GOES_ON,
    ),
    Twin(
        f"{WHO}a_revoked_token_opens_nothing_and_its_hash_is_all_that_was_kept",
        without(Tokens, "revoke", 1),
        GOES_ON,
    ),
    Twin(f"{WHO}a_bot_cannot_play_end_or_slow_the_match_of_others", all_matches),
    Twin(
        f"{WHO}plain_text_off_the_loopback_is_refused_unless_it_is_asked_for",
        lambda patch: patch.setattr(server, "LOOPBACK", Everything()),
        "DID NOT RAISE",
        {"host": "0.0.0.0"},
    ),
]

# Watchers and sealed deals.


def no_limit(patch: pytest.MonkeyPatch) -> None:
    sound = watching.counted

    def counted(asked: Referee) -> Any:
        limits = dataclasses.replace(asked.config.limits, watchers=10**9)
        patch.setattr(asked, "config", dataclasses.replace(asked.config, limits=limits))
        return sound(asked)

    patch.setattr("twins_of_server_test_watching.counted", counted)


def no_delay(sound: Any, publication: Publication, match: Match) -> None:
    sound(publication, match)
    publication._delay = 0


def only_news(sound: Any, publication: Publication, shown: int, most: int) -> Any:
    return sound(publication, shown or max(0, publication._published - 1), most)


def never_called_off(sound: Any, news: News, seen: int, call: Any) -> Any:
    sound(news, seen, call)
    return lambda: None


SEEN = "server/test_watching.py::test_"
WATCHING = [
    Twin(
        f"{SEEN}a_late_watcher_gets_the_same_story_as_an_early_one",
        instead(Publication, "since", only_news),
    ),
    Twin(
        f"{SEEN}a_delayed_watcher_sees_nothing_before_its_time_and_all_of_it_then",
        instead(Publication, "__init__", no_delay),
    ),
    Twin(
        f"{SEEN}who_leaves_while_nothing_happens_is_forgotten",
        instead(News, "call_above", never_called_off),
    ),
    Twin(
        f"{SEEN}with_a_delay_only_an_organiser_can_ask_how_far_a_match_is",
        lambda patch: patch.setattr(matches, "public_info", lambda info, _: info),
    ),
    Twin(f"{SEEN}there_is_a_limit_to_watchers_and_who_leaves_makes_room", no_limit),
    Twin(
        f"{SEEN}a_sealed_match_cannot_be_watched",
        instead(Referee, "match_to_watch", lambda _, asked, match_id: asked._matches[match_id]),
        "DID NOT RAISE",
    ),
    Twin(
        f"{SEEN}a_sealed_record_is_not_to_be_had_by_a_path_for_an_id",
        lambda patch: patch.setattr(referee, "MATCH_ID", re.compile(r".*")),
        "DID NOT RAISE",
    ),
    Twin(
        f"{SEEN}a_bot_may_fetch_the_records_of_its_own_matches_alone",
        without(Referee, "_is_own", True),
        "cannot read",
    ),
    Twin(
        "server/test_wire_leaks.py::test_a_sealed_match_keeps_its_deal_to_the_end",
        instead(closing, "end_message", unsealed),
    ),
]

TWINS = [*LIMITS, *IDENTITY, *WATCHING]


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.name)
def test_with_its_fault_the_test_is_red(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    play_twin(twin, monkeypatch, tmp_path, request)
