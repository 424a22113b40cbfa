"""The enrichment layer: files.jsonl of docs/snapshot-format.md, merged with the metadata of core."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from retriever.domain.declared.metadata import FileMetadata
    from retriever.ports import Metadata


class EnrichedMetadata:
    """
    Implements `Metadata`: a model's concepts come before those from the text, its domain replaces that of the folder.

    Args:
        core: Metadata from the text of the files.
        path: The layer's file; it is read once, in the constructor.
    """

    def __init__(self, core: Metadata, path: Path) -> None:
        with path.open(encoding="utf-8") as lines:
            notes = {note["path"]: note for note in map(json.loads, lines)}
        self._files = tuple(_enriched(file, **notes[file.path]) if file.path in notes else file for file in core.all())

    def all(self) -> tuple[FileMetadata, ...]:
        """Return the metadata of each file, in order of path."""
        return self._files


def _enriched(file: FileMetadata, *, path: str, purpose: str, domain: str, concepts: list[str]) -> FileMetadata:
    del path  # the same as `file.path`
    merged = tuple(dict.fromkeys((*concepts, *file.concepts)))
    return replace(file, domain=domain or file.domain, concepts=merged, purpose=purpose)
