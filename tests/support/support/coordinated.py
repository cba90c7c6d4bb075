"""A coordinator with a real ledger, whose matches and bots are made up by a test."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_server.logs import set_up_logging
from harbourmaster_tournaments.ledger import GameRow, Ledger
from harbourmaster_tournaments.running.coordinator import Coordinator, Standing, entrants_of
from harbourmaster_tournaments.running.definition import TournamentFile, read_text
from harbourmaster_tournaments.running.tournament import make_schedule
from harbourmaster_tournaments.schedules import TournamentDeals

SECRET = b"s" * 64
Void = tuple[str, int | None]
"""Why a match is void, and the seat whose side caused it, if one did."""
Decide = Callable[[Sequence[str]], Void | None]
"""Says of a match between bots whether, and why, it is void."""


def definition(names: Sequence[str], tournament: str = "", command: str = "") -> TournamentFile:
    """Return a tournament of Anchorline between *names*."""
    line = f"command = '{command}'\n" if command else ""
    bots = "".join(f'[[bot]]\nname = "{name}"\n{line}' for name in names)
    text = f'[tournament]\nname = "made-up"\ngame = "anchorline"\n{tournament}\n{bots}'
    return read_text(text, "the test")


class MadeUpMatches:
    """Stands for a referee: every match ends at once, as *decide* says, else seat 0 wins."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._infos: dict[str, pb.MatchInfo] = {}

    async def create_match(self, request: pb.CreateMatchRequest) -> pb.MatchInfo:
        bots = [bot.partition("@")[0] for bot in request.bots]
        outcome = _outcome(self._decide(bots), len(bots))
        self._infos[request.match_id] = pb.MatchInfo(
            match_id=request.match_id, outcome=outcome, decisions=0 if outcome.void else 7
        )
        return self._infos[request.match_id]

    def find_match(self, match_id: str) -> pb.MatchInfo | None:
        return self._infos.get(match_id)

    def is_sealed(self, match_id: str) -> bool:
        return False

    def drop_held(self, unwanted: Collection[str]) -> None:
        pass

    def stop_match(self, match_id: str) -> None:
        pass

    async def wait(self, match_id: str) -> pb.MatchInfo:
        await asyncio.sleep(0)
        return self._infos[match_id]

    async def unseal_match(self, match_id: str) -> pb.MatchInfo:
        return self._infos[match_id]


class MadeUpPlayers:
    """Stands for what launches bots; *launch* raises what keeps a bot from starting."""

    def __init__(self, launch: Callable[[str], None] = lambda _: None) -> None:
        self._launch = launch

    async def launch(self, bot: Any, place: str) -> str:
        self._launch(bot.name)
        return f"{bot.name}@{place}"

    async def stop(self, identities: Sequence[str]) -> None:
        pass


class Enough(Exception):
    """The run was stopped by its test."""


def coordinate(
    folder: Path,
    file: TournamentFile,
    decide: Decide = lambda _: None,
    players: MadeUpPlayers | None = None,
    *,
    stop_after: int | None = None,
    told_of: Callable[[Standing], None] = lambda _: None,
) -> list[GameRow]:
    """Run the tournament of *file* in *folder*, or go on with it; return the ledger's rows.

    After *stop_after* games of this run it is stopped in the middle. *told_of* hears after every
    game how far the tournament is.
    """
    told: list[GameRow] = []

    def on_game(row: GameRow, standing: Standing) -> None:
        told.append(row)
        told_of(standing)
        if len(told) == stop_after:
            raise Enough

    folder.mkdir(exist_ok=True)
    with Ledger.open(folder / "ledger.sqlite") as ledger:
        ledger.begin("made-up", file.terms(), entrants_of(file.bot))
        coordinator = Coordinator(
            file,
            ledger,
            make_schedule(file, ledger.entrants()),
            TournamentDeals(b"d" * 32),
            SECRET,
            MadeUpMatches(decide),
            players or MadeUpPlayers(),
            set_up_logging(level="critical"),
            on_game=on_game,
        )
        try:
            asyncio.run(coordinator.run())
        except* Enough:
            pass
        return ledger.games()


def _outcome(void: Void | None, seats: int) -> match_pb2.MatchOutcome:
    if void is None:
        outcome = match_pb2.MatchOutcome(reason="five")
        for seat in range(seats):
            outcome.seats.add(seat=seat, placement=seat + 1, reason=game_pb2.SEAT_END_REASON_RULES)
        return outcome
    text, cause = void
    outcome = match_pb2.MatchOutcome(reason="void", void=True, text=text)
    for seat in range(seats):
        outcome.seats.add(
            seat=seat, reason=game_pb2.SEAT_END_REASON_VOID, void_caused=seat == cause
        )
    return outcome
