"""The greedy strategy for Tide: what it does in a position, and that it is strong."""

import hashlib
from types import SimpleNamespace
from typing import Any, cast

import pytest

from harbourmaster.bots._tide_table import Table
from harbourmaster.bots.greedy_tide import choose_tide
from harbourmaster.cards import card_name
from harbourmaster.v1 import game_pb2 as pb
from harbourmaster.v1 import tide_pb2
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import AnyState
from harbourmaster_engine.tide import GAME, Draw, Rearrange, TideMove
from harbourmaster_server.codec import codec_for
from support.tide_boards import RUN, position, table_of

CODEC = codec_for("tide")
MELD_SCORE = {"format": "MELD_SCORE"}


def choice(state: AnyState, *others: TideMove) -> TideMove:
    """Return the strategy's move, chosen from what goes over the wire alone.

    The offered moves are a draw and *others*, or those of the state.
    """
    assert state.to_move is not None
    view = pb.View()
    CODEC.write_view(state.view(state.to_move), view)
    moves = (Draw(), *others) if others else state.legal_moves().moves
    offered = [CODEC.move(each).tide for each in moves]
    decision: Any = SimpleNamespace(view=view.tide, offered=offered, seat=state.to_move)
    answer = choose_tide(decision)
    if isinstance(answer, int):
        return cast(TideMove, moves[answer])
    assert isinstance(answer, tide_pb2.TideMove)
    return cast(TideMove, CODEC.read_move(pb.Move(tide=answer)))


SMALL = table_of((5, 4, "2S 3S 4S 5S"))
LARGE = table_of(RUN, (9, 9, "KC KD KH"))
ALL = table_of((5, 4, "2S 3S 4S 5S 6S"))


def lines_of(move: TideMove) -> set[str]:
    """Return the melds of the table that *move* leaves, with their cards in order."""
    assert isinstance(move, Rearrange)
    table = Table(dict(zip(move.cells, [card + 1 for card in move.cards], strict=True)), {})
    return {" ".join(card_name(table.cards[cell]) for cell in line) for line in table.lines()}


def test_melds_of_the_table_and_the_hand_are_made_anew() -> None:
    state = position("3S 4S 5S 6S\n.\n9C 10C JC", hands=["3C 3D QC KS", "KS KC"])
    move = choice(state, Draw())
    assert state.check(move) is None
    assert lines_of(move) == {"4S 5S 6S", "3C 3D 3S", "9C 10C JC QC"}


def test_lines_that_cross_are_laid_apart_where_that_helps() -> None:
    state = position("4S 5S 6S 7S\n. . . 7C\n. . . 7D", hands=["7S KH", "KS KC"])
    move = choice(state, Draw())
    assert state.check(move) is None
    assert lines_of(move) == {"4S 5S 6S 7S", "7C 7D 7S"}


def test_a_joker_that_is_laid_elsewhere_stays_what_it_was() -> None:
    state = position("4S 5S JK=6S 7S", hands=["4C 4D KH", "KS KC"])
    move = choice(state, Draw())
    assert state.check(move) is None
    assert lines_of(move) == {"5S JK 7S", "4C 4D 4S"}


def test_a_joker_that_is_the_last_card_goes_to_an_end_of_a_line() -> None:
    state = position("4S 5S 6S", hands=["7S JK", "KS KC"])
    move = choice(state, Draw())
    state.apply(move)
    assert state.view(0).round == 2


def test_the_opening_is_the_best_that_the_hand_has() -> None:
    hands = ["9C 9D 9H 10C JC QC 2D", "KS KC"]
    state = position(RUN, hands=hands, opened=[False, False])
    move = choice(state, Draw())
    assert state.check(move) is None
    assert lines_of(move) == {RUN, "9C 9D 9H", "10C JC QC"}


def test_the_move_that_gets_most_out_of_the_hand_is_chosen() -> None:
    state = position(RUN, hands=["2S KC KD KH 9C", "KS"])
    assert lines_of(choice(state, SMALL, LARGE)) == {"2S 3S 4S 5S", "KC KD KH"}


def test_going_out_comes_before_everything_else() -> None:
    state = position(RUN, hands=["2S 6S", "KS"])
    assert choice(state, LARGE, ALL) == ALL


def test_a_card_is_laid_rather_than_one_drawn() -> None:
    state = position(RUN, hands=["2S 9C", "KS"])
    assert choice(state, SMALL) == SMALL


def test_a_joker_is_kept_until_it_goes_out_or_the_round_may_end() -> None:
    joker = table_of("3S 4S 5S JK")
    pile = " ".join(["AC"] * 20)
    state = position(RUN, hands=["JK 9C", "KS KC KD KH"], pile=pile)
    assert choice(state, joker) == Draw()

    assert choice(position(RUN, hands=["JK", "KS KC KD KH"], pile=pile), joker) == joker
    assert choice(position(RUN, hands=["JK 9C", "KS"], pile=pile), joker) == joker
    assert choice(position(RUN, hands=["JK 9C", "KS KC KD KH"]), joker) == joker


def test_in_meld_score_it_draws_until_a_move_scores_much() -> None:
    pile = " ".join(["AC"] * 20)
    few = ["2S KC KD KH 9C", "KS"]
    assert choice(position(RUN, hands=few, pile=pile, options=MELD_SCORE), LARGE) == Draw()

    state = position(RUN, hands=["2S 6S KC KD KH 9C", "KS"], pile=pile, options=MELD_SCORE)
    both = table_of((5, 4, "2S 3S 4S 5S 6S"), (9, 9, "KC KD KH"))
    assert choice(state, ALL, both) == both


@pytest.mark.parametrize(("scores", "pile"), [([170, 0], 20), ([0, 0], 3)])
def test_in_meld_score_it_does_not_wait_to_win_or_when_the_pile_ends(
    scores: list[int], pile: int
) -> None:
    state = position(
        RUN,
        hands=["2S KC KD KH 9C", "KS"],
        pile=" ".join(["AC"] * pile),
        scores=scores,
        options=MELD_SCORE,
    )
    assert lines_of(choice(state, SMALL, LARGE)) == {"2S 3S 4S 5S", "KC KD KH"}


@pytest.mark.parametrize(
    ("game_format", "games", "least"),
    [("CLASSIC", 6, 4), ("MELD_SCORE", 12, 10)],
)
def test_it_wins_most_matches_against_players_that_pick_at_random(
    game_format: str, games: int, least: int
) -> None:
    first = 0
    for number in range(games):
        seed = hashlib.sha256(b"tide" + bytes([number // 2])).digest()
        state, rng, own = GAME.start(seed, 2, {"format": game_format}), Stream(seed), number % 2
        while state.to_move is not None:
            offered = state.legal_moves().moves
            state.apply(
                choice(state, *offered[1:]) if state.to_move == own else rng.choice(offered)
            )
        outcome = state.outcome()
        assert outcome is not None
        first += outcome.placements[own] == 1

    assert first >= least


def test_it_answers_every_decision_of_a_match_with_a_legal_move() -> None:
    state = GAME.start(bytes(32), 4, {"format": "EMPTY_HAND"})
    played = set()
    while state.to_move is not None:
        move = choice(state)
        played.add(type(move))
        state.apply(move)

    assert played >= {Draw, Rearrange}
