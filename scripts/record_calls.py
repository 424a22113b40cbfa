"""
Records which functions of a package call which while a command runs, as a case for `cgrag eval callgraph`.

    cd <repository>; python <here>/record_calls.py --package src/click --repository pallets/click --out click.json \
        -- -m pytest -q tests

Needs only the standard library, so that it runs with the Python of the package's own environment. It records direct
calls from one function of the package to another, also through C code of libraries, in all threads of this process but
not in other processes. Generators and coroutines are recorded as callers, never as callees, since their bodies are
entered by the code that resumes them. They are listed as `suspending`, so that no call of them counts as wrong.
Class bodies and comprehensions belong to the function around them. A function called by the garbage collector or by a
weak reference's callback is recorded as called by the code that runs at that moment: a few edges may differ between
runs.

Tests that set a profile function of their own stop the recording; leave them out. If tests are inside the package,
pytest must not rewrite their code (`--assert=plain`).
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import runpy
import subprocess
import sys
import threading
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_INLINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_SUSPENDING = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class Names:
    """Names of code objects as call graph benchmarks write them: `module.Class.method`, `module.<lambda1>`."""

    def __init__(self, package: Path) -> None:
        self._package = package.resolve()
        self._files: dict[str, dict[object, tuple[str, bool]]] = {}

    def of(self, code: CodeType) -> tuple[str, bool] | None:
        """Return the function to which code belongs, and whether it is its body; None outside the package."""
        if code.co_filename not in self._files:
            self._files[code.co_filename] = self._read(Path(code.co_filename))
        return self._files[code.co_filename].get(_identity(code))

    def _read(self, path: Path) -> dict[object, tuple[str, bool]]:
        path = path.resolve()
        if not path.is_relative_to(self._package) or not path.is_file() or path.suffix != ".py":
            return {}
        parts = path.relative_to(self._package.parent).with_suffix("").parts
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        return dict(_named(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), module, module))


def _named(code: CodeType, name: str, runs_as: str) -> Iterator[tuple[object, tuple[str, bool]]]:
    """Name code and all code in it; `runs_as` is the function that counts as the caller of its calls."""
    yield _identity(code), (runs_as, not _is_class_body(code) and code.co_name != "<module>")
    inner = list(_inside(code))
    lambdas = sorted((each for each in inner if each.co_name == "<lambda>"), key=_place)
    for each in inner:
        if each.co_name in _INLINE:
            yield _identity(each), (runs_as, False)
            continue
        last = f"<lambda{lambdas.index(each) + 1}>" if each.co_name == "<lambda>" else each.co_name
        yield from _named(each, f"{name}.{last}", runs_as if _is_class_body(each) else f"{name}.{last}")


def _inside(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            if constant.co_name in _INLINE:
                yield from _inside(constant)


def _is_class_body(code: CodeType) -> bool:
    return not code.co_flags & inspect.CO_NEWLOCALS and code.co_name != "<module>"


def _identity(code: CodeType) -> object:
    return code.co_qualname, code.co_firstlineno, tuple(code.co_positions())


def _place(code: CodeType) -> tuple[int, int]:
    places = [(line, column) for line, _, column, _ in code.co_positions() if line is not None and column is not None]
    return min(places[1:] or places)


class Recorder:
    """Records caller and callee of each call from `start` to `stop`."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, int], tuple[CodeType, CodeType]] = {}  # by identity: code compares by its contents

    def start(self) -> None:
        """Start recording, in this thread and in new ones."""
        threading.setprofile(self._on)
        sys.setprofile(self._on)

    def stop(self) -> None:
        """Stop recording."""
        sys.setprofile(None)
        threading.setprofile(None)

    def _on(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_back is not None:
            caller, callee = frame.f_back.f_code, frame.f_code
            self._pairs.setdefault((id(caller), id(callee)), (caller, callee))

    def case(self, names: Names) -> dict[str, Any]:
        """Return the recorded callees of each function, and the generators and coroutines that ran."""
        found: dict[str, set[str]] = {}
        suspending: set[str] = set()
        for caller, callee in list(self._pairs.values()):
            by, called = names.of(caller), names.of(callee)
            if called is None or not called[1]:
                continue
            if callee.co_flags & _SUSPENDING:
                suspending.add(called[0])
            elif by is not None:
                found.setdefault(by[0], set()).add(called[0])
        edges = {caller: sorted(callees) for caller, callees in sorted(found.items())}
        return {"edges": edges, "suspending": sorted(suspending)}


def main(arguments: list[str]) -> None:
    """Run the command and write the recorded calls, however it ends."""
    parser = argparse.ArgumentParser(description="Records which functions of a package call which.")
    parser.add_argument("--package", required=True, type=Path, help="folder of the package in its repository")
    parser.add_argument("--repository", required=True, help="owner/name")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("-m", dest="module", required=True, help="module to run, behind --")
    ours, theirs = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    options = parser.parse_args([*ours, *theirs[:2]])
    top, commit = _repository(options.package)
    process, out, package = os.getpid(), options.out.resolve(), options.package.resolve()
    sys.argv, sys.path[0] = theirs[1:], str(Path.cwd())
    recorder = Recorder()
    recorder.start()
    try:
        runpy.run_module(options.module, run_name="__main__", alter_sys=True)
    finally:
        recorder.stop()
        if os.getpid() == process:  # a test may have forked
            root = package.relative_to(top).as_posix()
            case = {"repo": options.repository, "commit": commit, "source_root": root}
            out.write_text(json.dumps({**case, **recorder.case(Names(package))}, indent=1), encoding="utf-8")


def _repository(folder: Path) -> tuple[Path, str]:
    command = ["git", "-C", str(folder), "rev-parse", "--show-toplevel", "HEAD"]
    top, commit = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return Path(top).resolve(), commit


if __name__ == "__main__":
    main(sys.argv[1:])
