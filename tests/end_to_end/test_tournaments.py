"""Whole tournaments by command: every format, its tables, rulings, and the service."""

import asyncio
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from harbourmaster.v1 import tournament_service_pb2 as pb
from harbourmaster.v1 import tournament_service_pb2_grpc
from harbourmaster_server.verify import verify_file
from harbourmaster_tournaments.ledger import Ledger
from harbourmaster_tournaments.schedules import check_commitment
from support.commands import (
    GREEDY,
    HARBOURMASTER,
    PATIENT_CLOCK,
    RANDOM,
    faulty,
    harbourmaster,
    stop,
)

FAST = 'process = "per_tournament"\nmatches_at_once = 2\n'


def definition(
    bots: dict[str, str], tournament: str = "", *, game: str = "anchorline", more: str = ""
) -> str:
    """Return a tournament file."""
    clock = "" if "[clock]" in more else PATIENT_CLOCK
    lines = [f'[tournament]\nname = "test"\ngame = "{game}"\n{FAST}{tournament}', clock, more]
    lines += [f"[[bot]]\nname = \"{name}\"\ncommand = '{cmd}'" for name, cmd in bots.items()]
    return "\n".join(lines) + "\n"


def run(tmp_path: Path, text: str) -> list[dict[str, Any]]:
    """Run the tournament of *text* in the folder `run` and return its tables."""
    file = tmp_path / "test.toml"
    file.write_text(text)
    done = harbourmaster("tournament", "run", str(file), "--into", str(tmp_path / "run"), "--json")
    tables: list[dict[str, Any]] = json.loads(done.stdout)
    return tables


def three() -> dict[str, str]:
    return {"greedy": GREEDY, "one": f"{RANDOM} --seed 1", "two": f"{RANDOM} --seed 2"}


def test_p46_a_round_robin_with_faulty_bots_comes_to_its_end_with_every_game_once(
    tmp_path: Path,
) -> None:
    bots = three() | {"crashes": faulty("crash", "--after", "4"), "absent": "sleep 1000"}
    clock = '[clock]\nbank = "100s"\nconnect_time = "15s"\n[faults]\nreconnect_time = "300ms"'
    (table,) = run(tmp_path, definition(bots, "quarantine_after = 2", more=clock))

    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        rows = ledger.games()
        planned = ledger.planned()
    assert sorted(row.number for row in rows) == [game.number for game in planned]
    assert len(rows) == 5 * 4
    assert sum(row["games"] for row in table["rows"]) == 2 * len(rows)
    forfeits = {row["bot"]: row["forfeits"] for row in table["rows"]}
    assert set(forfeits["absent"]) == {"not_connected", "quarantined"}
    assert "disconnected" in forfeits["crashes"]
    assert all(not forfeits[name] for name in three())


def test_t58_the_table_comes_at_every_multiple_however_many_games_run_at_once(
    tmp_path: Path,
) -> None:
    file = tmp_path / "test.toml"
    text = definition({"greedy": GREEDY, "one": RANDOM}, "groups = 10")
    file.write_text(text.replace("matches_at_once = 2", "matches_at_once = 8"))
    done = harbourmaster(
        *("tournament", "run", str(file), "--into", str(tmp_path / "run"), "--table-every", "6")
    )

    assert re.findall(r"^after (\d+) games$", done.stderr, re.MULTILINE) == ["6", "12", "18"]
    counts = re.findall(r"greedy │ [^│]* │ [^│]* │ +(\d+) │", done.stderr)
    assert counts == ["6", "12", "18"]
    assert "│    20 │" in done.stdout


