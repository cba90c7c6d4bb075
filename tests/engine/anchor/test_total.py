"""Any object at all is answered with a refusal, and a refused move changes nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbourmaster_engine.anchor import (
    GAME,
    AnchorPlay,
    Cycle,
    Exchange,
    Group,
    Pass,
    Pick,
    Play,
)
from harbourmaster_engine.chance import Stream
from harbourmaster_engine.game import ForfeitReason, IllegalMove, Refusal
from support.anchor_boards import cards, do, move, position

HUGE = 10**6000
LONG = tuple(range(10_000))
RUBBISH: tuple[Any, ...] = (
    None,
    True,
    -1,
    53,
    HUGE,
    1.0,
    float("nan"),
    "5H",
    "x" * 100_000,
    b"5H",
    (),
    [],
    {},
    [[[[]]]],
    [1] * 10_000,
    LONG,
    ((7, 8),) * 10_000,
    (True,),
    (HUGE,),
    ((7, True),),
    ((7.0, 8),),
    ((HUGE, -HUGE),),
    (((7, 8), 9),),
    object(),
    Pass,
    Group((), ()),
)


def state() -> Any:
    return position(
        "7,7: [AS] 5H 6H 7H\n0: 8H AD 2D 3D 4D\n1: 2C\npile: 3C 4C\ndiscards: 2H", seed=bytes(32)
    )


def wrongs() -> list[Any]:
    found: list[Any] = [*RUBBISH]
    for each in RUBBISH:
        found += [Play(each), Cycle(each), Exchange(each), Pick(each, each)]
        found += [Pick(cards("2H"), each), Pick(each, cards("8H"))]
        found += [AnchorPlay(each, each), AnchorPlay(((1, 1),) * 4, each)]
        found += [AnchorPlay(each, cards("AD 2D 3D 4D"))]
        found += [Play((each,)), Play((Group(each, each),)), Play((Group(((7, 11),), each),))]
        found += [Play((Group(each, cards("8H")),)), Play((Group(((7, 11),), cards("8H")), each))]
    return found


@pytest.mark.parametrize("number", range(len(wrongs())))
def test_rubbish_is_refused_in_words_and_changes_nothing(number: int) -> None:
    here, wrong = state(), wrongs()[number]
    before = here.fingerprint()
    refusal = here.check(wrong)

    assert type(refusal) is Refusal
    assert refusal.code in GAME.codes
    assert len(refusal.text) < 300
    with pytest.raises(IllegalMove):
        here.apply(wrong)
    assert here.fingerprint() == before


def test_after_the_end_every_move_is_refused_and_none_offered() -> None:
    here = state()
    do(here, "cycle 8H")
    here.forfeit(0, ForfeitReason.RESIGNED)

    assert here.check(move("pass")).code == "over"
    assert here.legal_moves().moves == ()


numbers = st.integers(-1, 16)
cells = st.lists(st.tuples(numbers, numbers), max_size=6).map(tuple)
some_cards = st.lists(st.integers(-1, 53), max_size=6).map(tuple)
groups = st.builds(Group, cells, some_cards)
moves = st.one_of(
    st.builds(Play, st.lists(groups, max_size=3).map(tuple)),
    st.builds(AnchorPlay, cells, some_cards),
    st.builds(Cycle, some_cards),
    st.builds(Pick, some_cards, some_cards),
    st.builds(Exchange, some_cards),
)


@given(moves)
def test_check_and_apply_agree_on_any_move(each: Any) -> None:
    here = state()
    refusal = here.check(each)
    if refusal is None:
        here.apply(each)
        assert here.turns == 1
    else:
        with pytest.raises(IllegalMove) as caught:
            here.apply(each)
        assert caught.value.refusal == refusal


@pytest.mark.parametrize("seats", [2, 6])
def test_every_offered_move_is_legal_and_random_play_scores(seats: int) -> None:
    scored = 0
    for number in range(3):
        here = GAME.start(bytes([seats, number]) * 16, seats)
        rng = Stream(bytes([number]))
        while here.to_move is not None:
            offered = here.legal_moves(20)
            assert 0 < len(offered.moves) <= 20
            assert len(set(offered.moves)) == len(offered.moves)
            assert all(here.check(each) is None for each in offered.moves)
            assert here.check(here.default_move()) is None
            here.apply(here.sample_move(rng))
        scored += max(here.scores)
    assert scored > 100


def test_options_are_refused_with_what_would_be_good() -> None:
    for options, words in (
        ({"card_values": {"1": 5}}, "values by rank"),
        ({"card_values": {"A": -5}}, "whole number from 0"),
        ({"open_meld_limit": -1}, "whole number from 0 to 14"),
        ({"aces_meld": 1}, "true or false"),
        ({"targets": 1}, "target_score"),
    ):
        with pytest.raises(ValueError, match=words):
            GAME.resolve(2, options)


@pytest.mark.parametrize(("seats", "target", "limit"), [(2, 200, 2), (3, 150, 2), (4, 150, 1)])
def test_defaults_depend_on_the_seats(seats: int, target: int, limit: int) -> None:
    options = GAME.resolve(seats, {})

    assert (options["target_score"], options["open_meld_limit"]) == (target, limit)
    assert GAME.resolve(6, {})["target_score"] == 100
    assert GAME.non_defaults(options, seats) == {}
