"""Identity of a source: the same files, indexer and settings give the same identity, whatever the machine or time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.domain.tree import Skipped, SourceFile


def source_identity(files: Iterable[SourceFile], skipped: Iterable[Skipped], settings: Mapping[str, str]) -> str:
    """
    Return the Merkle root over the included files, with what else decides the index.

    Leaves are file hashes, inner nodes are folders. What was skipped counts by path and reason, because coverage is
    part of the snapshot.

    Args:
        settings: Versions and settings that change the result, by name.
    """
    root = hashlib.sha256()
    for name in sorted(settings):
        root.update(f"setting\0{name}\0{settings[name]}\n".encode())
    for each in sorted(skipped, key=lambda each: each.path):
        root.update(f"skipped\0{each.path}\0{each.reason}\n".encode())
    root.update(_tree({file.path: file.sha256 for file in files}).encode())
    return root.hexdigest()


def _tree(hashes: Mapping[str, str]) -> str:
    folders: dict[str, dict[str, str]] = {}
    node = hashlib.sha256()
    leaves: dict[str, str] = {}
    for path, digest in hashes.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = digest
        else:
            leaves[head] = digest
    for name in sorted(leaves):
        node.update(f"file\0{name}\0{leaves[name]}\n".encode())
    for name in sorted(folders):
        node.update(f"folder\0{name}\0{_tree(folders[name])}\n".encode())
    return node.hexdigest()
