"""`harbourmaster play`: one match between bots that are launched here."""

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import structlog
import typer
from rich.table import Table

from harbourmaster.v1 import game_pb2, match_pb2
from harbourmaster.v1 import match_service_pb2 as pb
from harbourmaster_engine.registry import find_game
from harbourmaster_server.clock import ClockTerms
from harbourmaster_server.policy import Action, FaultPolicy, FaultRule
from harbourmaster_server.referee import RefereeConfig
from harbourmaster_server.showing.words import duration
from harbourmaster_server.terms import MatchTerms, write_terms
from harbourmaster_tournaments.cli.common import (
    Failure,
    JsonOption,
    LogJson,
    LogLevel,
    console,
    make_folder,
    make_log,
    messages,
    parse_option,
    print_json,
    run,
)
from harbourmaster_tournaments.running import BotDefinition, Players, open_house
from harbourmaster_tournaments.running.definition import parse_duration

DebugPause = Annotated[
    list[int] | None,
    typer.Option(metavar="SEAT", help="Stop the clock of this seat alone, for a debugger."),
]


@dataclass(frozen=True, slots=True)
class Played:
    """A match that was played."""

    info: pb.MatchInfo
    peak_memory: list[int]
    """The most memory that each seat's bot used, in bytes."""


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    example = "Example: harbourmaster play anchorline --bot 'python3 a.py' --bot './b'"
    app.command(
        "play", short_help="Play one match between bots that are launched here.", epilog=example
    )(play)


def play(
    game: Annotated[str, typer.Argument(help="The game; see harbourmaster games.")],
    *,
    bot: Annotated[list[str], typer.Option(help="A bot's command, once for each seat.")],
    seed: Annotated[str, typer.Option(help="The match's seed: 64 hexadecimal digits.")] = "",
    option: Annotated[list[str] | None, typer.Option(help="name=value; repeatable.")] = None,
    bank: Annotated[str, typer.Option(help="Each seat's time for the match; 60s by default.")] = "",
    increment: Annotated[str, typer.Option(help="Added after each turn.")] = "100ms",
    turn_limit: Annotated[str, typer.Option(help="Instead of a bank: time for each turn.")] = "",
    no_clock: Annotated[
        bool, typer.Option("--no-clock", help="No limit but the ceiling of an hour.")
    ] = False,
    first_turn: Annotated[str, typer.Option(help="Extra time for the first turn.")] = "10s",
    grace: Annotated[str, typer.Option(help="Forgiven on every decision.")] = "50ms",
    connect_time: Annotated[str, typer.Option(help="How long a bot may take to come.")] = "30s",
    ready_time: Annotated[str, typer.Option(help="How long it may take to be ready.")] = "30s",
    reconnect_time: Annotated[
        str, typer.Option(help="How long its connection may be gone while it is asked.")
    ] = "10s",
    on_timeout: Annotated[
        Action, typer.Option(help="What a timeout costs: the match, or a strike.")
    ] = Action.FORFEIT,
    on_illegal_move: Annotated[
        Action, typer.Option(help="What an illegal move costs without tries left.")
    ] = Action.FORFEIT,
    retries: Annotated[
        int, typer.Option(min=0, max=100, help="More tries for an illegal move, on the same clock.")
    ] = 2,
    memory_mb: Annotated[
        int | None, typer.Option(min=1, help="The most memory that each bot may use.")
    ] = None,
    debug_pause: DebugPause = None,
    data: Annotated[
        Path | None, typer.Option(help="Keep the record here; otherwise it is thrown away.")
    ] = None,
    as_json: JsonOption = False,
    log_level: LogLevel = "warning",
    log_json: LogJson = False,
) -> None:
    """Play one match between bots that are launched here; exit code 1 if it has no result."""
    limits = {"bank": bank, "increment": increment, "turn": turn_limit, "grace": grace}
    waits = {"connect_time": connect_time, "ready_time": ready_time, "first_turn": first_turn}
    clock = _clock(limits | waits, no_clock=no_clock)
    policy = FaultPolicy(
        timeout=FaultRule(action=on_timeout),
        illegal_move=FaultRule(retries, on_illegal_move),
        reconnect_time=_micros("reconnect_time", reconnect_time),
    )
    terms = _terms(game, len(bot), option or [], clock, policy)
    bots = [
        BotDefinition(name=f"bot{seat}", command=command, memory_mb=memory_mb)
        for seat, command in enumerate(bot)
    ]
    log = make_log(log_level, as_json=log_json)
    held = _held(debug_pause, len(bots))
    with _folder(data) as folder:
        played = run(_play(folder, log, bots, terms, _seed(seed), held))
    _end(played, data, as_json)


