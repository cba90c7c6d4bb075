"""Bytes of moves and events that come up again and again, made only once."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final

KEPT_VALUES: Final = 16_384

Many = Callable[[Iterable[Any]], list[bytes]]
"""Returns the bytes of each of some values."""


def by_value(make: Callable[[Any], bytes], most: int = KEPT_VALUES) -> Many:
    """Keep what *make* made of the last *most* values."""
    one = lru_cache(most)(make)
    return lambda values: list(map(one, values))


def by_identity(
    make: Callable[[Any], bytes], most: int = KEPT_VALUES, anew: tuple[type, ...] = ()
) -> Many:
    """Keep what *make* made of up to *most* objects, for a game whose engine keeps them itself.

    Hashing a value costs as much as all the rest; an object is found by its `id`, which no other
    object has while this one is kept. Of the classes *anew* the engine makes a new object each
    time: none is kept, as it would never be met again.
    """
    kept: dict[int, tuple[Any, bytes]] = {}

    def of(values: Iterable[Any]) -> list[bytes]:
        found = []
        for value in values:
            pair = kept.get(id(value))
            if pair is None:
                pair = value, make(value)
                if not isinstance(value, anew):
                    if len(kept) >= most:
                        kept.clear()
                    kept[id(value)] = pair
            found.append(pair[1])
        return found

    return of
