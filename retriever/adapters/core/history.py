"""History and coverage of a core layer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retriever.adapters.core.database import Database
    from retriever.adapters.core.files import SqliteFiles


class SqliteHistory:
    """Implements `History`."""

    def __init__(self, database: Database, files: SqliteFiles) -> None:
        self._database = database
        self._files = files

    def co_changed(self, path: str, minimum: int) -> tuple[tuple[str, int], ...]:
        """Return (path, count) of files changed together with this one, most often first."""
        file = self._files.at(path)
        if file is None:
            return ()
        rows = self._database.rows("co_changed", file=file.id, minimum=minimum)
        found = [(self._files.by_id(key).path, int(count)) for key, count in rows]
        return tuple(sorted(found, key=lambda each: (-each[1], each[0])))


class SqliteCoverage:
    """Implements `Coverage`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def skipped(self) -> tuple[tuple[str, int], ...]:
        """Return (path, reason) of every file left out, in order of path."""
        return tuple((path, reason) for path, reason in self._database.rows("skipped"))
