"""Where a bot dials and who it is, from arguments and from the environment."""

import sys
from pathlib import Path
from typing import Any

import pytest

import harbourmaster
from harbourmaster import _settings
from support.fake_referee import Call, FakeReferee, welcome


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HARBOURMASTER_ADDRESS", "HARBOURMASTER_TOKEN", "HARBOURMASTER_TLS"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("given", "dialled"),
    [
        (None, "localhost:50111"),
        ("example.org", "example.org:50111"),
        ("example.org:7", "example.org:7"),
        (" 127.0.0.1:7 ", "127.0.0.1:7"),
        ("[::1]:7", "[::1]:7"),
        ("[::1]", "[::1]:50111"),
        ("::1", "[::1]:50111"),
        ("unix:/tmp/socket", "unix:/tmp/socket"),
    ],
)
def test_an_address_is_completed(given: str | None, dialled: str) -> None:
    assert _settings.settled_address(given) == dialled


@pytest.mark.parametrize(
    "given", ["http://example.org:7", "host:port", "host:0", "host:70000", ":7", "[::1:7", "a b:7"]
)
def test_a_bad_address_is_an_error_that_shows_a_good_one(given: str) -> None:
    with pytest.raises(harbourmaster.errors.BadSetting, match="localhost:50111"):
        _settings.settled_address(given)


def test_the_environment_is_asked_where_no_argument_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOURMASTER_ADDRESS", "example.org:7")
    monkeypatch.setenv("HARBOURMASTER_TOKEN", "from-environment\n")
    monkeypatch.setenv("HARBOURMASTER_TLS", "1")
    assert _settings.settled_address(None) == "example.org:7"
    assert _settings.settled_address("other:8") == "other:8"
    assert _settings.settled_token(None) == "from-environment"
    assert _settings.settled_token("argument") == "argument"
    assert _settings.settled_tls(None) is True
    assert _settings.settled_tls(False) is False
    monkeypatch.setenv("HARBOURMASTER_TLS", __file__)
    assert _settings.settled_tls(None) == Path(__file__)


def test_address_and_token_of_the_environment_reach_the_referee(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def script(call: Call) -> None:
        assert call.metadata["authorization"] == "Bearer secret"

    with FakeReferee(script) as referee:
        monkeypatch.setenv("HARBOURMASTER_ADDRESS", referee.address)
        monkeypatch.setenv("HARBOURMASTER_TOKEN", "secret")
        harbourmaster.play(lambda decision: 0, log=None)


@pytest.mark.parametrize("listening", ["127.0.0.1", "[::1]"])
def test_localhost_finds_a_referee_on_either_family(listening: str) -> None:
    """P10: a referee on 127.0.0.1 or on ::1 alone is found as localhost."""

    reached = []

    def script(call: Call) -> None:
        reached.append(call)
        call.send(welcome=welcome())

    with FakeReferee(script, script, address=f"{listening}:0") as referee:
        for host in (listening, "localhost"):
            harbourmaster.play(lambda decision: 0, address=f"{host}:{referee.port}", log=None)
    assert len(reached) == 2


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("grpc_proxy", "http://127.0.0.1:9")
    reached: list[Call] = []
    with FakeReferee(reached.append) as referee:
        harbourmaster.play(lambda decision: 0, address=referee.address, log=None, reconnect=False)
    assert len(reached) == 1


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("open_matches", 0, "open_matches is 0"),
        ("open_decisions", -1, "open_decisions is -1"),
        ("tls", "/no/such/file.pem", "no file /no/such/file.pem"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(option: str, value: object, says: str) -> None:
    options: dict[str, Any] = {option: value}
    with pytest.raises(harbourmaster.errors.BadSetting, match=says):
        harbourmaster.play(lambda decision: 0, log=None, **options)


def test_the_token_is_not_shown() -> None:
    assert "secret" not in repr(_settings.Settings(address="a:1", token="secret", name="n"))


def test_the_name_is_that_of_the_program_where_none_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["/home/me/my_bot.py"])
    assert _settings.settled_name(None) == "my_bot"
    assert _settings.settled_name("ada") == "ada"
    monkeypatch.setattr(sys, "argv", [""])
    assert _settings.settled_name(None) == "bot"


def test_main_takes_the_command_line_over_what_the_program_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(call: Call) -> None:
        assert (call.hello.name, call.hello.open_matches) == ("ada", 3)
        assert call.metadata["authorization"] == "Bearer secret"

    with FakeReferee(script) as referee:
        command = ["bot.py", "--address", referee.address, "--name", "ada", "--open-matches", "3"]
        monkeypatch.setattr(sys, "argv", [*command, "--token", "secret"])
        harbourmaster.main(lambda decision: 0, name="program", open_matches=2)
    assert "connected" not in capsys.readouterr().out


def test_main_ends_in_one_sentence_and_exit_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bot.py", "--address", "not good"])
    with pytest.raises(SystemExit) as ending:
        harbourmaster.main(lambda decision: 0)
    assert str(ending.value.code).startswith("harbourmaster: the address 'not good' is not good")
