"""
Draws docstrings and comments of the product at random, to be read by somebody who has not seen the code.

    python -m tests.bench.sample_sentences --count 200 --seed 32

The same seed draws the same sentences of the same code, in random order and without places; `--places` adds these.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

from scripts.check_sizes import PRODUCT

_DIRECTIVES = ("noqa", "type: ignore")


def sentences(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each docstring's first paragraph and each comment of a file, with its place."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield " ".join(node.value.value.strip().partition("\n\n")[0].split()), f"{path}:{node.lineno}"
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not any(each in token.string for each in _DIRECTIVES):
            yield token.string, f"{path}:{token.start[0]}"


def main() -> None:
    """Print the sample, one sentence a line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="so many sentences")
    parser.add_argument("--seed", type=int, default=32, help="chooses them")
    parser.add_argument("--places", action="store_true", help="with file and line")
    arguments = parser.parse_args()
    names = subprocess.run(["git", "ls-files", *PRODUCT], check=True, capture_output=True, text=True).stdout.split()
    paths = [Path(name) for name in names if name.endswith(".py")]
    known = [each for path in paths for each in sentences(path)]
    for sentence, place in random.Random(arguments.seed).sample(known, min(arguments.count, len(known))):
        print(f"{place}\t{sentence}" if arguments.places else sentence)


if __name__ == "__main__":
    main()
