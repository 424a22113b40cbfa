"""Reads the pages of files from a core layer, as input for a model."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from indexer.adapters.store.core.core_file import open_core
from indexer.domain.snapshots.core import PageKind
from indexer.domain.text.enrichment import FileToDescribe
from indexer.domain.text.pages import without_metadata

if TYPE_CHECKING:
    from pathlib import Path

MOST_CHARACTERS = 4000
_FILES = """
SELECT d.path, d.body FROM docs d JOIN files f ON f.path = d.path
LEFT JOIN (
  SELECT t.file_id, COUNT(*) AS uses FROM edges e
  JOIN symbols t ON t.id = e.target_id JOIN symbols s ON s.id = e.source_id
  WHERE s.file_id <> t.file_id GROUP BY t.file_id
) u ON u.file_id = f.id
WHERE d.kind IN (?, ?) AND NOT f.is_test AND d.body <> '' ORDER BY COALESCE(u.uses, 0) DESC, d.path LIMIT ?
"""


class SqliteCorePages:
    """Implements `CorePages`: the head of each module's page."""

    def files(self, core: Path, most: int) -> tuple[FileToDescribe, ...]:
        """Return `most` files, the ones with most incoming edges from other files first; ties by path."""
        bounds = (int(PageKind.PACKAGE), int(PageKind.MODULE), most)
        with closing(open_core(core)) as database:
            return tuple(FileToDescribe(path, _shown(body)) for path, body in database.execute(_FILES, bounds))


def _shown(body: str) -> str:
    """Return the head of a page without its metadata: concepts change whenever other files of the repository do."""
    return without_metadata(body)[:MOST_CHARACTERS]
