"""What a process does before it loads anything else."""

from __future__ import annotations

import gc
import sys

_FOR_TERMINALS = "rich"
"""structlog loads it where it is there, which takes a tenth of a start; the logs of services are JSON."""


def prepare() -> None:
    """Let a service start fast: call it before its modules are loaded, of which nearly all stay to the end."""
    gc.disable()
    sys.modules.setdefault(_FOR_TERMINALS, None)  # type: ignore[arg-type]  # as if it were not installed
