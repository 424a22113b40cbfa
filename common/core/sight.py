"""
What the caller of the running call may see: what it may not is as if it were not there.

It is asked before anything of a repository is looked at, so that not even the time of an answer tells whether there is
one.
"""

from __future__ import annotations

from typing import Protocol


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
