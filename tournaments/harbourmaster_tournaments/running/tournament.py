"""A tournament in its folder: ledger, secret, referee, bots' output."""

import contextlib
import json
import os
import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from harbourmaster_server.identity import Identity
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_tournaments.ledger import GameRow, Ledger
from harbourmaster_tournaments.running.coordinator import Coordinator, entrants_of
from harbourmaster_tournaments.running.definition import TournamentFile
from harbourmaster_tournaments.running.house import House, Players, open_house
from harbourmaster_tournaments.schedules import (
    Grouping,
    RoundRobin,
    Schedule,
    TournamentDeals,
    commitment,
)

LEDGER: Final = "ledger.sqlite"
FILE: Final = "tournament.toml"
SECRET: Final = "secret.json"
REVEAL: Final = "reveal.json"


@dataclass(frozen=True, slots=True)
class Secret:
    """What a tournament is dealt from, secret until its end."""

    seed: bytes
    salt: bytes

    def commitment(self, tournament: str) -> str:
        """Return the hash that fixes all deals, in hexadecimal."""
        return commitment(tournament, self.salt, self.seed).hex()


@dataclass(frozen=True, slots=True)
class Running:
    """A tournament that is being run."""

    house: House
    coordinator: Coordinator
    ledger: Ledger
    secret: Secret


def load_secret(folder: Path, file: TournamentFile) -> Secret:
    """Return the tournament's secret in *folder*; make it at the first start."""
    path = folder / SECRET
    if not path.exists():
        seed = file.tournament.seed or secrets.token_bytes(32).hex()
        data = {"seed": seed, "salt": secrets.token_bytes(32).hex()}
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as out:
            json.dump(data, out)
    found = json.loads(path.read_text())
    return Secret(bytes.fromhex(found["seed"]), bytes.fromhex(found["salt"]))


def reveal(folder: Path, file: TournamentFile, secret: Secret) -> Path:
    """Write what anybody needs to deal every game again; for when the tournament is over."""
    path = folder / REVEAL
    name = file.tournament.name
    data = {
        "tournament": name,
        "seed": secret.seed.hex(),
        "salt": secret.salt.hex(),
        "commitment": secret.commitment(name),
    }
    path.write_text(json.dumps(data, indent=2) + "\n")
    return path


def make_schedule(file: TournamentFile) -> Schedule:
    """Return the schedule that *file* asks for."""
    owners = {bot.name: bot.owner for bot in file.bot if bot.owner}
    grouping = Grouping(rotation=file.tournament.rotation, owners=owners)
    return RoundRobin([bot.name for bot in file.bot], file.tournament.groups, grouping)


@contextlib.asynccontextmanager
async def open_tournament(
    folder: Path,
    file: TournamentFile,
    ledger: Ledger,
    log: structlog.stdlib.BoundLogger,
    *,
    port: int = 0,
    on_game: Callable[[GameRow], None] = lambda _: None,
) -> AsyncIterator[Running]:
    """Open the tournament of *file* in *folder*, ready to run."""
    secret = load_secret(folder, file)
    name = file.tournament.name
    terms = {**file.terms(), "commitment": secret.commitment(name)}
    ledger.begin(name, terms, entrants_of(file.bot))
    config = RefereeConfig(folder, hold_restored=True)
    async with open_house(config, log, port=port) as house:
        issue_tokens(house.referee, file, folder)
        coordinator = Coordinator(
            file,
            ledger,
            make_schedule(file),
            TournamentDeals(secret.seed),
            secret.seed + secret.salt,
            house.referee,
            Players(house, folder / "bots"),
            log,
            on_game=on_game,
        )
        yield Running(house, coordinator, ledger, secret)


def issue_tokens(referee: Referee, file: TournamentFile, folder: Path) -> dict[str, Path]:
    """Issue a token to every bot that dials in and has none; return the files that hold them."""
    known = {identity.bot for identity in referee.tokens.identities()}
    made = {}
    for bot in file.bot:
        if bot.command is None and bot.name not in known:
            path = folder / "tokens" / f"{bot.name}.token"
            path.parent.mkdir(exist_ok=True)
            token = referee.tokens.issue(Identity(bot.name, bot.owner))
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w") as out:
                out.write(token + "\n")
            made[bot.name] = path
    return made
