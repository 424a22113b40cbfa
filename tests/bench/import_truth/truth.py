"""What one language's imports can mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Import:
    """
    An import that leads into the tree.

    Args:
        files: The files that it can name.
    """

    path: Path
    first_line: int
    last_line: int
    written: str
    files: frozenset[Path]


class Truth:
    """
    The files of a tree and the imports that lead into it.

    Args:
        root: The folder of the tree.
    """

    endings: tuple[str, ...] = ()

    def __init__(self, root: Path) -> None:
        self.root = root
        self.all = set(_walk(root))
        self.files = {path for path in self.all if path.name.endswith(self.endings)}
        self.folders = {folder for path in self.files for folder in path.parents}
        self.imports: list[Import] = []
        self.statements: set[tuple[Path, int]] = set()
        self.passed_on: dict[Path, set[Path]] = {}
        """By file, the files from which it takes names that others can import from it."""

    def text(self, path: Path) -> str:
        """Return the text of a file."""
        return (self.root / path).read_text("utf-8", "replace")

    def add(self, path: Path, lines: tuple[int, int], written: str, files: set[Path]) -> None:
        """Note an import, if it leads to other files of the tree."""
        self.statements.update((path, line) for line in range(lines[0], lines[1] + 1))
        if files - {path}:
            self.imports.append(Import(path, *lines, written, frozenset(files)))

    def reach(self, files: frozenset[Path]) -> set[Path]:
        """Return files with all whose names they pass on, at any distance."""
        found, waiting = set(files), list(files)
        while waiting:
            for each in self.passed_on.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found


def _walk(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in (".git", "node_modules"))
        for name in sorted(names):
            path = Path(folder, name)
            if not path.is_symlink():
                yield path.relative_to(root)


def line_of(text: str, position: int) -> int:
    """Return the line in which a character stands."""
    return text.count("\n", 0, position) + 1


def nearest(path: Path, folders: set[Path]) -> Path:
    """Return the innermost of some folders that a file lies in, the top if none."""
    return next((folder for folder in path.parents if folder in folders), Path())
