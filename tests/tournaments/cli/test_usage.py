"""What the command line says of itself, and of commands that are written wrongly."""

import errno
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console

from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster_tournaments.cli import main as main_module
from harbourmaster_tournaments.cli import remote
from harbourmaster_tournaments.cli.main import app, main


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path of *command* and of all commands below it."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, (*path, name))


ALL = list(commands(typer.main.get_command(app)))


def said(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Run the command line here; return the exit code and what it printed."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    found = capfd.readouterr()
    assert isinstance(ended.value.code, int)
    return ended.value.code, found.out, found.err


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_help_has_an_example_and_cuts_no_sentence_off(
    path: tuple[str, ...], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = said(capfd, *path, "--help")

    assert code == 0
    assert re.search(" ".join(("Example: harbourmaster", *path)), out)
    assert "..." not in out.partition("\n")[2]
    assert "--no-no-" not in out


def test_without_a_command_the_help_is_shown_as_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capfd)

    assert code == 1
    assert err.startswith("Usage: harbourmaster [OPTIONS] COMMAND")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["watch"], "No such command 'watch'. See harbourmaster --help"),
        (["bench", "games"], "No such command 'games'. See harbourmaster bench --help"),
        (["games", "--all"], "No such option: --all. See harbourmaster games --help"),
        (
            ["play", "anchorline", "--bot", "x"],
            "anchorline has 2 seats, not 1: give --bot once for each seat",
        ),
    ],
)
def test_a_wrong_command_is_told_where_to_look(
    arguments: list[str], sentence: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert said(capfd, *arguments) == (1, "", f"harbourmaster: {sentence}\n")


def test_games_shows_defaults_and_says_what_its_marks_mean(
    capfd: pytest.CaptureFixture[str],
) -> None:
    code, out, _ = said(capfd, "games")

    assert code == 0
    assert "rounds: how many rounds, from wild aces on; default 13\n" in out
    assert "; default 200 with 2 seats and no other option" in out
    assert out.splitlines()[-1].startswith("(decided here): the game's own text leaves it open")


def test_status_shows_the_whole_id_of_a_match_on_a_narrow_terminal() -> None:
    waits = [
        pb.WaitedFor(
            seat=seat,
            bot=f"bot-{seat}@d5fb90f5f6b50889.{seat}",
            reason=pb.WAIT_REASON_NOT_CONNECTED,
        )
        for seat in range(4)
    ]
    status = pb.MatchStatus(match_id="d5fb90f5f6b50889", game="wild_rummy", waits=waits)
    narrow = Console(width=80)
    with narrow.capture() as shown:
        narrow.print(remote._matches([status]))

    assert shown.get().count("d5fb90f5f6b50889") == 1
    assert "(bot-3)" in shown.get()


def test_status_without_sessions_and_matches_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    remote._show(pb.GetStatusResponse())

    assert capfd.readouterr().out.endswith("no sessions\nno open matches\n")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"x = '\xff'", "it is not UTF-8 text"),
        (b"x = " + b"[" * 3000, "it is nested too deeply"),
        (b"x = 1" + b"0" * 5000, "is not TOML"),
        (b"[clock]\nbank = inf", "clock.bank: 'inf' is no duration"),
        (b"[clock]\nbank = nan", "clock.bank: 'nan' is no duration"),
        (b"[clock]\nbank = 1" + b"0" * 400, "is no duration"),
        (b"[clock]\nbank = '" + b"9" * 400 + b"s'", "is no duration"),
    ],
)
def test_a_file_that_no_number_or_text_fits_is_refused_in_a_sentence(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, content: bytes, words: str
) -> None:
    file = tmp_path / "bad.toml"
    file.write_bytes(content)

    for command in (("serve", "--config"), ("tournament", "run")):
        code, _, err = said(capfd, *command, str(file))
        assert code == 1
        assert err.startswith("harbourmaster: ")
        assert err.count("\n") == 1
    # The referee's file has no other part that could be missing.
    code, _, err = said(capfd, "serve", "--config", str(file))
    assert words in err


@pytest.mark.parametrize("rating", ["nan", "inf", "-inf", "1e9"])
def test_an_anchor_has_a_rating_that_is_a_number(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, rating: str
) -> None:
    games = tmp_path / "games.jsonl"
    game = {"number": 1, "pool": "p", "group": "g", "entrants": ["a", "b"], "placements": [1, 2]}
    games.write_text(json.dumps(game))

    code, _, err = said(capfd, "tournament", "table", str(games), "--anchor", f"a={rating}")

    assert code == 1
    assert "write BOT=RATING" in err


def test_what_the_disk_refuses_is_told_in_a_sentence_and_what_is_a_bug_is_not(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(error: Exception) -> None:
        def fails(**_: object) -> None:
            raise ExceptionGroup("tasks", [error])

        monkeypatch.setattr(main_module, "games", fails)

    planted(OSError(errno.ENOSPC, "No space left on device", "ledger.lock"))
    code, _, err = said(capfd, "games")
    assert (code, err) == (
        1,
        "harbourmaster: ledger.lock: No space left on device: see to it, then try again\n",
    )
    planted(OSError(errno.EBADF, "Bad file descriptor"))
    with pytest.raises(ExceptionGroup):
        main(["games"])
