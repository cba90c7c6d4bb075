"""Commands that ask a referee which runs elsewhere: `status`, `pause`, `resume`, `record`."""

import contextlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import grpc
import typer
from google.protobuf.json_format import MessageToDict
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from harbourmaster import _settings
from harbourmaster.errors import BadSetting
from harbourmaster.v1 import admin_service_pb2 as pb
from harbourmaster.v1 import admin_service_pb2_grpc, match_service_pb2, match_service_pb2_grpc
from harbourmaster_server.identity import shown_identity
from harbourmaster_server.records.chain import frame
from harbourmaster_server.showing.words import duration
from harbourmaster_tournaments.cli.common import Failure, JsonOption, console, print_json, run

AddressOption = Annotated[
    str | None,
    typer.Option("--address", help="host:port; default HARBOURMASTER_ADDRESS or localhost."),
]
TokenOption = Annotated[
    str | None, typer.Option("--token", help="A token; default HARBOURMASTER_TOKEN.")
]
TlsOption = Annotated[
    Path | None,
    typer.Option(
        "--tls", help="Encrypt, and trust the certificates in this file; default HARBOURMASTER_TLS."
    ),
]
MatchArgument = Annotated[str, typer.Argument(help="The match's id.", metavar="MATCH")]

SECONDS = 10.0
"""How long a referee may take to answer."""

ID_WIDTH = 16
"""How long the id of a match is, unless its maker chose another."""


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    app.command(
        "status",
        short_help="Show who is connected, and whom each match waits for.",
        epilog="Example: harbourmaster status --json",
    )(status)
    app.command(
        "pause",
        short_help="Stop the clocks of a match.",
        epilog="Example: harbourmaster pause 5a0bc5204e74ffaf",
    )(pause)
    app.command(
        "resume",
        short_help="Let the clocks of a paused match go on.",
        epilog="Example: harbourmaster resume 5a0bc5204e74ffaf",
    )(resume)
    record = typer.Typer(help="Fetch records from a referee.", no_args_is_help=True)
    example = "Example: harbourmaster record fetch 5a0bc5204e74ffaf --into records"
    record.command("fetch", short_help="Fetch the record of a match that is over.", epilog=example)(
        fetch
    )
    record.callback()(_record)
    app.add_typer(record, name="record", epilog=example)


def status(
    *,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show who is connected to a referee, and whom each match waits for, since when."""

    async def work() -> pb.GetStatusResponse:
        async with connect(address, token, tls) as remote:
            admin = admin_service_pb2_grpc.AdminServiceStub(remote.channel)
            asked = pb.GetStatusRequest()
            return await admin.GetStatus(asked, timeout=SECONDS, metadata=remote.metadata)

    found = run(work())
    if as_json:
        print_json(MessageToDict(found, always_print_fields_with_no_presence=True))
    else:
        _show(found)


def pause(
    match: MatchArgument,
    *,
    reason: Annotated[str, typer.Option(help="What to tell the bots.")] = "",
    seat: Annotated[
        int | None,
        typer.Option(min=0, help="Stop the clock of this seat alone; on the referee's machine."),
    ] = None,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
) -> None:
    """Stop the clocks of a match, to debug a bot at your own pace; see also resume."""
    request = pb.PauseMatchRequest(match_id=match, paused=True, reason=reason, seat=seat)
    found = _pause(request, address, token, tls)
    if seat is None:
        console.print(f"{match} stands still: {found.paused}", highlight=False)
    else:
        console.print(f"the clock of seat {seat} in {match} does not run", highlight=False)


def resume(
    match: MatchArgument,
    *,
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
) -> None:
    """Let all clocks of a match go on that were stopped."""
    _pause(pb.PauseMatchRequest(match_id=match), address, token, tls)
    console.print(f"{match} goes on", highlight=False)


def _record() -> None:
    """Fetch records from a referee."""


def fetch(
    match: MatchArgument,
    *,
    into: Annotated[Path, typer.Option(help="The folder for the record.")] = Path(),
    address: AddressOption = None,
    token: TokenOption = None,
    tls: TlsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fetch the record of a match that is over: any with the right to watch, else your own."""

    async def work() -> list[bytes]:
        async with connect(address, token, tls) as remote:
            matches = match_service_pb2_grpc.MatchServiceStub(remote.channel)
            asked = match_service_pb2.StreamRecordRequest(match_id=match)
            call = matches.StreamRecord(asked, metadata=remote.metadata)
            return [entry.SerializeToString() async for part in call for entry in part.entries]

    entries = run(work())
    path = into / f"{match}.hmr"
    try:
        into.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(map(frame, entries)))
    except OSError as error:
        raise Failure(f"cannot write {path}: {error.strerror}") from None
    if as_json:
        print_json({"match_id": match, "file": str(path), "entries": len(entries)})
    else:
        console.print(str(path), highlight=False)


