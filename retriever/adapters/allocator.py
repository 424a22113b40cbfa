"""What becomes of memory that is freed."""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Options of glibc's mallopt(3)."""
_OPTIONS = {_MMAP_THRESHOLD: 4 << 20, _TRIM_THRESHOLD: 16 << 20, _ARENA_MAX: 1}


def keep_freed_memory() -> None:
    """
    Keep up to 16 MiB that are freed for what comes next, instead of giving each large array back to the system.

    A search makes and drops a hundred columns of half a megabyte. Given back, each comes again as cleared pages: a
    tenth of a search's processor time. One arena serves all threads, since each would keep what is freed in it. Only
    glibc is told; other C libraries are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        for option, value in _OPTIONS.items():
            mallopt(option, value)
