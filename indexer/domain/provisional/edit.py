"""An edit: which files of a tree differ from the published core, and what is to be written in their place."""

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
    """Files of a tree that are new or not what is published, and published ones that are gone; in order of path."""

    changed: tuple[PlacedFile, ...]
    gone: tuple[PublishedFile, ...]

    @property
    def paths(self) -> frozenset[str]:
        """Return the paths of all of them."""
        return frozenset((*(each.source.path for each in self.changed), *(each.kept.path for each in self.gone)))


@dataclass(frozen=True, slots=True)
class FileEdit:
    """
    What becomes of one file.

    Args:
        file_id: Its id; a free one if it is new.
        after: What it is now; None if it is gone.
        symbol_ids: By position in its list of symbols: those that stay keep their ids.
        gone: Ids of symbols that are there no more: edges to them lead nowhere.
        edges: All that start in it.
        metadata: What is said of it until everything is looked at again.
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
    What becomes of a core layer.

    Args:
        digest: Of the layer that comes of it.
        skipped: All files that are left out, in order of path.
        edited: Paths of all files that were edited since everything was linked.
        cut: Languages of which edges may be missing, in order.
    """

    digest: str
    source_identity: str
    revision: Revision
    skipped: Sequence[Skipped]
    edited: frozenset[str]
    files: Sequence[FileEdit]
    cut: Sequence[str] = ()


def find_changes(tree: Sequence[PlacedFile], published: Mapping[str, PublishedFile]) -> Changes:
    """Compare the files of a tree with what is published: contents, language and name of the module."""
    changed = tuple(file for file in tree if _changed(file, published.get(file.source.path)))
    paths = {file.source.path for file in tree}
    return Changes(changed, tuple(published[path] for path in sorted(published.keys() - paths)))


def _changed(file: PlacedFile, published: PublishedFile | None) -> bool:
    if published is None:
        return True
    was = (published.kept.sha256, published.label, published.module)
    return was != (file.source.sha256, file.label, file.module)
