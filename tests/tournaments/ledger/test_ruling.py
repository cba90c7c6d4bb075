"""Rulings while somebody else owns the ledger: by other processes, once each, at any moment."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from harbourmaster_tournaments.ledger import (
    BadRuling,
    Entrant,
    Ledger,
    LedgerBusy,
    LedgerMissing,
    Receipt,
    RulingKind,
    writing,
)
from harbourmaster_tournaments.schedules import RoundRobin
from support.clusters import new_schema
from support.tournaments import names, row

GAMES = list(RoundRobin(names(8), 3).games())

RULE = """
import sys
from harbourmaster_tournaments.ledger import Ledger, RulingKind
for number in range(1, 57, 2):
    with Ledger.open_to_rule(sys.argv[1]) as ledger:
        ledger.rule(RulingKind.VOID, who="ann", why="a test", number=number)
    print(number, flush=True)
"""


def begun(place: str, played: int) -> Ledger:
    """Return a ledger that is owned, with so many games played and two more issued."""
    ledger = Ledger.open(place)
    ledger.begin("spring", {}, [Entrant(name) for name in names(8)])
    ledger.issue(GAMES[: played + 2])
    ledger.record_all([row(game) for game in GAMES[:played]])
    return ledger


def test_an_owned_ledger_takes_rulings_of_others_and_its_owner_sees_them(place: str) -> None:
    with begun(place, 4) as ledger, Ledger.open_to_rule(place) as organiser:
        organiser.rule(RulingKind.VOID, who="ann", why="wrong build", number=1)
        first, seen = ledger.rulings_after(0)
        organiser.rule(RulingKind.WITHDRAW, who="ann", why="its author asked", entrant="b03")
        second, last = ledger.rulings_after(seen)

        assert [(r.kind, r.number) for r in first] == [(RulingKind.VOID, 1)]
        assert [(r.kind, r.entrant) for r in second] == [(RulingKind.WITHDRAW, "b03")]
        assert ledger.rulings_after(last) == ([], last)
        assert [each.number for each in ledger.results()] == [3, 4]
        assert ledger.record(row(GAMES[4])) is Receipt.NEW


def test_who_may_rule_may_write_nothing_else(place: str) -> None:
    with begun(place, 2), Ledger.open_to_rule(place) as organiser:
        with pytest.raises(RuntimeError, match="opened for rulings only"):
            organiser.record(row(GAMES[2]))
        with pytest.raises(RuntimeError, match="opened for rulings only"):
            organiser.join(Entrant("late"))


def test_who_may_read_may_not_rule(place: str) -> None:
    with (
        begun(place, 2),
        Ledger.open(place, own=False) as reader,
        pytest.raises(RuntimeError, match="opened for reading only"),
    ):
        reader.rule(RulingKind.VOID, who="ann", why="a test", number=1)


def test_there_is_nothing_to_rule_on_before_a_tournament_has_begun(place: str) -> None:
    with pytest.raises(LedgerMissing, match=r"there is no ledger|is empty"):
        Ledger.open_to_rule(place)


def test_p60_the_same_ruling_of_eight_at_once_is_made_once(place: str) -> None:
    """Whoever comes second is told that there is nothing left to rule on."""
    made: list[int] = []
    refused: list[str] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        with Ledger.open_to_rule(place) as organiser:
            for number in range(1, 21, 2):
                barrier.wait(30)
                try:
                    organiser.rule(RulingKind.VOID, who="ann", why="a test", number=number)
                    made.append(number)
                except BadRuling as error:
                    refused.append(str(error))

    with begun(place, 20) as ledger:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert Counter(r.number for r in ledger.rulings()) == dict.fromkeys(range(1, 21, 2), 1)

    assert sorted(made) == list(range(1, 21, 2))
    assert len(refused) == 7 * 10


def test_twin_without_the_lock_postgresql_takes_one_ruling_several_times(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "keep_others_out", lambda connection: None)
    with pytest.raises(AssertionError):
        test_p60_the_same_ruling_of_eight_at_once_is_made_once(new_schema(postgres))


def test_results_and_rulings_at_once_are_judged_one_after_the_other(place: str) -> None:
    """While one thread plays, another voids: every game ends with one result that counts."""
    with begun(place, 0) as ledger:
        ledger.issue(GAMES[2:56])
        stopped = threading.Event()

        def void() -> None:
            with Ledger.open_to_rule(place) as organiser:
                for number in range(1, 57, 4):
                    while not stopped.is_set():
                        try:
                            organiser.rule(RulingKind.VOID, who="ann", why="a", number=number)
                            break
                        except BadRuling:
                            continue

        thread = threading.Thread(target=void)
        thread.start()
        receipts = Counter[Receipt]()
        try:
            while (left := ledger.outstanding()) or thread.is_alive():
                for todo in left:
                    receipts[ledger.record(row(todo.game, attempt=todo.attempt))] += 1
        finally:
            stopped.set()
            thread.join()
        results = ledger.results()
        rows = ledger.games()

    assert [each.number for each in results] == list(range(1, 57))
    assert receipts.keys() <= {Receipt.NEW, Receipt.STALE}
    assert len(rows) == receipts.total()
    attempts = {each.group: {r.attempt for r in results if r.group == each.group} for each in rows}
    assert all(len(numbers) == 1 for numbers in attempts.values())
    assert sum(max(numbers) - 1 for numbers in attempts.values()) == 14


def test_t19_a_ruling_that_was_told_survives_the_end_of_the_process_and_is_there_once(
    place: str,
) -> None:
    support = Path(__file__).parents[2] / "support"
    with begun(place, 56) as ledger:
        process = subprocess.Popen(
            [sys.executable, "-c", RULE, place],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(support)},
        )
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(5)]
        process.send_signal(signal.SIGKILL)
        told += map(int, process.communicate()[0].split())

        made = [ruling.number for ruling in ledger.rulings()]
    assert made[: len(told)] == told == list(range(1, 2 * len(told), 2))
    assert len(made) - len(told) <= 1


def test_a_ruling_waits_for_who_writes_and_gives_up_in_a_sentence(place: str) -> None:
    """Another organiser's process that was stopped in the middle holds nobody up for ever."""
    with begun(place, 4) as ledger:
        entered, leave = threading.Event(), threading.Event()

        def hold() -> None:
            def work(_: object) -> None:
                entered.set()
                leave.wait(30)

            ledger._write(work)

        thread = threading.Thread(target=hold)
        thread.start()
        try:
            assert entered.wait(30)
            with (
                pytest.raises(LedgerBusy, match=r"stayed locked for 0\.2 s"),
                Ledger.open_to_rule(place, patience=0.2) as organiser,
            ):
                organiser.rule(RulingKind.VOID, who="ann", why="a test", number=1)
        finally:
            leave.set()
            thread.join()


@pytest.mark.parametrize("places", [(2, 1, 1), (0, 1), (1, 3), (2, 2), (1,)])
def test_a_correction_must_have_places_that_there_can_be(
    place: str, places: tuple[int, ...]
) -> None:
    with begun(place, 2) as ledger, pytest.raises(BadRuling, match=r"no places|one entry for each"):
        ledger.rule(RulingKind.CORRECT, who="ann", why="a", number=1, change={"placements": places})


def test_a_disqualified_bot_is_not_withdrawn_any_more(place: str) -> None:
    with begun(place, 2) as ledger:
        ledger.rule(RulingKind.WITHDRAW, who="ann", why="asked", entrant="b00")
        ledger.rule(RulingKind.DISQUALIFY, who="ann", why="had help", entrant="b00")
        with pytest.raises(BadRuling, match="out already: disqualify by ann"):
            ledger.rule(RulingKind.WITHDRAW, who="ann", why="asked", entrant="b00")
