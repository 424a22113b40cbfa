"""
Make cases out of a history: each change that followed an indexed commit, told by its message, with what it changed.

Texts: the message, what was added to the change log, and some lines of the added tests; places: the functions and files
of the commit before that were changed. Changes are those of the first parents, so that a merged branch is one.

Usage: python -m scripts.collect_changes --cases CASES --mirror-map FILE --out FILE [--each 40]
where CASES says which commits are indexed. The output has the form of cases for `make eval-localization`.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.evaluation.cases import parse_localization, read_cases
from cgrag_client.evaluation.mirrors import GIT, Mirrors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MOST_FILES = 6
_TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
_LOG = re.compile(
    r"(^|/)(change|news|history|whats?_?-?new|release_?-?notes|docs?/.*(changes|changelog|whatsnew))", re.IGNORECASE
)
_SIDE_FILES = ("setup.py", "conf.py", "_version.py", "__version__.py")
_NOISE = re.compile(
    r"(Signed-off-by|Co-authored-by|Merge (branch|remote|pull)|\[?pre-commit|Bump |Release|Prepare|Revert|Backport|"
    r"Update (dependen|requirement|pre-commit)|\(cherry picked|#? ?Conflicts:)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\(#\d+\)|(?:fix(?:es|ed)?|close[sd]?|refs?|resolves?|see)?:?\s*#\d+|gh-\d+", re.IGNORECASE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True)
class Diff:
    """What a change did: changed lines of the old files as (first, number), added lines by file."""

    changed: Mapping[str, Sequence[tuple[int, int]]]
    added: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class History:
    """One repository's git folder."""

    folder: Path

    def git(self, *arguments: str) -> str:
        """Run git and return what it prints."""
        run = subprocess.run([GIT, "-C", str(self.folder), *arguments], capture_output=True, check=False)
        return run.stdout.decode("utf-8", "replace")

    def following(self, bases: Sequence[str], each: int) -> Iterator[tuple[str, str]]:
        """Yield (base, change); a change belongs to the newest base before it."""
        taken: set[str] = set()
        newest = sorted(bases, key=lambda base: int(self.git("show", "-s", "--format=%ct", base) or 0), reverse=True)
        for base in newest:
            line = self.git("rev-list", "--first-parent", "--ancestry-path", "--reverse", f"{base}..HEAD").split()
            for change in line[:each]:
                if change in taken:
                    break
                taken.add(change)
                yield base, change

    def diff(self, before: str, after: str) -> Diff:
        """Read the difference; only files that are there before and after count as changed."""
        changed: dict[str, list[tuple[int, int]]] = {}
        added: dict[str, list[str]] = defaultdict(list)
        old = new = ""
        for line in self.git("diff", "-U0", "--no-renames", "--no-color", before, after).split("\n"):
            if line.startswith("--- "):
                old = line[4:]
            elif line.startswith("+++ "):
                new = line[4:]
                if "/dev/null" not in (old, new):
                    changed[new[2:]] = []
            elif new[2:] in changed and (hunk := _HUNK.match(line)):
                changed[new[2:]].append((int(hunk[1]), int(hunk[2] or 1)))
            elif line.startswith("+"):
                added[new[2:]].append(line[1:])
        return Diff(changed, added)


def case_of(repository: str, history: History, base: str, change: str) -> dict[str, object] | None:
    """Return the case of one change; None if it says too little or changes no code, or too much."""
    parents = history.git("show", "-s", "--format=%P", change).split()
    if not parents:
        return None
    message = history.git("show", "-s", "--format=%B", change)
    if len(parents) > 1:
        message += "\n" + history.git("log", "--no-merges", "--reverse", "--format=%s", f"{parents[0]}..{parents[1]}")
    diff = history.diff(parents[0], change)
    code = [path for path in diff.changed if is_code(path)]
    text = text_of(change, plain_lines(message), diff)
    if not 1 <= len(code) <= MOST_FILES or len(text) < 15:
        return None
    functions = {f"{path}::{name}" for path in code for name in changed_functions(history, parents[0], path, diff)}
    return {
        "instance_id": change, "split": "changes", "repo": repository, "base_commit": base,
        "problem_statement": text, "gold_files": code, "gold_functions": sorted(functions),
    }  # fmt: skip


def text_of(change: str, message: Sequence[str], diff: Diff) -> str:
    """Tell a change as a report would: not every report has an explanation, and not every one has code."""
    chance = int(hashlib.sha256(change.encode()).hexdigest(), 16)
    lines = list(message)
    if chance % 4:
        log = [line for path, added in diff.added.items() if _LOG.search(path) for line in added]
        lines += plain_lines("\n".join(log))[:12]
    tests = [line for path, added in diff.added.items() if _TEST.search(path) for line in added if line.strip()]
    if tests and (chance // 4) % 10 < 6:
        lines += ["```python", *tests[: 12 + (chance // 40) % 12], "```"]
    return "\n".join(lines)


def plain_lines(text: str) -> list[str]:
    """Leave out numbers of issues, links, and lines that say nothing of the change; each line once."""
    text = re.sub(r"https?://\S+", "", _NUMBER.sub("", text))
    lines = (line.strip().lstrip("*- ") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if line and not _NOISE.match(line)))


def is_code(path: str) -> bool:
    return path.endswith(".py") and not path.endswith(_SIDE_FILES) and not _TEST.search(path)


def changed_functions(history: History, before: str, path: str, diff: Diff) -> set[str]:
    try:
        tree = ast.parse(history.git("show", f"{before}:{path}"))
    except (SyntaxError, ValueError):
        return set()
    spans = list(_functions(tree, ()))
    found: set[str] = set()
    for start, number in diff.changed[path]:
        # Nothing was taken away where the number is 0: lines came after `start`.
        end = start + number - 1 if number else start
        found.update(name for first, last, name in spans if first <= end and start <= last - (not number))
    return found


def _functions(node: ast.AST, owner: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, qualified name) of functions that are in no other function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(each.lineno for each in child.decorator_list)])
            yield first, child.end_lineno or child.lineno, ".".join((*owner, child.name))
        else:
            yield from _functions(child, (*owner, child.name) if isinstance(child, ast.ClassDef) else owner)


def main() -> None:
    """Write the cases of all repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--mirror-map", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=40, help="changes after each commit at most")
    options = parser.parse_args()
    mirrors, bases = Mirrors.of("", options.mirror_map), defaultdict(set)
    for case in read_cases(options.cases, parse_localization):
        bases[case.repo].add(case.base_commit)
    with options.out.open("w", encoding="utf-8") as out:
        for repository, commits in sorted(bases.items()):
            history = History(mirrors.find(repository))
            for base, change in history.following(sorted(commits), options.each):
                if (found := case_of(repository, history, base, change)) is not None:
                    out.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
