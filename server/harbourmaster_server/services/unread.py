"""Calls that their callers have not read to the end, which no server can take back.

The last word of a call waits behind what its peer has not read, for as long as the connection
lasts. So such calls are counted for their caller alone, who gets no more of them at some point.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator

from harbourmaster_server.errors import LimitExceeded


class Unread:
    """The unread calls of every caller."""

    def __init__(self, limit: int) -> None:
        """Let every caller have *limit* of them."""
        self._limit = limit
        self._calls: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return how many there are in all."""
        return self._calls.total()

    def check(self, caller: str) -> None:
        """Raise `LimitExceeded` if *caller* has too many."""
        if self._calls[caller] >= self._limit:
            raise LimitExceeded(
                f"{self._limit} calls of {caller or 'callers without a token'} are not read: read "
                "them to their end, or give them up"
            )

    @contextlib.contextmanager
    def counted(self, caller: str) -> Iterator[None]:
        """Count one more for *caller*, until the call is over."""
        self._calls[caller] += 1
        try:
            yield
        finally:
            self._calls[caller] -= 1
            if not self._calls[caller]:
                del self._calls[caller]
