"""Folder, environment and words of a launched bot: what it needs, and none of our secrets."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harbourmaster_server.launching import BotExit, Launcher, LaunchSpec
from harbourmaster_server.launching.environment import ADDRESS, LAUNCH, TOKEN, bot_environment

if TYPE_CHECKING:
    from tests.server.launching.conftest import SpecOf


def run(spec: LaunchSpec) -> BotExit:
    """Launch a bot and wait for its own end."""

    async def launch() -> BotExit:
        async with Launcher() as bots:
            return await (await bots.launch(spec)).wait()

    return asyncio.run(launch())


SHOW = "import json, os; print(json.dumps(dict(os.environ)))"


def test_p55_address_and_token_reach_the_bot_and_no_secret_of_the_referee(
    spec_of: SpecOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HARBOURMASTER_ADMIN_TOKEN", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "referee-secret")
    monkeypatch.setenv("PYTHONPATH", "/some/where")
    monkeypatch.setenv("LC_TIME", "C")
    spec = spec_of(SHOW)
    given = {**spec.environment, ADDRESS: "10.0.0.7:4711", TOKEN: "bot-token"}
    seen = json.loads(run(replace(spec, environment=given)).stderr_tail)

    assert (seen[ADDRESS], seen[TOKEN]) == ("10.0.0.7:4711", "bot-token")
    assert (seen["PATH"], seen["PYTHONPATH"]) == (os.environ["PATH"], "/some/where")
    assert seen["LC_TIME"] == "C"
    assert "referee-secret" not in seen.values()
    assert {name for name in seen if name.startswith("HARBOURMASTER_")} == {
        ADDRESS,
        TOKEN,
        LAUNCH,
        "HARBOURMASTER_TEST",
    }


def test_the_token_is_in_no_command_line(spec_of: SpecOf) -> None:
    """Command lines can be read by every user of the machine, environments cannot."""
    source = "import glob; print(any(b'bot-' + b'token' in open(p, 'rb').read() for p in LINES))"
    source = source.replace("LINES", "glob.glob('/proc/[0-9]*/cmdline')")
    spec = spec_of(source)

    assert run(replace(spec, environment={TOKEN: "bot-token"})).stderr_tail == "False\n"


def test_additions_win_over_what_is_passed_through() -> None:
    own = {"PATH": "/bin", "LANG": "C", "SECRET": "s"}

    assert bot_environment(own, {"LANG": "de_DE"}, "7f", "/fresh") == {
        "PATH": "/bin",
        "LANG": "de_DE",
        "TMPDIR": "/fresh",
        LAUNCH: "7f",
    }


def test_each_launch_has_a_fresh_empty_folder_that_is_gone_afterwards(spec_of: SpecOf) -> None:
    source = """
import os, tempfile
print(os.getcwd(), os.listdir(), tempfile.gettempdir())
os.makedirs("deep/down")
open("deep/file", "w").close()
os.symlink("/etc", "deep/link")
os.symlink("/etc/passwd", "link")
"""
    first, second = (run(spec_of(source)).stderr_tail.split() for _ in range(2))

    assert first[0] == first[2]
    assert first[1] == "[]"
    assert first[0] != second[0]
    assert not Path(first[0]).exists()
    assert Path("/etc/passwd").exists()


def test_a_given_folder_is_used_and_kept(shell: SpecOf, tmp_path: Path) -> None:
    ending = run(replace(shell("pwd; echo note > kept"), folder=tmp_path))

    assert ending.stderr_tail == f"{tmp_path}\n"
    assert (tmp_path / "kept").read_text() == "note\n"


def test_a_command_means_the_same_as_where_it_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bots").mkdir()
    script = tmp_path / "bots" / "ada.py"
    script.write_text(f"#!{sys.executable}\nimport sys\nprint(sys.argv[1:])\n")
    script.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    for command in (f"{sys.executable} bots/ada.py --level 'very hard'", "bots/ada.py --level x"):
        ending = run(LaunchSpec(name="Ada", command=command))
        assert ending.exit_code == 0, ending.stderr_tail
        assert ending.stderr_tail.startswith("['--level', ")


def test_words_that_are_no_files_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    spec = LaunchSpec(name="Ada", command=["bot", "folder", "--x=1", "a" * 5000, "nul\0"])

    assert spec.words(tmp_path) == ["bot", "folder", "--x=1", "a" * 5000, "nul\0"]


def test_a_bot_reads_nothing_from_the_terminal(shell: SpecOf) -> None:
    assert run(shell("read line || echo end of file")).stderr_tail == "end of file\n"


INTERNAL = 0b11 << 31
"""Signals 32 and 33 are the C library's own: it may block or ignore them, and nobody else can."""


def test_signals_are_as_a_program_expects_them(shell: SpecOf) -> None:
    """None is blocked, and none is ignored as in a referee that a shell put into the background."""
    before = signal.signal(signal.SIGQUIT, signal.SIG_IGN)
    try:
        ending = run(shell("exec grep -E 'SigBlk|SigIgn' /proc/self/status"))
    finally:
        signal.signal(signal.SIGQUIT, before)

    _, blocked, _, ignored = ending.stderr_tail.split()
    assert int(blocked, 16) & ~INTERNAL == 0
    assert int(ignored, 16) & ~INTERNAL == 0
