"""Reads which repositories the indexer has removed, from the notes that it leaves in the data folder."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
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
            with suppress(FileNotFoundError):  # the indexer deletes notes after a year
                if note := decode_note(file.read_bytes()):
                    found.append(replace(note, indexed_again=(self._root / note.repository).is_dir()))
        return tuple(sorted(found, key=lambda each: each.repository))


def decode_note(note: bytes) -> Removal | None:
    """Return the removal in a note, with `indexed_again` False; None for a note that cannot be read."""
    try:
        said = json.loads(note)
        return Removal(str(said["repository"]), datetime.fromisoformat(said["remove_time"]), indexed_again=False)
    except (ValueError, KeyError, TypeError):
        return None
