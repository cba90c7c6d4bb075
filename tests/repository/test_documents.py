"""What the documents say can be done as they say it."""

import argparse
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import typer

from harbourmaster.__main__ import parser
from harbourmaster_tournaments.cli.main import app
from harbourmaster_tournaments.running.definition import (
    BotDefinition,
    ClockPart,
    FaultsPart,
    Part,
    RatingPart,
    SprtPart,
    TournamentPart,
    read_text,
)
from support.repository import ROOT, blocks, documents, name_of

LINK: Final = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
SPAN: Final = re.compile(r"`harbourmaster ([^`]+)`")
COMMANDS: Final[Any] = typer.main.get_command(app)
PARTS: Final = (TournamentPart, SprtPart, RatingPart, ClockPart, FaultsPart, BotDefinition)
PAGES: Final = [name_of(path) for path in documents()]


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


# Commands.


def command_lines(text: str) -> list[str]:
    """Return the commands of the shell blocks of *text*, each whole, also over several lines."""
    found: list[str] = []
    for line in "\n".join(blocks(text, "sh")).replace("\\\n", " ").splitlines():
        if found and _quote_is_open(found[-1]):
            found[-1] += f"\n{line}"
        elif line.strip() and not line.startswith("#"):
            found.append(line)
    return found


def _quote_is_open(line: str) -> bool:
    try:
        shlex.split(line, comments=True)
    except ValueError:
        return True
    return False


def words_of(line: str) -> list[str]:
    """Return the words of a command, up to what redirects or pipes its output."""
    words = shlex.split(line, comments=True)
    ends = [place for place, word in enumerate(words) if word in (">", "2>", "|", "&", "&&")]
    return words[: ends[0]] if ends else words


def find_command(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that *words* call and the words that are left for it."""
    command = COMMANDS
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def what_is_wrong(line: str) -> str:
    """Return why *line* cannot be run as it stands, or an empty text."""
    words = words_of(line)
    if words[:1] == ["harbourmaster"]:
        command, rest = find_command(words[1:])
        if hasattr(command, "commands"):
            return f"{line}: there is no such command"
        try:
            command.make_context(" ".join(words), rest)
        except typer.TyperException as error:
            return f"{line}: {error}"
    elif words[:3] == ["python", "-m", "harbourmaster"]:
        try:
            parser().parse_args(words[3:])
        except (SystemExit, argparse.ArgumentError) as error:
            return f"{line}: {error}"
    elif words[:1] == ["make"]:
        targets = re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE)
        return "" if set(words[1:]) <= set(targets) else f"{line}: no such target"
    return ""


def bots_in(line: str) -> list[str]:
    """Return the commands of bots of ours in *line*."""
    words = words_of(line)
    named = [words[place + 1] for place, word in enumerate(words[:-1]) if word == "--bot"]
    return [bot for bot in named if bot.startswith("python -m harbourmaster ")]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_can_be_run(page: str) -> None:
    lines = command_lines(text_of(page))
    inner = [bot for line in lines for bot in bots_in(line)]

    assert [wrong for line in (*lines, *inner) if (wrong := what_is_wrong(line))] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_a_sentence_names_is_there(page: str) -> None:
    for span in SPAN.findall(text_of(page)):
        command, rest = find_command(shlex.split(span))
        options = {word.partition("=")[0] for word in rest if word.startswith("--")}
        known = {name for each in command.params for name in each.opts + each.secondary_opts}

        assert command is not COMMANDS, span
        assert options <= known, span


def test_the_commands_were_found() -> None:
    lines = [line for page in PAGES for line in command_lines(text_of(page))]

    assert sum(line.startswith("harbourmaster ") for line in lines) > 15
    assert sum(line.startswith("make ") for line in lines) > 4


@pytest.mark.parametrize(
    "line",
    [
        "harbourmaster serve --opne",
        "harbourmaster plya anchorline",
        "harbourmaster tournament table",
        "python -m harbourmaster bot greddy",
        "make dmeo",
    ],
)
def test_a_planted_wrong_command_is_found(line: str) -> None:
    assert what_is_wrong(line)


def leaves(command: Any = COMMANDS, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield every command that does something, with what calls it."""
    below = getattr(command, "commands", None)
    if below is None:
        yield " ".join(path), command
        return
    for name, each in below.items():
        yield from leaves(each, (*path, name))


@pytest.mark.parametrize(("name", "command"), list(leaves()))
def test_the_help_of_every_command_ends_in_an_example_that_works(name: str, command: Any) -> None:
    example = (command.epilog or "").removeprefix("Example: ")

    assert example.startswith(f"harbourmaster {name}")
    assert what_is_wrong(example) == ""
    assert command.help.strip().endswith(".")
    assert all(each.help for each in command.params if each.name != "help")


# Links.


def anchor_of(heading: str) -> str:
    """Return what a link to *heading* has behind its #."""
    words = re.sub(r"[^\w\- ]", "", LINK.sub("", heading).replace("`", "").lower())
    return words.strip().replace(" ", "-")


def broken_links(page: Path, text: str) -> list[str]:
    """Return the relative links of *text*, which stands in *page*, that lead nowhere."""
    broken = []
    for target in LINK.findall(text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = page if not name else (page.parent / name).resolve()
        if not path.exists() or (anchor and anchor not in anchors(path, page, text)):
            broken.append(target)
    return broken


def anchors(path: Path, page: Path, text: str) -> set[str]:
    """Return the anchors of the page at *path*, where *page* has *text*."""
    shown = text if path == page else path.read_text(encoding="utf-8")
    return {anchor_of(heading) for heading in HEADING.findall(shown)}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_somewhere(page: str) -> None:
    assert broken_links(ROOT / page, text_of(page)) == []


def test_a_planted_broken_link_is_found() -> None:
    text = "# A b\n[good](README.md) [good](#a-b) [bad](nowhere.md) [bad](README.md#nothing)"

    assert broken_links(ROOT / "README.md", text) == ["nowhere.md", "README.md#nothing"]


def test_the_index_has_every_page() -> None:
    index = ROOT / "docs" / "README.md"
    linked = {(index.parent / each).resolve() for each in LINK.findall(index.read_text())}

    assert set((ROOT / "docs").rglob("*.md")) - {index} <= linked


# Keys and code.


@pytest.mark.parametrize("part", PARTS)
def test_every_key_of_a_tournament_file_is_described(part: type[Part]) -> None:
    page = text_of("docs/run-a-competition.md")
    described = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))

    assert set(part.model_fields) - described == set()


def test_every_tournament_file_of_the_pages_can_be_read() -> None:
    files = [
        code
        for page in PAGES
        for code in blocks(text_of(page), "toml")
        if code.startswith("[tournament]")
    ]

    assert files
    for code in files:
        assert read_text(code, "page").bot


def test_the_bots_of_the_readme_and_of_the_guide_are_one() -> None:
    readme = blocks(text_of("README.md"), "python")[0]
    guide = blocks(text_of("docs/write-a-bot.md"), "python")[0]

    assert guide == f"# my_bot.py\n{readme}"
    assert len(readme.splitlines()) <= 10


def test_every_test_that_the_page_on_trust_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", text_of("docs/trust.md")))
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert len(named) > 50
    assert named - there == set()
