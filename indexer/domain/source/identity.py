"""Identity of a source: a hash of files, indexer version and settings that does not depend on machine or time."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.domain.tree import Skipped, SourceFile


def source_identity(files: Iterable[SourceFile], skipped: Iterable[Skipped], settings: Mapping[str, str]) -> str:
    """
    Return the SHA-256 over everything that determines the index: settings, skipped files, and included files.

    Included files enter as a Merkle root: leaves are file hashes, inner nodes are folders. Skipped files enter with
    path, reason and words, because coverage is part of the snapshot.

    Args:
        settings: Versions and settings that change the result, by name.
    """
    root = hashlib.sha256()
    for name in sorted(settings):
        root.update(f"setting\0{name}\0{settings[name]}\n".encode())
    for each in sorted(skipped, key=lambda each: each.path):
        root.update(f"skipped\0{each.path}\0{each.reason}\0{_told(each.words)}\n".encode())
    root.update(_tree({file.path: file.sha256 for file in files}).encode())
    return root.hexdigest()


def _told(words: bytes | None) -> str:
    return "" if words is None else hashlib.sha256(words).hexdigest()


def _tree(hashes: Mapping[str, str]) -> str:
    """Return the Merkle root; without recursion, as folders may be nested more deeply than the recursion limit."""
    members: dict[str, list[tuple[str, str, str]]] = {"": []}
    for path, digest in hashes.items():
        folder, _, name = path.rpartition("/")
        above = folder
        while above not in members:
            members[above] = []
            above = above.rpartition("/")[0]
        members[folder].append(("file", name, digest))
    root = ""
    for folder in sorted(members, key=len, reverse=True):  # a folder's path is longer than its parent's: children first
        rows = (f"{kind}\0{name}\0{digest}\n" for kind, name, digest in sorted(members[folder]))
        root = hashlib.sha256("".join(rows).encode()).hexdigest()
        if folder:
            parent, _, name = folder.rpartition("/")
            members[parent].append(("folder", name, root))
    return root
