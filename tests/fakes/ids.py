"""Identities that tests know beforehand."""

from __future__ import annotations


class SequentialIds:
    """Counts for each prefix from 1: `job_1`, `job_2`, `ses_1`."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def new(self, prefix: str) -> str:
        """Return the next identity of a prefix."""
        self._last[prefix] = self._last.get(prefix, 0) + 1
        return f"{prefix}_{self._last[prefix]}"
