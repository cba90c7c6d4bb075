"""`harbourmaster serve` and `harbourmaster token`."""

import asyncio
import contextlib
import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from harbourmaster_server.identity import RIGHTS, Identity, Tokens, check_name
from harbourmaster_server.metrics import serve_metrics
from harbourmaster_server.referee import Referee
from harbourmaster_server.server import DEFAULT_PORT, Servicer
from harbourmaster_server.sessions.registry import SecondSession
from harbourmaster_tournaments.cli.common import (
    Failure,
    JsonOption,
    console,
    make_folder,
    make_log,
    print_json,
    run,
    stop_on_signals,
)
from harbourmaster_tournaments.running import Listening, open_house
from harbourmaster_tournaments.running.host import TournamentHost
from harbourmaster_tournaments.running.service import TournamentService
from harbourmaster_tournaments.serve_file import (
    DEFAULT_FOLDER,
    ServeFile,
    ServerPart,
    read_serve_file,
)

DataFolder = Annotated[
    Path, typer.Option("--data", help="The folder for journal, records, keys and tokens.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    app.command("serve", epilog="Example: harbourmaster serve --config referee.toml")(serve)
    token = typer.Typer(help="Issue, list and revoke tokens.", no_args_is_help=True)
    token.command("issue", epilog="Example: harbourmaster token issue my-bot")(issue_token)
    token.command("list", epilog="Example: harbourmaster token list --json")(list_tokens)
    token.command("revoke", epilog="Example: harbourmaster token revoke my-bot")(revoke_token)
    app.add_typer(token, name="token", epilog="Example: harbourmaster token issue my-bot")


def serve(
    *,
    config: Annotated[
        Path | None, typer.Option(help="A file with all settings (TOML); flags win over it.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="Where to listen; default localhost.")] = None,
    port: Annotated[
        int | None, typer.Option(help=f"The port, 0 for a free one; default {DEFAULT_PORT}.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The folder for journal, records, keys, tokens; harbourmaster-data."),
    ] = None,
    open_mode: Annotated[
        bool | None, typer.Option("--open", help="Need no tokens: for your own machine.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate chain (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's key (PEM).")] = None,
    insecure: Annotated[
        bool | None,
        typer.Option("--insecure", help="Allow plain text on an address off the loopback."),
    ] = None,
    durability: Annotated[
        str | None,
        typer.Option(help="process: safe if the referee dies (default); power: if the machine."),
    ] = None,
    second_session: Annotated[
        SecondSession | None,
        typer.Option(help="What becomes of a second session of a bot; default allow."),
    ] = None,
    metrics_port: Annotated[
        int | None, typer.Option(help="Serve Prometheus metrics on this port; 0 for a free one.")
    ] = None,
    metrics_host: Annotated[
        str | None, typer.Option(help="Where to serve metrics; default 127.0.0.1.")
    ] = None,
    log_level: Annotated[
        str | None, typer.Option(help="debug, info (default), warning or error.")
    ] = None,
    log_json: Annotated[
        bool | None, typer.Option("--log-json", help="Log JSON lines instead of text.")
    ] = None,
) -> None:
    """Run a referee that bots dial in to. docs/serve.md describes every setting of the file."""
    flags = {
        "host": host,
        "port": port,
        "data": data,
        "open": open_mode,
        "tls_cert": tls_cert,
        "tls_key": tls_key,
        "insecure": insecure,
        "durability": durability,
        "second_session": second_session,
        "metrics_port": metrics_port,
        "metrics_host": metrics_host,
        "log_level": log_level,
        "log_json": log_json,
    }
    run(_serve(read_serve_file(config, flags)))


async def _serve(file: ServeFile) -> None:
    """Run the referee that *file* describes until a signal stops it."""
    part = file.server
    make_folder(part.data)
    log = make_log(part.log_level, as_json=part.log_json)
    stopped = asyncio.Event()
    # What is loaded by now stays: the collector need not look at it again and again.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    host = TournamentHost(part.data / "tournaments", log)

    def tournaments(referee: Referee) -> Servicer:
        return TournamentService(host, referee).add_to

    opened = open_house(
        file.config(),
        log,
        Listening(part.host, part.port, part.tls, part.insecure),
        services=(tournaments,),
    )
    async with opened as house:
        with _metrics(house.referee, part) as metrics:
            stop_on_signals(stopped.set)
            address = house.server.address
            log.info("listening", address=address, data=str(part.data), open=part.open)
            console.print(f"listening on {address}", highlight=False)
            if metrics:
                console.print(f"metrics on {metrics}", highlight=False)
            await host.open(house)
            try:
                await stopped.wait()
            finally:
                await host.close()
            log.info("shutting down; unfinished matches go on at the next start")


@contextlib.contextmanager
def _metrics(referee: Referee, part: ServerPart) -> Iterator[str]:
    """Serve metrics, if they are wanted; yield where, or an empty word."""
    if part.metrics_port is None:
        yield ""
        return
    with serve_metrics(referee, part.metrics_host, part.metrics_port) as port:
        yield f"http://{part.metrics_host}:{port}/metrics"


def issue_token(
    bot: Annotated[str, typer.Argument(help="The name that matches and tables show.")],
    *,
    owner: Annotated[str, typer.Option(help="Whose bot it is.")] = "",
    right: Annotated[
        list[str] | None, typer.Option(help="play (the default), watch or admin; repeatable.")
    ] = None,
    data: DataFolder = DEFAULT_FOLDER,
    as_json: JsonOption = False,
) -> None:
    """Issue a token. It is shown only now: the referee keeps its hash."""
    rights = tuple(right or ("play",))
    if wrong := [each for each in rights if each not in RIGHTS]:
        raise Failure(f"--right is {wrong[0]!r}: it takes {', '.join(RIGHTS)}")
    tokens = Tokens(make_folder(data) / "tokens.json")
    token = tokens.issue(Identity(check_name(bot), owner, rights))
    if as_json:
        print_json({"bot": bot, "owner": owner, "rights": rights, "token": token})
    else:
        console.print(token, highlight=False)


def list_tokens(*, data: DataFolder = DEFAULT_FOLDER, as_json: JsonOption = False) -> None:
    """List whom there are tokens for."""
    identities = Tokens(make_folder(data) / "tokens.json").identities()
    if as_json:
        print_json([{"bot": i.bot, "owner": i.owner, "rights": i.rights} for i in identities])
        return
    for identity in identities:
        owner = f" of {identity.owner}" if identity.owner else ""
        console.print(f"{identity.bot}{owner}: {', '.join(identity.rights)}", highlight=False)


def revoke_token(
    bot: Annotated[str, typer.Argument(help="The name that the tokens are for.")],
    *,
    data: DataFolder = DEFAULT_FOLDER,
) -> None:
    """Revoke every token of a bot."""
    count = Tokens(make_folder(data) / "tokens.json").revoke(bot)
    if not count:
        raise Failure(f"there is no token for {bot!r}: see harbourmaster token list")
    console.print(f"revoked {count} of {bot}", highlight=False)
