"""A tournament in its folder: ledger, secret, referee, bots' output."""

import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from harbourmaster_server.errors import NotNow
from harbourmaster_server.files import PUBLIC, write_whole
from harbourmaster_server.identity import Identity
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import Servicer
from harbourmaster_tournaments.ledger import Entrant, GameRow, Ledger, Ruling
from harbourmaster_tournaments.running.coordinator import (
    Coordinator,
    OnGame,
    OnRuling,
    Standing,
    entrants_of,
)
from harbourmaster_tournaments.running.definition import BadTournamentFile, TournamentFile
from harbourmaster_tournaments.running.house import (
    ON_THIS_MACHINE,
    House,
    Listening,
    Players,
    open_house,
)
from harbourmaster_tournaments.running.service import Hosted, TournamentService
from harbourmaster_tournaments.schedules import (
    FreeForAll,
    Gauntlet,
    Grouping,
    Knockout,
    Progress,
    RoundRobin,
    Schedule,
    ScheduleError,
    Swiss,
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
    hosted: Hosted


def load_secret(folder: Path, file: TournamentFile) -> Secret:
    """Return the tournament's secret in *folder*; make it at the first start.

    Raises `BadTournamentFile` if what is kept there is none.
    """
    path = folder / SECRET
    if not path.exists():
        seed = file.tournament.seed or secrets.token_bytes(32).hex()
        data = {"seed": seed, "salt": secrets.token_bytes(32).hex()}
        write_whole(path, json.dumps(data).encode())
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return Secret(bytes.fromhex(found["seed"]), bytes.fromhex(found["salt"]))
    except (ValueError, TypeError, KeyError):
        raise BadTournamentFile(
            f"{path} does not hold the seed and salt of this tournament: put it back as it was"
        ) from None


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
    write_whole(path, (json.dumps(data, indent=2) + "\n").encode(), mode=PUBLIC)
    return path


def make_schedule(file: TournamentFile, entrants: Sequence[Entrant]) -> Schedule:
    """Return the schedule that *file* asks for, between the *entrants* that the ledger holds.

    Those that were there from the start count, in the order in which they came, also when the file
    no longer names them or names them otherwise: what was issued before must not change.
    """
    part = file.tournament
    owners = {bot.name: bot.owner for bot in entrants if bot.owner and part.owners_apart}
    grouping = Grouping(rotation=part.rotation, same_deals=part.same_deals, owners=owners)
    names = [bot.name for bot in entrants if not bot.joined]
    if part.format == "gauntlet":
        field = [name for name in names if name not in part.seeds]
        return Gauntlet(part.seeds, field, file.groups, grouping)
    if part.format == "swiss":
        rounds = part.rounds or max(1, (len(names) - 1).bit_length())
        return Swiss(names, rounds, file.groups, grouping)
    if part.format == "knockout":
        return Knockout(names, part.best_of, part.extra, grouping)
    if part.format == "free_for_all":
        return FreeForAll(names, part.seats, file.groups, part.tables, grouping)
    return RoundRobin(names, file.groups, grouping)


class OneTournament:
    """The host of a referee that runs one tournament and takes no other."""

    def __init__(self) -> None:
        self.hosted: dict[str, Hosted] = {}

    async def create(self, file: TournamentFile, text: str) -> Hosted:
        """Refuse to begin another one."""
        running = ", ".join(self.hosted)
        raise NotNow(f"this referee runs the tournament {running} and no other: use another one")


@contextlib.asynccontextmanager
async def open_tournament(
    folder: Path,
    file: TournamentFile,
    ledger: Ledger,
    log: structlog.stdlib.BoundLogger,
    *,
    listening: Listening = ON_THIS_MACHINE,
    force: str | None = None,
    on_game: OnGame = lambda _, __: None,
    on_ruling: OnRuling = lambda _, __: None,
) -> AsyncIterator[Running]:
    """Open the tournament of *file* in *folder*, with a referee of its own, ready to run."""
    host = OneTournament()

    def service(referee: Referee) -> Servicer:
        return TournamentService(host, referee).add_to

    config = RefereeConfig(folder)
    async with open_house(config, log, listening, services=(service,)) as house:
        running = begin_tournament(
            house, folder, file, ledger, log, force=force, on_game=on_game, on_ruling=on_ruling
        )
        host.hosted[file.tournament.name] = running.hosted
        # To run it is to say that it goes on.
        running.hosted.pause(False)
        yield running


def begin_tournament(
    house: House,
    folder: Path,
    file: TournamentFile,
    ledger: Ledger,
    log: structlog.stdlib.BoundLogger,
    *,
    force: str | None = None,
    on_game: OnGame = lambda _, __: None,
    on_ruling: OnRuling = lambda _, __: None,
) -> Running:
    """Begin the tournament of *file* in *folder*, or go on with it, ready to run in *house*.

    Other bots or terms than before raise `TermsChanged`, or with *force*, the reason, are recorded.
    What cannot be scheduled raises `ScheduleError` before anything is recorded.
    """
    _check_schedule(file, ledger)
    secret = load_secret(folder, file)
    name = file.tournament.name
    terms = {**file.terms(), "commitment": secret.commitment(name)}
    ledger.begin(name, terms, entrants_of(file.bot), force=force)
    issue_tokens(house.referee, file, folder)

    def told(row: GameRow, standing: Standing) -> None:
        hosted.tell()
        on_game(row, standing)

    def ruled(ruling: Ruling, standing: Standing) -> None:
        hosted.tell()
        on_ruling(ruling, standing)

    coordinator = Coordinator(
        file,
        ledger,
        make_schedule(file, ledger.entrants()),
        TournamentDeals(secret.seed),
        secret.seed + secret.salt,
        house.referee,
        Players(house, folder / "bots"),
        log,
        on_game=told,
        on_ruling=ruled,
    )
    hosted = Hosted(folder, file, ledger, coordinator, bytes.fromhex(secret.commitment(name)))
    return Running(house, coordinator, ledger, secret, hosted)


def _check_schedule(file: TournamentFile, ledger: Ledger) -> None:
    """Raise `ScheduleError` if the bots of *file* cannot play its format, or not from now on."""
    known = ledger.entrants()
    named = entrants_of(file.bot)
    issued = ledger.progress().issued
    late = {bot.name: issued for bot in named} if issued else {}
    for bot in known:
        late.pop(bot.name, None)
    make_schedule(file, known or named).batches(Progress(joined=late))
    owners = {bot.owner for bot in named}
    if file.tournament.owners_apart and len(owners) == 1 and "" not in owners:
        raise ScheduleError(
            f"there is no game to play: all bots are of {owners.pop()}, and owners_apart keeps "
            "bots of one owner from meeting; leave it out"
        )


def issue_tokens(referee: Referee, file: TournamentFile, folder: Path) -> dict[str, Path]:
    """Issue a token to every bot that dials in and has none; return the files that hold them."""
    known = {identity.bot for identity in referee.tokens.identities()}
    made = {}
    for bot in file.bot:
        if bot.command is None and bot.name not in known:
            path = folder / "tokens" / f"{bot.name}.token"
            path.parent.mkdir(exist_ok=True)
            token = referee.tokens.issue(Identity(bot.name, bot.owner))
            write_whole(path, f"{token}\n".encode())
            made[bot.name] = path
    return made
