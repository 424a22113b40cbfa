"""
Prints the calls among the Python files below a folder, by name.

`python -m indexer.edges --root DIR [--below FOLDER]` answers once; without `--root`, each line of stdin is a request
`{"root": ..., "below": ...}` and gets one line. An answer is `{"edges": [[caller, callee, confidence], ...],
"defined": [name, ...], "lines": n, "cpu_seconds": s, "errors": [text, ...]}`.
"""

from __future__ import annotations

import argparse
import gc
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
    language = PythonLanguage()
    units, errors = [], []
    lines = 0
    gc.disable()  # as in the linker: nothing can be freed before the answer is given
    started = time.process_time()
    for path in sorted((root / below).rglob("*.py")):
        relative = path.relative_to(root).as_posix()
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
    gc.enable()
    return {"edges": edges, "defined": defined_names(world), "lines": lines, "cpu_seconds": seconds, "errors": errors}


def _module_of(path: str) -> str:
    """Name a module by its path alone, as the benchmarks do."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
