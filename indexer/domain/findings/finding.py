"""Findings of analyzers and scanners, and their validity for a snapshot."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from common.core.contract.snapshot import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from indexer.domain.model import SymbolKind

MESSAGE_CHARS = 500
"""Messages of findings are cut to this many characters."""


class Category(IntEnum):
    """What a finding is about; numbers are those of the contract, names in lower case those of the snapshot format."""

    SECURITY = 1
    PERFORMANCE = 2
    MAINTAINABILITY = 3
    CORRECTNESS = 4


@dataclass(frozen=True, slots=True)
class CodeSymbol:
    """A symbol of a snapshot, without its file."""

    kind: SymbolKind
    qualified_name: str
    start_line: int
    end_line: int
    complexity: int = 1


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file of a snapshot; `sha256` is of the bytes in the source tree, `parsed` is true if it has symbols."""

    path: str
    sha256: str
    lines: int
    is_test: bool
    parsed: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """
    A problem that an analyzer or scanner reports for a range of lines.

    Args:
        start_line: 1-based; `end_line` is inclusive.
        symbol: Innermost symbol, except modules, that contains the first line; None if there is none.
        imported: It comes from an imported report of a scanner, not from an analyzer of the indexer.
    """

    tool: str
    rule: str
    severity: Severity
    category: Category
    message: str
    path: str
    start_line: int
    end_line: int
    symbol: CodeSymbol | None = None
    imported: bool = False

    @property
    def order(self) -> tuple[int, str, int, int, str, str, int, str]:
        """Return the sort key: worst first, then path, lines, tool, rule, category and message. Unique in a layer."""
        return (
            -self.severity,
            self.path,
            self.start_line,
            self.end_line,
            self.tool,
            self.rule,
            self.category,
            self.message,
        )


@dataclass(frozen=True, slots=True)
class ImportedFinding:
    """A finding of an imported report, with the SHA-256 of its file at the time of the import."""

    finding: Finding
    sha256: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """
    Results of the analyzers for a core layer.

    Args:
        analyzers: Version of each configured analyzer, by name, including those that failed.
        failed: Why an analyzer failed, by its name.
    """

    findings: tuple[Finding, ...] = ()
    analyzers: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FindingsQuery:
    """
    Filter of findings.

    Args:
        min_severity: This severity or a worse one.
        category: None for all.
        path_prefix: Only paths that start with this.
    """

    min_severity: Severity = Severity.INFO
    category: Category | None = None
    path_prefix: str = ""

    def fits(self, finding: Finding) -> bool:
        """Return whether a finding matches."""
        return (
            finding.severity >= self.min_severity
            and self.category in (None, finding.category)
            and finding.path.startswith(self.path_prefix)
        )


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """Snapshot with the imported findings of a report, their number, and the number for files not in the snapshot."""

    snapshot_id: str
    imported: int
    outside: int


def unchanged(imported: Iterable[ImportedFinding], files: Mapping[str, CodeFile]) -> list[Finding]:
    """Return the imported findings whose file is in the snapshot and has not changed since the import."""
    return [
        each.finding
        for each in imported
        if (file := files.get(each.finding.path)) is not None and file.sha256 == each.sha256
    ]


def settle(
    findings: Iterable[Finding], files: Mapping[str, CodeFile], symbols: Mapping[str, Sequence[CodeSymbol]]
) -> tuple[Finding, ...]:
    """
    Return findings as a layer stores them: lines clipped to the file, symbol set, sorted, without duplicates.

    Findings for files that are not in `files` are dropped, long messages are cut.

    Args:
        files: By path.
        symbols: By path, in any order.
    """
    settled: dict[object, Finding] = {}
    for finding in findings:
        file = files.get(finding.path)
        if file is None:
            continue
        start, end = clamped(finding.start_line, finding.end_line, file.lines)
        symbol = innermost(symbols.get(finding.path, ()), start)
        message = " ".join(finding.message.split())[:MESSAGE_CHARS]
        placed = dataclasses.replace(finding, start_line=start, end_line=end, symbol=symbol, message=message)
        settled.setdefault(placed.order, placed)
    return tuple(sorted(settled.values(), key=lambda each: each.order))


def clamped(start: int, end: int, lines: int) -> tuple[int, int]:
    """Clip a range of lines to a file's length; an empty file counts as one line."""
    last = max(1, lines)
    first = min(max(1, start), last)
    return first, min(max(first, end), last)


def innermost(symbols: Sequence[CodeSymbol], line: int) -> CodeSymbol | None:
    """Return the shortest symbol that holds a line; ties go to the later start. Modules do not count."""
    holding = [each for each in symbols if each.qualified_name and each.start_line <= line <= each.end_line]
    return min(holding, key=lambda each: (each.end_line - each.start_line, -each.start_line), default=None)
