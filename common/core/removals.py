"""Repositories that were removed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 (read from a message by the annotation)


@dataclass(frozen=True, slots=True)
class Removal:
    """
    A repository that was removed.

    Args:
        remove_time: Time of the latest removal.
        indexed_again: A repository of the same name exists again; data stored after `remove_time` may belong to it.
    """

    repository: str
    remove_time: datetime
    indexed_again: bool
