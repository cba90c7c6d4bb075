"""`tournament create`, `pause` and `watch`: tournaments on a serving referee."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import HARBOURMASTER, RANDOM, harbourmaster, stop

TWO = f"""
[tournament]
name = "spring"
game = "anchorline"
groups = 1
[clock]
bank = "60m"
connect_time = "60m"
ready_time = "60m"
[[bot]]
name = "one"
command = "{RANDOM}"
[[bot]]
name = "two"
command = "{RANDOM}"
"""


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """The address of a referee in open mode."""
    data = ("--data", str(tmp_path / "data"))
    command = [*HARBOURMASTER, "serve", "--open", "--port", "0", *data]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("listening on ").strip()
        stop(process)


def on(address: str, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    return harbourmaster("tournament", *command, "--address", address, check=check)


def test_a_tournament_is_created_paused_let_go_on_and_watched_to_its_end(
    address: str, tmp_path: Path
) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(TWO)

    begun = json.loads(on(address, "create", str(file), "--json").stdout)
    paused = on(address, "pause", "spring").stdout
    gone_on = on(address, "pause", "spring", "--off").stdout
    watched = on(address, "watch", "spring", "--json").stdout
    steps = list(map(json.loads, watched.splitlines()))

    assert (begun["tournament"], len(begun["seed_commitment"])) == ("spring", 64)
    assert paused.startswith("spring starts no more games; ")
    assert gone_on.startswith("spring goes on; ")
    assert steps[-1]["over"]
    assert steps[-1]["games_done"] == steps[-1]["games_planned"] == 2
    table = tmp_path / "data" / "tournaments" / "spring"
    assert "one" in harbourmaster("tournament", "table", str(table)).stdout


def test_what_is_not_there_or_there_already_is_told_in_a_sentence(
    address: str, tmp_path: Path
) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(TWO)
    on(address, "create", str(file))

    again = on(address, "create", str(file), check=False)
    unknown = on(address, "watch", "autumn", check=False)
    file.write_text("[tournament]")
    bad = on(address, "create", str(file), check=False)
    nobody = on("127.0.0.1:1", "pause", "spring", check=False)

    assert "there is a tournament spring already" in again.stderr
    assert "there is no tournament 'autumn' here: there is spring" in unknown.stderr
    assert "tournament.name" in bad.stderr
    assert "no referee answers at 127.0.0.1:1" in nobody.stderr
    for done in (again, unknown, bad, nobody):
        assert done.returncode == 1
        assert "Traceback" not in done.stderr


def test_watching_a_tournament_that_stops_fails_and_says_why(address: str, tmp_path: Path) -> None:
    file = tmp_path / "spring.toml"
    file.write_text(TWO.replace(f'"{RANDOM}"', '"/no/such/bot"', 1))
    on(address, "create", str(file))

    watched = on(address, "watch", "spring", "--json", check=False)
    last = json.loads(watched.stdout.splitlines()[-1])

    assert watched.returncode == 1
    assert "the tournament spring stopped: bot 'one': cannot run '/no/such/bot'" in watched.stderr
    assert not last["over"]
    assert "/no/such/bot" in last["stopped"]
