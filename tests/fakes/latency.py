"""How long something takes, on a machine that may be busy with other things."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

_TRIES = 8


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
