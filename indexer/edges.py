"""`python -m indexer.edges --root DIR`: prints the calls among the Python files below a folder, by name, as JSON."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from indexer.adapters.languages.python.language import PythonLanguage
from indexer.domain.linking.engine import Engine
from indexer.domain.linking.naming import defined_names, named_calls
from indexer.domain.linking.python.semantics import PythonSemantics
from indexer.domain.model import LinkUnit


def main(arguments: list[str]) -> int:
    """Print `{"edges": [[caller, callee, confidence]], "defined": [...], "lines", "cpu_seconds", "errors"}`."""
    parser = argparse.ArgumentParser(prog="python -m indexer.edges", description=__doc__)
    parser.add_argument("--root", type=Path, required=True, help="folder that module names start from")
    parser.add_argument("--below", default="", help="read only files below this folder of the root")
    options = parser.parse_args(arguments)
    language = PythonLanguage()
    lines, errors = 0, []
    units = []
    started = time.process_time()
    for path in sorted((options.root / options.below).rglob("*.py")):
        relative = path.relative_to(options.root).as_posix()
        text = path.read_text(encoding="utf-8", errors="replace")
        lines += text.count("\n")
        module = _module_of(relative)
        parsed = language.parse(relative, module, text)
        if parsed.error:
            errors.append(f"{relative}: {parsed.error}")
        units.append(LinkUnit(relative, module, parsed))
    world = Engine(PythonSemantics()).solve(units)
    seconds = time.process_time() - started
    edges = [[caller, callee, confidence] for (caller, callee), confidence in named_calls(world).items()]
    found = {"edges": edges, "defined": defined_names(world), "lines": lines, "cpu_seconds": seconds, "errors": errors}
    json.dump(found, sys.stdout)
    return 0


def _module_of(path: str) -> str:
    """Name a module by its path alone, as the benchmarks do."""
    name = path.removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
