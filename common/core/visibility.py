"""
Which repositories the caller of the running call may see; one that it may not see is treated as if it did not exist.

Visibility is checked before anything of a repository is read, so that not even response times reveal that it exists.
"""

from __future__ import annotations

from typing import Protocol


class Visibility(Protocol):
    """Decides which repositories may be seen; outside of calls, all of them."""

    def sees(self, repository: str) -> bool:
        """Return whether the caller may see a repository."""
        ...

    def admits(self, repository: str) -> bool:
        """Return the same for a repository that the caller named; if false, it is reported as missing."""
        ...


class Everything:
    """Every repository may be seen."""

    def sees(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Tell that it may be seen."""
        return True

    def admits(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Tell that it may be seen."""
        return True


EVERYTHING = Everything()
