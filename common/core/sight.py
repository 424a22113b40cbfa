"""What the caller of the running call may see: what it may not is as if it were not there."""

from __future__ import annotations

from typing import Protocol

NO_REPOSITORY = "-"
"""A name that no repository has: it is asked for in place of one that is not to be seen, so that both take as long."""


class Sight(Protocol):
    """Tells what may be seen; outside of calls that is everything."""

    def sees(self, repository: str) -> bool:
        """Tell whether a repository may be seen."""
        ...

    def admits(self, repository: str) -> bool:
        """Tell the same of a repository that the caller named; who hears no is to say that it is not there."""
        ...


class Everything:
    """Nothing is hidden from anybody."""

    def sees(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Tell that it may be seen."""
        return True

    def admits(self, repository: str) -> bool:  # noqa: ARG002 (the port's)
        """Tell that it may be seen."""
        return True


EVERYTHING = Everything()
