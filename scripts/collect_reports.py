"""
Make cases from the bug reports of Denchmark (Kim, Kim, Lee, MSR 2021): reports of public projects, with their fixes.

The data set's reports were scraped from web pages: code blocks and headings are still marked, code within sentences is
not. The places of a case are the functions and files that the fix changed, as they were in the commit before it. Fixes
of more than six files, or of tests alone, are left out.

Usage: python -m scripts.collect_reports --reports FOLDER --mirror-map FILE --out FILE [--each 18]
where FOLDER is `JSonSet/fulljson` of the data, and FILE names the projects as that folder does, `owner/name`; projects
without a mirror are left out. The output has the form of cases for `make eval-localization`.
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.collect_changes import MOST_FILES, PYTHON, History

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_TEXT = 30
"""Least number of characters of a report."""
_MARKUP = (
    (re.compile(r"^ ", re.MULTILINE), ""),
    (re.compile(r"</?denchmark-code>"), "\n```\n"),
    (re.compile(r"<denchmark-h:h(\d)>"), lambda found: "\n" + "#" * int(found[1]) + " "),
    (re.compile(r"</denchmark-h>"), "\n"),
    (re.compile(r"</?denchmark-link[^>]*>"), ""),
)


@dataclass(frozen=True)
class Report:
    """One report: its number, its text, and the commit that fixed it."""

    number: str
    text: str
    fix: str


def read_reports(folder: Path) -> Iterator[Report]:
    """Read the reports of one project, one for each fix."""
    fixes: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        texts, fix = found["BR"]["BR_text"], (found.get("commit") or {}).get("commit_id")
        if fix and fix not in fixes:
            fixes.add(fix)
            text = f"{(texts.get('BRsummary') or '').strip()}\n{(texts.get('BRdescription') or '').strip()}"
            yield Report(found["BR"]["BR_id"], with_markup(text), fix)


def with_markup(text: str) -> str:
    """Return a report with its code blocks and headings in Markdown."""
    for pattern, written in _MARKUP:
        text = pattern.sub(written, text)
    return text.strip()


def case_of(repository: str, history: History, report: Report) -> tuple[int, dict[str, object]] | None:
    """Return the case of a report with its time, seconds since 1970; None if its fix is unknown or too wide."""
    parent, _, _ = history.git("show", "-s", "--format=%P", report.fix).strip().partition(" ")
    if not parent or len(report.text) < LEAST_TEXT:
        return None
    diff = history.diff(parent, report.fix)
    code = [path for path in diff.changed if PYTHON.includes(path)]
    if not 1 <= len(code) <= MOST_FILES:
        return None
    functions = {f"{path}::{name}" for path in code for name in PYTHON.changed_functions(history, parent, path, diff)}
    return int(history.git("show", "-s", "--format=%ct", parent)), {
        "instance_id": f"{repository}-{report.number}", "split": "other", "repo": repository, "base_commit": parent,
        "problem_statement": report.text, "gold_files": code, "gold_functions": sorted(functions),
    }  # fmt: skip


def main() -> None:
    """Write the cases of all projects that have a mirror, evenly spaced in time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reports", type=Path, required=True)
    parser.add_argument("--mirror-map", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--each", type=int, default=18, help="reports of each project at most")
    options = parser.parse_args()
    mirrors = json.loads(options.mirror_map.read_text(encoding="utf-8"))
    with options.out.open("w", encoding="utf-8") as out:
        for repository, mirror in sorted(mirrors.items()):
            history = History(Path(mirror))
            reports = read_reports(options.reports / repository.replace("/", "+"))
            timed = [found for report in reports if (found := case_of(repository, history, report))]
            cases = [case for _, case in sorted(timed, key=lambda each: (each[0], str(each[1]["instance_id"])))]
            wanted = min(options.each, len(cases))
            for place in range(wanted):
                out.write(json.dumps(cases[place * len(cases) // wanted]) + "\n")


if __name__ == "__main__":
    main()
