"""Options of glibc's allocator, by mallopt(3): what it does with freed memory. Without glibc, nothing happens."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8


def use_one_arena() -> None:
    """
    Let all threads allocate from one arena, so that they reuse each other's freed memory.

    With an arena each, the few threads that call C code would each keep the memory of their own peak. Call it before
    threads start.
    """
    _set({_ARENA_MAX: 1})


def keep_freed_memory() -> None:
    """
    Keep up to 16 MiB of freed memory, instead of returning each large array to the system.

    Ranking allocates and frees a hundred columns of half a megabyte for each query. If the system had to clear their
    pages each time, that would take a tenth of the processor time.
    """
    _set({_MMAP_THRESHOLD: 4 << 20, _TRIM_THRESHOLD: 16 << 20})


def _set(options: Mapping[int, int]) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in options.items():
            mallopt(option, value)
