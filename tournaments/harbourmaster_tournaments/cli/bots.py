"""`harbourmaster ask` and `harbourmaster check-bot`: for who writes bots."""

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from harbourmaster_engine.registry import find_game
from harbourmaster_tournaments.asking import Answer, Question, ask, find_question
from harbourmaster_tournaments.checking import Check, check_bot
from harbourmaster_tournaments.cli.common import (
    Failure,
    JsonOption,
    LogLevel,
    make_log,
    print_json,
    run,
)
from harbourmaster_tournaments.cli.replays import RecordFile, asked_facts, asked_lines, load, write

BotOption = Annotated[str, typer.Option("--bot", help="The bot's command.")]


def add_to(app: typer.Typer) -> None:
    """Add the commands to *app*."""
    example = "Example: harbourmaster ask game.hmr --decision 7 --bot 'python3 my_bot.py'"
    app.command("ask", short_help="Put a recorded decision to a bot again.", epilog=example)(
        ask_bot
    )
    example = "Example: harbourmaster check-bot --bot 'python3 my_bot.py' --game anchorline"
    app.command(
        "check-bot",
        short_help="Try a bot out, and say what works and what does not.",
        epilog=example,
    )(check)


def ask_bot(
    file: RecordFile,
    *,
    decision: Annotated[int, typer.Option(min=1, help="The number of the decision.")],
    bot: BotOption,
    seat: Annotated[
        int | None, typer.Option(help="Insist that the decision was this seat's.")
    ] = None,
    wait: Annotated[float, typer.Option(help="How many seconds to wait for an answer.")] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Put a recorded decision to a bot again: the same view, events, offered moves and time."""
    question = find_question(load(file), decision, seat)
    answer = run(ask(question, bot, seconds=wait))
    if as_json:
        facts = {"asked": asked_facts(question.asked), "recorded": question.recorded}
        print_json(facts | {"answer": asdict(answer)})
    else:
        write(_answer_lines(question, answer))


def check(
    *,
    bot: BotOption,
    game: Annotated[
        str | None, typer.Option(help="The game; by default the first that the bot names.")
    ] = None,
    as_json: JsonOption = False,
    log_level: LogLevel = "error",
) -> None:
    """Try a bot out against the house bot random, strictly; say what works and what does not."""
    if game is not None:
        try:
            find_game(game)
        except ValueError as error:
            raise Failure(str(error)) from None
    log = make_log(log_level, as_json=False)

    def tell(made: Check) -> None:
        if not as_json:
            write([f"{'ok  ' if made.good else 'FAIL'} {made.name}: {made.text}"], gap=False)

    with tempfile.TemporaryDirectory(prefix="harbourmaster-") as folder:
        checks = run(check_bot(bot, game, Path(folder), log, tell))
    failed = sum(not made.good for made in checks)
    if as_json:
        print_json([asdict(made) for made in checks])
    else:
        write([f"{len(checks) - failed} of {len(checks)} checks passed"], gap=False)
    if failed:
        raise typer.Exit(1)


def _answer_lines(question: Question, answer: Answer) -> list[str]:
    lines = asked_lines(question.asked)
    lines.append(f"in the record  {question.recorded}")
    lines.append(f"now            {answer.text}; it took {answer.seconds * 1000:.1f} ms")
    if answer.note:
        lines.append(f"note           {answer.note}")
    if answer.accepted:
        lines.append("The rules accept it.")
    else:
        lines.append(f"The rules refuse it: {answer.refusal}")
    if not answer.in_time:
        lines.append("It came too late: the seat had less time left.")
    return lines
