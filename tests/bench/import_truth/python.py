"""
Python: an import leads into the tree if its name is the end of the path of a file or package there.

The path starts at a folder that Python could have on its path: any folder for names of several parts; for a single one
a folder that holds a manifest or the top of a package, or one above the importer.
"""

from __future__ import annotations

import ast
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

from tests.bench.import_truth.truth import Truth

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")


class PythonTruth(Truth):
    """The imports of Python files, each statement as one."""

    language, endings = "python", (".py",)

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._manifests = {path.parent for path in self.all if path.name in _MANIFESTS}
        self._named: dict[str, list[Path]] = {}
        for path in self.files | self.folders:
            self._named.setdefault(path.stem if path in self.files else path.name, []).append(path)
        for path in sorted(self.files):
            self._read(path)

    def _read(self, path: Path) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                tree = ast.parse((self.root / path).read_bytes())
            except (SyntaxError, ValueError):
                return
        statements = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        for node in statements:
            for name, items in _names(node):
                rest = name.lstrip(".").split(".")
                parents = [name[: len(name) - len(".".join(rest[cut:])) - 1] for cut in range(1, len(rest))]
                meant = self._meant(name, path).union(*(self._meant(each, path) for each in parents if each.strip(".")))
                inner = [self._meant(name + ("" if name.endswith(".") else ".") + item, path) for item in items]
                files = {file for each in meant.union(*inner) for file in self._file(each)}
                self.passed_on.setdefault(path, set()).update(files)
                self.add(path, (node.lineno, node.lineno), name, files)

    def _file(self, path: Path) -> list[Path]:
        return [path] if path in self.files else [path / "__init__.py"] if path / "__init__.py" in self.files else []

    def _meant(self, name: str, importer: Path) -> set[Path]:
        """Return the files and folders that a name can mean."""
        rest = name.lstrip(".")
        parts = rest.split(".") if rest else []
        if name != rest:
            above = importer.parents[min(len(name) - len(rest), len(importer.parents)) - 1]
            stem = above.joinpath(*parts)
            return {each for each in (stem, stem.with_suffix(".py")) if each in self.files | self.folders}
        found = set()
        for path in self._named.get(parts[-1], ()):
            stem = path.with_suffix("") if path in self.files else path
            if stem.parts[-len(parts) :] != tuple(parts):
                continue
            top = Path(*stem.parts[: len(stem.parts) - len(parts)])
            is_near = top in importer.parents
            is_package = top / parts[0] / "__init__.py" in self.files
            if top != Path() and top / "__init__.py" in self.files:
                continue  # parts of a package are imported with its name before them
            if parts[0] in sys.stdlib_module_names and not (is_near and (is_package or top == Path())):
                continue
            if len(parts) > 1 or is_near or is_package or top in self._manifests:
                found.add(path)
        return found


def _names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, list[str]]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, []) for alias in node.names)
    else:
        yield "." * node.level + (node.module or ""), [alias.name for alias in node.names if alias.name != "*"]
