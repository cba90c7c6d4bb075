"""The search for the best melds of some cards, beside one that tries everything."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from harbourmaster.bots import _tide_melds
from harbourmaster.bots._tide_melds import Meld, Melds
from harbourmaster.cards import JOKER, parse_card
from harbourmaster_engine.chance import Stream


def cards(names: str) -> list[int]:
    return [parse_card(name) for name in names.split()]


def all_melds() -> Iterator[Meld]:
    """Yield every meld without jokers."""
    for first in range(1, JOKER):
        for length in range(3, 15 - ((first - 1) % 13 + 1)):
            yield tuple(range(first, first + length))
    for rank in range(1, 14):
        for size in (3, 4):
            yield from combinations(range(rank, JOKER, 13), size)


ALL_MELDS = frozenset(all_melds())


def naive_worth(must: Counter[int], may: Counter[int]) -> int | None:
    """Return the most cards out of *may* that melds can hold which hold all that *must* be."""
    best = None if must.total() else 0
    held = must + may
    for meld in ALL_MELDS:
        used = Counter(meld)
        first = min(must) if must.total() else min(held, default=0)
        if used <= held and (first in used or not must.total()):
            rest = naive_worth(must - used, may - (used - must))
            if rest is not None:
                own = (used - must).total()
                best = max(own + rest, best if best is not None else 0)
    return best


@pytest.mark.parametrize("number", range(40))
def test_the_melds_are_worth_as_much_as_any(number: int) -> None:
    rng = Stream(bytes([number]) * 32)
    # Few suits and ranks, so that melds are likely, and no card more than twice.
    deck = [13 * suit + rank for suit in range(3) for rank in range(1, 6)] * 2
    rng.shuffle(deck)
    must, may = Counter(deck[: 3 + number % 2]), Counter(deck[5:11])
    if number % 2:
        must = Counter(range(1, 5))
        may = Counter(card for card in deck[:7] if card > 5)
    found = Melds(must.elements(), [(card, 1) for card in may.elements()]).best()
    expected = naive_worth(must, may)

    assert (found is None) == (expected is None)
    if found is not None:
        used = Counter(card for meld in found for card in meld)
        assert set(found) <= ALL_MELDS
        assert must <= used <= must + may
        assert used.total() - must.total() == expected


def test_a_card_that_is_worth_less_than_nothing_is_used_only_to_get_others_out() -> None:
    table, hand = cards("4S 5S 6S"), cards("3C 3D")
    assert Melds(table, [(parse_card("3S"), -1)]).best() == [tuple(table)]

    both = Melds(table, [(parse_card("3S"), -1), *((card, 1) for card in hand)]).best()
    assert both is not None
    assert set(both) == {tuple(table), tuple(cards("3C 3D 3S"))}


def test_a_search_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = [*range(1, JOKER)] * 2
    assert Melds(deck, ()).best() is not None
    monkeypatch.setattr(_tide_melds, "MOST_STEPS", 3)
    assert Melds(deck, ()).best() is None