def test_t21_records_ledger_and_table_agree_and_every_record_verifies(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    folder = tmp_path / "run"
    key = bytes.fromhex((folder / "referee.pub").read_text())

    with Ledger.open(folder / "ledger.sqlite", own=False) as ledger:
        rows = ledger.results()
    reports = {row.match_id: verify_file(folder / "records" / row.record, key) for row in rows}
    assert len(reports) == len(rows) == len(list((folder / "records").iterdir())) == 6
    assert not list((folder / "sealed").iterdir())


def test_the_commitment_made_at_the_start_fits_the_seed_told_at_the_end(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    told = json.loads((tmp_path / "run" / "reveal.json").read_text())

    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        committed = ledger.terms()["commitment"]
    assert told["commitment"] == committed
    assert check_commitment(
        bytes.fromhex(committed),
        "test",
        bytes.fromhex(told["salt"]),
        bytes.fromhex(told["seed"]),
    )


@pytest.mark.parametrize(
    ("tournament", "games"),
    [
        pytest.param('format = "gauntlet"\nseeds = ["greedy"]', 4, id="gauntlet"),
        pytest.param('format = "swiss"\nrounds = 2', 4, id="swiss"),
        pytest.param('format = "knockout"', 4, id="knockout"),
        pytest.param("rotation = false", 3, id="no rotation"),
        pytest.param("groups = 2\nsame_deals = true", 12, id="the same deals for everybody"),
    ],
)
def test_every_format_plays_what_it_plans(tmp_path: Path, tournament: str, games: int) -> None:
    (table,) = run(tmp_path, definition(three(), tournament))

    assert table["games"] >= games
    # Who is first in so few games is a matter of luck.
    assert {row["bot"] for row in table["rows"]} == {"greedy", "one", "two"}


def test_tables_of_three_play_every_seating(tmp_path: Path) -> None:
    tournament = 'format = "free_for_all"\nseats = 3\n[tournament.options]\nrounds = 1'
    (table,) = run(tmp_path, definition(three(), tournament, game="wild_rummy"))

    assert table["games"] == 3
    assert [seat["games"] for seat in table["rows"][0]["seats"]] == [1, 1, 1]


def test_t36_a_sequential_test_ends_by_itself_without_a_number_of_games(tmp_path: Path) -> None:
    bots = {"greedy": GREEDY, "random": RANDOM}
    (table,) = run(tmp_path, definition(bots, more="[sprt]\nelo0 = 0\nelo1 = 300"))

    assert 4 <= table["games"] < 200


def test_t25_a_second_run_in_the_same_folder_plays_nothing_twice(tmp_path: Path) -> None:
    first = run(tmp_path, definition(three()))
    second = run(tmp_path, definition(three()))

    assert first == second


def test_other_terms_in_the_same_folder_are_refused_in_a_sentence(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    file = tmp_path / "test.toml"
    file.write_text(definition(three(), "groups = 2"))
    done = harbourmaster(
        "tournament", "run", str(file), "--into", str(tmp_path / "run"), check=False
    )

    assert done.returncode == 1
    assert "groups" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_change_that_cannot_be_scheduled_is_refused_before_it_is_recorded(
    tmp_path: Path,
) -> None:
    """Nobody joins a knockout late, not even by force; the tournament stays as it was."""
    bots = {"greedy": GREEDY, "one": f"{RANDOM} --seed 1"}
    knockout = 'format = "knockout"'
    run(tmp_path, definition(bots, knockout))
    folder = str(tmp_path / "run")
    file = tmp_path / "test.toml"
    file.write_text(definition(three(), knockout))
    done = harbourmaster(
        "tournament", "run", str(file), "--into", folder, "--force", "late", check=False
    )

    assert done.returncode == 1
    assert "two cannot join a knockout that has begun" in done.stderr
    assert "Traceback" not in done.stderr
    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        assert [entrant.name for entrant in ledger.entrants()] == list(bots)
    assert harbourmaster("tournament", "resume", folder, check=False).returncode == 0


def test_a_file_that_was_corrected_before_the_first_game_is_the_one_that_resume_takes(
    tmp_path: Path,
) -> None:
    file, folder = tmp_path / "test.toml", tmp_path / "run"
    apart = 'owners_apart = true\nformat = "{}"'
    text = definition(three(), apart).replace("[[bot]]", '[[bot]]\nowner = "ann"')
    file.write_text(text.format("knockout"))
    done = harbourmaster("tournament", "run", str(file), "--into", str(folder), check=False)
    file.write_text(definition(three(), 'format = "swiss"\nrounds = 1'))
    harbourmaster("tournament", "run", str(file), "--into", str(folder))

    assert "cannot keep two bots of one owner apart" in done.stderr
    assert harbourmaster("tournament", "resume", str(folder), check=False).returncode == 0


def test_where_all_bots_are_of_one_owner_who_are_kept_apart_there_is_no_game_and_it_says_so(
    tmp_path: Path,
) -> None:
    file, folder = tmp_path / "test.toml", tmp_path / "run"
    text = definition(three(), "owners_apart = true")
    file.write_text(text.replace("[[bot]]", '[[bot]]\nowner = "ann"'))
    done = harbourmaster("tournament", "run", str(file), "--into", str(folder), check=False)

    assert done.returncode == 1
    assert "there is no game to play: all bots are of ann" in done.stderr


def test_t31_a_command_that_does_not_exist_is_an_error_and_no_game(tmp_path: Path) -> None:
    file = tmp_path / "test.toml"
    file.write_text(definition({"good": RANDOM, "broken": "/no/such/bot"}))
    done = harbourmaster(
        "tournament", "run", str(file), "--into", str(tmp_path / "run"), check=False
    )

    assert done.returncode == 1
    assert "/no/such/bot" in done.stderr
    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        assert ledger.games() == []


def test_a_game_that_is_ruled_void_is_played_again_on_resuming(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    folder = str(tmp_path / "run")
    harbourmaster("tournament", "rule", "void", folder, "--game", "3", "--why", "a power cut")
    before = json.loads(harbourmaster("tournament", "table", folder, "--json").stdout)
    harbourmaster("tournament", "resume", folder, "--json")
    (after,) = json.loads(harbourmaster("tournament", "table", folder, "--json").stdout)

    assert sum(table["games"] for table in before) < 6
    assert after["games"] == 6
    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        assert sorted(row.attempt for row in ledger.results()) == [1, 1, 1, 1, 2, 2]


def test_the_table_of_an_exported_file_is_the_tournaments(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    folder = str(tmp_path / "run")
    exported = tmp_path / "games.jsonl"
    exported.write_text(harbourmaster("tournament", "export", folder).stdout)

    for form in ("json", "csv", "markdown"):
        one = harbourmaster("tournament", "table", folder, "--format", form).stdout
        other = harbourmaster("tournament", "table", str(exported), "--format", form).stdout
        assert one == other
        assert "greedy" in one


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[str]:
    """The address of a referee in open mode."""
    process = subprocess.Popen(
        [*HARBOURMASTER, "serve", "--open", "--port", "0", "--data", str(tmp_path / "data")],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split()[-1]
    finally:
        stop(process)
        process.stdout.close()


def test_a_tournament_is_made_watched_paused_and_read_over_the_service(referee: str) -> None:
    async def work() -> tuple[list[pb.TournamentProgress], pb.GetTableResponse]:
        async with grpc.aio.insecure_channel(referee) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            text = definition(three())
            made = await stub.CreateTournament(pb.CreateTournamentRequest(definition=text))
            assert len(made.progress.seed_commitment) == 32
            for paused in (True, False):
                request = pb.PauseTournamentRequest(tournament="test", paused=paused)
                response = await stub.PauseTournament(request)
                assert response.progress.paused is paused
            watched = stub.WatchTournament(pb.WatchTournamentRequest(tournament="test"))
            steps = [step.progress async for step in watched]
            return steps, await stub.GetTable(pb.GetTableRequest(tournament="test"))

    steps, table = asyncio.run(work())
    done = [step.games_done for step in steps]
    assert steps[-1].over
    assert done == sorted(done)
    assert (done[-1], steps[-1].games_planned) == (6, 6)
    assert {row.bot for row in table.rows} == {"greedy", "one", "two"}
    assert sum(row.games for row in table.rows) == 12


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("[tournament", grpc.StatusCode.INVALID_ARGUMENT, "not TOML"),
        (definition({"one": RANDOM}), grpc.StatusCode.INVALID_ARGUMENT, "bot"),
        (
            definition(three(), "gruops = 2"),
            grpc.StatusCode.INVALID_ARGUMENT,
            "did you mean groups",
        ),
        ("x = " + "[" * 3000, grpc.StatusCode.INVALID_ARGUMENT, "nested too deeply"),
        (
            definition(three(), more="[clock]\nbank = inf"),
            grpc.StatusCode.INVALID_ARGUMENT,
            "no duration",
        ),
        (
            definition({"\U0001f600" * 64: RANDOM, "two": RANDOM}),
            grpc.StatusCode.INVALID_ARGUMENT,
            "takes 256 bytes",
        ),
        (
            definition(three(), 'format = "gauntlet"\nseeds = ["one", "one"]'),
            grpc.StatusCode.INVALID_ARGUMENT,
            "twice",
        ),
    ],
)
def test_a_definition_that_is_not_good_is_refused_in_words(
    referee: str, text: str, code: grpc.StatusCode, words: str
) -> None:
    async def work() -> grpc.aio.AioRpcError:
        async with grpc.aio.insecure_channel(referee) as channel:
            stub = tournament_service_pb2_grpc.TournamentServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.CreateTournament(pb.CreateTournamentRequest(definition=text))
            return refused.value

    refused = asyncio.run(work())
    assert refused.code() is code
    assert words in (refused.details() or "")


def test_p49_one_match_at_once_eight_or_64_give_the_same_ratings(tmp_path: Path) -> None:
    def elo(at_once: int) -> list[tuple[str, float, float]]:
        seed = f'seed = "{"5a" * 32}"\nmatches_at_once = {at_once}\ngroups = 2'
        text = definition(three(), seed).replace("matches_at_once = 2\n", "")
        folder = tmp_path / str(at_once)
        folder.mkdir()
        (table,) = run(folder, text)
        return [(row["bot"], row["elo"], row["error"]) for row in table["rows"]]

    assert elo(1) == elo(8) == elo(64)


def test_a_table_in_which_no_game_counts_names_the_bots_all_the_same(tmp_path: Path) -> None:
    run(tmp_path, definition(three()))
    folder = str(tmp_path / "run")
    for bot in three():
        harbourmaster("tournament", "rule", "disqualify", folder, "--bot", bot, "--why", "a test")
    (table,) = json.loads(harbourmaster("tournament", "table", folder, "--json").stdout)

    assert {(row["bot"], row["elo"]) for row in table["rows"]} == {(bot, None) for bot in three()}


def test_plain_text_off_the_loopback_is_refused_for_a_tournament_too(tmp_path: Path) -> None:
    file = tmp_path / "test.toml"
    file.write_text(definition(three()))
    into = str(tmp_path / "run")
    done = harbourmaster(
        "tournament", "run", str(file), "--into", into, "--host", "0.0.0.0", check=False
    )

    assert done.returncode == 1
    assert "--insecure" in done.stderr


MURDERER = """
import os, signal
import harbourmaster

def choose(decision):
    if decision.number > 3:
        os.kill(os.getppid(), signal.SIGKILL)
    return 0

harbourmaster.play(choose, name="murderer", log=None)
"""


def test_a_bot_that_kills_what_it_runs_under_has_a_quota_and_then_forfeits(
    tmp_path: Path,
) -> None:
    (tmp_path / "murderer.py").write_text(MURDERER)
    bots = {"murderer": f"python {tmp_path / 'murderer.py'}", "good": RANDOM}
    (table,) = run(tmp_path, definition(bots, 'process = "per_game"\n').replace(FAST, ""))

    forfeits = {row["bot"]: row["forfeits"] for row in table["rows"]}
    assert forfeits == {"murderer": {"void_quota": 2}, "good": {}}
    assert table["voids"]["murderer"]["forfeited"] == 2
    assert table["voids"]["good"]["caused"] == 0
    with Ledger.open(tmp_path / "run" / "ledger.sqlite", own=False) as ledger:
        assert [row.attempt for row in ledger.results()] == [3, 3]
        assert all("warden died" in str(row.void_cause) for row in ledger.games()[:1])


SIMPLE_BOT = """
import os, queue, sys
import grpc
from harbourmaster.v1 import bot_service_pb2 as pb, bot_service_pb2_grpc

out = queue.SimpleQueue()
say = lambda **event: out.put(pb.PlayRequest(events=[pb.BotEvent(**event)]))
say(hello=pb.Hello(name="simple", protocol_version={"major": 1}, offered_moves_wanted=True))
channel = grpc.insecure_channel(os.environ["HARBOURMASTER_ADDRESS"])
stub = bot_service_pb2_grpc.BotServiceStub(channel)
token = [("authorization", "Bearer " + os.environ["HARBOURMASTER_TOKEN"])]
for message in stub.Play(iter(out.get, None), metadata=token):
    for event in message.events:
        if event.HasField("match_start"):
            start = event.match_start
            say(match_ready=pb.MatchReady(match_id=start.match_id, seat=start.seat))
        elif event.HasField("decision_request"):
            asked = event.decision_request
            say(move_reply=pb.MoveReply(match_id=asked.match_id, decision=asked.decision,
                                        attempt=asked.attempt, offered_index=0))
        elif event.HasField("match_end") or event.HasField("notice"):
            print(event.WhichOneof("event"), file=sys.stderr, flush=True)
print("ended well", file=sys.stderr, flush=True)
os._exit(0)
"""
"""A bot that a signal ends at once, as most are in other languages."""


def test_every_launched_bot_reads_how_its_match_ended_before_it_is_signalled(
    tmp_path: Path,
) -> None:
    program = tmp_path / "simple.py"
    program.write_text(SIMPLE_BOT)
    bots = dict.fromkeys(("one", "two"), f"python {program}")
    run(tmp_path, definition(bots, "groups = 4").replace('process = "per_tournament"\n', ""))

    logs = [path.read_text().split("\n") for path in (tmp_path / "run" / "bots").glob("*/*.log")]
    assert len(logs) == 16
    # On a machine that is very busy some may not have had the time.
    assert sum(log[:3] == ["match_end", "notice", "ended well"] for log in logs) >= 12


def test_the_file_in_a_tournaments_folder_can_be_run_there(tmp_path: Path) -> None:
    first = run(tmp_path, definition(three()))
    kept = str(tmp_path / "run" / "tournament.toml")

    again = harbourmaster("tournament", "run", kept, "--into", str(tmp_path / "run"), "--json")

    assert json.loads(again.stdout) == first
    assert (tmp_path / "run" / "tournament.toml").read_text() == definition(three())
