"""
Make cases from histories: fixes whose commit messages describe the failure at length, with the places they changed.

Some projects describe a failure in the message of the commit that fixes it, as others do in a bug report. One indexed
commit serves all such fixes of the weeks after it, while each bug report needs an index of its own.

Usage: python -m scripts.collect_described --mirror-map FILE --out FILE [--bases 4] [--each 80] [--least 1]
where FILE of --mirror-map names the repositories, {owner/name: folder}. The output has the form of cases for
`make eval-localization`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cgrag_client.evaluation.mirrors import Mirrors
from scripts.collect_changes import NOISE, NUMBER, PYTHON, History

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_FILES, MOST_FUNCTIONS, MOST_COMMITS = 4, 8, 4
LEAST_CHARS, LEAST_BREAKS = 160, 2
FIRST_BASE = 100
"""Commits before the first indexed one: younger histories offer few candidates."""
_TRAILER = re.compile(
    r"(Change-Id|Signed-off-by|Co-authored-by|Closes|Partial|Related|Fixes|Story|Task|Depends-On|Assisted|Generated|"
    r"Reviewed|Implements|blueprint|DocImpact|SecurityImpact|UpgradeImpact|Backport|Resolves|Conflicts|\(cherry)",
    re.IGNORECASE,
)
_FAILS = re.compile(
    r"\b(fix|bug|error|fail|wrong|crash|broke|incorrect|exception|traceback|issue|regress|problem|leak|race|missing|"
    r"unexpected|invalid)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Spread:
    """Which commits are indexed: `bases` of them, evenly spread over the later half, with `each` changes after each."""

    bases: int
    each: int

    def over(self, line: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
        """Yield (base, changes after it) of a history in order of time, the newest base first."""
        step = max(self.each, len(line) // (2 * self.bases + 1))
        for number in range(self.bases):
            at = len(line) - 1 - self.each - number * step
            if at < FIRST_BASE:
                return
            yield line[at], line[at + 1 : at + 1 + self.each]


def message_of(history: History, change: str, parents: Sequence[str]) -> str:
    """Return the message of a change; for a merge those of its commits, or "" if it has too many of them."""
    if len(parents) < 2:
        return history.git("show", "-s", "--format=%B", change)
    brought = history.git("rev-list", "--no-merges", f"{parents[0]}..{change}").split()
    if len(brought) > MOST_COMMITS:
        return ""
    return "\n".join(history.git("show", "-s", "--format=%B", each) for each in reversed(brought))


def described(message: str) -> str:
    """Return the text of a commit message without trailers, links and numbers; "" unless it describes a failure."""
    lines = (line for line in message.split("\n") if not _TRAILER.match(line.strip()))
    text = NUMBER.sub("", re.sub(r"https?://\S+", "", "\n".join(lines))).strip()
    is_long = len(text) >= LEAST_CHARS and text.count("\n") >= LEAST_BREAKS
    return text if is_long and _FAILS.search(text) and not NOISE.match(text) else ""


def case_of(repository: str, history: History, base: str, change: str) -> dict[str, object] | None:
    """Return the case of one change; None if its message is too short, or it changes no function, or too many."""
    parents = history.git("show", "-s", "--format=%P", change).split()
    if not 1 <= len(parents) <= 2 or not (text := described(message_of(history, change, parents))):
        return None
    diff = history.diff(parents[0], change)
    files = [path for path in diff.changed if PYTHON.includes(path)]
    if not 1 <= len(files) <= MOST_FILES:
        return None
    functions = {
        f"{path}::{name}" for path in files for name in PYTHON.changed_functions(history, parents[0], path, diff)
    }
    if not 1 <= len(functions) <= MOST_FUNCTIONS:
        return None
    return {
        "instance_id": change, "split": "described", "repo": repository, "base_commit": base,
        "problem_statement": text, "gold_files": files, "gold_functions": sorted(functions),
    }  # fmt: skip


def main() -> None:
    """Write the cases of all repositories."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror-map", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--bases", type=int, default=4, help="commits to index of each repository at most")
    parser.add_argument("--each", type=int, default=80, help="changes to look at after each of them")
    parser.add_argument("--least", type=int, default=1, help="cases that a commit must serve")
    options = parser.parse_args()
    mirrors, spread = Mirrors.of("", str(options.mirror_map)), Spread(options.bases, options.each)
    with options.out.open("w", encoding="utf-8") as out:
        for repository in sorted(json.loads(options.mirror_map.read_text(encoding="utf-8"))):
            history, written = History(mirrors.find(repository)), 0
            line = history.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
            for base, changes in spread.over(line):
                found = [case for each in changes if (case := case_of(repository, history, base, each)) is not None]
                if len(found) >= options.least:
                    out.writelines(json.dumps(case) + "\n" for case in found)
                    written += len(found)
            print(repository, written, file=sys.stderr)


if __name__ == "__main__":
    main()
