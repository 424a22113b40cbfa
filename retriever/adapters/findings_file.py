"""The findings layer: one JSON object a line, read once at open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retriever.domain.values import Finding, Span

if TYPE_CHECKING:
    from pathlib import Path


class FindingsFile:
    """Implements `Findings`."""

    def __init__(self, path: Path) -> None:
        with path.open(encoding="utf-8") as lines:
            found = (_finding(json.loads(line)) for line in lines if line.strip())
            self._findings = tuple(sorted(found, key=_order))

    def under(self, prefix: str, limit: int) -> tuple[Finding, ...]:
        """Return findings in paths that start with this, gravest first, then by category, path and line."""
        inside = (finding for finding in self._findings if finding.span.path.startswith(prefix))
        return tuple(finding for finding, _ in zip(inside, range(limit), strict=False))


def _order(finding: Finding) -> tuple[int, str, str, int, str]:
    return finding.severity, finding.category, finding.span.path, finding.span.start_line, finding.rule


def _finding(row: dict[str, Any]) -> Finding:
    span = Span(str(row["path"]), int(row.get("start_line", 1)), int(row.get("end_line", row.get("start_line", 1))))
    return Finding(
        span=span,
        severity=int(row.get("severity", 9)),
        category=str(row.get("category", "")),
        rule=str(row.get("rule", "")),
        message=str(row.get("message", "")),
        tool=str(row.get("tool", "")),
    )
