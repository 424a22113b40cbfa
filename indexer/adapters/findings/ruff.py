"""Runs ruff on the Python files of a core layer, without the repository's configuration; executes none of its code."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer.adapters.findings.core_code import SqliteCoreCode, write_texts
from indexer.adapters.findings.tool import run_module
from indexer.domain.findings.finding import Category, Finding
from indexer.domain.findings.grades import ruff_grade

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.domain.findings.finding import CodeFile

_SUFFIXES = (".py", ".pyi")
_SYNTAX = "invalid-syntax"


class RuffAnalyzer:
    """
    Implements `Analyzer`.

    Args:
        rules: Codes or beginnings of codes of the rules to check.
        seconds: Time limit.
    """

    name = "ruff"

    def __init__(self, rules: Sequence[str], seconds: float) -> None:
        self._rules = ",".join(rules)
        self._seconds = seconds

    @property
    def version(self) -> str:
        """Return the release of ruff and the rules."""
        return f"{version('ruff')} {self._rules}"

    def analyze(self, core: Path, room: Path) -> tuple[Finding, ...]:
        """Return what ruff finds, without security findings in tests, which would be noise."""
        tree, output = room / "tree", room / "output"
        tree.mkdir()
        if not write_texts(core, tree, _SUFFIXES, parsed=True) + write_texts(core, tree, _SUFFIXES, parsed=False):
            return ()
        options = ("--isolated", "--no-cache", "--no-respect-gitignore", "--exit-zero", "--quiet", "--no-fix")
        # Ruff's default excludes ("build", "dist", ...) are off: the indexer has already left files out itself.
        chosen = ("--config", "exclude=[]", "--output-format", "json-lines", "--select", self._rules)
        run_module("ruff", ("check", *options, *chosen, "."), tree, output, self._seconds)
        return tuple(_findings(output, tree.resolve(), SqliteCoreCode().files(core)))


def _findings(output: Path, tree: Path, files: Mapping[str, CodeFile]) -> Iterator[Finding]:
    broken: set[str] = set()
    with output.open("rb") as lines:
        for line in lines:
            finding = _finding(json.loads(line), tree)
            file = files.get(finding.path)
            if file is None or (file.is_test and finding.category is Category.SECURITY):
                continue
            if finding.rule == _SYNTAX:  # most further syntax errors of a file follow from the first
                if finding.path in broken:
                    continue
                broken.add(finding.path)
            yield finding


def _finding(row: dict[str, Any], tree: Path) -> Finding:
    rule = row["code"] or _SYNTAX
    category, severity = ruff_grade(rule)
    start, end = row["location"], row["end_location"]
    last = end["row"] - 1 if end["column"] == 1 and end["row"] > start["row"] else end["row"]
    return Finding(
        tool="ruff",
        rule=rule,
        severity=severity,
        category=category,
        message=row["message"],
        path=Path(row["filename"]).relative_to(tree).as_posix(),
        start_line=start["row"],
        end_line=last,
    )
