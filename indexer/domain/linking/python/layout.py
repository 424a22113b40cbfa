"""Where Python imports lead in a tree: by the files, packages and imports that are there."""

from __future__ import annotations

import sys
from posixpath import splitext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

_PACKAGE_FILES = ("__init__.py", "__init__.pyi")


class Layout:
    """
    The Python files of a tree by their *stems*: a path without ending, and for `__init__` that of its folder.

    A folder from which an import's name leads to a file is a *root*. Any folder may be one, unless it is a regular
    package itself: whose parts are imported with its own name before them.

    Args:
        paths: Of all Python files.
        roots: Folders that are known to be roots, so that a module directly in them can be imported from everywhere.
    """

    def __init__(self, paths: Iterable[str], roots: Collection[str] = ()) -> None:
        self.files: dict[str, str] = {}
        self.packages: set[str] = set()
        for path in sorted(paths):
            self._add(path)
        self.folders = {above for stem in (*self.files, *self.packages) for above in _above(stem)}
        self.roots = {*roots, *(_parent(package) for package in self.packages if _parent(package) not in self.packages)}
        self._ending: dict[str, list[str]] = {}
        for stem in dict.fromkeys((*self.files, *sorted(self.folders))):
            self._ending.setdefault(stem.rpartition("/")[2], []).append(stem)
        self._known: dict[tuple[str, str], str | None] = {}

    def _add(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        is_package = name in _PACKAGE_FILES
        if is_package:
            self.packages.add(folder)
        stem = folder if is_package else splitext(path)[0]
        known = self.files.get(stem)
        # Python takes the package before the module; the source says more than its stub.
        if known is None or _rank(path) < _rank(known):
            self.files[stem] = path

    def find(self, name: str, folder: str) -> str | None:
        """Return the stem that an absolute import of a dotted name in a file of this folder leads to."""
        key = (name, folder)
        if key not in self._known:
            nearest = min(self._candidates(name, folder), default=None)
            self._known[key] = nearest[-1] if nearest else None
        return self._known[key]

    def _candidates(self, name: str, folder: str) -> Iterator[tuple[bool, int, bool, int, str]]:
        suffix = name.replace(".", "/")
        for stem in self._ending.get(suffix.rpartition("/")[2], ()):
            if stem == suffix or stem.endswith(f"/{suffix}"):
                root = stem[: -len(suffix) - 1]
                if self._is_importable(stem, root, folder, name):
                    yield stem not in self.files, -_shared(root, folder), root not in self.roots, root.count("/"), stem

    def _is_importable(self, stem: str, root: str, folder: str, name: str) -> bool:
        """
        Return whether a name can mean a stem from some root.

        A name of several parts that are all there can mean nothing else. A single one also names packages outside of
        the tree: a module of that name counts in a root that is known as such, and above the importing file. Packages
        of the standard library come before all folders but regular packages.
        """
        if root and root in self.packages:
            return False
        first, dot, _ = name.partition(".")
        if first in sys.stdlib_module_names:
            top = f"{root}/{first}" if root else first
            return is_within(folder, root) and (top in self.packages or (not root and top in self.files))
        if dot or is_within(folder, root):
            return True
        return stem in self.files and (stem in self.packages or root in self.roots)

    def relative(self, name: str, path: str) -> str | None:
        """Return the stem that a relative import, `..pkg.module`, means in a file; it never leaves the file's tree."""
        rest = name.lstrip(".")
        folder = path.rpartition("/")[0]
        for _ in range(len(name) - len(rest) - 1):
            if not folder:
                return None
            folder = _parent(folder)
        stem = "/".join(filter(None, (folder, rest.replace(".", "/"))))
        return stem if stem in self.files or stem in self.folders else None


def stem_of(path: str) -> str:
    """Return a path without ending; for the file of a package its folder."""
    folder, _, name = path.rpartition("/")
    return folder if folder and name in _PACKAGE_FILES else splitext(path)[0]


def root_of(path: str, module: str) -> str:
    """Return the folder from which a file has this name."""
    return stem_of(path)[: -len(module) - 1]


def is_within(folder: str, other: str) -> bool:
    """Return whether a folder is another one or below it; "" is the top."""
    return not other or folder == other or folder.startswith(f"{other}/")


def dotted(stem: str, root: str) -> str:
    """Return the name by which a stem is imported from a root."""
    return (stem[len(root) + 1 :] if root else stem).replace("/", ".")


def _above(stem: str) -> Iterator[str]:
    while stem:
        stem = _parent(stem)
        if stem:
            yield stem


def _parent(stem: str) -> str:
    return stem.rpartition("/")[0]


def _rank(path: str) -> tuple[bool, bool, str]:
    return path.endswith(".pyi"), path.rpartition("/")[2] not in _PACKAGE_FILES, path


def _shared(root: str, folder: str) -> int:
    """Count the folders that two paths have in common from the top."""
    shared = 0
    for one, other in zip(root.split("/"), folder.split("/"), strict=False):
        if one != other or not one:
            break
        shared += 1
    return shared
