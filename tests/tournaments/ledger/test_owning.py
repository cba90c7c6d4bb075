"""One coordinator owns a ledger, for as long as it lives; others may read meanwhile."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harbourmaster_tournaments.ledger import (
    Entrant,
    Ledger,
    LedgerMissing,
    LedgerOwned,
    Receipt,
)
from harbourmaster_tournaments.schedules import RoundRobin
from support.patience import PATIENCE
from support.tournaments import names, row

GAMES = list(RoundRobin(names(8), 3).games())

HOLD = """
import sys, time
from harbourmaster_tournaments.ledger import Ledger
ledger = Ledger.open(sys.argv[1])
print("mine", flush=True)
time.sleep(1000)
"""

WRITE = """
import sys
from harbourmaster_tournaments.ledger import Ledger
from harbourmaster_tournaments.schedules import RoundRobin
from support.tournaments import names, row
ledger = Ledger.open(sys.argv[1])
for batch in RoundRobin(names(8), 3).batches(ledger.progress()):
    for todo in ledger.issue(batch):
        ledger.record(row(todo.game))
        print(todo.game.number, flush=True)
"""


def start(code: str, place: str) -> subprocess.Popen[str]:
    support = Path(__file__).parents[2] / "support"
    environment = {**os.environ, "PYTHONPATH": str(support)}
    return subprocess.Popen(
        [sys.executable, "-c", code, place], stdout=subprocess.PIPE, text=True, env=environment
    )


def test_p60_a_second_coordinator_is_refused_in_one_sentence(place: str) -> None:
    with Ledger.open(place), pytest.raises(LedgerOwned, match="is in use by another coordinator"):
        Ledger.open(place)
    Ledger.open(place).close()


def test_another_process_is_refused_too_and_a_killed_owner_has_let_go(place: str) -> None:
    process = start(HOLD, place)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "mine\n"
        with pytest.raises(LedgerOwned, match="stop it first"):
            Ledger.open(place)
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()

    with _when_free(place) as ledger:
        assert ledger.games() == []


def _when_free(place: str) -> Ledger:
    """Open a ledger whose owner was just killed: PostgreSQL notices that within moments."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return Ledger.open(place)
        except LedgerOwned:
            assert time.monotonic() < end
            time.sleep(0.05)


def test_t19_every_result_that_was_taken_survives_the_end_of_the_process(place: str) -> None:
    process = start(WRITE, place)
    assert process.stdout is not None
    taken = [int(process.stdout.readline()) for _ in range(124)]
    process.send_signal(signal.SIGKILL)
    taken += map(int, process.communicate()[0].split())

    with _when_free(place) as ledger:
        numbers = [each.number for each in ledger.results()]
        assert numbers[: len(taken)] == taken == list(range(1, len(taken) + 1))
        assert len(numbers) - len(taken) <= 1
        left = [todo.game.number for todo in ledger.outstanding()]
        assert left == list(range(len(numbers) + 1, len(ledger.planned()) + 1))


def test_a_reader_sees_a_running_tournament_and_cannot_write(place: str) -> None:
    with Ledger.open(place) as ledger:
        ledger.begin("spring", {}, [Entrant(name) for name in names(8)])
        ledger.issue(GAMES[:4])
        with Ledger.open(place, own=False) as reader:
            ledger.record(row(GAMES[0]))
            assert [each.number for each in reader.results()] == [1]
            ledger.record(row(GAMES[1]))
            assert [each.number for each in reader.results()] == [1, 2]
            with pytest.raises(RuntimeError, match="opened for reading only"):
                reader.record(row(GAMES[2]))


def test_there_is_nothing_to_read_before_a_tournament_has_begun(place: str) -> None:
    with pytest.raises(LedgerMissing, match=r"there is no ledger|is empty"):
        Ledger.open(place, own=False)


def test_p49_eight_threads_write_each_result_once(place: str) -> None:
    """Every thread hands in every result: one of them is new, the others are doubles."""
    receipts: list[Receipt] = []
    with Ledger.open(place) as ledger:
        ledger.issue(GAMES[:24])

        def work() -> None:
            receipts.extend([ledger.record(row(game)) for game in GAMES[:24]])

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert [each.number for each in ledger.results()] == list(range(1, 25))
    assert receipts.count(Receipt.NEW) == 24
    assert receipts.count(Receipt.DOUBLE) == 7 * 24
