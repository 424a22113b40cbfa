"""Selects the sessions that a variant serves or that get shadows; reads the kill switch for models."""

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
        kill_switch: File whose existence, checked at each call, deselects all sessions; None for no switch.
        name: Part of the hash: different names select sessions independently of each other.
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
