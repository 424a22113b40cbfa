"""Who gets answers of the model: a share of the sessions, and nobody while the kill switch is thrown."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BUCKETS = 10_000


class Rollout:
    """
    Routes by session, so that one conversation stays with one engine.

    Args:
        percent: Share of sessions, 0 to 100.
        kill_switch: While this file exists, no model is asked; None for no switch. It is looked at before each call.
    """

    def __init__(self, percent: float, kill_switch: Path | None) -> None:
        self._percent = percent
        self._kill_switch = kill_switch

    def is_stopped(self) -> bool:
        """Tell whether the kill switch is thrown."""
        return self._kill_switch is not None and self._kill_switch.exists()

    def admits(self, session_id: str) -> bool:
        """Tell whether answers of this session may ask the model."""
        if self.is_stopped():
            return False
        digest = hashlib.sha256(session_id.encode()).digest()
        return int.from_bytes(digest[:8], "big") % _BUCKETS < self._percent * _BUCKETS / 100
