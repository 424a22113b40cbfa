"""
Puts small faults into domain, use cases and adapters, one at a time, and tells how many of them tests notice.

    python -m tests.bench.seed_faults --count 100 --seed 7

The same seed chooses the same faults of the same code. A copy of the checkout is changed, never the checkout. For each
fault the unit, contract and integration tests run that reach its module by imports, or by starting a process of it, the
nearest first, until one fails that passes without the fault. Those that nothing noticed are listed to be looked at.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from scripts.check_sizes import imports_of, read
from tests.bench.faults import Fault, faults_of

SERVICES = ("indexer", "classifier", "retriever", "orchestrator")
LAYERS = ("domain", "usecases", "adapters")
KINDS = ("tests/unit", "tests/contract", "tests/integration")
_NO_TESTS = 5
_NEAREST = 6


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault; `test` is the one that noticed it, "" if none did."""

    path: str
    line: int
    kind: str
    before: str
    after: str
    outcome: str
    test: str
    files: int
    seconds: float


class Checkout:
    """A copy of the tracked files, in which tests run; a context manager."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.folder = Path(tempfile.mkdtemp(prefix="cgrag-faults-"))
        self._second = int(time.time())
        self.broken: list[str] = []
        """Tests that fail without a fault."""

    def __enter__(self) -> Checkout:
        names = subprocess.run(["git", "ls-files"], cwd=self._root, check=True, capture_output=True, text=True)
        for name in names.stdout.splitlines():
            if (self._root / name).is_file():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self._root / name, self.folder / name)
        (self.folder / ".venv").symlink_to(self._root / ".venv")
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    @cached_property
    def modules(self) -> list[Path]:
        """The files that get faults, by path."""
        layers = (self.folder / service / layer for service in SERVICES for layer in LAYERS)
        return sorted(path.relative_to(self.folder) for layer in layers for path in layer.rglob("*.py"))

    def choose(self, count: int, seed: int) -> list[tuple[Path, Fault]]:
        """Return faults at random, each equally likely."""
        known = {path: faults_of((self.folder / path).read_bytes()) for path in self.modules}
        places = [(path, at) for path in self.modules for at in range(len(known[path]))]
        chosen = random.Random(seed).sample(places, min(count, len(places)))
        return [(path, known[path][at]) for path, at in chosen]

    def write(self, path: Path, source: bytes) -> None:
        """Replace a file, with a time of its own: compiled code is kept by the second of that and the size alone."""
        self._second += 1
        (self.folder / path).write_bytes(source)
        os.utime(self.folder / path, (self._second, self._second))

    def run(self, tests: Sequence[str], seconds: float) -> tuple[int, str]:
        """Run tests until one fails; return pytest's exit code and the failed test. Raises TimeoutExpired."""
        left_out = (option for test in self.broken for option in ("--deselect", test))
        options = ("-q", "-x", "-m", "not long", "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", *options, *left_out, *tests]
        ended = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=seconds, check=False)
        told = ("FAILED tests/", "ERROR tests/")  # log lines begin with the level alone
        failed = (line.partition(" ")[2] for line in ended.stdout.splitlines() if line.startswith(told))
        return ended.returncode, next(failed, "").partition(" - ")[0]


