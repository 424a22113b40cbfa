"""Finds the folder of the snapshot that a SCIP index was made in."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

_MAX_DEPTH = 8


def is_safe(path: str) -> bool:
    """Return whether a path is relative, canonical, and stays below its folder."""
    return bool(path) and not path.startswith("/") and not {"", ".", ".."} & {*path.split("/")} and "\\" not in path


def root_below(root: str, paths: Iterable[str], known: frozenset[str]) -> str:
    """
    Return the prefix with which most paths of an index are paths of the snapshot: "", or a folder with its slash.

    An index may be made in a folder of the repository, for example one package of many. Candidates are "" and the last
    one to eight parts of the root's path. Ties go to the shortest.

    Args:
        root: URI of the root folder, from the index.
        paths: Paths of the documents.
        known: Paths of the snapshot.
    """
    parts = [part for part in unquote(urlsplit(root).path).split("/") if part][-_MAX_DEPTH:]
    candidates = ["", *("/".join(parts[-depth:]) + "/" for depth in range(1, len(parts) + 1))]
    counts = dict.fromkeys(candidates, 0)
    for path in paths:
        for candidate in candidates:
            counts[candidate] += candidate + path in known
    return max(candidates, key=lambda each: (counts[each], -len(each)))
