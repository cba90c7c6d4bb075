"""Every kind of bad end at every moment of a session, beside matches that must not notice."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from random import Random
from typing import Final

import pytest

from harbourmaster.v1 import bot_service_pb2 as bot_pb
from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.limits import Limits
from harbourmaster_server.terms import to_duration
from harbourmaster_tournaments.running import BotDefinition, House, Players
from support.chaos import CELLS
from support.commands import wait_until_gone
from support.live import Live, RawBot, live, live_house
from support.patience import PATIENCE, wait_for
from support.restarts import SUPPORT

SECOND: Final = 1_000_000
SILENT: Final = ("hang", "slow_reader", "half_open")
LOUD: Final = ("flood", "garbage", "huge")
GONE: Final = {"not_connected", "disconnected"}
BYSTANDERS: Final = 4
LIMITS: Final = Limits(messages_per_second=100)


def expected(cell: str) -> set[str]:
    """Return the reasons by which the seat of *cell* may end."""
    fault, phase = cell.split("/")
    if phase == "end":
        return {"rules"}
    if phase == "connect" or (phase == "hello" and fault in LOUD):
        return {"not_connected"}
    if phase == "hello":
        # Seated or not before it was gone.
        return GONE | {"not_ready"} if fault in SILENT else GONE
    if fault in LOUD:
        return {"protocol_error"}
    if fault in SILENT:
        found = {"not_ready"} if phase == "ready" else {"timeout"}
        return found | {"disconnected"} if fault == "half_open" else found
    return {"resigned"} if (fault, phase) == ("exit", "decision") else {"disconnected"}


def terms(game: str, cell: str = "") -> match_pb2.MatchTerms:
    """Return terms in which only a limit that the fault of *cell* is to break is short.

    Good bots are there before their match; a short limit that they have to keep is still long
    enough for a machine that is busy.
    """
    fault, _, phase = cell.partition("/")
    silent = fault in SILENT
    clock = match_pb2.ClockTerms(
        turn=match_pb2.TurnLimit(
            time=to_duration((20 if silent and phase in ("decision", "between") else 120) * SECOND)
        ),
        first_turn_allowance=to_duration(0),
        connect_time=to_duration((5 if phase in ("connect", "hello") else 120) * SECOND),
        ready_time=to_duration((20 if silent and phase in ("hello", "ready") else 120) * SECOND),
    )
    policy = match_pb2.FaultPolicy(reconnect_time=to_duration(SECOND // 2))
    return match_pb2.MatchTerms(game=game, clock=clock, policy=policy)


class Bystander:
    """A good bot that sits in every match beside a bad one, and between them."""

    def __init__(self, address: str, name: str) -> None:
        self.bot = RawBot(address, name, open_matches=256, open_decisions=128)
        self.bot.next("welcome")
        self.refused: list[bot_pb.MoveReceipt] = []
        self._rng = Random(name)
        self._over = False
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def _play(self) -> None:
        while not self._over:
            try:
                event = self.bot.events.get(timeout=0.1)
            except Empty:
                continue
            if event is None:
                return
            if event.HasField("decision_request"):
                request = event.decision_request
                self.bot.answer(request, self._rng.randrange(len(request.offered.moves)))
            elif event.HasField("move_receipt"):
                receipt = event.move_receipt
                if receipt.status != bot_pb.MOVE_RECEIPT_STATUS_ACCEPTED:
                    self.refused.append(receipt)

    def close(self) -> None:
        self._over = True
        self._thread.join()
        self.bot.close()


@contextmanager
def bystanders(referee: Live) -> Iterator[list[Bystander]]:
    """Keep good bots connected."""
    good = [Bystander(referee.address, f"good{number}") for number in range(BYSTANDERS)]
    try:
        yield good
        assert [receipt for bot in good for receipt in bot.refused] == []
        assert len(connected(referee)) >= BYSTANDERS
    finally:
        for bot in good:
            bot.close()


@contextmanager
def dialling(address: str, cells: Sequence[str]) -> Iterator[None]:
    """Keep the processes of *cells*."""
    chaos = subprocess.Popen(
        [sys.executable, "-m", "support.chaos", address, *cells],
        env=os.environ | {"PYTHONPATH": str(SUPPORT)},
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        chaos.send_signal(signal.SIGTERM)
        chaos.wait(PATIENCE)


def connected(referee: Live) -> list[str]:
    return [s.bot for s in referee.referee.sessions.all() if s.connection is not None]


def reason(info: pb.MatchInfo, seat: int) -> str:
    name = game_pb2.SeatEndReason.Name(info.outcome.seats[seat].reason)
    return name.removeprefix("SEAT_END_REASON_").lower()


def play_all(
    referee: Live, cells: Sequence[str], game: str, seats: int
) -> Mapping[str, pb.MatchInfo]:
    """Play a match for every cell, and one between good bots for every four of them."""
    good = [f"good{number}" for number in range(seats)]
    made = {
        cell: referee.match(cell, *good[1:], terms=terms(game, cell)).match_id for cell in cells
    }
    untouched = [referee.match(*good, terms=terms(game)).match_id for _ in range(0, len(cells), 4)]
    with dialling(referee.address, cells):
        infos = {cell: referee.wait(match_id) for cell, match_id in made.items()}
        between = [referee.wait(match_id) for match_id in untouched]
    for info in between:
        assert {reason(info, seat) for seat in range(seats)} == {"rules"}
    return infos


def check(infos: Mapping[str, pb.MatchInfo], seats: int) -> None:
    """Insist on the result and the reason of every cell."""
    found = {cell: reason(info, 0) for cell, info in infos.items()}
    wrong = {cell: why for cell, why in found.items() if why not in expected(cell)}
    assert wrong == {}
    for cell, info in infos.items():
        if found[cell] != "rules":
            assert info.outcome.seats[0].placement == seats, cell
            assert info.outcome.seats[0].text, cell
            others = {reason(info, seat) for seat in range(1, seats)}
            assert others <= {"rules", "last_seat"}, cell
        assert not info.outcome.void


@pytest.mark.parametrize(
    ("game", "seats"),
    [("anchorline", 2), pytest.param("claim", 4, marks=pytest.mark.soak)],
)
def test_p54_p66_every_fault_at_every_moment_costs_the_bot_that_has_it_and_nobody_else(
    game: str, seats: int, tmp_path: Path
) -> None:
    with live(tmp_path, limits=LIMITS, level="critical") as referee:
        with bystanders(referee):
            infos = play_all(referee, CELLS, game, seats)
            check(infos, seats)
            # Nothing of the bad ones is left but what may still come back.
            wait_until_only_good(referee)
        assert referee.referee.open_matches == []


LAUNCHED: Final = [
    *("crash/connect", "exit/hello", "hang/ready", "crash/decision", "half_open/decision"),
    *("flood/decision", "exit/decision", "crash/between", "hang/end"),
]


@pytest.mark.parametrize(
    ("cells", "game", "seats"),
    [
        pytest.param(LAUNCHED, "anchorline", 2, id="short"),
        pytest.param(CELLS, "anchorline", 2, id="long", marks=pytest.mark.soak),
        pytest.param(CELLS, "claim", 4, id="four seats", marks=pytest.mark.soak),
    ],
)
def test_p45_of_a_launched_bot_nothing_is_left_however_it_ends(
    cells: Sequence[str], game: str, seats: int, tmp_path: Path
) -> None:
    mark = f"HARBOURMASTER_TEST={tmp_path.name}"
    command = f"env {mark} PYTHONPATH={SUPPORT} {sys.executable} -m support.chaos"

    async def bring(house: House, players: Players, cell: str) -> pb.MatchInfo:
        bot = BotDefinition(name=cell.replace("/", "-"), command=f"{command} {cell}")
        identity = await players.launch(bot, "1")
        seated = [identity, *(f"good{number}" for number in range(1, seats))]
        request = pb.CreateMatchRequest(terms=terms(game, cell), bots=seated)
        made = await house.referee.create_match(request)
        try:
            return await house.referee.wait(made.match_id)
        finally:
            await players.stop([identity])

    with live_house(tmp_path, limits=LIMITS) as (referee, house), bystanders(referee):
        players = Players(house, tmp_path / "output")
        infos: dict[str, pb.MatchInfo] = {}
        for start in range(0, len(cells), 12):
            some = cells[start : start + 12]

            async def all_of(some: Sequence[str] = some) -> list[pb.MatchInfo]:
                return await asyncio.gather(*(bring(house, players, cell) for cell in some))

            infos |= dict(zip(some, referee.do(all_of()), strict=True))
        check(infos, seats)
        assert wait_until_gone(mark) == []


@pytest.mark.parametrize(
    "count", [30, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(600)])]
)
def test_p66_when_many_bots_are_killed_at_once_all_their_streams_are_reclaimed(
    count: int, tmp_path: Path
) -> None:
    cells = [f"hang/decision/{number}" for number in range(count)]
    with live(tmp_path, limits=Limits(resume_seconds=1), level="critical") as referee:
        with bystanders(referee):
            made = [
                referee.match(cell, "good1", terms=terms("anchorline")).match_id for cell in cells
            ]
            untouched = referee.match("good2", "good3", terms=terms("anchorline")).match_id
            with dialling(referee.address, cells):
                wait_for(lambda: len(asked(referee, made)) == count, "all bots to be asked")
            # All of them were killed with -9 there.
            wait_until_only_good(referee)
            reasons = {reason(referee.wait(match_id), 0) for match_id in made}
            assert reasons <= {"disconnected", "timeout"}
            assert "disconnected" in reasons
            assert {reason(referee.wait(untouched), seat) for seat in range(2)} == {"rules"}
        wait_for(lambda: not referee.referee.sessions.all(), "the sessions to go")


def asked(referee: Live, made: Sequence[str]) -> list[str]:
    """Return those of the matches *made* that wait for their first seat, or are over."""
    infos = [referee.referee.get_match(match_id) for match_id in made]
    return [i.match_id for i in infos if i.HasField("waiting_for") or i.HasField("outcome")]


def wait_until_only_good(referee: Live) -> None:
    def only_good() -> bool:
        return all(name.startswith("good") for name in connected(referee))

    wait_for(only_good, "the bad bots to go")
