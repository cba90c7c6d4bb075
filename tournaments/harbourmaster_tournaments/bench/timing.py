"""How the engine is timed: many short repeats of which the median counts.

What counts is the processor time of this process: where nothing else runs it is the time that
passes, and elsewhere it leaves out what others made the process wait for.

The garbage collector stays on, as it is in a referee, because a step makes objects. What was there
before a measurement is put out of its sight (`gc.freeze`), so that the figures do not depend on
what else the process holds. The worst case of a call is the best of three tries: the time that the
call needs by itself, without a collection that happened to be due.
"""

import contextlib
import gc
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time_ns
from typing import Any, Final

WARM_UPS: Final = 2
TRIES: Final = 3


@contextlib.contextmanager
def quiet_heap() -> Iterator[None]:
    """Collect what is garbage, and keep the collector from looking at what is left."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def nanoseconds_each(work: Callable[[], int], repeats: int) -> float:
    """Return the median time of one operation; *work* does a batch and returns how many it did.

    Batches before the first repeat fill caches and are not counted.
    """
    with quiet_heap():
        for _ in range(WARM_UPS):
            work()
        times = []
        for _ in range(repeats):
            start = process_time_ns()
            done = work()
            times.append((process_time_ns() - start) / done)
    return median(times)


def nanoseconds_of(call: Callable[[Any], object], argument: object) -> int:
    """Return the least time that *call* took with *argument* in three tries."""
    best = 0
    for number in range(TRIES):
        start = process_time_ns()
        call(argument)
        took = process_time_ns() - start
        best = took if number == 0 else min(best, took)
    return best
