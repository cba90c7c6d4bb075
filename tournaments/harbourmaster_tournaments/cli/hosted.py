"""Tournaments on a serving referee: `tournament create`, `tournament pause`, `tournament watch`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, TaskID

from harbourmaster.v1 import tournament_service_pb2 as pb
from harbourmaster.v1 import tournament_service_pb2_grpc
from harbourmaster_tournaments.cli.common import Failure, JsonOption, console, print_json, run
from harbourmaster_tournaments.cli.progress import progress_bar
from harbourmaster_tournaments.cli.remote import (
    SECONDS,
    AddressOption,
    TlsOption,
    TokenOption,
    connect,
)
from harbourmaster_tournaments.running import read_file

NameArgument = Annotated[str, typer.Argument(help="The tournament's name.", metavar="NAME")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*, those about tournaments."""
    app.command(
        "create",
        short_help="Have a serving referee run a tournament.",
        epilog="Example: harbourmaster tournament create spring.toml --address localhost:50111",
    )(create)
    app.command(
        "pause",
        short_help="Have a tournament on a serving referee start no more games.",
        epilog="Example: harbourmaster tournament pause spring --address localhost:50111",
    )(pause)
    app.command(
        "watch",
        short_help="Follow a tournament on a referee until it is over.",
        epilog="Example: harbourmaster tournament watch spring --address localhost:50111",
    )(watch)


def create(
    file: Annotated[Path, typer.Argument(help="The tournament file (TOML).")],
    *,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a serving referee run the tournament of FILE, beside its other matches."""
    read_file(file)
    request = pb.CreateTournamentRequest(definition=file.read_text(encoding="utf-8"))

    async def work() -> pb.TournamentProgress:
        async with connect(address, token, tls) as remote:
            service = tournament_service_pb2_grpc.TournamentServiceStub(remote.channel)
            made = await service.CreateTournament(
                request, timeout=SECONDS, metadata=remote.metadata
            )
            return made.progress

    made = run(work())
    if as_json:
        print_json(_facts(made))
        return
    console.print(f"begun: {made.tournament}", highlight=False, markup=False)
    console.print(f"seed commitment {made.seed_commitment.hex()}", highlight=False)


def pause(
    name: NameArgument,
    *,
    off: Annotated[bool, typer.Option("--off", help="Let it go on.")] = False,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have a tournament start no more games; those that run go on to their end."""
    request = pb.PauseTournamentRequest(tournament=name, paused=not off)

    async def work() -> pb.TournamentProgress:
        async with connect(address, token, tls) as remote:
            service = tournament_service_pb2_grpc.TournamentServiceStub(remote.channel)
            done = await service.PauseTournament(request, timeout=SECONDS, metadata=remote.metadata)
            return done.progress

    found = run(work())
    if as_json:
        print_json(_facts(found))
        return
    how = "starts no more games" if found.paused else "goes on"
    console.print(f"{name} {how}; {found.games_done} done", highlight=False, markup=False)


def watch(
    name: NameArgument,
    *,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Follow a tournament until it is over; with --json, a line for each step.

    Fails if it stops before its end, and says why.
    """
    request = pb.WatchTournamentRequest(tournament=name)

    async def work() -> str:
        stopped = ""
        async with connect(address, token, tls) as remote:
            service = tournament_service_pb2_grpc.TournamentServiceStub(remote.channel)
            with progress_bar(not as_json) as shown:
                bar = shown.add_task(name, total=None)
                async for step in service.WatchTournament(request, metadata=remote.metadata):
                    if as_json:
                        print_json(_facts(step.progress), indent=None)
                    _show(shown, bar, step.progress)
                    stopped = step.progress.stopped
        return stopped

    if stopped := run(work()):
        raise Failure(f"the tournament {name} stopped: {stopped}")


def _show(shown: Progress, bar: TaskID, progress: pb.TournamentProgress) -> None:
    name = progress.tournament
    shown.update(
        bar,
        description=f"{name} (paused)" if progress.paused else name,
        completed=progress.games_done,
        total=progress.games_planned,
    )


def _facts(progress: pb.TournamentProgress) -> dict[str, object]:
    """Return *progress* as plain data; the JSON of protobuf would make texts of the numbers."""
    return {
        "tournament": progress.tournament,
        "games_done": progress.games_done,
        "games_planned": progress.games_planned,
        "paused": progress.paused,
        "over": progress.over,
        "stopped": progress.stopped or None,
        "seed_commitment": progress.seed_commitment.hex(),
    }
