"""The greedy strategy for Wild Rummy: what it does in a position, and that it is strong."""

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harbourmaster.bots.greedy_wild_rummy import buys, choose_wild_rummy, fits, takes_wild
from harbourmaster.v1 import game_pb2 as pb
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.wild_rummy import WildRummyMove
from harbourmaster_engine.wild_rummy.melds import RANK_MASK
from harbourmaster_server.codec import codec_for
from support.wild_rummy_boards import move, position, start

CODEC = codec_for("wild_rummy")


def choice(state: Any) -> WildRummyMove:
    """Return the strategy's move, chosen from what goes over the wire alone."""
    view = pb.View()
    CODEC.write_view(state.view(state.to_move), view)
    moves: tuple[WildRummyMove, ...] = state.legal_moves().moves
    offered = tuple(CODEC.move(each).wild_rummy for each in moves)
    decision: Any = SimpleNamespace(view=view.wild_rummy, offered=offered)
    return moves[cast(int, choose_wild_rummy(decision))]


@pytest.mark.parametrize(
    ("top", "hand", "taken"),
    [
        ("9D", "9H 9S KC", True),
        ("9D", "9H 2S KC", False),
        ("9D", "9H 5S KC", True),
        ("9D", "10D JD 2S", True),
        ("9D", "7D 8D 2S", True),
        ("9D", "8D 10D 2S", True),
        ("9D", "8D 2S KC", False),
        ("9D", "7D 5C KC", True),
        ("AD", "QD KD 2S", True),
        ("AD", "2D 3D 8S", True),
        ("AD", "KD 2D 8S", False),
        ("5D", "KD 2D 8S", True),
    ],
)
def test_the_top_discard_is_taken_if_it_can_be_played(top: str, hand: str, taken: bool) -> None:
    state = position(f"discards: {top}\n0: {hand}\n1: 2D", phase="draw")

    assert choice(state) == move("draw discard" if taken else "draw stock")


@pytest.mark.parametrize(
    ("meld", "top", "taken"),
    [
        ("6H 7H 8H", "9H", True),
        ("6H 7H 8H", "5D", True),
        ("6H 7H 8H", "10H", False),
        ("QH KH AH", "2H", False),
        ("9S 9H 9C", "9D", True),
        ("9S 9H 5C", "9D", True),
        ("6H 5C 8H", "7H", True),
    ],
)
def test_it_is_taken_if_it_fits_a_meld_or_buys_a_wild(meld: str, top: str, taken: bool) -> None:
    text = f"discards: {top}\nmeld: {meld}\n0%s: KC 2S\n1: 2D"

    assert choice(position(text % "*", phase="draw")) == move(
        "draw discard" if taken else "draw stock"
    )
    if top != "5D":
        assert choice(position(text % "", phase="draw")) == move("draw stock")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("0: 9D 9S 9H 2S\n1: 2D", "meld 9D 9H 9S"),
        ("meld: 6H 7H 8H\n0*: 9H KC\n1: 2D", "add 9H 1 high"),
        ("meld: 6H 5D 8H 9H\n0*: 7H KC QS\n1: 2D", "buy 7H 1[1]"),
        ("0: KC KD 9H 2S\n1: 2D", "discard 9H"),
        ("0: KC 5D 2S\n1: 2D", "discard KC"),
        ("0: 9C 10C 2S KD\n1: 2D", "discard KD"),
    ],
)
def test_it_plays_what_it_can_and_keeps_what_goes_together(text: str, wanted: str) -> None:
    assert choice(position(text)) == move(wanted)


def test_its_picture_of_a_meld_is_the_rules() -> None:
    rng = Stream(b"melds")
    seen = [0, 0, 0]
    for number in range(3):
        state = start(2, seed=bytes([number]) * 32)
        while state.to_move is not None:
            view = pb.View()
            CODEC.write_view(state.view(0), view)
            wild = view.wild_rummy.wild_rank
            for meld, message in zip(state.view(0).melds, view.wild_rummy.melds, strict=True):
                for card in range(52):
                    if card % 13 + 1 != wild and card not in meld.cards:
                        assert fits(message, card + 1) == bool(meld.takes >> card & 1)
                        assert buys(message, card + 1) == bool(meld.sells_for >> card & 1)
                        seen[0] += meld.takes >> card & 1
                        seen[1] += meld.sells_for >> card & 1
                # One card of the wild rank may fit as itself; a second one fits as a wild.
                takes = (meld.takes & RANK_MASK[wild]).bit_count() > 1
                if meld.cards[0] % 13 + 1 != wild:
                    assert takes_wild(message) == takes
                    seen[2] += takes
            state.apply(state.sample_move(rng))
    assert min(seen) > 100


@pytest.mark.parametrize(("seats", "least"), [(2, 11), (3, 10), (4, 9)])
def test_of_12_matches_it_wins_most_against_players_that_pick_at_random(
    seats: int, least: int
) -> None:
    first = 0
    for number in range(12):
        seed = hashlib.sha256(bytes([seats, number // seats])).digest()
        state, mine = start(seats, {"rounds": 3}, seed), number % seats
        rng = Stream(seed)
        while state.to_move is not None:
            state.apply(choice(state) if state.to_move == mine else state.sample_move(rng))
        found = state.outcome()
        assert found is not None
        first += found.placements[mine] == 1

    assert first >= least
