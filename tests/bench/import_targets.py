"""
Measures whether Python imports lead where they should, against a truth that is made from paths and syntax trees alone.

`python tests/bench/import_targets.py DIR` prints how many imports of the tree lead into it, how many of those the
index resolves, and how many lead to a file that the import cannot mean. An import leads into the tree if its name is
the end of the path of a file or package there, from a folder that Python could have on its path: any folder for names
of several parts; for a single one a folder that holds a manifest or the top of a package, or one above the importer.
A target is wrong if neither such a file nor what these import themselves, at any distance, is where the edge leads.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.linker import FlowLinker
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import EdgeKind, LinkUnit, Resolution

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")


class Truth:
    """What the imports of a tree can mean."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files = {path.relative_to(root) for path in root.rglob("*.py") if path.is_file()}
        self.folders = {folder for path in self.files for folder in path.parents}
        self.manifests = {path.relative_to(root).parent for name in _MANIFESTS for path in root.rglob(name)}
        self._named: dict[str, list[Path]] = {}
        for path in self.files | self.folders:
            self._named.setdefault(path.stem if path in self.files else path.name, []).append(path)
        self.imports: dict[Path, dict[int, list[tuple[str, set[Path]]]]] = {}
        self._direct: dict[Path, set[Path]] = {}
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
                meant = self.meant(name, path).union(*(self.meant(each, path) for each in parents if each.strip(".")))
                inner = [self.meant(name + ("" if name.endswith(".") else ".") + item, path) for item in items]
                found = meant.union(*inner)
                if files := {file for each in found for file in self._file(each)}:
                    self.imports.setdefault(path, {}).setdefault(node.lineno, []).append((name, files))
                    self._direct.setdefault(path, set()).update(files)

    def _file(self, path: Path) -> list[Path]:
        return [path] if path in self.files else [path / "__init__.py"] if path / "__init__.py" in self.files else []

    def meant(self, name: str, importer: Path) -> set[Path]:
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
            if len(parts) > 1 or is_near or is_package or top in self.manifests:
                found.add(path)
        return found

    def reach(self, files: set[Path]) -> set[Path]:
        """Return files with all that they import, at any distance."""
        found, waiting = set(files), list(files)
        while waiting:
            for each in self._direct.get(waiting.pop(), ()):
                if each not in found:
                    found.add(each)
                    waiting.append(each)
        return found


def _names(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, list[str]]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, []) for alias in node.names)
    else:
        yield "." * node.level + (node.module or ""), [alias.name for alias in node.names if alias.name != "*"]


def measure(root: Path, *, shown: bool) -> dict[str, object]:
    """Compare the index's import edges of a tree with the truth."""
    truth = Truth(root)
    language = PythonLanguage()
    texts = {path.as_posix(): (root / path).read_text("utf-8", "replace") for path in sorted(truth.files)}
    manifests = {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for name in language.manifests
        for path in root.rglob(name)
    }
    names = language.module_names(texts, manifests)
    units = [LinkUnit(path, names[path], language.parse(path, names[path], text)) for path, text in texts.items()]
    targets: dict[tuple[str, int], set[Path]] = {}
    for edge in FlowLinker(PythonSemantics()).link(units).edges:
        if edge.kind == EdgeKind.IMPORT and edge.resolution == Resolution.RESOLVED and edge.target is not None:
            targets.setdefault((units[edge.source[0]].path, edge.line), set()).add(Path(units[edge.target[0]].path))
    inside = resolved = wrong = 0
    for path, lines in truth.imports.items():
        for line, imports in lines.items():
            inside += 1
            found = targets.get((path.as_posix(), line), set())
            resolved += bool(found)
            misled = found - truth.reach({file for _, files in imports for file in files})
            wrong += bool(misled)
            if shown and (misled or not found):
                said = "wrong" if misled else "missing"
                sys.stderr.write(f"{said} {path}:{line} {[name for name, _ in imports]} {sorted(map(str, misled))}\n")
    stray = [key for key in targets if key[1] not in truth.imports.get(Path(key[0]), {})]
    if shown:
        sys.stderr.writelines(f"stray {path}:{line} {sorted(map(str, targets[path, line]))}\n" for path, line in stray)
    return {
        "files": len(texts),
        "imports": inside,
        "resolved": round(resolved / max(1, inside), 4),
        "wrong": round((wrong + len(stray)) / max(1, inside), 4),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--show", action="store_true", help="print each import that is missed or leads astray")
    options = parser.parse_args()
    print(json.dumps(measure(options.root, shown=options.show)))
