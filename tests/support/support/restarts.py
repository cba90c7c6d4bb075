"""Tournaments that are killed and gone on with, and what must still be true afterwards."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harbourmaster.v1 import game_pb2
from harbourmaster.v1 import record_pb2 as pb
from harbourmaster_server.records import check_chain, read_record
from harbourmaster_server.records.journal import read_journal
from harbourmaster_server.replay import Replay
from harbourmaster_server.verify import verify_file
from harbourmaster_tournaments.ledger import GameRow, Ledger
from support.commands import PATIENT_TIMES, wait_until_gone
from support.patience import PATIENCE, wait_for
from support.witness import Sighting, digest, sightings

SUPPORT = Path(__file__).parents[1]


@dataclass(slots=True)
class Interrupted:
    """A tournament in *folder* between witnesses, whose process can be killed."""

    folder: Path
    groups: int = 2
    at_once: int = 2
    thought: float = 0.01
    fault: str = "none"
    clock: str = PATIENT_TIMES + 'increment = "0s"'
    seen: list[dict[str, list[bytes]]] = field(default_factory=list)
    """What the journal held of each match, at each kill."""

    @property
    def mark(self) -> str:
        """What marks the bots' processes."""
        return f"HARBOURMASTER_TEST={self.folder.name}"

    @property
    def into(self) -> Path:
        """The tournament's own folder."""
        return self.folder / "tournament"

    def write(self) -> Path:
        """Write the tournament file."""
        witness = (
            f"env {self.mark} PYTHONPATH={SUPPORT} python -m support.witness {self.folder / 'seen'}"
        )
        bots = "".join(f'[[bot]]\nname = "{name}"\ncommand = "{witness}"\n' for name in "ab")
        path = self.folder / "spring.toml"
        (self.folder / "seen").mkdir(exist_ok=True)
        (self.folder / "seen" / "seconds").write_text(str(self.thought))
        path.write_text(
            f'[tournament]\nname = "spring"\ngame = "anchorline"\ngroups = {self.groups}\n'
            f"matches_at_once = {self.at_once}\n[clock]\n{self.clock}\n{bots}"
        )
        return path

    def start(self) -> subprocess.Popen[str]:
        """Start the tournament, or go on with it."""
        file = self.write()
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "support.planted", self.fault),
                *("tournament", "run", str(file), "--into", str(self.into), "--json"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(SUPPORT)},
        )

    def kill(self, process: subprocess.Popen[str]) -> dict[str, list[bytes]]:
        """Kill *process* with -9; return what the journal then holds, by match."""
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert wait_until_gone(self.mark) == []
        held = {
            pb.RecordEntry.FromString(entries[0]).start.match_id: entries
            for entries in read_journal(self.into / "journal").values()
        }
        self.seen.append(held)
        return held

    def finish(self, process: subprocess.Popen[str]) -> None:
        """Wait until *process* came to a good end."""
        _, said = process.communicate(timeout=PATIENCE + 10 * self.groups)
        assert process.returncode == 0, said
        assert "Traceback" not in said
        assert wait_until_gone(self.mark) == []

    def sightings(self) -> list[Sighting]:
        """Return all that the bots were asked so far."""
        return list(sightings(self.folder / "seen"))

    def games(self) -> list[GameRow]:
        """Return the rows of the ledger."""
        with Ledger.open(self.into / "ledger.sqlite", own=False) as ledger:
            return ledger.games()

    def records(self) -> dict[str, list[bytes]]:
        """Return the entries of every record, by match."""
        return {path.stem: read_record(path) for path in (self.into / "records").glob("*.hmr")}


def wait_for_sightings(run: Interrupted, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until the bots were asked *count* decisions, all runs together, or all is over."""

    def enough() -> bool:
        return len(run.sightings()) >= count or process.poll() is not None

    wait_for(enough, f"{count} decisions")


def check_quota(run: Interrupted) -> None:
    """Insist that ledger, records and schedule tell of the same games, each decided once."""
    rows = run.games()
    planned = run.groups * 2
    assert [row.void_cause for row in rows] == [None] * planned
    assert sorted(row.number for row in rows) == list(range(1, planned + 1))
    assert not any(any(row.forfeits) for row in rows)
    assert sorted(run.records()) == sorted(row.match_id for row in rows)
    assert list((run.into / "sealed").glob("*")) == []
    for row in rows:
        verify_file(run.into / "records" / row.record)


def check_prefixes(run: Interrupted) -> None:
    """Insist that what each kill found is how the final record begins."""
    records = run.records()
    for held in run.seen:
        for match_id, entries in held.items():
            assert records[match_id][: len(entries)] == entries


def check_sightings(found: Sequence[Sighting], records: dict[str, list[bytes]]) -> None:
    """Insist that all that a bot was ever shown is in the final records, as it was shown."""
    shown: dict[tuple[str, int, int], Sighting] = {}
    for each in found:
        key = (each["match"], each["decision"], each["attempt"])
        before = shown.setdefault(key, each)
        assert (before["view"], before["offered"]) == (each["view"], each["offered"]), key
    for match_id in {each["match"] for each in found}:
        truth = views(records[match_id])
        for (match, decision, _), each in shown.items():
            if match == match_id:
                assert truth[decision] == (each["seat"], each["view"]), (match, decision)


def views(stored: Sequence[bytes]) -> dict[int, tuple[int, str]]:
    """Return, for every decision of a record, the seat and the view that it was asked with."""
    entries = check_chain(stored)
    replay = Replay(entries[0].start)
    found = {}
    for number, entry in enumerate(entries[1:], 2):
        if entry.WhichOneof("entry") == "move":
            seat, out = entry.move.seat, game_pb2.View()
            replay.terms.codec.write_view(replay.state.view(seat), out)
            view = getattr(out, out.WhichOneof("view") or "")
            found[entry.move.decision] = (seat, digest([view]))
        replay.take(number, entry)
    return found
