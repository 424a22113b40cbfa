"""Stores imported findings and the results of import requests in SQLite; the service writes, workers read."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from indexer.adapters.findings.layer import decode_finding, encode_finding
from indexer.adapters.store.archive import SharedFile
from indexer.adapters.store.disk import storage_errors
from indexer.domain.errors import RequestIdReused
from indexer.domain.findings.finding import ImportedFinding, ImportOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS imports (
  repository TEXT NOT NULL,
  tool TEXT NOT NULL,                -- in lower case
  findings BLOB NOT NULL,            -- zlib of JSON: [sha256 of the file, finding] each
  PRIMARY KEY (repository, tool)
);
CREATE TABLE IF NOT EXISTS requests (
  repository TEXT NOT NULL,
  request_id TEXT NOT NULL,
  content TEXT NOT NULL,
  snapshot_id TEXT NOT NULL,
  imported INTEGER NOT NULL,
  outside INTEGER NOT NULL,
  PRIMARY KEY (repository, request_id)
) WITHOUT ROWID;
"""
_RECORD = """
INSERT OR REPLACE INTO requests (repository, request_id, content, snapshot_id, imported, outside)
VALUES (?, ?, ?, ?, ?, ?)
"""


class SqliteFindingsArchive(SharedFile):
    """
    Implements `FindingsArchive` and `ImportRequests`; may be used by several threads and processes.

    Args:
        file: Database file; created if it does not exist.
    """

    def __init__(self, file: Path) -> None:
        super().__init__(file, _SCHEMA)

    def replace(self, repository: str, tool: str, findings: Sequence[ImportedFinding]) -> None:
        """Store the findings of a tool, replacing its earlier ones."""
        plain = [[each.sha256, encode_finding(each.finding)] for each in findings]
        packed = zlib.compress(json.dumps(plain).encode())
        text = "INSERT OR REPLACE INTO imports (repository, tool, findings) VALUES (?, ?, ?)"
        self._write(text, repository, tool.lower(), packed)

    def findings(self, repository: str) -> tuple[ImportedFinding, ...]:
        """Return all findings of a repository, by tool."""
        text = "SELECT findings FROM imports WHERE repository = ? ORDER BY tool"
        return tuple(
            ImportedFinding(decode_finding(plain), sha256)
            for (packed,) in self._rows(text, repository)
            for sha256, plain in json.loads(zlib.decompress(packed))
        )

    def remove(self, repository: str) -> None:
        """Delete the imports of a repository and its import requests."""
        self._write("DELETE FROM imports WHERE repository = ?", repository)
        self._write("DELETE FROM requests WHERE repository = ?", repository)

    def outcome(self, repository: str, request_id: str, content: str) -> ImportOutcome | None:
        """Return the result of a request; None if it is unknown. Raises RequestIdReused if its content differs."""
        text = "SELECT content, snapshot_id, imported, outside FROM requests WHERE repository = ? AND request_id = ?"
        row = next(iter(self._rows(text, repository, request_id)), None)
        if row is None:
            return None
        if row[0] != content:
            raise RequestIdReused(
                f"request_id {request_id!r} was used for another file; take a new one.",
                metadata={"request_id": request_id},
            )
        return ImportOutcome(*row[1:])

    def record(self, repository: str, request_id: str, content: str, outcome: ImportOutcome) -> None:
        """Store the result of a request."""
        values = (repository, request_id, content, outcome.snapshot_id, outcome.imported, outcome.outside)
        self._write(_RECORD, *values)

    def _write(self, text: str, *values: object) -> None:
        with self._lock, storage_errors():
            self._connection.execute(text, values)
