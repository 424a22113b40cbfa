"""What becomes of memory that is freed."""

from __future__ import annotations

import ctypes

_ARENA_MAX = -8
"""Option of glibc's mallopt(3)."""


def use_one_arena() -> None:
    """
    Let all threads take memory from one arena, so that what one frees serves the others.

    Calls into C come from a handful of threads, and each would keep what its own peaks have left. Only glibc is told;
    other C libraries are left as they are. Call it before threads start.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, 1)
