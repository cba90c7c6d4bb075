"""The bots of the documents play as they stand there."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from support.certificates import make_certificate
from support.commands import HARBOURMASTER, PATIENT_CLOCK, RANDOM, harbourmaster, play, stop
from support.patience import PATIENCE, wait_for
from support.repository import ROOT, blocks

PAGE: Final = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
NAMED: Final = re.compile(r"# (\w+\.py)\n")


def named(page: str) -> dict[str, str]:
    """Return the programs of a page that begin with their name."""
    found = ((NAMED.match(code), code) for code in blocks(page, "python"))
    return {name[1]: code for name, code in found if name is not None}


BOTS: Final = named(PAGE)


def test_the_page_has_its_bots() -> None:
    assert list(BOTS) == ["my_bot.py", "typed_bot.py", "careful_bot.py", "raw_bot.py"]


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_of_the_documents_plays_a_match_to_its_end(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text(BOTS[name], encoding="utf-8")

    facts = play(f"{sys.executable} {file}", RANDOM)

    assert [seat["reason"] for seat in facts["seats"]] == ["rules", "rules"]


def test_the_bot_of_wild_rummy_plays_its_game_to_the_end(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "games" / "wild_rummy.md").read_text(encoding="utf-8")
    file = tmp_path / "rummy_bot.py"
    file.write_text(named(page)["rummy_bot.py"], encoding="utf-8")
    bots = ("--bot", f"{sys.executable} {file}", "--bot", RANDOM, "--option", "rounds=2")
    patient = ("--connect-time", f"{PATIENCE:g}s", "--ready-time", f"{PATIENCE:g}s", "--no-clock")
    facts = json.loads(harbourmaster("play", "wild_rummy", *bots, *patient, "--json").stdout)

    assert [seat["reason"] for seat in facts["seats"]] == ["rules", "rules"]


class Serving:
    """A referee in a process of its own that takes TLS, and programs that call it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.certificate, key = make_certificate(folder)
        listening = ("--tls-cert", str(self.certificate), "--tls-key", str(key), "--port", "0")
        self.process = subprocess.Popen(
            [*HARBOURMASTER, "serve", "--data", str(self.data), *listening],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().removeprefix("listening on ").strip()

    def close(self) -> None:
        """End it."""
        stop(self.process)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def token(self, right: str) -> str:
        """Issue a token with a right."""
        named = ("token", "issue", f"for-{right}", "--right", right, "--data", str(self.data))
        return harbourmaster(*named).stdout.strip()

    def call(self, token: str, *command: str) -> subprocess.Popen[str]:
        """Start a program that calls it with *token*."""
        environment = {
            "HARBOURMASTER_ADDRESS": self.address,
            "HARBOURMASTER_TLS": str(self.certificate),
            "HARBOURMASTER_TOKEN": token,
            "PYTHONUNBUFFERED": "1",
        }
        return subprocess.Popen(
            [sys.executable, *command],
            cwd=self.folder,
            env=os.environ | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    started = Serving(tmp_path)
    yield started
    started.close()


def said(program: subprocess.Popen[str]) -> str:
    """Return what *program* printed until its end, which must be a good one."""
    out, err = program.communicate(timeout=PATIENCE)
    assert program.returncode == 0, err
    return out


def test_the_programs_for_organisers_make_a_tournament_with_tls_and_watch_its_match(
    serving: Serving, tmp_path: Path
) -> None:
    page = (ROOT / "docs" / "run-a-competition.md").read_text(encoding="utf-8")
    for name, code in named(page).items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    tournament = '[tournament]\nname = "spring"\ngame = "anchorline"\nrotation = false\n'
    launched = f'[[bot]]\nname = "a"\ncommand = "{RANDOM}"\n'
    definition = tournament + PATIENT_CLOCK + launched + '[[bot]]\nname = "b"\n'
    (tmp_path / "spring.toml").write_text(definition)
    admin = serving.token("admin")
    command = ("-m", "harbourmaster_tournaments.cli", "tournament")
    begun = said(serving.call(admin, *command, "create", "spring.toml"))
    ids: list[str] = []

    def found() -> bool:
        status = serving.call(admin, "-m", "harbourmaster_tournaments.cli", "status", "--json")
        matches = json.loads(said(status))["matches"]
        ids.extend(match["matchId"] for match in matches)
        return bool(ids)

    wait_for(found, "the match")
    watching = serving.call(serving.token("watch"), "watch_match.py", ids[0])
    token = (serving.data / "tournaments" / "spring" / "tokens" / "b.token").read_text().strip()
    assert watching.stdout is not None
    first = watching.stdout.readline()
    bot = serving.call(token, "-m", "harbourmaster", "bot", "random")
    try:
        seen = said(watching)
    finally:
        bot.kill()
        bot.communicate()

    assert re.fullmatch(r"begun: spring\nseed commitment [0-9a-f]{64}\n", begun)
    assert first.startswith("match {")
    assert seen.splitlines()[-1].startswith("Anchorline ended by ")
