"""The command line of a bot."""

import argparse
import sys
from typing import Any

from harbourmaster._play import play
from harbourmaster._settings import ADDRESS_VARIABLE, DEFAULT_ADDRESS, TOKEN_VARIABLE
from harbourmaster._values import Choose
from harbourmaster.errors import HarbourmasterError


def arguments(
    description: str | None = None, *, name: str | None = None
) -> argparse.ArgumentParser:
    """Return a parser with the options that every bot has; their values are options of `play`.

    A bot may add its own. *name* is what the bot is called unless the command says otherwise.
    """
    parser = argparse.ArgumentParser(description=description)
    add_arguments(parser, name)
    return parser


def add_arguments(parser: argparse.ArgumentParser, name: str | None) -> None:
    """Add to *parser* the options that every bot has."""
    parser.add_argument(
        "--address",
        metavar="HOST:PORT",
        help=f"where the referee is (else {ADDRESS_VARIABLE}, else {DEFAULT_ADDRESS})",
    )
    parser.add_argument("--token", help=f"who the bot is (else {TOKEN_VARIABLE}, which is safer)")
    parser.add_argument(
        "--name", default=name, help="what the bot is called (default: %(default)s)"
    )
    parser.add_argument(
        "--open-matches", type=int, default=1, metavar="N", help="matches at once (default: 1)"
    )
    parser.add_argument(
        "--open-decisions", type=int, default=1, metavar="N", help="decisions at once (default: 1)"
    )
    parser.add_argument(
        "--tls",
        nargs="?",
        const=True,
        metavar="FILE",
        help="encrypt; FILE holds the certificates to trust instead of the system's",
    )


def main(choose: Choose, *, name: str | None = None, **options: Any) -> None:
    """Run the bot *choose* as a program: read the command line, then `play`.

    *options* are further ones of `play`; the command line wins over them. Ends the program with
    exit code 1 and one sentence when the referee refuses or cannot be reached.
    """
    given = vars(arguments(choose.__doc__, name=name).parse_args())
    run(choose, **options | {key: value for key, value in given.items() if value is not None})


def run(choose: Choose, **options: Any) -> None:
    """`play`, but end the program in a sentence, with exit code 1, on a `HarbourmasterError`."""
    try:
        play(choose, **options)
    except HarbourmasterError as error:
        sys.exit(f"harbourmaster: {error}")
