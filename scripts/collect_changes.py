"""
Make cases from a repository's history: for each change after an indexed commit, a text and the places it changed.

The text is the commit message, the lines added to the change log, and some lines of the added tests. The places are the
changed functions and files as they were in the commit before. Only first parents are followed, so that a merged branch
is one change.

Usage: python -m scripts.collect_changes --cases CASES --mirror-map FILE --out FILE [--each 40] [--all-languages]
where CASES says which commits are indexed. The output has the form of cases for `make eval-localization`. Code is
Python unless all languages count.
"""

from __future__ import annotations

import argparse
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
from indexer.adapters.languages.python.language import PythonLanguage
from indexer.adapters.languages.registry import languages
from indexer.domain.model import SymbolKind
from indexer.domain.roles import is_test

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.domain.model import SymbolDef
    from indexer.ports import Language

MOST_FILES = 6
_TEST = re.compile(r"(^|/)(tests?|testing)/|(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
_LOG = re.compile(
    r"(^|/)(change|news|history|whats?_?-?new|release_?-?notes|docs?/.*(changes|changelog|whatsnew))", re.IGNORECASE
)
_SIDE_FILES = ("setup.py", "conf.py", "_version.py", "__version__.py")
_CONFIGURATIONS = (".json", ".mod")
NOISE = re.compile(
    r"(Signed-off-by|Co-authored-by|Merge (branch|remote|pull)|\[?pre-commit|Bump |Release|Prepare|Revert|Backport|"
    r"Update (dependen|requirement|pre-commit)|\(cherry picked|#? ?Conflicts:)",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\(#\d+\)|(?:fix(?:es|ed)?|close[sd]?|refs?|resolves?|see)?:?\s*#\d+|gh-\d+", re.IGNORECASE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True)
class Diff:
    """A change: changed lines of the old files as (first line, number of lines), and added lines by file."""

    changed: Mapping[str, Sequence[tuple[int, int]]]
    added: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Code:
    """The languages that count as code, by the suffixes of their files."""

    languages: Mapping[str, Language]

    def includes(self, path: str) -> bool:
        """Return whether a file is code that is no test."""
        language = self.languages.get(Path(path).suffix)
        if language is None or path.endswith(_SIDE_FILES) or _TEST.search(path):
            return False
        return language.name == PythonLanguage.name or not is_test(path)

    def changed_functions(self, history: History, before: str, path: str, diff: Diff) -> set[str]:
        """Return the qualified names of the functions of a file that a change touched, as they were before it."""
        parsed = self.languages[Path(path).suffix].parse(path, "", history.git("show", f"{before}:{path}"))
        spans = list(_functions(parsed.symbols))
        found: set[str] = set()
        for start, number in diff.changed[path]:
            # With a count of 0 nothing was removed: lines were inserted after `start`.
            end = start + number - 1 if number else start
            found.update(name for first, last, name in spans if first <= end and start <= last - (not number))
        return found


PYTHON = Code({".py": PythonLanguage()})


def all_code() -> Code:
    """Return all languages that are indexed."""
    endings = {suffix: each for each in languages().values() for suffix in each.extensions}
    return Code({suffix: each for suffix, each in endings.items() if suffix not in _CONFIGURATIONS})


@dataclass(frozen=True)
class History:
    """The git history of one repository."""

    folder: Path

    def git(self, *arguments: str) -> str:
        """Run git and return what it prints."""
        command = [GIT, "-C", str(self.folder), "-c", "core.quotePath=false", *arguments]
        run = subprocess.run(command, capture_output=True, check=False)
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
                old = line[4:].removesuffix("\t")  # git appends this to a path with blanks
            elif line.startswith("+++ "):
                new = line[4:].removesuffix("\t")
                if "/dev/null" not in (old, new):
                    changed[new[2:]] = []
            elif new[2:] in changed and (hunk := _HUNK.match(line)):
                changed[new[2:]].append((int(hunk[1]), int(hunk[2] or 1)))
            elif line.startswith("+"):
                added[new[2:]].append(line[1:])
        return Diff(changed, added)


def case_of(repository: str, history: History, base: str, change: str, code: Code) -> dict[str, object] | None:
    """Return the case of one change; None if its message is too short, or it changes no code, or too much."""
    parents = history.git("show", "-s", "--format=%P", change).split()
    if not parents:
        return None
    message = history.git("show", "-s", "--format=%B", change)
    if len(parents) > 1:
        message += "\n" + history.git("log", "--no-merges", "--reverse", "--format=%s", f"{parents[0]}..{parents[1]}")
    diff = history.diff(parents[0], change)
    files = [path for path in diff.changed if code.includes(path)]
    text = text_of(change, plain_lines(message), diff)
    if not 1 <= len(files) <= MOST_FILES or len(text) < 15:
        return None
    functions = {
        f"{path}::{name}" for path in files for name in code.changed_functions(history, parents[0], path, diff)
    }
    return {
        "instance_id": change, "split": "changes", "repo": repository, "base_commit": base,
        "problem_statement": text, "gold_files": files, "gold_functions": sorted(functions),
    }  # fmt: skip


def text_of(change: str, message: Sequence[str], diff: Diff) -> str:
    """Describe a change as a bug report would, with or without an explanation and code."""
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
    """Return each line once, without issue numbers, links and lines that do not describe the change."""
    text = re.sub(r"https?://\S+", "", NUMBER.sub("", text))
    lines = (line.strip().lstrip("*- ") for line in text.split("\n"))
    return list(dict.fromkeys(line for line in lines if line and not NOISE.match(line)))


def _functions(symbols: Sequence[SymbolDef]) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, qualified name) of functions that are not nested in another function."""
    inside: set[int] = set()
    for place, symbol in enumerate(symbols):
        if symbol.parent in inside:
            inside.add(place)
        elif symbol.kind in (SymbolKind.FUNCTION, SymbolKind.METHOD):
            inside.add(place)
            yield symbol.start_line, symbol.end_line, symbol.qualified_name


def main() -> None:
    """Write the cases of all repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--mirror-map", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=40, help="changes after each commit at most")
    parser.add_argument("--all-languages", action="store_true", help="code is what is indexed, not Python alone")
    options = parser.parse_args()
    code = all_code() if options.all_languages else PYTHON
    mirrors, bases = Mirrors.of("", options.mirror_map), defaultdict(set)
    for case in read_cases(options.cases, parse_localization):
        bases[case.repo].add(case.base_commit)
    with options.out.open("w", encoding="utf-8") as out:
        for repository, commits in sorted(bases.items()):
            history = History(mirrors.find(repository))
            for base, change in history.following(sorted(commits), options.each):
                if (found := case_of(repository, history, base, change, code)) is not None:
                    out.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
