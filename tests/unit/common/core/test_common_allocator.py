"""What becomes of memory that is freed."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

_SCRIPT = """
import resource, sys
from common.core.runtime.allocator import keep_freed_memory, use_one_arena
if sys.argv[1] == "kept":
    use_one_arena()
    keep_freed_memory()
import numpy as np
def columns():
    return [np.ones(60_000) for _ in range(20)]
columns()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    columns()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def _pages_asked_for_again(how: str) -> int:
    return int(subprocess.run([sys.executable, "-c", _SCRIPT, how], capture_output=True, check=True).stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries are left as they are")
def test_columns_are_made_of_the_memory_of_those_before() -> None:
    """Once told, the process does not ask the system for the same pages at every search."""
    assert _pages_asked_for_again("kept") * 10 < _pages_asked_for_again("given back")
