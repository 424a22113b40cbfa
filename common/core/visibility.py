"""
Which repositories the caller of the current call may see; all others are treated as if they did not exist.

Visibility is checked before any data of a repository is read, so that response times do not reveal that it exists.
"""

from __future__ import annotations

from typing import Protocol


class Visibility(Protocol):
    """Decides which repositories may be seen; outside of calls, all of them."""

    def sees(self, repository: str) -> bool:
        """Return whether the caller may see a repository."""
        ...

    def admits(self, repository: str) -> bool:
        """Return the same for a repository that the caller named: a denial may be logged; report it as missing."""
        ...


class Everything:
    """Every repository may be seen."""

    def sees(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Return True."""
        return True

    def admits(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Return True."""
        return True


EVERYTHING = Everything()
