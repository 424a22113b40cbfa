"""
Measures the code: lines of files and functions, entries of folders, chains of imports, subjects of commits.

Fails if a figure exceeds its bound. The bounds for single files, functions and subjects are rules of the project; the
others are the best values reached so far and are only ever lowered.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50
MAX_SUBJECT = 72
SUBJECTS_SINCE = "a6fd7bc4"
"""Commit after which subjects are checked."""
PRODUCT = ("common", "indexer", "classifier", "retriever", "orchestrator", "cgrag_client")


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure and its upper bound (`most`)."""

    name: str
    value: float
    most: float

    def __str__(self) -> str:
        return f"{self.name}: {self.value:g} (at most {self.most:g})"


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file; lines of code are those that are neither blank nor comments."""

    path: Path
    tree: ast.Module
    lines: int

    @property
    def functions(self) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
        """Yield each function with its lines."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node, (node.end_lineno or node.lineno) - node.lineno + 1

    @property
    def module(self) -> str:
        """Return the importable name."""
        return ".".join(self.path.with_suffix("").parts).removesuffix(".__init__")


def read(path: Path) -> Source:
    """Read one file."""
    text = path.read_text(encoding="utf-8")
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    return Source(path, ast.parse(text), len(code))


def too_long(source: Source) -> Iterator[str]:
    """Return the violations of the size rules in one file."""
    if source.lines > MAX_FILE_LINES:
        yield f"{source.path}: {source.lines} lines of code, at most {MAX_FILE_LINES}"
    for node, size in source.functions:
        if size > MAX_FUNCTION_LINES:
            yield f"{source.path}:{node.lineno}: {node.name} has {size} lines, at most {MAX_FUNCTION_LINES}"


def imports_of(source: Source, modules: frozenset[str]) -> set[str]:
    """Return which of `modules` a file imports at run time, within functions too; not those under TYPE_CHECKING."""
    found: set[str] = set()
    left: list[ast.AST] = [source.tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            left += node.orelse
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            full = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else node.module for name in full.values()}
        else:
            left += ast.iter_child_nodes(node)
    return (found & modules) - {source.module}


def longest_chain(graph: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of the longest chain of imports, the importing one first. Raises CycleError."""
    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        below = max((chains[each] for each in sorted(graph[module])), key=len, default=[])
        chains[module] = [module, *below]
    return max((chains[each] for each in sorted(chains)), key=len, default=[])


def entries(sources: Sequence[Source]) -> list[int]:
    """Return how many modules and packages each folder has."""
    folders: defaultdict[Path, set[str]] = defaultdict(set)
    for source in sources:
        for path in (source.path, *source.path.parents):
            if len(path.parts) > 1 and path.name != "__init__.py":
                folders[path.parent].add(path.name)
    return [len(names) for names in folders.values()]


def long_subjects() -> list[str]:
    """Return an error for each commit with a too long subject; none in a clone without the commit SUBJECTS_SINCE."""
    command = ["git", "log", "--no-merges", "--format=%h %s", f"{SUBJECTS_SINCE}..HEAD"]
    log = subprocess.run(command, check=False, capture_output=True, text=True)
    subjects = (line.partition(" ") for line in log.stdout.splitlines())
    return [
        f"{commit}: a subject of {len(subject)} characters, at most {MAX_SUBJECT}"
        for commit, _, subject in subjects
        if len(subject) > MAX_SUBJECT
    ]


def measures(sources: Sequence[Source]) -> Iterator[Measure]:
    """Yield the figures of the product's code. Raises CycleError."""
    files = [source.lines for source in sources]
    functions = [size for source in sources for _, size in source.functions]
    folders = entries(sources)
    modules = frozenset(source.module for source in sources)
    chain = longest_chain({source.module: imports_of(source, modules) for source in sources})
    yield Measure("lines of a file, median", statistics.median(files), 78)
    yield Measure("lines of a file, p90", percentile(files, 90), 200)
    yield Measure("lines of a function, median", statistics.median(functions), 6)
    yield Measure("lines of a function, p90", percentile(functions, 90), 18)
    yield Measure("entries of a folder, median", statistics.median(folders), 8)
    yield Measure("entries of a folder, p90", percentile(folders, 90), 14)
    yield Measure("entries of a folder, most", max(folders), 24)
    yield Measure(f"modules in a chain of imports, from {chain[0]} to {chain[-1]}", len(chain), 17)


def percentile(values: Sequence[int], share: int) -> float:
    """Return the percentile for a share in percent."""
    return sorted(values)[min(len(values) - 1, len(values) * share // 100)]


def main() -> int:
    """Check every tracked Python file except generated stubs and fixtures."""
    names = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    paths = [Path(name) for name in names if not name.startswith(("protos/gen/", "tests/fixtures/"))]
    sources = [read(path) for path in paths if path.exists()]
    found = [line for source in sources for line in too_long(source)] + long_subjects()
    try:
        tests = [source for source in sources if source.path.parts[0] == "tests"]
        product = [source for source in sources if source.path.parts[0] in PRODUCT]
        for measure in (*measures(product), Measure("entries of a folder of tests, most", max(entries(tests)), 46)):
            print(f"  {measure}")
            if measure.value > measure.most:
                found.append(str(measure))
    except CycleError as error:
        found.append(f"modules import each other: {' -> '.join(error.args[1])}")
    print("\n".join(found) if found else f"sizes: {len(sources)} files are fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
