"""What the main module of a service calls before it imports anything else, so that the service starts fast."""

from __future__ import annotations

import gc
import sys

_FOR_TERMINALS = "rich"
"""Package that structlog imports if it is installed: a tenth of the start-up time, of no use for logs in JSON."""


def prepare() -> None:
    """Turn garbage collection off while modules load, since their objects stay, and hide `rich` from structlog."""
    gc.disable()
    sys.modules.setdefault(_FOR_TERMINALS, None)  # type: ignore[arg-type]  # as if it were not installed
