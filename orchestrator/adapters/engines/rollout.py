"""Which sessions a variant serves or gets shadows, and whether models may be asked at all."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_BUCKETS = 10_000


class Rollout:
    """
    Selects a share of the sessions: always the same ones, and more of them as the share grows.

    Args:
        percent: Share of sessions, 0 to 100.
        kill_switch: While this file exists, none is selected; None for no switch. It is looked at before each call.
        name: Shares of different names fall on different sessions, independent of each other.
    """

    def __init__(self, percent: float, kill_switch: Path | None = None, *, name: str = "") -> None:
        self._percent = percent
        self._kill_switch = kill_switch
        self._name = name

    def is_stopped(self) -> bool:
        """Return whether the kill switch is on."""
        return self._kill_switch is not None and self._kill_switch.exists()

    def admits(self, session_id: str) -> bool:
        """Return whether this session is selected; an answer without a session is not."""
        if not self._percent or not session_id or self.is_stopped():
            return False
        digest = hashlib.sha256(f"{self._name}{session_id}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % _BUCKETS < self._percent * _BUCKETS / 100
