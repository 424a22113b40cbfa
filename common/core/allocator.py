"""What becomes of memory that is freed: options of glibc's mallopt(3); other C libraries are left as they are."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def use_one_arena() -> None:
    """
    Let all threads take memory from one arena, so that what one frees serves the others.

    Calls into C come from a handful of threads, and each would keep what its own peaks have left. Call it before
    threads start.
    """
    _set({_ARENA_MAX: 1})


def keep_freed_memory() -> None:
    """
    Keep up to 16 MiB that are freed for what comes next, instead of giving each large array back to the system.

    Work over a hundred columns of half a megabyte makes and drops them each time. Given back, each comes again as
    cleared pages, which takes a tenth of the processor time of it all.
    """
    _set({_MMAP_THRESHOLD: 4 << 20, _TRIM_THRESHOLD: 16 << 20})


def _set(options: Mapping[int, int]) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in options.items():
            mallopt(option, value)
