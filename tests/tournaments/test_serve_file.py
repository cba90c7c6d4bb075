"""The referee's file: every setting with its default, in the file, in the flags and in the docs."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from harbourmaster_server.clock import ClockTerms
from harbourmaster_server.limits import BOUNDS, Limits
from harbourmaster_server.policy import Action, FaultPolicy
from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.sessions.registry import SecondSession
from harbourmaster_tournaments.serve_file import (
    PARTS,
    BadServeFile,
    LimitsPart,
    ServeFile,
    read_serve_file,
)

DOCS = Path(__file__).parents[2] / "docs" / "serve.md"


def read(tmp_path: Path, text: str, **flags: object) -> ServeFile:
    path = tmp_path / "referee.toml"
    path.write_text(text)
    return read_serve_file(path, flags)


def test_an_empty_file_is_the_referee_without_one(tmp_path: Path) -> None:
    file = read(tmp_path, "")

    assert file == read_serve_file(None, {})
    assert file.config() == RefereeConfig(Path("harbourmaster-data"))
    assert file.config().clock == ClockTerms()
    assert file.config().policy == FaultPolicy()
    assert file.config().limits == Limits()


def test_every_limit_can_be_set_and_has_a_range() -> None:
    names = [field.name for field in fields(Limits)]

    assert list(LimitsPart.model_fields) == names
    assert set(BOUNDS) == set(names)
    for name, (low, high) in BOUNDS.items():
        assert low <= getattr(Limits(), name) <= high


def test_what_the_file_says_is_what_the_referee_does(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        """
        [server]
        data = "here"
        open = true
        durability = "power"
        second_session = "replace"
        [clock]
        turn = "250ms"
        grace = "10ms"
        [faults]
        timeout = "default_move"
        max_strikes = 7
        [limits]
        watchers = 3
        watch_delay_seconds = 1.5
        """,
    ).config()

    assert config.folder == Path("here")
    assert (config.open_mode, config.durability) == (True, "power")
    assert config.second_session is SecondSession.REPLACE
    assert (config.clock.bank, config.clock.turn_limit, config.clock.grace) == (None, 250000, 10000)
    assert config.policy.timeout.action is Action.DEFAULT_MOVE
    assert config.policy.max_strikes == 7
    assert (config.limits.watchers, config.limits.watch_delay_seconds) == (3, 1.5)


def test_flags_win_over_the_file_and_those_not_given_do_not(tmp_path: Path) -> None:
    file = read(tmp_path, "[server]\nport = 1\nhost = '::1'", port=2, host=None, open=True)

    assert (file.server.port, file.server.host, file.server.open) == (2, "::1", True)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[limits]\nwatcher = 1", "there is no key limits.watcher; did you mean watchers?"),
        ("[severs]\n", "there is no key severs; did you mean server?"),
        ("[clock]\nbanc = '1s'", "there is no key clock.banc; did you mean bank?"),
        ("[limits]\nsessions = 0", "limits: sessions is 0: it takes 1 to 1000000"),
        ("[limits]\nhello_seconds = nan", "limits: hello_seconds is nan: it takes 0.1 to 3600"),
        ("[limits]\nsessions = 'many'", "limits.sessions: Input should be a valid integer"),
        ("[clock]\nbank = '2 days'", "clock.bank: '2 days' is not a duration"),
        ("[clock]\ngrace = '11s'", "clock: grace is 11 s: it takes 0 s to 10 s"),
        ("[clock]\nbank = '1s'\nturn = '1s'", "clock: give either bank or turn, not both"),
        ("[faults]\nreconnect_time = '2000m'", "reconnect_time is 120000 s: it takes 0 s to"),
        ("[faults]\ntimeout = 'scold'", "faults.timeout: Input should be 'forfeit' or"),
        ("[server]\nport = 70000", "server.port: Input should be less than or equal to 65535"),
        ("[server]\ntls_cert = 'a'", "server: tls_cert and tls_key belong together: give both"),
        ("server = ", "referee.toml is not TOML: Invalid value"),
    ],
)
def test_p25_what_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(BadServeFile, match=re.escape(why)):
        read(tmp_path, text)


def test_a_bad_flag_is_named_as_a_flag(tmp_path: Path) -> None:
    with pytest.raises(BadServeFile, match=r"^--metrics-port: Input should be less than"):
        read(tmp_path, "", metrics_port=70000)


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadServeFile, match=r"cannot read nowhere\.toml: No such file"):
        read_serve_file(Path("nowhere.toml"), {})


def test_the_docs_have_every_key_with_its_default() -> None:
    settings = DOCS.read_text().split("## Looking after it")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", settings, re.MULTILINE))

    for part in PARTS[1:]:
        for name, field in part.model_fields.items():
            assert name in rows, f"{name} of {part.__name__}"
            if part is LimitsPart:
                assert rows[name] == f"`{field.default}`"
