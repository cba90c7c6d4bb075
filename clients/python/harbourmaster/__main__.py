"""The client's own command: house bots, and a look whether the referee can be reached."""

import argparse
import asyncio
import platform
import sys
from collections.abc import Callable, Sequence
from typing import Any

import google.protobuf
import grpc

from harbourmaster import _settings
from harbourmaster._check import check
from harbourmaster._main import add_arguments, run
from harbourmaster._version import PROTOCOL_MAJOR, PROTOCOL_MINOR, __version__
from harbourmaster.bots import faulty, greedy
from harbourmaster.bots.random import random_bot
from harbourmaster.errors import HarbourmasterError

COMMON = ("address", "token", "name", "open_matches", "open_decisions", "tls")


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command that *argv* gives; a wrong one ends in a sentence and exit code 2."""
    given = parser().parse_args(argv)
    given.command(given)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="python -m harbourmaster",
        description="The client for Harbourmaster: house bots, and a look at a referee.",
        epilog="example: python -m harbourmaster bot random --address localhost:50111",
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    version = commands.add_parser("version", help="print the versions of client and protocol")
    version.set_defaults(command=print_version)
    looking = commands.add_parser("check", help="connect once and print what the referee answered")
    add_arguments(looking, "check")
    looking.set_defaults(command=print_check)
    bots = commands.add_parser("bot", help="play as a house bot").add_subparsers(
        required=True, metavar="BOT"
    )
    _add_bot(bots, "random", "takes any offered move", play_random).add_argument(
        "--seed", type=int, default=0, help="another seed plays other moves (default: 0)"
    )
    _add_bot(bots, "greedy", "takes what pays most at once", play_greedy)
    _add_fault_options(_add_bot(bots, "faulty", "misbehaves on purpose", play_faulty))
    return top


def _add_bot(
    bots: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    what: str,
    command: Callable[[argparse.Namespace], None],
) -> argparse.ArgumentParser:
    """Add the house bot *name*, which *command* runs."""
    bot = bots.add_parser(name, help=what)
    add_arguments(bot, name)
    bot.add_argument("--game", action="append", metavar="G", help="play this game only; repeatable")
    bot.set_defaults(command=command)
    return bot


def _add_fault_options(bot: argparse.ArgumentParser) -> None:
    bot.add_argument("--fault", required=True, choices=faulty.FAULTS, help="what it does")
    bot.add_argument(
        "--after", type=int, default=1, metavar="N", help="at which decision it begins (default: 1)"
    )
    bot.add_argument(
        "--delay", type=float, default=0.2, metavar="S", help="how slow `slow` is (default: 0.2 s)"
    )


def print_version(given: argparse.Namespace) -> None:
    """Print the versions of everything that takes part."""
    sys.stdout.write(
        f"harbourmaster {__version__}, protocol {PROTOCOL_MAJOR}.{PROTOCOL_MINOR}, "
        f"grpcio {grpc.__version__}, protobuf {google.protobuf.__version__}, "
        f"Python {platform.python_version()}\n"
    )


def print_check(given: argparse.Namespace) -> None:
    """Connect once and print what the referee answered."""
    try:
        welcome = asyncio.run(check(_settings_of(given)))
    except HarbourmasterError as error:
        sys.exit(f"harbourmaster: {error}")
    limits = welcome.limits
    sys.stdout.write(
        f"{_settings.settled_address(given.address)} answers: referee {welcome.server_version}, "
        f"protocol {welcome.protocol_version.major}.{welcome.protocol_version.minor}\n"
        f"it knows this bot as {welcome.bot!r}\n"
        f"limits: {limits.open_matches} open matches, {limits.open_decisions} open decisions, "
        f"{limits.message_bytes} bytes a message, {limits.messages_per_second} messages a second, "
        f"{limits.resume_time.ToSeconds()} s to take a session up again\n"
    )


def play_random(given: argparse.Namespace) -> None:
    """Play as the random bot."""
    run(random_bot(given.seed), games=given.game, **_options(given))


def play_greedy(given: argparse.Namespace) -> None:
    """Play as the greedy bot, the games that it knows."""
    games = given.game or greedy.known_games()
    for game in games:
        try:
            greedy.greedy_bot(game)
        except ValueError as error:
            sys.exit(f"harbourmaster: {error}")
    run(greedy.choose, games=games, **_options(given))


def play_faulty(given: argparse.Namespace) -> None:
    """Play as the bot that misbehaves."""
    try:
        settings = _settings_of(given)
    except HarbourmasterError as error:
        sys.exit(f"harbourmaster: {error}")
    sys.exit(faulty.play(given.fault, settings, after=given.after, delay=given.delay))


def _options(given: argparse.Namespace) -> dict[str, Any]:
    return {name: getattr(given, name) for name in COMMON}


def _settings_of(given: argparse.Namespace) -> _settings.Settings:
    return _settings.Settings(
        address=_settings.settled_address(given.address),
        token=_settings.settled_token(given.token),
        name=_settings.settled_name(given.name),
        games=_settings.settled_games(getattr(given, "game", None)),
        open_matches=given.open_matches,
        open_decisions=given.open_decisions,
        tls=_settings.settled_tls(given.tls),
    )


if __name__ == "__main__":
    main()
