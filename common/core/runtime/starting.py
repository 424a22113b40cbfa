"""What the main module of a service calls before it imports anything else, so that the service starts fast."""

from __future__ import annotations

import gc
import sys

_FOR_TERMINALS = "rich"
"""structlog imports it if it is installed, which takes a tenth of a start; the logs of services are JSON."""


def prepare() -> None:
    """Turn garbage collection off while modules load, since their objects stay, and hide what no service needs."""
    gc.disable()
    sys.modules.setdefault(_FOR_TERMINALS, None)  # type: ignore[arg-type]  # as if it were not installed
