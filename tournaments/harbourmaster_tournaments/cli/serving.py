"""`harbourmaster serve` and `harbourmaster token`."""

import asyncio
import gc
from pathlib import Path
from typing import Annotated

import typer

from harbourmaster_server.identity import RIGHTS, Identity, Tokens, check_name
from harbourmaster_server.referee import Referee, RefereeConfig
from harbourmaster_server.server import DEFAULT_PORT, RefereeServer
from harbourmaster_server.sessions.registry import SecondSession
from harbourmaster_tournaments.cli.common import (
    Failure,
    JsonOption,
    LogJson,
    LogLevel,
    console,
    make_folder,
    make_log,
    print_json,
    run,
    stop_on_signals,
)

DataFolder = Annotated[
    Path, typer.Option("--data", help="The folder for journal, records, keys and tokens.")
]
DEFAULT_FOLDER = Path("harbourmaster-data")


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    app.command("serve", epilog="Example: harbourmaster serve --open --port 50111")(serve)
    token = typer.Typer(help="Issue, list and revoke tokens.", no_args_is_help=True)
    token.command("issue", epilog="Example: harbourmaster token issue my-bot")(issue_token)
    token.command("list", epilog="Example: harbourmaster token list --json")(list_tokens)
    token.command("revoke", epilog="Example: harbourmaster token revoke my-bot")(revoke_token)
    app.add_typer(token, name="token")


def serve(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "localhost",
    port: Annotated[int, typer.Option(help="The port; 0 for a free one.")] = DEFAULT_PORT,
    data: DataFolder = DEFAULT_FOLDER,
    open_mode: Annotated[
        bool, typer.Option("--open", help="Need no tokens: for your own machine.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option(help="A certificate chain (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="The certificate's key (PEM).")] = None,
    insecure: Annotated[
        bool, typer.Option(help="Allow plain text on an address off the loopback.")
    ] = False,
    durability: Annotated[
        str, typer.Option(help="process: safe if the referee dies; power: if the machine does.")
    ] = "process",
    second_session: Annotated[
        SecondSession, typer.Option(help="What becomes of a second session of a bot.")
    ] = SecondSession.ALLOW,
    log_level: LogLevel = "info",
    log_json: LogJson = False,
) -> None:
    """Run a referee that bots dial in to."""
    if durability not in ("process", "power"):
        raise Failure(f"--durability is {durability!r}: it takes process or power")
    if (tls_cert is None) != (tls_key is None):
        raise Failure("--tls-cert and --tls-key belong together: give both")
    config = RefereeConfig(
        make_folder(data),
        open_mode=open_mode,
        durability=durability,
        second_session=second_session,
    )
    tls = (tls_cert, tls_key) if tls_cert is not None and tls_key is not None else None
    log = make_log(log_level, as_json=log_json)

    async def work() -> None:
        stopped = asyncio.Event()
        # What is loaded by now stays: the collector need not look at it again and again.
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        async with Referee(config, log) as referee:
            server = RefereeServer(referee, host=host, port=port, tls=tls, insecure=insecure)
            async with server:
                stop_on_signals(stopped.set)
                log.info("listening", address=server.address, data=str(data), open=open_mode)
                console.print(f"listening on {server.address}", highlight=False)
                await stopped.wait()
                log.info("shutting down; unfinished matches go on at the next start")

    run(work())


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
