"""The tournament file: a TOML file that says who plays what, how, and on which clock."""

import difflib
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from harbourmaster_engine.game import Game
from harbourmaster_engine.registry import find_game
from harbourmaster_server.clock import ClockTerms
from harbourmaster_server.errors import BadRequest
from harbourmaster_server.identity import check_name
from harbourmaster_server.policy import Action, FaultPolicy, FaultRule
from harbourmaster_server.terms import BOUNDS
from harbourmaster_tournaments.ratings import SprtTerms, Terms

UNITS: Final[Mapping[str, int]] = {"us": 1, "ms": 1000, "s": 1_000_000, "m": 60_000_000}
NO_END: Final = 1_000_000
"""So many rotation groups that a sequential test comes to its end before them."""
MOST_UNITS: Final = 1e15
"""The greatest number of units in a duration: the ranges of the keys are far below."""
MOST_NAME_BYTES: Final = 200
"""The longest name of a bot in UTF-8: files are called after it, and may have 255 bytes."""
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|m)")


def parse_duration(value: Any) -> int:
    """Return the microseconds that `"250ms"`, `"1.5s"`, `"2m"` or a number of seconds means."""
    if isinstance(value, bool):
        raise ValueError("it takes a duration, such as 250ms, 1.5s or 2m")
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if isinstance(value, int | float):
        amount, unit = value, "s"
    elif match is not None:
        amount, unit = float(match[1]), match[2]
    else:
        raise ValueError(f"{value!r} is not a duration: write 250ms, 1.5s or 2m")
    if not abs(amount) <= MOST_UNITS:  # Neither is what is infinite, or no number.
        raise ValueError(f"{str(value)[:40]!r} is no duration that a clock can count")
    return round(amount * UNITS[unit])


Duration = Annotated[int, BeforeValidator(parse_duration)]


def _check_bounds(key: str, term: str, value: int) -> None:
    """Raise `ValueError` if *value*, found under *key*, is out of the range of *term*."""
    low, high = BOUNDS[term]
    if not low <= value <= high:
        raise ValueError(
            f"{key} is {value / 1e6:g} s: it takes {low / 1e6:g} s to {high / 1e6:g} s"
        )


