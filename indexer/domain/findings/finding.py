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
"""Longer messages are cut."""


class Category(IntEnum):
    """What a finding is about; numbers are those of the contract, names in lower case those of the snapshot format."""

    SECURITY = 1
    PERFORMANCE = 2
    MAINTAINABILITY = 3
    CORRECTNESS = 4


@dataclass(frozen=True, slots=True)
class CodeSymbol:
    """A symbol as a snapshot has it, without its file."""

    kind: SymbolKind
    qualified_name: str
    start_line: int
    end_line: int
    complexity: int = 1


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A file as a snapshot has it; `sha256` is of the bytes in the source tree, `parsed` tells that it has symbols."""

    path: str
    sha256: str
    lines: int
    is_test: bool
    parsed: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """
    Something that a tool found in a place.

    Args:
        start_line: 1-based; `end_line` is inclusive.
        symbol: Innermost symbol that holds the first line; None outside of all.
        imported: It came in a report of a scanner, not from an analyzer of ours.
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
        """Return what findings are sorted by: worst first, then path, lines, tool and rule. Unique in a layer."""
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
    """A finding of a report, with the hash of its file as it was then."""

    finding: Finding
    sha256: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """
    What analyzers made of a core layer.

    Args:
        analyzers: Version of each analyzer that was to run, by name.
        failed: Why an analyzer has no findings, by name.
    """

    findings: tuple[Finding, ...] = ()
    analyzers: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FindingsQuery:
    """
    Which findings are wanted.

    Args:
        min_severity: This or worse.
        category: None for all.
        path_prefix: Only paths that start with this.
    """

    min_severity: Severity = Severity.INFO
    category: Category | None = None
    path_prefix: str = ""

    def fits(self, finding: Finding) -> bool:
        """Return whether a finding is wanted."""
        return (
            finding.severity >= self.min_severity
            and self.category in (None, finding.category)
            and finding.path.startswith(self.path_prefix)
        )


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """The set that holds the findings of a report, how many were taken, and how many lay outside of the snapshot."""

    snapshot_id: str
    imported: int
    outside: int


def unchanged(imported: Iterable[ImportedFinding], files: Mapping[str, CodeFile]) -> list[Finding]:
    """Return the imported findings whose file is in the snapshot as it was when they were imported."""
    return [
        each.finding
        for each in imported
        if (file := files.get(each.finding.path)) is not None and file.sha256 == each.sha256
    ]


def settle(
    findings: Iterable[Finding], files: Mapping[str, CodeFile], symbols: Mapping[str, Sequence[CodeSymbol]]
) -> tuple[Finding, ...]:
    """
    Return findings as a layer holds them: lines within the file, with their symbol, in order, none twice.

    Args:
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
