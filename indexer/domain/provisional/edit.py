"""An edit: the files of a tree that differ from the published core, and the rows that replace theirs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.domain.model import EdgeRow
    from indexer.domain.parsing import PlacedFile
    from indexer.domain.provisional.published import PublishedFile
    from indexer.domain.snapshots.core import FileMetadata, IndexedFile
    from indexer.domain.tree import Revision, Skipped


@dataclass(frozen=True, slots=True)
class Changes:
    """New and changed files of a tree, and published files that are no longer in it; both in order of path."""

    changed: tuple[PlacedFile, ...]
    gone: tuple[PublishedFile, ...]

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of all changed and removed files."""
        return frozenset((*(each.source.path for each in self.changed), *(each.kept.path for each in self.gone)))


@dataclass(frozen=True, slots=True)
class FileEdit:
    """
    The change of one file.

    Args:
        file_id: Its id; an unused one if it is new.
        after: The file after the edit; None if it was removed.
        symbol_ids: Ids by position in its list of symbols; symbols that existed before keep their ids.
        gone: Ids of removed symbols: edges to them become unresolved.
        edges: All edges that start in the file after the edit.
        metadata: Domain and concepts that it has until all files are indexed again.
    """

    file_id: int
    path: str
    after: IndexedFile | None
    symbol_ids: tuple[int, ...]
    gone: tuple[int, ...]
    edges: tuple[EdgeRow, ...]
    metadata: FileMetadata


@dataclass(frozen=True, slots=True)
class CoreEdit:
    """
    The change of a core layer.

    Args:
        digest: Digest of the resulting layer.
        skipped: All files that are left out, in order of path.
        edited: Paths of all files that were edited since all files were last linked.
        cut: Languages whose edges may be incomplete, sorted.
    """

    digest: str
    source_identity: str
    revision: Revision
    skipped: Sequence[Skipped]
    edited: frozenset[str]
    files: Sequence[FileEdit]
    cut: Sequence[str] = ()


def find_changes(tree: Sequence[PlacedFile], published: Mapping[str, PublishedFile]) -> Changes:
    """Compare the files of a tree with the published ones, by contents, language and module name."""
    changed = tuple(file for file in tree if _changed(file, published.get(file.source.path)))
    paths = {file.source.path for file in tree}
    return Changes(changed, tuple(published[path] for path in sorted(published.keys() - paths)))


def _changed(file: PlacedFile, published: PublishedFile | None) -> bool:
    if published is None:
        return True
    was = (published.kept.sha256, published.label, published.module)
    return was != (file.source.sha256, file.label, file.module)