async def _play(
    folder: Path,
    log: structlog.stdlib.BoundLogger,
    bots: Sequence[BotDefinition],
    terms: MatchTerms,
    seed: bytes,
    held: Sequence[int] = (),
) -> Played:
    """Launch *bots*, play a match between them, and end them; stop the clocks of *held* seats."""
    async with open_house(RefereeConfig(folder), log) as house:
        players = Players(house, folder / "output")
        identities = [await players.launch(each, str(seat)) for seat, each in enumerate(bots)]
        request = pb.CreateMatchRequest(terms=write_terms(terms), bots=identities, seed=seed)
        made = await house.referee.create_match(request)
        for seat in held:
            for match in house.referee.open_matches:
                match.hold(match.seats[seat], "by --debug-pause")
            pid = players.process(identities[seat])
            messages.print(f"seat {seat} is process {pid}; its clock does not run", highlight=False)
        try:
            info = await house.referee.wait(made.match_id)
        finally:
            exits = await players.stop(identities)
        return Played(info, [exits[who].peak_memory for who in identities])


def _end(played: Played, data: Path | None, as_json: bool) -> None:
    """Show the result, and end with exit code 1 if it is none."""
    name = f"{played.info.match_id}.hmr"
    _show(played, None if data is None else data / "records" / name, as_json)
    if not _is_result(played.info.outcome):
        raise typer.Exit(1)


def _is_result(outcome: match_pb2.MatchOutcome) -> bool:
    """Return whether a script may take *outcome* for a result."""
    nobody_came = all(
        seat.reason == game_pb2.SEAT_END_REASON_NOT_CONNECTED for seat in outcome.seats
    )
    return not outcome.void and not nobody_came


def _held(seats: list[int] | None, count: int) -> list[int]:
    if wrong := [seat for seat in seats or () if not 0 <= seat < count]:
        raise Failure(f"--debug-pause is {wrong[0]}: there are the seats 0 to {count - 1}")
    return seats or []


def _terms(
    game: str, seats: int, options: list[str], clock: ClockTerms, policy: FaultPolicy
) -> MatchTerms:
    try:
        found = find_game(game)
        values = found.resolve(seats, dict(parse_option(text) for text in options))
    except ValueError as error:
        raise Failure(_advised(str(error), seats)) from None
    return MatchTerms(found, values, seats, clock, policy)


def _advised(text: str, seats: int) -> str:
    """Return *text*, with what to do if the number of bots is wrong."""
    wrong_number = text.endswith(f"seats, not {seats}")
    return f"{text}: give --bot once for each seat" if wrong_number else text


def _clock(texts: Mapping[str, str], *, no_clock: bool) -> ClockTerms:
    """Return the clock for the durations in *texts*; without bank and turn, a bank of 60 s."""
    given = {name: _micros(name, text) for name, text in texts.items() if text}
    turn = given.get("turn")
    timed = not no_clock and turn is None
    return ClockTerms(
        bank=given.get("bank", 60_000_000) if timed else None,
        increment=given["increment"] if timed else 0,
        turn_limit=turn,
        grace=given["grace"],
        connect_time=given["connect_time"],
        ready_time=given["ready_time"],
        first_turn_allowance=given["first_turn"],
    )


def _micros(name: str, text: str) -> int:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise Failure(f"--{name.replace('_', '-')}: {error}") from None


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        seed = b"?"
    if text and len(seed) != 32:
        raise Failure(f"--seed is {text!r}: it takes 64 hexadecimal digits")
    return seed


@contextlib.contextmanager
def _folder(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield make_folder(data)
        return
    with tempfile.TemporaryDirectory(prefix="harbourmaster-") as folder:
        yield Path(folder)


def _show(played: Played, record: Path | None, as_json: bool) -> None:
    info = played.info
    if as_json:
        print_json(_facts(played, record))
        return
    table = Table(title=info.outcome.text)
    for heading in ("seat", "bot", "place", "score", "end", "charged", "memory"):
        table.add_column(heading)
    seats = zip(info.outcome.seats, info.clocks, played.peak_memory, strict=True)
    for seat, clock, peak in seats:
        table.add_row(
            str(seat.seat),
            info.players[seat.seat].name,
            str(seat.placement),
            str(seat.score),
            _reason(seat.reason),
            duration(clock.thought_micros),
            f"{peak / 2**20:.0f} MB",
        )
    console.print(table)
    for seat in info.outcome.seats:
        if seat.text:
            console.print(f"seat {seat.seat}: {seat.text}", highlight=False)
    console.print(f"seed      {info.deal.seed.hex()}", highlight=False)
    console.print(f"game_hash {info.game_hash.hex()}", highlight=False)
    if record is not None:
        console.print(f"record    {record}", highlight=False)


def _facts(played: Played, record: Path | None) -> dict[str, Any]:
    info = played.info
    return {
        "match_id": info.match_id,
        "game": info.terms.game,
        "reason": info.outcome.reason,
        "text": info.outcome.text,
        "void": info.outcome.void,
        "seats": [
            {
                "seat": seat.seat,
                "placement": seat.placement,
                "score": seat.score,
                "reason": _reason(seat.reason),
                "text": seat.text,
                "strikes": seat.strikes,
                "peak_memory_bytes": peak,
            }
            for seat, peak in zip(info.outcome.seats, played.peak_memory, strict=True)
        ],
        "decisions": info.decisions,
        "seed": info.deal.seed.hex(),
        "game_hash": info.game_hash.hex(),
        "record": None if record is None else str(record),
    }


def _reason(reason: game_pb2.SeatEndReason.ValueType) -> str:
    return game_pb2.SeatEndReason.Name(reason).removeprefix("SEAT_END_REASON_").lower()
