"""Programs of others that tests run for real."""

from __future__ import annotations

import shutil
from pathlib import Path

_UNPACKED = Path(__file__).parents[2] / ".venv" / "servers" / "bin"


def find_program(*names: str) -> str | None:
    """Find the first of these programs: on the PATH, or where `make servers` unpacks it; None if neither has one."""
    for name in names:
        if found := shutil.which(name) or shutil.which(name, path=str(_UNPACKED)):
            return found
    return None
