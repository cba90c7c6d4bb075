"""Wild Rummy: any object at all is answered with a refusal, and a refused move changes nothing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harbourmaster_engine.game import IllegalMove, Refusal
from harbourmaster_engine.wild_rummy import (
    GAME,
    AddCard,
    BuyWild,
    Discard,
    Draw,
    LayMeld,
    WildRummyState,
)
from harbourmaster_engine.wild_rummy.moves import Source
from support.wild_rummy_boards import move, position

HUGE = 10**6000
RUBBISH: tuple[Any, ...] = (
    None,
    True,
    False,
    -1,
    52,
    53,
    HUGE,
    -HUGE,
    1.5,
    float("nan"),
    "5H",
    "x" * 100_000,
    b"5H",
    (),
    [],
    {},
    [[[[]]]],
    (None,) * 10_000,
    tuple(range(10_000)),
    [5] * 10_000,
    object(),
    int,
    Source.STOCK,
    Discard(3),
)
PLACES = "stock: 2C 3C\ndiscards: 9D\nmeld: 3C 4C 5D\nmeld: 7S 7H 5H\n0*: 5S 7D 6C KD\n1: 2D"


def states() -> list[WildRummyState]:
    over = position("wild: 13\n0: 10H\n1: 2C")
    over.apply(move("discard 10H"))
    phases = [position(PLACES, phase=phase) for phase in ("open", "draw", "play")]
    return [*phases, over]


def attempts() -> list[Any]:
    """Return rubbish, and moves with rubbish in each of their fields."""
    found = list(RUBBISH)
    for bad in RUBBISH:
        found += [Draw(bad), Discard(bad), LayMeld(bad), LayMeld((bad, 44, 31))]
        found += [AddCard(bad, 44), AddCard(1, bad), AddCard(1, 5, bad), AddCard(2, 44, bad)]
        found += [BuyWild(bad, 1, 5), BuyWild(1, bad, 5), BuyWild(1, 1, bad)]
    return found


@pytest.mark.parametrize("state", states(), ids=["open", "draw", "play", "over"])
def test_rubbish_is_refused_and_changes_nothing(state: WildRummyState) -> None:
    before = state.fingerprint()
    for attempt in attempts():
        refusal = state.check(attempt)
        if refusal is None:
            assert attempt in (AddCard(2, 44), Discard(44), Draw(Source.STOCK))
            continue
        assert isinstance(refusal, Refusal)
        assert refusal.code in GAME.codes
        assert 0 < len(refusal.text) < 300
        with pytest.raises(IllegalMove):
            state.apply(attempt)
    assert state.fingerprint() == before


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
SMALL = st.integers(-2, 60)


@given(
    st.one_of(
        ANYTHING,
        st.builds(Draw, ANYTHING),
        st.builds(Discard, ANYTHING | SMALL),
        st.builds(LayMeld, ANYTHING | st.lists(SMALL, max_size=20).map(tuple)),
        st.builds(AddCard, ANYTHING | SMALL, ANYTHING | SMALL, ANYTHING),
        st.builds(BuyWild, ANYTHING | SMALL, ANYTHING | SMALL, ANYTHING | SMALL),
    )
)
def test_check_agrees_with_apply(attempt: Any) -> None:
    state = position(PLACES)
    before = state.fingerprint()
    refusal = state.check(attempt)
    assert state.fingerprint() == before
    if refusal is None:
        state.apply(attempt)
        assert state.fingerprint() != before
    else:
        with pytest.raises(IllegalMove) as caught:
            state.apply(attempt)
        assert caught.value.refusal == refusal
        assert state.fingerprint() == before


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("meld 7D 6C KD", "7D 6C KD: "),
        ("meld 5S KD 6C", "6C is in the place of AD"),
        ("add KD 1 high", "KD does not fit the high end of meld 1 (3C 4C 5D)"),
        ("buy 7D 1[2]", "the wild in place 2 of meld 1 (3C 4C 5D) stands for 5C, not for 7D"),
        ("discard 9D", "you do not hold 9D"),
        ("buy 6C 1[0]", "3C in place 0 of meld 1"),
    ],
)
def test_a_refusal_names_the_card_and_the_place_at_fault(command: str, words: str) -> None:
    refusal = position(PLACES).check(move(command))

    assert refusal is not None
    assert words in refusal.text