def _pause(
    request: pb.PauseMatchRequest, address: str | None, token: str | None, tls: Path | None
) -> pb.MatchStatus:
    async def work() -> pb.MatchStatus:
        async with connect(address, token, tls) as remote:
            admin = admin_service_pb2_grpc.AdminServiceStub(remote.channel)
            done = await admin.PauseMatch(request, timeout=SECONDS, metadata=remote.metadata)
            return done.match

    return run(work())


@dataclass(frozen=True, slots=True)
class Remote:
    """A referee that can be asked, and what goes with every call."""

    channel: grpc.aio.Channel
    metadata: tuple[tuple[str, str], ...]


@contextlib.asynccontextmanager
async def connect(
    address: str | None, token: str | None, tls: Path | None
) -> AsyncIterator[Remote]:
    """Connect to a referee; raise `Failure` for an address, file or call that fails."""
    try:
        where = _settings.settled_address(address)
        trusted = _settings.settled_tls(tls)
    except BadSetting as error:
        raise Failure(str(error)) from None
    secret = _settings.settled_token(token)
    metadata = (("authorization", f"Bearer {secret}"),) if secret else ()
    if trusted is False:
        channel = grpc.aio.insecure_channel(where)
    else:
        roots = _certificates(trusted) if isinstance(trusted, Path) else None
        channel = grpc.aio.secure_channel(where, grpc.ssl_channel_credentials(roots))
    async with channel:
        try:
            yield Remote(channel, metadata)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                hint = (
                    "check the address, and that --tls fits: the referee may want it"
                    if trusted is False
                    else "check the address, and that --tls fits: the referee may take plain text, "
                    "or have another certificate"
                )
                raise Failure(f"no referee answers at {where}: {error.details()}; {hint}") from None
            raise Failure(f"the referee refused: {error.details()}") from None


def _certificates(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"cannot read {path}: {error.strerror}") from None


def _show(found: pb.GetStatusResponse) -> None:
    """Print the status as tables."""
    state = "draining" if found.draining else "up"
    console.print(
        f"referee {found.server_version}, {state} since {found.start_time.ToJsonString()}; "
        f"{found.matches_finished} matches finished, {found.decisions} decisions, "
        f"{found.watchers} watchers",
        highlight=False,
    )
    if found.disk_trouble:
        console.print(Text(found.disk_trouble, "red"))
    console.print(_sessions(found.sessions) if found.sessions else "no sessions")
    console.print(_matches(found.matches) if found.matches else "no open matches")


def _sessions(sessions: Iterable[pb.SessionStatus]) -> Table:
    table = Table("bot", "name", "version", "connection", "matches", "room", title="sessions")
    for each in sessions:
        connection = "there" if each.connected else "lost"
        if each.leaving:
            connection += ", leaving"
        matches = str(len(each.match_ids))
        version = escape(each.software_version)
        table.add_row(
            escape(shown_identity(each.bot)),
            escape(each.name),
            version,
            connection,
            matches,
            str(each.room),
        )
    return table


def _matches(matches: Iterable[pb.MatchStatus]) -> Table:
    # The id is what `pause` takes: it is never cut off.
    table = Table(Column("match", overflow="fold", min_width=ID_WIDTH), title="open matches")
    for heading in ("game", "phase", "decisions", "age", "waits for"):
        table.add_column(heading)
    for each in matches:
        phase = match_service_pb2.MatchPhase.Name(each.phase).removeprefix("MATCH_PHASE_").lower()
        waits = [f"paused: {each.paused}"] if each.paused else []
        waits += map(_wait, each.waits)
        age = duration(each.age.ToMicroseconds())
        words = escape("; ".join(waits) or "nobody")
        table.add_row(each.match_id, each.game, phase, str(each.decisions), age, words)
    return table


def _wait(waited: pb.WaitedFor) -> str:
    reason = pb.WaitReason.Name(waited.reason).removeprefix("WAIT_REASON_").lower()
    text = f"seat {waited.seat} ({shown_identity(waited.bot)}), {reason.replace('_', ' ')}"
    if waited.decision:
        text += f" {waited.decision}"
    text += f" for {duration(waited.waited.ToMicroseconds())}"
    if waited.HasField("time_left"):
        text += f", {duration(waited.time_left.ToMicroseconds())} left"
    return text