class Part(BaseModel):
    """A part of a file: keys that it does not have are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ClockPart(Part):
    """`[clock]`: a bank with an increment, or a limit for each turn, or neither."""

    bank: Duration | None = None
    increment: Duration = 0
    turn: Duration | None = None
    first_turn_allowance: Duration = 10_000_000
    grace: Duration = 50_000
    ceiling: Duration = 3_600_000_000
    connect_time: Duration = 30_000_000
    ready_time: Duration = 30_000_000

    @model_validator(mode="after")
    def check(self) -> "ClockPart":
        """Refuse a bank together with a turn limit, and what is out of range."""
        if self.bank is not None and self.turn is not None:
            raise ValueError("give either bank or turn, not both")
        names = {"bank": "bank.initial_time", "increment": "bank.increment", "turn": "turn.time"}
        for key in type(self).model_fields:
            value = getattr(self, key)
            if value is not None:
                _check_bounds(key, names.get(key, key), value)
        return self

    def terms(self) -> ClockTerms:
        """Return the clock that this part describes."""
        return ClockTerms(
            bank=self.bank,
            increment=self.increment if self.bank is not None else 0,
            turn_limit=self.turn,
            first_turn_allowance=self.first_turn_allowance,
            grace=self.grace,
            ceiling=self.ceiling,
            connect_time=self.connect_time,
            ready_time=self.ready_time,
        )


class FaultsPart(Part):
    """`[faults]`: what each kind of fault costs."""

    timeout: Action = Action.FORFEIT
    illegal_move: Action = Action.FORFEIT
    illegal_retries: Annotated[int, Field(ge=0, le=100)] = 2
    protocol_error: Action = Action.FORFEIT
    disconnect: Action = Action.FORFEIT
    max_strikes: Annotated[int, Field(ge=0, le=1000)] = 3
    reconnect_time: Duration = 10_000_000

    @model_validator(mode="after")
    def check(self) -> "FaultsPart":
        """Refuse a time that is out of range."""
        _check_bounds("reconnect_time", "reconnect_time", self.reconnect_time)
        return self

    def policy(self) -> FaultPolicy:
        """Return the policy that this part describes."""
        return FaultPolicy(
            timeout=FaultRule(action=self.timeout),
            illegal_move=FaultRule(self.illegal_retries, self.illegal_move),
            protocol_error=FaultRule(action=self.protocol_error),
            disconnect=FaultRule(action=self.disconnect),
            max_strikes=self.max_strikes,
            reconnect_time=self.reconnect_time,
        )


class BotDefinition(Part):
    """`[[bot]]`: one entrant. With a command it is launched; without one it dials in."""

    name: str
    command: str | None = None
    owner: str = ""
    memory_mb: Annotated[int, Field(gt=0)] | None = None
    """The most memory that its processes may use together."""

    @model_validator(mode="after")
    def check(self) -> "BotDefinition":
        """Refuse a name that cannot be shown or used for a file."""
        try:
            check_name(self.name)
        except BadRequest as error:
            raise ValueError(str(error)) from None
        if "/" in self.name or "@" in self.name or self.name.startswith("."):
            raise ValueError(f"the name {self.name!r} has a / or @ in it, or begins with a dot")
        if (size := len(self.name.encode())) > MOST_NAME_BYTES:
            raise ValueError(
                f"the name {self.name!r} takes {size} bytes: files are called after it, so it may "
                f"take {MOST_NAME_BYTES}"
            )
        return self


class TournamentPart(Part):
    """`[tournament]`: what is played, in which format."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    game: str
    options: dict[str, Any] = {}
    format: Literal["round_robin", "gauntlet", "swiss", "knockout", "free_for_all"] = "round_robin"
    groups: Annotated[int, Field(ge=1)] | None = None
    """How many rotation groups every table plays: by default 1, with a sequential test no end."""
    rounds: Annotated[int, Field(ge=1)] | None = None
    """Swiss: the number of rounds; by default as many as a knockout would have."""
    seeds: list[str] = []
    """Gauntlet: the bots that play against all others."""
    best_of: Annotated[int, Field(ge=1)] = 1
    """Knockout: the number of rotation groups in a tie."""
    extra: Annotated[int, Field(ge=0)] = 4
    """Knockout: how many more groups a drawn tie goes on for."""
    tables: Annotated[int, Field(ge=1)] | None = None
    """Free-for-all: at how many tables every bot sits; by default at all, where they are few."""
    rotation: bool = True
    """Whether each deal is played once per seating."""
    same_deals: bool = False
    """Whether every table plays the same deals. Then a bot may have seen a deal before."""
    owners_apart: bool = False
    """Whether two bots of one owner never share a table."""
    seats: Annotated[int, Field(ge=2, le=6)] = 2
    """The number of seats: 3 to 6 for a free-for-all, otherwise 2."""
    seed: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """The tournament's seed; drawn at the start if it is not given."""
    matches_at_once: Annotated[int, Field(ge=1, le=1024)] | None = None
    process: Literal["per_game", "per_tournament"] | None = None
    """Whether a launched bot gets a fresh process for every game. By default it does with rotation:
    a bot that remembers could recognise a deal from another seat."""
    quarantine_after: Annotated[int, Field(ge=1)] = 5
    """After so many forfeits in a row by faults a bot's remaining games are forfeited at once."""
    void_quota: Annotated[int, Field(ge=0, le=100)] = 2
    """How often a bot's own side may make a rotation group void; then it is a forfeit."""


class SprtPart(Part):
    """`[sprt]`: a sequential test of two bots, which ends the tournament early."""

    elo0: float = 0.0
    elo1: float = 10.0
    alpha: float = 0.05
    beta: float = 0.05

    @model_validator(mode="after")
    def check(self) -> "SprtPart":
        """Refuse bounds that make no sense."""
        self.terms()
        return self

    def terms(self) -> SprtTerms:
        """Return the test that this part describes."""
        return SprtTerms(self.elo0, self.elo1, self.alpha, self.beta)


class RatingPart(Part):
    """`[rating]`: how the table is made."""

    anchor: str | None = None
    anchor_rating: float = 0.0
    narrow: bool = False

    @model_validator(mode="after")
    def check(self) -> "RatingPart":
        """Refuse a rating that is none."""
        self.terms()
        return self

    def terms(self) -> Terms:
        """Return the choices that this part describes."""
        return Terms(anchor=self.anchor, anchor_rating=self.anchor_rating, narrow=self.narrow)


