"""What bots do that choose evenly among the offered moves: they play, and do not only draw."""

from collections import Counter

import pytest

from harbourmaster_engine.registry import find_game
from harbourmaster_engine.tide import Draw, Pass, Rearrange
from harbourmaster_engine.tide.moves import FORMATS, cell_at
from harbourmaster_tournaments.bench.corpus import Form
from harbourmaster_tournaments.bench.shares import TIDE_KINDS, all_shares, shares, tide_kind

TIDE = find_game("tide")
PLAYED = ("open", "extend", "split", "rearrange")


@pytest.mark.parametrize("name", FORMATS)
def test_in_tide_random_bots_open_extend_split_and_rearrange_in_two_moves_of_a_hundred(
    name: str,
) -> None:
    """Of two seats each opens once in a round of some hundred turns: a little less than that."""
    made: Counter[str] = Counter()
    for seats in range(2, 7):
        made += shares(Form(TIDE, seats, {"format": name, "max_rounds": 1}), 4).made
    for kind in PLAYED:
        assert made[kind] >= 0.02 * made.total(), f"{kind}: {made}"
    assert set(made) <= set(TIDE_KINDS)


def test_in_anchor_random_bots_score() -> None:
    for each in all_shares(find_game("anchor"), 3):
        assert min(each.points) > 10, f"{each.seats} seats: {each.points}"
        assert each.share("Play") > 0.1


@pytest.mark.parametrize("game", ["claim", "wild_rummy", "anchorline"])
def test_in_other_games_they_make_moves_of_every_kind(game: str) -> None:
    kinds = {
        "claim": {"Play", "Merge", "Replace", "EndTurn"},
        "wild_rummy": {"Draw", "LayMeld", "AddCard", "BuyWild", "Discard"},
        "anchorline": {"Place", "Shift", "ReturnCoin"},
    }
    found = all_shares(find_game(game), 2)[-1]
    assert set(found.made) == kinds[game]
    assert sum(found.share(kind) for kind in kinds[game]) == pytest.approx(1)


def test_kinds_of_moves_in_tide_are_told_apart() -> None:
    setup = {
        "table": [{"cell": [0, n], "card": f"{n + 3}S"} for n in range(5)],
        "hands": [["8S", "9S", "9H", "9D"], ["KS"]],
        "opened": [True, False],
        "pile": ["2C"],
    }
    state = TIDE.notation.from_setup(setup, TIDE.resolve(2, {}), 2, bytes(32))
    view = state.view(0)
    run = list(view.cards)

    def table(*rows: tuple[int, list[int]]) -> Rearrange:
        cells = [cell_at(row, n) for row, cards in rows for n in range(len(cards))]
        return Rearrange(tuple(cells), tuple(card for _, cards in rows for card in cards))

    eight, nine = run[-1] + 1, run[-1] + 2
    nines = [card for card in view.hand if card % 13 == nine % 13]
    assert tide_kind(view, Draw()) == "draw"
    assert tide_kind(view, Pass()) == "pass"
    assert tide_kind(view, table((0, [*run, eight]))) == "extend"
    assert tide_kind(view, table((0, run[:3]), (2, [*run[3:], eight]))) == "split"
    assert tide_kind(view, table((1, [*run, eight]))) == "rearrange"
    assert len(nines) == 3
    assert tide_kind(view, table((0, run), (2, nines))) == "lay"
