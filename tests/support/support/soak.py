"""How much to try on every day, and how much when there is time."""

from typing import Any

import pytest


def matches(few: int, many: int) -> list[Any]:
    """Return the numbers of *few* matches for every day, and up to *many* for `make soak`."""
    return [*range(few), *(pytest.param(n, marks=pytest.mark.soak) for n in range(few, many))]
