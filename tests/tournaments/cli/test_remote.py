"""`serve --config`, and the commands that ask the referee which runs there."""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster.v1 import match_service_pb2_grpc
from harbourmaster_server.records.chain import frame
from harbourmaster_server.verify import verify_file
from support.commands import HARBOURMASTER, RANDOM, harbourmaster, stop
from support.patience import PATIENCE
from support.records import play_some
from support.served import run_served, serve


class Server:
    """A referee in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder
        assert process.stdout is not None
        self.address = process.stdout.readline().removeprefix("listening on ").strip()
        self.metrics = process.stdout.readline().removeprefix("metrics on ").strip()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A referee that is run by a file, in open mode."""
    file = tmp_path / "referee.toml"
    file.write_text(
        f'[server]\nport = 1\nopen = true\nmetrics_port = 0\ndata = "{tmp_path / "data"}"\n'
    )
    command = [*HARBOURMASTER, "serve", "--config", str(file), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        yield Server(process, tmp_path)
        stop(process)


def test_status_and_metrics_show_who_is_there(server: Server) -> None:
    environment = os.environ | {"HARBOURMASTER_ADDRESS": server.address}
    bot = subprocess.Popen(
        [*HARBOURMASTER[:1], *RANDOM.split()[1:]], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + PATIENCE
        sessions: list[dict[str, object]] = []
        while not sessions and time.monotonic() < end:
            found = harbourmaster("status", "--address", server.address, "--json")
            sessions = json.loads(found.stdout)["sessions"]
        assert [(s["bot"], s["connected"]) for s in sessions] == [("random", True)]
        text = harbourmaster("status", "--address", server.address).stdout
        assert "0 matches finished, 0 decisions, 0 watchers" in text
        assert re.search(r"random .*there", text)
        metrics = urlopen(server.metrics, timeout=PATIENCE).read().decode()
        assert 'harbourmaster_sessions{state="connected"} 1.0' in metrics
    finally:
        bot.terminate()
        bot.wait(PATIENCE)


@pytest.mark.parametrize(
    "command", [["pause", "no-such"], ["resume", "no-such"], ["record", "fetch", "no-such"]]
)
def test_an_unknown_match_is_refused_in_a_sentence(server: Server, command: list[str]) -> None:
    done = harbourmaster(*command, "--address", server.address, check=False)

    assert done.returncode == 1
    assert done.stderr == "harbourmaster: the referee refused: there is no match 'no-such'\n"


def test_no_referee_is_told_in_a_sentence() -> None:
    done = harbourmaster("status", "--address", "127.0.0.1:1", check=False)

    assert done.returncode == 1
    assert done.stderr.startswith("harbourmaster: no referee answers at 127.0.0.1:1: ")
    assert done.stderr.count("\n") == 1


def test_a_fetched_record_is_the_record(tmp_path: Path) -> None:
    play_some(tmp_path, "anchorline", 6)
    (path,) = (tmp_path / "records").glob("*.hmr")

    async def work() -> bytes:
        async with serve(tmp_path) as served:
            matches = match_service_pb2_grpc.MatchServiceStub(served.channel)
            asked = pb.StreamRecordRequest(match_id=path.stem)
            call = matches.StreamRecord(asked, metadata=served.token("bot0", "play"))
            return b"".join(
                [frame(e.SerializeToString()) async for part in call for e in part.entries]
            )

    assert run_served(work()) == path.read_bytes()
    assert verify_file(path).moves == 6


def test_a_program_is_told_where_the_fetched_record_is(server: Server, tmp_path: Path) -> None:
    play_some(tmp_path / "other", "anchorline", 6)
    (played,) = (tmp_path / "other" / "records").glob("*.hmr")
    kept = server.folder / "data" / "records"
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copy(played, kept)
    into = tmp_path / "fetched"

    done = harbourmaster(
        *("record", "fetch", played.stem, "--address", server.address),
        *("--into", str(into), "--json"),
    )

    told = json.loads(done.stdout)
    assert told["match_id"] == played.stem
    assert Path(told["file"]).read_bytes() == played.read_bytes()
    assert told["entries"] == verify_file(played).entries
