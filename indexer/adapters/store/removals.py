"""Writes notes of removed repositories to the data folder, so that readers delete their own data of them."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from indexer.adapters.store.disk import replace_file, storage_errors

if TYPE_CHECKING:
    from pathlib import Path

    from common.core.clock import Clock

FOLDER = ".removed"
_TOLD_DAYS = 366


class RemovalNotes:
    """
    Implements `RepositoryData`: removing a repository leaves a note of it.

    Args:
        folder: `<data>/repositories`.
        clock: Dates the notes, which are deleted after a year.
    """

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._folder = folder / FOLDER
        self._clock = clock

    def remove(self, repository: str) -> None:
        """Write a note of a removed repository, replacing an earlier one, and delete old notes. Raises StorageFull."""
        now = self._clock.now()
        content = {"repository": repository, "remove_time": now.isoformat().replace("+00:00", "Z")}
        with storage_errors():
            self._folder.mkdir(parents=True, exist_ok=True)
            for file in sorted(self._folder.glob("*.json")):
                if not is_told(file.read_bytes(), now):
                    file.unlink()
            replace_file(self._folder / f"{repository}.json", json.dumps(content).encode(), lambda _: None)


def is_told(note: bytes, now: datetime) -> bool:
    """Return whether a note is to be kept: it is well-formed and at most 366 days old."""
    try:
        return datetime.fromisoformat(json.loads(note)["remove_time"]) >= now - timedelta(days=_TOLD_DAYS)
    except (ValueError, KeyError, TypeError):
        return False
