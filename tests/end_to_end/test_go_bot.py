"""The bot in Go, built from generated code alone, plays a tournament like any other."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harbourmaster.v1 import record_pb2
from harbourmaster_server.records import read_record
from harbourmaster_tournaments.ledger import Ledger
from support.commands import GREEDY, PATIENT_CLOCK, RANDOM, harbourmaster

CLIENT = Path(__file__).parents[2] / "clients" / "go"


@pytest.fixture(scope="module")
def gopher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built bot."""
    go = shutil.which("go")
    if go is None:
        if os.environ.get("HARBOURMASTER_REQUIRE_GO"):
            pytest.fail("there is no Go toolchain, and HARBOURMASTER_REQUIRE_GO is set")
        pytest.skip("there is no Go toolchain: the bot in Go cannot be built")
    binary = tmp_path_factory.mktemp("go") / "anchorline-bot"
    build = [go, "build", "-buildvcs=false", "-o", str(binary), "./cmd/anchorline-bot"]
    subprocess.run(build, cwd=CLIENT, check=True, timeout=600)
    return binary


@pytest.mark.timeout(700)
def test_it_finishes_a_tournament_without_forfeits_and_sends_typed_moves(
    gopher: Path, tmp_path: Path
) -> None:
    bots = {"gopher": str(gopher), "greedy": GREEDY, "random": RANDOM}
    file = tmp_path / "test.toml"
    head = '[tournament]\nname = "go"\ngame = "anchorline"\n' + PATIENT_CLOCK
    parts = [f"[[bot]]\nname = \"{name}\"\ncommand = '{cmd}'\n" for name, cmd in bots.items()]
    file.write_text(head + "\n".join(parts))
    folder = tmp_path / "run"
    done = harbourmaster("tournament", "run", str(file), "--into", str(folder), "--json")
    (table,) = json.loads(done.stdout)

    assert all(not row["forfeits"] for row in table["rows"])
    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        rows = [row for row in ledger.results() if "gopher" in row.entrants]
    assert len(rows) == 4
    for row in rows:
        seat = row.entrants.index("gopher")
        assert typed_moves(folder / "records" / row.record, seat) > 0


def typed_moves(path: Path, seat: int) -> int:
    """Return how many moves of *seat* have the note that the bot writes on typed moves."""
    entries = [record_pb2.RecordEntry.FromString(data) for data in read_record(path)]
    moves = [entry.move for entry in entries if entry.WhichOneof("entry") == "move"]
    return sum(move.note.startswith("scores ") for move in moves if move.seat == seat)
