"""Fails when a file has more than 300 lines of code or a function more than 50 lines."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 50


def findings(path: Path) -> list[str]:
    """Name what is too long in one file: lines of code are those that are neither blank nor comments."""
    text = path.read_text(encoding="utf-8")
    code = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    found = [f"{path}: {len(code)} lines of code, at most {MAX_FILE_LINES}"] if len(code) > MAX_FILE_LINES else []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > MAX_FUNCTION_LINES:
                found.append(f"{path}:{node.lineno}: {node.name} has {size} lines, at most {MAX_FUNCTION_LINES}")
    return found


def main() -> int:
    """Check every Python file that git tracks, generated stubs and fixtures aside."""
    names = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    paths = [Path(name) for name in names if not name.startswith(("protos/gen/", "tests/fixtures/"))]
    found = [line for path in paths if path.exists() for line in findings(path)]
    print("\n".join(found) if found else f"sizes: {len(paths)} files are fine")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
