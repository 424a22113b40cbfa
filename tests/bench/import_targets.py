"""
Measures whether imports lead where they should, against a truth that is made from paths, manifests and syntax alone.

`python -m tests.bench.import_targets DIR` prints for each language how many imports of the tree lead into it, how many
of those the index resolves, and how many lead to a file that the import cannot mean: neither one that it names nor one
whose names those pass on.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from indexer.adapters.languages.registry import languages, linkers
from indexer.domain.cross_language.platforms import across_languages
from indexer.domain.model import EdgeKind, LinkUnit, Resolution
from indexer.domain.snapshots.core import IndexedFile, LinkedEdges
from indexer.domain.snapshots.lexical import count_file
from indexer.domain.tree import TextFile
from tests.bench.import_truth.go import GoTruth
from tests.bench.import_truth.java import JvmTruth
from tests.bench.import_truth.javascript import JavaScriptTruth
from tests.bench.import_truth.python import PythonTruth
from tests.bench.import_truth.rust import RustTruth
from tests.bench.import_truth.truth import Truth

TRUTHS: Mapping[str, Callable[[Path], Truth]] = {
    "python": PythonTruth,
    "javascript": JavaScriptTruth,
    "go": GoTruth,
    "java": partial(JvmTruth, ending=".java"),
    "kotlin": partial(JvmTruth, ending=".kt"),
    "rust": RustTruth,
}


PLATFORMS = {"java": ("java", "kotlin"), "kotlin": ("java", "kotlin")}
"""Languages that are linked with one another."""


def edges_of(name: str, truth: Truth) -> dict[Path, dict[int, set[Path]]]:
    """Return the files that the imports of each line lead to by the index."""
    files: list[IndexedFile] = []
    linked: list[LinkedEdges] = []
    for each in PLATFORMS.get(name, (name,)):
        units = _units(each, truth)
        positions = tuple(range(len(files), len(files) + len(units)))
        for unit in units:
            text, terms = TextFile(unit.path, "", 0, "\n"), count_file(unit.path, "", unit.parsed)
            files.append(IndexedFile(text, each, unit.module, is_test=False, parsed=unit.parsed, lexical=terms))
        found = linkers()[each].link(units)
        linked.append(LinkedEdges(positions, found.edges, each, found.cut, found.by_name, found.platform))
    led: dict[Path, dict[int, set[Path]]] = {}
    for edges in across_languages(files, linked):
        for edge in edges.edges:
            if edge.kind == EdgeKind.IMPORT and edge.resolution == Resolution.RESOLVED and edge.target is not None:
                ends = [Path(files[edges.files[end[0]]].source.path) for end in (edge.source, edge.target)]
                led.setdefault(ends[0], {}).setdefault(edge.line, set()).add(ends[1])
    return led


def _units(name: str, truth: Truth) -> list[LinkUnit]:
    language = languages()[name]
    texts = {path.as_posix(): path for path in truth.all if path.name.endswith(language.extensions)}
    own = {path: truth.text(at) for path, at in texts.items()}
    manifests = {path.as_posix(): truth.text(path) for path in truth.all if path.name.endswith(language.manifests)}
    names = language.module_names(own, manifests, None)
    read = {**manifests, **own}
    return [LinkUnit(path, names[path], language.parse(path, names[path], read[path])) for path in sorted(names)]


def measure(name: str, root: Path, *, shown: bool) -> dict[str, object] | None:
    """Compare the index's imports of a language with the truth; None for a tree without any."""
    truth = TRUTHS[name](root)
    if not truth.imports:
        return None
    edges = edges_of(name, truth)
    expected: dict[tuple[Path, int], set[Path]] = {}
    resolved = 0
    for each in truth.imports:
        lines = range(each.first_line, each.last_line + 1)
        led = {file for line in lines for file in edges.get(each.path, {}).get(line, ())}
        meant = truth.reach(each.files)
        resolved += bool(led & meant)
        for line in lines:
            expected.setdefault((each.path, line), set()).update(meant)
        if shown and not led & meant:
            sys.stderr.write(f"missing {each.path}:{each.first_line} {each.written}\n")
    wrong = 0
    for path, lines_of in edges.items():
        for line, files in lines_of.items():
            if (path, line) in truth.statements and (misled := files - expected.get((path, line), set())):
                wrong += 1
                if shown:
                    sys.stderr.write(f"wrong {path}:{line} {sorted(map(str, misled))}\n")
    total = len(truth.imports)
    shares = {"resolved": round(resolved / total, 4), "wrong": round(wrong / total, 4)}
    return {"language": name, "files": len(truth.files), "imports": total, **shares}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--language", choices=TRUTHS, help="measure this one alone")
    parser.add_argument("--show", action="store_true", help="print each import that is missed or leads astray")
    options = parser.parse_args()
    for language_name in [options.language] if options.language else TRUTHS:
        if (result := measure(language_name, options.root, shown=options.show)) is not None:
            print(json.dumps(result))
