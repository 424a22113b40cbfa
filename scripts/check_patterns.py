"""
Fails when a module that works on questions has a regular expression and is not listed with the text that it reads.

What a question wants is read by the classifier alone. scripts/patterns.toml lists the modules of CHECKED that may have
regular expressions, by what they read instead. A module that no longer has any must leave the list.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

CHECKED = ("retriever",)
"""Services that get questions with the classifier's reading of them."""
LISTED = Path(__file__).parent / "patterns.toml"


def has_patterns(text: str) -> bool:
    """Return whether a module imports `re`, at its top or anywhere within."""
    nodes = list(ast.walk(ast.parse(text)))
    plain = any(isinstance(node, ast.Import) and any(each.name == "re" for each in node.names) for node in nodes)
    return plain or any(isinstance(node, ast.ImportFrom) and node.module == "re" for node in nodes)


def findings(found: set[str], listed: set[str]) -> list[str]:
    """Name the modules that only one of both sides has."""
    new = [f"{path}: has regular expressions; say in {LISTED.name} what text they read" for path in found - listed]
    gone = [f"{path}: has no regular expressions; take it out of {LISTED.name}" for path in listed - found]
    return sorted(new + gone)


def main() -> int:
    """Compare the modules that git tracks with the list."""
    names = subprocess.run(["git", "ls-files", *CHECKED], check=True, capture_output=True, text=True).stdout.split()
    paths = [Path(name) for name in names if name.endswith(".py")]
    modules = {str(path) for path in paths if path.exists() and has_patterns(path.read_text(encoding="utf-8"))}
    listed = tomllib.loads(LISTED.read_text(encoding="utf-8"))
    lines = findings(modules, {path for paths in listed.values() for path in paths})
    print("\n".join(lines) if lines else f"patterns: {len(modules)} modules read what they say")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