class TournamentFile(Part):
    """A whole tournament file."""

    tournament: TournamentPart
    sprt: SprtPart | None = None
    rating: RatingPart = RatingPart()
    clock: ClockPart = ClockPart.model_validate({"bank": "60s", "increment": "100ms"})
    faults: FaultsPart = FaultsPart()
    bot: Annotated[list[BotDefinition], Field(min_length=2)]

    @model_validator(mode="after")
    def check(self) -> "TournamentFile":
        """Refuse two bots of one name, and a game or options that there are not."""
        names = [bot.name for bot in self.bot]
        if double := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError(f"two bots are called {double[0]}: give each a name of its own")
        self.game.resolve(self.tournament.seats, self.tournament.options)
        self._check_format(set(names))
        return self

    def _check_format(self, names: set[str]) -> None:
        part = self.tournament
        table = part.format == "free_for_all"
        if table != (part.seats > 2):
            raise ValueError(
                f"tournament.seats is {part.seats}: a free_for_all has 3 to 6, other formats have 2"
            )
        if part.format == "gauntlet" and not part.seeds:
            raise ValueError("tournament.seeds is empty: name the bots that play all others")
        if unknown := sorted(set(part.seeds) - names):
            raise ValueError(f"tournament.seeds names {unknown[0]}, but there is no such bot")
        if len(part.seeds) != len(set(part.seeds)):
            raise ValueError("tournament.seeds names a bot twice: name each once")
        if self.rating.anchor is not None and self.rating.anchor not in names:
            raise ValueError(f"rating.anchor is {self.rating.anchor}, but there is no such bot")
        if self.sprt is not None and (len(names) != 2 or part.format != "round_robin"):
            raise ValueError("a sequential test ([sprt]) is a round_robin of exactly two bots")
        if self.sprt is not None and not part.rotation:
            raise ValueError("a sequential test ([sprt]) needs rotation: its pairs share a deal")

    @property
    def groups(self) -> int:
        """How many rotation groups every table plays."""
        return self.tournament.groups or (NO_END if self.sprt is not None else 1)

    @property
    def game(self) -> Game:
        """The game that is played."""
        return find_game(self.tournament.game)

    @property
    def fresh_processes(self) -> bool:
        """Whether a launched bot gets a fresh process for every game."""
        chosen = self.tournament.process
        return self.tournament.rotation if chosen is None else chosen == "per_game"

    @property
    def at_once(self) -> int:
        """How many games are played at once: by default as many as there are cores for the bots."""
        cores = os.cpu_count() or 1
        return self.tournament.matches_at_once or max(1, cores // self.tournament.seats)

    def pool(self) -> str:
        """Return what ratings may be fitted over: game, rules version, options and seats."""
        options = self.game.resolve(self.tournament.seats, self.tournament.options)
        changed = self.game.non_defaults(options, self.tournament.seats)
        words = [f"{self.game.id} v{self.game.rules_version}", f"{self.tournament.seats} seats"]
        return ", ".join([*words, *(f"{name}={value}" for name, value in sorted(changed.items()))])

    def terms(self) -> dict[str, Any]:
        """Return all that decides results but the bots, as JSON values, for the ledger."""
        kept = self.tournament.model_dump(
            mode="json", exclude={"name", "seed", "matches_at_once", "process"}
        )
        kept["groups"] = self.groups
        return {
            **kept,
            "pool": self.pool(),
            "clock": self.clock.model_dump(mode="json"),
            "faults": self.faults.model_dump(mode="json"),
            "sprt": None if self.sprt is None else self.sprt.model_dump(mode="json"),
        }


PARTS: Final = (
    TournamentFile,
    TournamentPart,
    ClockPart,
    FaultsPart,
    SprtPart,
    RatingPart,
    BotDefinition,
)
"""Every part that a tournament file may have."""


class BadTournamentFile(ValueError):
    """A tournament file cannot be used; the message says what, where and what to do."""


def read_file(path: Path) -> TournamentFile:
    """Return the tournament that the file at *path* describes; raise `BadTournamentFile`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadTournamentFile(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise BadTournamentFile(f"{path} is not TOML: it is not UTF-8 text") from None
    return read_text(text, str(path))


def read_text(text: str, where: str) -> TournamentFile:
    """Return the tournament that the TOML *text*, found at *where*, describes."""
    try:
        return TournamentFile.model_validate(parse_toml(text))
    except ValidationError as error:
        raise BadTournamentFile(f"{where}: {explain(error, PARTS)}") from None
    except ValueError as error:
        raise BadTournamentFile(f"{where} is not TOML: {error}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """Return what the TOML *text* says; raise `ValueError` if it cannot be read as TOML."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def explain(error: ValidationError, parts: Sequence[type[Part]]) -> str:
    """Return the first thing that is wrong, as a sentence; *parts* know the good keys."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        known = [name for part in parts for name in part.model_fields]
        near = difflib.get_close_matches(key, known, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        return f"there is no key {place}{hint}"
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message
