"""How long something takes, on a machine that may be busy with other things."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

_TRIES = 8


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Check that what is done inside takes less of this processor."""
    began = time.process_time()
    yield
    assert time.process_time() - began < seconds


async def least(measure: Callable[[], Awaitable[float]], within: float) -> float:
    """
    Return the least of some measurements; the first one that is within the bound is the last.

    What a busy machine adds is in some of them only, what the code takes is in all.
    """
    found = math.inf
    for _ in range(_TRIES):
        found = min(found, await measure())
        if found < within:
            break
    return found
