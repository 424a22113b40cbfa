"""Repositories that were removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 (read from a message by the annotation)


@dataclass(frozen=True, slots=True)
class Removal:
    """
    A repository that was removed.

    Args:
        remove_time: The last time that it was.
        indexed_again: There is one of that name again; what was kept after `remove_time` may be of that one.
    """

    repository: str
    remove_time: datetime
    indexed_again: bool
