"""The findings layer: findings.jsonl of docs/snapshot-format.md, read once at open."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from common.core.contract.evidence import Span
from common.core.contract.snapshot import Severity
from retriever.domain.values import Finding

if TYPE_CHECKING:
    from pathlib import Path


class FindingsFile:
    """Implements `Findings`."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8") as lines:
            found = (_finding(json.loads(line)) for line in lines if line.strip())
            self._findings = tuple(sorted(found, key=_order))  # the file is ordered by severity, path, line

    def under(self, prefix: str, limit: int) -> tuple[Finding, ...]:
        """Return findings in paths that start with this, gravest first, then by category, path and line."""
        inside = (finding for finding in self._findings if finding.span.path.startswith(prefix))
        return tuple(finding for finding, _ in zip(inside, range(limit), strict=False))

    def tally(self, prefix: str) -> dict[tuple[Severity, str], int]:
        """Return how many findings there are in such paths by severity and category, in that order."""
        return Counter((each.severity, each.category) for each in self._findings if each.span.path.startswith(prefix))


def _order(finding: Finding) -> tuple[int, str, str, int, str]:
    return -finding.severity, finding.category, finding.span.path, finding.span.start_line, finding.rule


def _finding(row: dict[str, Any]) -> Finding:
    symbol = row["symbol"] or {"qualified_name": "", "start_line": 0}
    return Finding(
        span=Span(row["path"], row["start_line"], row["end_line"]),
        severity=Severity[row["severity"].upper()],
        category=row["category"],
        rule=row["rule"],
        message=row["message"],
        tool=row["tool"],
        symbol=symbol["qualified_name"],
        symbol_line=symbol["start_line"],
    )
