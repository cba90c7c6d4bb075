"""The page on dealing again: its program deals what the engine deals, and what was played."""

import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from harbourmaster_engine.registry import find_game
from harbourmaster_tournaments.schedules import deal_seed
from support.repository import ROOT, blocks

PAGE = ROOT / "docs" / "dealing.md"
SEED = sha256(b"a tournament").digest()


@pytest.fixture(scope="module")
def first_hands() -> Callable[[bytes, int, str, int], list[list[int]]]:
    """The function of the page, made from nothing but the page."""
    (program,) = blocks(PAGE.read_text(encoding="utf-8"), "python")
    space: dict[str, Any] = {"__name__": "deal"}
    exec(program, space)
    found: Callable[[bytes, int, str, int], list[list[int]]] = space["first_hands"]
    return found


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        *(("anchor", seats) for seats in (2, 3, 4)),
        *(("claim", seats) for seats in (2, 3, 4)),
        *(("tide", seats) for seats in (2, 3, 4)),
        *(("wild_rummy", seats) for seats in (2, 3, 4)),
        ("anchorline", 2),
    ],
)
def test_the_page_deals_what_the_engine_deals(
    game: str, seats: int, first_hands: Callable[[bytes, int, str, int], list[list[int]]]
) -> None:
    for deal in (0, 1, 7, 2**40 + 3):
        state: Any = begun(game, seats, deal)
        found = first_hands(SEED, deal, game, seats)
        if game == "anchorline":
            assert found == [*map(list, state._stacks)]
        elif game == "claim":
            assert found == [*map(list, state._decks)]
        else:
            hands = [sorted(state.view(seat).hand) for seat in range(seats)]
            assert [sorted(hand) for hand in found] == hands


def begun(game: str, seats: int, deal: int) -> Any:
    """Return the state of *game* after the deal of that number."""
    return find_game(game).start(deal_seed(SEED, deal), seats)


def test_the_page_is_a_program(tmp_path: Path) -> None:
    (program,) = blocks(PAGE.read_text(encoding="utf-8"), "python")
    (tmp_path / "deal.py").write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "deal.py"), SEED.hex(), "0", "anchorline", "2"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == str([*map(list, begun("anchorline", 2, 0)._stacks)])
