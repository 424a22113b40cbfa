"""Go: an import path begins with the path of a module of the tree, or with one that a `replace` leads into it."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import normpath

from tests.bench.import_truth.truth import Truth, line_of, nearest

_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACE = re.compile(r"^\s*(?:replace\s+)?\"?([^\s\"]+)\"?(?:\s+v\S+)?\s*=>\s*\"?(\.[^\s\"]*)", re.MULTILINE)
_IMPORT = re.compile(r"^import\s*(?:\(([^)]*)\)|([^\n]*))", re.MULTILINE)
_PATH = re.compile(r"^[^\n\"`/]*[\"`]([^\"`\n]+)[\"`]", re.MULTILINE)


class GoTruth(Truth):
    """The imports of Go files."""

    language, endings = "go", (".go",)

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self._modules: dict[str, set[Path]] = {}
        self._replaced: dict[Path, dict[str, Path]] = {}
        for path in self.all:
            if path.name == "go.mod" and (found := _MODULE.search(self.text(path))):
                self._modules.setdefault(found.group(1), set()).add(path.parent)
            if path.name in ("go.mod", "go.work"):
                pairs = _REPLACE.findall(self.text(path))
                self._replaced[path.parent] = {name: Path(normpath(path.parent / to)) for name, to in pairs}
        for path in sorted(self.files):
            text = self.text(path)
            for block in _IMPORT.finditer(text):
                group = 1 if block.group(1) is not None else 2
                for found in _PATH.finditer(block.group(group)):
                    line = line_of(text, block.start(group) + found.start(1))
                    self.add(path, (line, line), found.group(1), self._meant(found.group(1), path))

    def _meant(self, name: str, importer: Path) -> set[Path]:
        parts = name.split("/")
        replaced = self._replaced.get(nearest(importer, set(self._replaced)), {})
        for length in range(len(parts), 0, -1):
            start = "/".join(parts[:length])
            tops = {replaced[start]} if start in replaced else self._modules.get(start, set())
            if tops:
                folders = {top.joinpath(*parts[length:]) for top in tops}
                return {path for path in self.files if path.parent in folders and not path.name.endswith("_test.go")}
        return set()
