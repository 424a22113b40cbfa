"""The enrichment layer as JSON: files.jsonl, one file a line, and summary.json."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from common.core.contract.snapshot import LayerKind
from indexer.adapters.store.disk import storage_errors, write_files
from indexer.domain.snapshots.snapshot import Layer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indexer.domain.text.enrichment import FileNote

FILES = "files.jsonl"
SUMMARY = "summary.json"


class JsonEnrichmentLayer:
    """Implements `EnrichmentLayer`; the format is docs/snapshot-format.md."""

    def write(self, notes: Mapping[str, FileNote], left_out: int, model: str, folder: Path) -> Layer:
        """Write notes in order of path; equal notes of one model give an equal digest."""
        rows = "".join(f"{json.dumps(_row(path, notes[path]), ensure_ascii=False)}\n" for path in sorted(notes))
        summary = json.dumps({"files": len(notes), "left_out": left_out})
        with storage_errors():
            size = write_files(folder, {FILES: rows, SUMMARY: summary})
        digest = hashlib.sha256(f"{model}\n{summary}\n{rows}".encode()).hexdigest()
        return Layer(LayerKind.ENRICHMENT, digest, size, model)

    def left_out(self, folder: Path) -> int:
        """Return how many files lack a note."""
        return int(json.loads((folder / SUMMARY).read_bytes())["left_out"])


def _row(path: str, note: FileNote) -> dict[str, object]:
    return {"path": path, "purpose": note.purpose, "domain": note.domain, "concepts": note.concepts}
