"""Names of modules, and the resolution of relative import specifiers."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

EXTENSIONS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
TYPESCRIPT_FILES = (".ts", ".tsx", ".mts", ".cts")


def module_names(paths: Collection[str]) -> Mapping[str, str]:
    """
    Name each file by its path, dotted, without ending; the index of a folder has the folder's name.

    If two files would have one name (`a.ts` beside `a.js`, a folder beside a file), the first in the order of
    `EXTENSIONS` gets it, and the others keep their ending or `index` as the last part.
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for path in sorted(paths, key=_rank):
        name = module_name(path)
        if name in taken:
            name = _full_name(path)
        taken.add(name)
        names[path] = name
    return names


def module_name(path: str) -> str:
    """Name a file by its path alone."""
    stem = without_ending(path)
    if posixpath.basename(stem) == "index" and "/" in stem:
        stem = posixpath.dirname(stem)
    return stem.replace("/", ".")


def without_ending(path: str) -> str:
    """Remove the ending of a source file; from a declaration file all of `.d.ts`."""
    stem, ending = posixpath.splitext(path)
    if ending not in EXTENSIONS:
        return path
    return stem.removesuffix(".d") if ending in (".ts", ".mts", ".cts") else stem


def resolved(specifier: str, path: str) -> str:
    """Write a relative specifier as a path from the root that starts with `./`; leave all others as they are."""
    if not specifier.startswith("."):
        return specifier
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    return f"./{joined}" if not joined.startswith("..") else joined


def _full_name(path: str) -> str:
    stem = without_ending(path)
    if posixpath.basename(stem) == "index":
        return stem.replace("/", ".")
    return path.replace("/", ".")


def _rank(path: str) -> tuple[bool, bool, int, str]:
    ending = posixpath.splitext(path)[1]
    order = EXTENSIONS.index(ending) if ending in EXTENSIONS else len(EXTENSIONS)
    is_index = posixpath.basename(without_ending(path)) == "index"
    return path.endswith((".d.ts", ".d.mts", ".d.cts")), is_index, order, path
