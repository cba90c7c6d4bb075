"""A pass is legal only if nothing else is: the search for something else is exact."""

from itertools import permutations

import pytest

from harbourmaster_engine.anchor import GAME, Group, Rules
from harbourmaster_engine.anchor.board import (
    ANCHOR,
    CELL_AT,
    DOWN,
    EMPTY_BOARD,
    ON_BOARD,
    SQUARE_OF,
    Board,
)
from harbourmaster_engine.anchor.checks import plan_play
from harbourmaster_engine.anchor.lines import Placement
from harbourmaster_engine.anchor.search import find_play, occupied
from harbourmaster_engine.cards import JOKER
from harbourmaster_engine.chance import Stream
from support.anchor_boards import code, do, position, text


@pytest.mark.parametrize(
    ("drawn", "words"),
    [
        ("0: 9C QD\npile: 2C", "you can cycle 9C"),
        ("0: 9C QD\ndiscards: 2H", "you can take 2H from the market"),
        ("0: 5H 6H 7H", "you can put cards on the board"),
        ("7,7: [AS] 5H 6H 7H\n0: 8H", "you can put cards on the board"),
        ("7,7: [AS] . 4C\n6,8: [AD]\n8,8: [AH]\n0: AC 9C 9D 9H", "you can put cards on the board"),
    ],
)
def test_nobody_passes_who_can_do_anything_else(drawn: str, words: str) -> None:
    state = position(drawn)

    assert code(state, "pass") == "may_not_pass"
    assert text(state, "pass") == f"you may not pass: {words}"


@pytest.mark.parametrize("drawn", ["0: 9C QD", "0:", "7,7: [AS] 5H 6H 7H\n0: 2S"])
def test_a_seat_without_another_move_passes(drawn: str) -> None:
    state = position(drawn)

    assert state.legal_moves().moves == (state.default_move(),)
    assert state.legal_moves().complete
    assert code(state, "pass") == ""


def test_a_play_of_two_groups_counts_also_where_neither_alone_is_legal() -> None:
    options = {"open_meld_limit": 0}
    drawn = "7,7: [AS] . 6H .\n0: 5H 7H"
    assert code(position(drawn, options=options), "pass") == "may_not_pass"

    without = "7,7: [AS] . 6H .\n0: 5H 8H"
    assert code(position(without, options=options), "pass") == ""


def test_two_groups_may_cross_to_mend_each_other() -> None:
    # The first card is bare beside the anchor until the second group fills the gap beyond it.
    state = position(
        "7,7: [AS]\n7,10: 7H\n5,8: 5C\n6,8: 5D\n0: 5H 6H", options={"open_meld_limit": 1}
    )

    assert code(state, "play 7,8 > 5H 6H") == ""
    assert code(state, "pass") == "may_not_pass"


def test_a_seat_that_can_pass_is_not_asked_to_do_it_for_another() -> None:
    state = position("0: 9C\n1: 9D")
    do(state, "pass")

    assert state.to_move == 1


def _random_case(rng: Stream) -> tuple[Board, list[int], Rules]:
    """Return a crowded board with a few empty cells, a small hand, and rules."""
    region = {rng.choice(list(SQUARE_OF.values()))}
    size = 2 + rng.below(5)
    while len(region) < size:
        square = rng.choice(sorted(region)) + rng.choice([1, -1, DOWN, -DOWN])
        if ON_BOARD >> square & 1:
            region.add(square)
    suits, ranks = rng.choice([1, 1, 2, 4]), rng.choice([3, 4, 5])
    low = rng.below(14 - ranks)
    pool = [suit * 13 + low + rank for suit in range(suits) for rank in range(ranks)]
    pool += [JOKER] * rng.below(3)
    anchors = rng.choice([3, 5, 7, 9])
    board = bytearray(EMPTY_BOARD)
    for square in SQUARE_OF.values():
        if square not in region:
            ace = rng.below(10) < anchors
            board[square] = ANCHOR + 1 if ace else rng.choice(pool) + 1
    hand = sorted(rng.choice(pool) for _ in range(2 + rng.below(3)))
    options = {"open_meld_limit": rng.choice([0, 0, 1, 2]), "aces_meld": rng.below(5) > 0}
    return bytes(board), hand, Rules.from_options(GAME.resolve(2, options))