class Reach:
    """Which test files reach a module by imports, or by starting a process of it, and how directly."""

    def __init__(self, folder: Path) -> None:
        roots = (*SERVICES, "common", "cgrag_client", "tests")
        paths = [path for root in roots for path in sorted((folder / root).rglob("*.py"))]
        kept = [path.relative_to(folder) for path in paths if "fixtures" not in path.parts]
        sources = [read(folder / path) for path in kept]
        names = [".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in kept]
        known = frozenset(names)
        self._paths = dict(zip(names, map(str, kept), strict=True))
        imports = {
            name: imports_of(source, known) | _started_by(source.tree, known)
            for name, source in zip(names, sources, strict=True)
        }
        for name in imports:  # fixtures come from the files above
            above = name.split(".")
            beside = {".".join((*above[:size], "conftest")) for size in range(1, len(above))}
            imports[name] |= (beside & known) - {name}
        self._importers: dict[str, list[str]] = {name: [] for name in names}
        for name, imported in imports.items():
            for each in imported:
                self._importers[each].append(name)

    def tests(self, module: Path, kinds: Sequence[str] = KINDS) -> list[str]:
        """Return test files, the nearest first, those of smaller tests before others."""
        start = ".".join(module.with_suffix("").parts).removesuffix(".__init__")
        away = {start: 0}
        left = deque([start])
        while left:
            name = left.popleft()
            for importer in self._importers[name]:
                if importer not in away:
                    away[importer] = away[name] + 1
                    left.append(importer)
        files = [(away[name], self._paths[name]) for name in away]
        tests = [
            (distance, kind, path)
            for distance, path in files
            for kind, folder in enumerate(kinds)
            if path.startswith(f"{folder}/") and Path(path).name.startswith("test_")
        ]
        return [path for _, _, path in sorted(tests)]


def _started_by(tree: ast.AST, known: frozenset[str]) -> set[str]:
    """Return the main modules of the packages that a file starts as processes: `python -m indexer`."""
    rows = (
        node.args if isinstance(node, ast.Call) else node.elts
        for node in ast.walk(tree)
        if isinstance(node, ast.Call | ast.List | ast.Tuple)
    )
    texts = ([each.value if isinstance(each, ast.Constant) else "" for each in row] for row in rows)
    pairs = (pair for row in texts for pair in pairwise(row))
    return {f"{name}.__main__" for option, name in pairs if option == "-m" and isinstance(name, str)} & known


def try_fault(checkout: Checkout, path: Path, fault: Fault, tests: Sequence[str], seconds: float) -> Outcome:
    """Put a fault into the copy, run the tests, the nearest first, and take it out again."""
    began = time.monotonic()
    outcome, test = "survived", ""
    try:
        for batch in filter(None, (tests[:_NEAREST], tests[_NEAREST:])):
            if test := _noticed_by(checkout, path, fault, batch, seconds):
                outcome = "noticed"
                break
    except subprocess.TimeoutExpired:
        outcome = "hung"
    spent = round(time.monotonic() - began, 1)
    return Outcome(str(path), fault.line, fault.kind, fault.before, fault.after, outcome, test, len(tests), spent)


def _noticed_by(checkout: Checkout, path: Path, fault: Fault, batch: Sequence[str], seconds: float) -> str:
    """Return the test that fails with the fault alone, "" for none; those that fail without it run no more."""
    clean = (checkout.folder / path).read_bytes()
    while True:
        try:
            checkout.write(path, fault.applied(clean))
            code, test = checkout.run(batch, seconds)
        finally:
            checkout.write(path, clean)
        if code in (0, _NO_TESTS):
            return ""
        if not test or checkout.run([test], seconds)[0] in (0, _NO_TESTS):
            return test or batch[0]
        checkout.broken.append(test)


def tried(checkout: Checkout, arguments: argparse.Namespace) -> Iterator[Outcome]:
    """Try the chosen faults one after the other."""
    reach = Reach(checkout.folder)
    for path, fault in checkout.choose(arguments.count, arguments.seed)[arguments.skip :]:
        tests = reach.tests(path, [f"tests/{kind}" for kind in arguments.kinds.split(",")])[: arguments.files]
        yield try_fault(checkout, path, fault, tests, arguments.seconds)


def summary(outcomes: Sequence[Outcome]) -> Mapping[str, int]:
    """Count the outcomes; a fault that hangs its tests is noticed."""
    noticed = sum(each.outcome in ("noticed", "hung") for each in outcomes)
    return {"faults": len(outcomes), "noticed": noticed, "survived": sum(e.outcome == "survived" for e in outcomes)}


def main() -> None:
    """Print each outcome as it comes, and the summary."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100, help="so many faults")
    parser.add_argument("--seed", type=int, default=7, help="chooses the faults")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many of them")
    parser.add_argument("--files", type=int, default=40, help="at most so many test files for each, the nearest ones")
    parser.add_argument("--kinds", default="unit,contract,integration", help="folders of tests/ that are run")
    parser.add_argument("--seconds", type=float, default=600.0, help="tests that take longer hang")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    outcomes = []
    with Checkout(Path(__file__).parents[2]) as checkout:
        for each in tried(checkout, arguments):
            outcomes.append(each)
            before, after = (" ".join(text.split())[:60] for text in (each.before, each.after))
            place = f"{each.path}:{each.line} {each.kind}: {before} -> {after}"
            line = f"{each.outcome:9} {each.seconds:6.1f} s  {place}  {each.test}"
            print(json.dumps(asdict(each)) if arguments.json else line, flush=True)
    print(json.dumps(summary(outcomes)))


if __name__ == "__main__":
    main()
