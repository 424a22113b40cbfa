"""
Prints the calls in the source files below a folder, as names of caller and callee; links each language separately.

`python -m indexer.edges --root DIR [--below FOLDER]` prints one result; without `--root`, each line of stdin is a
request `{"root": ..., "below": ...}` and gets one line. A result is `{"edges": [[caller, callee, confidence], ...],
"defined": [name, ...], "aliases": {name: other name, ...}, "lines": n, "cpu_seconds": s, "errors": [text, ...]}`.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from indexer.adapters.languages.registry import IN_FULL
from indexer.domain.linking.naming import arrow_names, defined_names, named_calls
from indexer.domain.linking.solver.engine import Engine
from indexer.domain.model import LinkUnit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.ports import Language

_NAMED_BY_PATH = ("python", "javascript")


def main(arguments: list[str]) -> int:
    """Answer one request or many."""
    parser = argparse.ArgumentParser(prog="python -m indexer.edges", description=__doc__)
    parser.add_argument("--root", help="folder that module names start from")
    parser.add_argument("--below", default="", help="read only files below this folder of the root")
    options = parser.parse_args(arguments)
    requests = [options.root] if options.root else sys.stdin
    for request in requests:
        asked = {"root": options.root, "below": options.below} if options.root else json.loads(request)
        sys.stdout.write(json.dumps(answer(Path(asked["root"]), asked.get("below", ""))) + "\n")
        sys.stdout.flush()
    return 0


def answer(root: Path, below: str) -> dict[str, object]:
    """Read and link the files, and name what calls what."""
    edges: list[list[object]] = []
    defined: list[str] = []
    aliases: dict[str, str] = {}
    errors: list[str] = []
    lines = 0
    gc.disable()  # as in the linker: no object becomes garbage before the result is complete
    started = time.process_time()
    for language, semantics in IN_FULL:
        units = list(_units(language, root, below))
        lines += sum(unit.parsed.symbols[0].end_line for unit in units)
        errors += [f"{unit.path}: {unit.parsed.error}" for unit in units if unit.parsed.error]
        world = Engine(semantics).solve(units)
        edges += [[caller, callee, confidence] for (caller, callee), confidence in named_calls(world).items()]
        defined += defined_names(world)
        aliases |= arrow_names(world)
    seconds = time.process_time() - started
    gc.enable()
    return {
        "edges": edges,
        "defined": defined,
        "aliases": aliases,
        "lines": lines,
        "cpu_seconds": seconds,
        "errors": errors,
    }


def _units(language: Language, root: Path, below: str) -> Iterator[LinkUnit]:
    found = [path for path in sorted((root / below).rglob("*")) if {path.suffix, path.name} & {*language.extensions}]
    paths = {path.relative_to(root).as_posix(): path for path in found if path.is_file()}
    texts = {relative: path.read_text(encoding="utf-8", errors="replace") for relative, path in paths.items()}
    modules = language.module_names(texts, {}, None)
    for relative, text in texts.items():
        module = _module_of(relative) if language.name in _NAMED_BY_PATH else modules[relative]
        yield LinkUnit(relative, module, language.parse(relative, module, text))


def _module_of(path: str) -> str:
    """Name a module by its path alone, as the benchmarks do."""
    stem = path.rpartition(".")[0]
    return stem.replace("/", ".").removesuffix(".__init__").removesuffix(".index")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
