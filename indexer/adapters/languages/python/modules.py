"""Importable names of Python files."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from posixpath import join, normpath
from typing import TYPE_CHECKING

from indexer.domain.linking.python.layout import Layout, dotted, is_within, root_of, stem_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MANIFESTS = ("pyproject.toml", "setup.cfg")
_SETUP = "setup.py"
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(\w[\w.]*)[ \t]+import\b[ \t]*(\([^()]*\)|[^\n#;(]*)|import[ \t]+(\w[\w., \t]*))",
    re.MULTILINE,
)
_BOUND = re.compile(r"(\w+)(?:\s+as\s+\w+)?")
_SOURCES = "src"
"""The default source folder of build tools, next to a manifest."""


class ModuleNames:
    """
    Names the files of a tree as its imports refer to them.

    Args:
        texts: All Python files by path.
        manifests: Texts of `pyproject.toml` and `setup.cfg` by path.
    """

    def __init__(self, texts: Mapping[str, str], manifests: Mapping[str, str]) -> None:
        projects = (*manifests, *(path for path in texts if path.rpartition("/")[2] == _SETUP))
        self._manifests = {path.rpartition("/")[0] for path in projects}
        self._layout = Layout(texts)
        declared = set(self._declared(manifests))
        self._layout.roots |= declared
        self._votes: Counter[tuple[str, str]] = Counter()
        self._count(texts)
        self._imported = {first for _, first in self._votes}
        self._sources = {*declared, *(root for root, _ in self._votes)} - self._manifests

    def _declared(self, manifests: Mapping[str, str]) -> Iterator[str]:
        """Yield folders with a manifest, and those that a manifest names, or `src` beside one, unless packages."""
        named = [(folder, _SOURCES) for folder in self._manifests]
        for path, text in manifests.items():
            named += [(path.rpartition("/")[0], name) for name in _strings(text)] if path.endswith(".toml") else []
        for folder, name in named:
            found = normpath(join(folder, name))
            if found in self._layout.folders and found not in self._layout.packages:
                yield found
        yield from self._manifests

    def _count(self, texts: Mapping[str, str]) -> None:
        """Count, for each root and top-level name, the imports of the tree that resolve from that root."""
        layout, asked = self._layout, set()
        for path, text in texts.items():
            folder = path.rpartition("/")[0]
            for name in _imported(text):
                if (folder, name) in asked:
                    continue
                asked.add((folder, name))
                stem = layout.find(name, folder)
                if stem is None or stem not in layout.files:
                    continue
                root = stem[: -len(name) - 1]
                if "." in name or stem in layout.packages or folder != root:
                    self._votes[root, name.partition(".")[0]] += 1

    def of(self, path: str) -> str:
        """
        Return the dotted path of a file from the root that most imports of its top-level package use.

        A file that no import counts for is named from the root of its outermost regular package; outside of packages,
        from the nearest source root without a manifest, else by its whole path.
        """
        stem = stem_of(path)
        above = [root for root in _roots(stem) if not root or root not in self._layout.packages]
        voted = {root: self._votes[root, dotted(stem, root).partition(".")[0]] for root in above}
        best = max(above, key=lambda root: (voted[root], len(root)))
        return dotted(stem, best if voted[best] else self._unvoted(stem, above))

    def _unvoted(self, stem: str, above: Sequence[str]) -> str:
        """Choose the root of a module that is never imported among its parent folders, the nearest first."""
        layout = self._layout
        if stem not in layout.packages and stem.rpartition("/")[0] not in layout.packages:
            return next((root for root in above if root in self._sources), "")
        # An outer folder of the project is a namespace package if an import begins with its name.
        project = next((root for root in above if root in self._manifests), above[0])
        inside = [root for root in above if is_within(root, project)]
        named = (root for root in reversed(inside) if dotted(stem, root).partition(".")[0] in self._imported)
        return next(named, above[0])


def module_names(
    texts: Mapping[str, str], manifests: Mapping[str, str], known: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """
    Return the importable name of each file.

    Args:
        texts: All Python files by path.
        manifests: All manifests of Python projects by path.
        known: Names from the last reading of the whole tree; given for an edit, to save reading it again.
    """
    if known is not None:
        return {path: known.get(path) or _beside(path, known) for path in texts}
    names = ModuleNames(texts, manifests)
    return {path: names.of(path) for path in texts}


def _beside(path: str, known: Mapping[str, str]) -> str:
    """Name a new file from the same root as the files of the nearest folder that has named files."""
    stem, folder = stem_of(path), path.rpartition("/")[0]
    while folder:
        for other, name in known.items():
            if is_within(other, folder):
                root = root_of(other, name)
                if is_within(stem, root):
                    return dotted(stem, root)
        folder = folder.rpartition("/")[0]
    return dotted(stem, "")


def _imported(text: str) -> Iterator[str]:
    """Return the dotted names that absolute imports of a file may mean."""
    for found in _IMPORT.finditer(text):
        module, items, plain = found.groups()
        if module:
            yield module
            yield from (f"{module}.{item}" for item in _BOUND.findall(items))
        else:
            for each in plain.split(","):
                yield each.split(" as ")[0].strip()


def _strings(text: str) -> Iterator[str]:
    """Return all strings of a TOML document that may be paths; none of a broken one."""
    try:
        waiting: list[object] = [tomllib.loads(text)]
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    while waiting:
        match waiting.pop():
            case str(value):
                yield value
            case dict(content):
                waiting += [*content, *content.values()]
            case list(items):
                waiting += items


def _roots(stem: str) -> Sequence[str]:
    """Return the folders above a stem, the nearest first, the top ("") last."""
    found = []
    while stem:
        stem = stem.rpartition("/")[0]
        found.append(stem)
    return found
