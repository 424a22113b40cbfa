"""Which repositories the indexer has removed, by the notes that it leaves in the data folder."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING

from common.core.removals import Removal

if TYPE_CHECKING:
    from pathlib import Path

_FOLDER = ".removed"


class RemovalNotes:
    """
    Implements `Removals`.

    Args:
        root: `<data>/repositories`.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def all(self) -> tuple[Removal, ...]:
        """Return the removals of the last year, in order of the repository's name; a damaged note is left out."""
        found: list[Removal] = []
        for file in self._root.glob(f"{_FOLDER}/[!.]*.json"):
            try:
                note = json.loads(file.read_bytes())
                name, time = str(note["repository"]), datetime.fromisoformat(note["remove_time"])
            except (FileNotFoundError, ValueError, KeyError, TypeError):
                continue
            found.append(Removal(name, time, indexed_again=(self._root / name).is_dir()))
        return tuple(sorted(found, key=lambda each: each.repository))
