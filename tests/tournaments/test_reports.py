"""Tables on terminals of every width."""

from io import StringIO

import pytest
from rich.console import Console

from harbourmaster_tournaments.ratings import Tally, tables
from harbourmaster_tournaments.reports import render
from support.rated import round_robin


def shown(width: int) -> str:
    """Return a table of hundreds of games as a terminal of *width* columns shows it."""
    (table,) = tables(Tally.of(round_robin(4, 120, draws=0.1)))
    out = StringIO()
    Console(file=out, width=width).print(render(table, width))
    return out.getvalue()


@pytest.mark.parametrize("width", [64, 72, 80, 100, 120, 132, 200])
def test_no_number_is_cut_and_no_line_is_too_long(width: int) -> None:
    text = shown(width)

    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width
    for heading in ("rank", "bot", "Elo", "± 95 %", "games", " W ", " D ", " L "):
        assert heading in text


def test_the_wider_the_terminal_the_more_it_shows() -> None:
    heads = {width: shown(width).splitlines()[2] for width in (64, 80, 100, 120, 140)}
    columns = [head.count("┃") for head in heads.values()]

    assert columns == sorted(columns)
    assert "p99" in heads[140]
    assert "p99" not in heads[100]


def test_a_narrow_terminal_is_told_what_a_wider_one_shows() -> None:
    narrow = " ".join(shown(80).split())

    assert "a wider terminal also shows: p99, by seat, score diff, think" in narrow
    assert "a wider terminal" not in shown(200)