def _every_group(board: Board, hand: list[int]) -> list[Group]:
    groups = []
    for square in (n for n in SQUARE_OF.values() if not board[n]):
        for step in (1, DOWN):
            run = [square]
            while len(run) <= len(hand):
                if len(run) > 1 or step == 1:
                    cells = tuple(CELL_AT[n] for n in run)
                    groups += [Group(cells, cards) for cards in set(permutations(hand, len(run)))]
                if board[run[-1] + step]:
                    break
                run.append(run[-1] + step)
    return groups


def _tried_by_hand(board: Board, hand: list[int], rules: Rules) -> int:
    """Return how many groups the smallest legal play has, or 0, by trying every one."""
    groups = _every_group(board, hand)
    alone = [plan_play(board, hand, (group,), rules) for group in groups]
    if any(type(plan) is Placement for plan in alone):
        return 1
    firsts = [g for g, p in zip(groups, alone, strict=True) if _code(p) != "not_connected"]
    for first in firsts:
        for second in groups:
            if len(first.cards) + len(second.cards) <= len(hand):
                plan = plan_play(board, hand, (first, second), rules)
                if type(plan) is Placement:
                    return 2
    return 0


def _code(plan: object) -> str:
    return getattr(plan, "code", "")


def test_the_search_finds_a_play_exactly_when_trying_every_one_does() -> None:
    rng = Stream(b"passing")
    found = [0, 0, 0]
    for _ in range(120):
        board, hand, rules = _random_case(rng)
        wanted = _tried_by_hand(board, hand, rules)
        play = find_play(board, hand, rules, occupied(board))
        assert (play is not None) == (wanted > 0), (board, hand, rules)
        if play is not None:
            assert type(plan_play(board, hand, play.groups, rules)) is Placement
        found[wanted] += 1
    assert min(found[:2]) > 10


def _bridges(rng: Stream) -> tuple[Board, list[int], Rules]:
    """Return a board on which cards on both sides of another may make a meld, and a hand."""
    board = bytearray(EMPTY_BOARD)
    suit, low = rng.below(4) * 13, rng.below(8)
    square = SQUARE_OF[(5, 5)]
    board[square] = suit + low + 2 + 1
    for beside in (square - 2, square + 2, square + 4, square - 1 - DOWN, square + 1 + DOWN):
        if not rng.below(3):
            board[beside] = ANCHOR + 1 + 13 * rng.below(4)
    if not rng.below(4):
        board[square - 1 - 2 * DOWN] = suit + low + rng.below(5) + 1
    spread = rng.choice([1, 2])
    hand = sorted(suit + low + 2 + (1 + rng.below(spread)) * side for side in (-1, 1))
    if not rng.below(4):
        hand[0] = rng.below(52)
    rules = Rules.from_options(GAME.resolve(2, {"open_meld_limit": int(not rng.below(4))}))
    return bytes(board), hand, rules


def test_the_search_finds_plays_of_two_groups_around_cards_on_the_board() -> None:
    rng = Stream(b"bridges")
    found = [0, 0, 0]
    for _ in range(100):
        board, hand, rules = _bridges(rng)
        wanted = _near(board, hand, rules)
        play = find_play(board, hand, rules, occupied(board))
        assert (play is not None) == (wanted > 0), (board, hand, rules)
        found[wanted] += 1
    assert min(found) > 10, found


def _near(board: Board, hand: list[int], rules: Rules) -> int:
    """Try every play by hand, in the rows and columns where cards lie only."""
    shut = bytearray(board)
    for (row, column), square in SQUARE_OF.items():
        if not (3 <= row <= 7 and 2 <= column <= 10) and not shut[square]:
            shut[square] = 255
    return _tried_by_hand(bytes(shut), hand, rules)
