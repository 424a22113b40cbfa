"""Finds functions that are too complex or too long: by symbols, or with lizard in files without symbols."""

from __future__ import annotations

import csv
from importlib.metadata import version
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from indexer.adapters.findings.core_code import SqliteCoreCode, write_texts
from indexer.adapters.findings.tool import run_module
from indexer.domain.findings.finding import CodeSymbol
from indexer.domain.findings.grades import function_findings
from indexer.domain.model import SymbolKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indexer.domain.findings.finding import Finding
    from indexer.domain.findings.grades import Thresholds

_FUNCTIONS = (SymbolKind.FUNCTION, SymbolKind.METHOD)
_SUFFIXES = (
    ".c", ".cc", ".cjs", ".cpp", ".cs", ".cxx", ".go", ".h", ".hh", ".hpp", ".java", ".js", ".jsx", ".kt", ".kts",
    ".lua", ".m", ".mjs", ".mm", ".php", ".rb", ".rs", ".scala", ".swift", ".ts", ".tsx", ".zig",
)  # fmt: skip
_COLUMNS = 11


class ComplexityAnalyzer:
    """Implements `Analyzer` for files with symbols; tests are left out."""

    name = "complexity"

    def __init__(self, most: Thresholds) -> None:
        self._most = most

    @property
    def version(self) -> str:
        """Return the thresholds."""
        return str(self._most)

    def analyze(self, core: Path, room: Path) -> tuple[Finding, ...]:  # noqa: ARG002 (the symbols are there already)
        """Return findings for functions over the thresholds."""
        code = SqliteCoreCode()
        paths = [file.path for file in code.files(core).values() if file.parsed and not file.is_test]
        return tuple(
            finding
            for path, symbols in code.symbols(core, paths).items()
            for symbol in symbols
            if symbol.kind in _FUNCTIONS
            for finding in function_findings(self.name, path, symbol, self._most)
        )


class LizardAnalyzer:
    """
    Implements `Analyzer` for files of languages without symbols; tests are left out.

    Args:
        seconds: Time limit.
    """

    name = "lizard"

    def __init__(self, most: Thresholds, seconds: float) -> None:
        self._most = most
        self._seconds = seconds

    @property
    def version(self) -> str:
        """Return the release of lizard and the thresholds."""
        return f"{version('lizard')} {self._most}"

    def analyze(self, core: Path, room: Path) -> tuple[Finding, ...]:
        """Return findings for functions over the thresholds."""
        tree, output = room / "tree", room / "output"
        tree.mkdir()
        if not write_texts(core, tree, _SUFFIXES, parsed=False):
            return ()
        run_module("lizard", ("--csv", "."), tree, output, self._seconds)
        files = SqliteCoreCode().files(core)
        return tuple(
            finding
            for path, symbol in _functions(output)
            if path in files and not files[path].is_test
            for finding in function_findings(self.name, path, symbol, self._most)
        )


def _functions(output: Path) -> Iterator[tuple[str, CodeSymbol]]:
    """Yield (path, function) of a report's rows; columns from 0: 1 complexity, 6 path, 7 name, 9 and 10 lines."""
    with output.open(encoding="utf-8", errors="replace", newline="") as lines:
        for row in csv.reader(lines):
            if len(row) != _COLUMNS or not (row[1].isdigit() and row[9].isdigit() and row[10].isdigit()):
                continue  # a name with quotes, as macros produce, breaks the row
            symbol = CodeSymbol(SymbolKind.FUNCTION, row[7], int(row[9]), int(row[10]), int(row[1]))
            yield str(PurePosixPath(row[6])), symbol
