"""Hashes the indexer's own code, so that a cached result is not used after the code that made it has changed."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.resources.abc import Traversable


def code_version(places: Sequence[str]) -> str:
    """Return a digest of the code in packages ("indexer.domain") and single files ("indexer.domain:tree.py")."""
    hasher = hashlib.sha256()
    for place in places:
        package, _, file = place.partition(":")
        root = files(package)
        target = root / file if file else root
        for found in _code_files(target) if target.is_dir() else [target]:
            hasher.update(f"{place}\0{found.name}\0".encode())
            hasher.update(found.read_bytes())
    return hasher.hexdigest()[:16]


def _code_files(folder: Traversable) -> Iterator[Traversable]:
    for child in sorted(folder.iterdir(), key=lambda child: child.name):
        if child.is_dir():
            yield from _code_files(child)
        elif child.name.endswith((".py", ".scm", ".toml")):
            yield child
