"""The findings layer as JSON: findings.jsonl, one a line, and summary.json. The format is docs/snapshot-format.md."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from common.core.contract.snapshot import LayerKind, Severity
from indexer.adapters.store.disk import write_files
from indexer.domain.errors import LayerDamaged
from indexer.domain.findings.finding import Analysis, Category, CodeSymbol, Finding
from indexer.domain.model import SymbolKind
from indexer.domain.snapshots.snapshot import Layer

if TYPE_CHECKING:
    from pathlib import Path

FINDINGS = "findings.jsonl"
SUMMARY = "summary.json"


class JsonFindingsLayer:
    """Implements `FindingsLayer`."""

    def write(self, analysis: Analysis, folder: Path) -> Layer:
        """Write findings, which come in order, into an empty folder; equal findings give an equal digest."""
        rows = "".join(f"{json.dumps(encode_finding(each), ensure_ascii=False)}\n" for each in analysis.findings)
        summary = json.dumps(_summary(analysis), indent=1, sort_keys=True)
        size = write_files(folder, {FINDINGS: rows, SUMMARY: summary})
        return Layer(LayerKind.FINDINGS, hashlib.sha256(f"{summary}\n{rows}".encode()).hexdigest(), size)

    def read(self, folder: Path) -> Analysis:
        """Return the findings of a layer. Raises LayerDamaged."""
        try:
            summary = json.loads((folder / SUMMARY).read_bytes())
            with (folder / FINDINGS).open("rb") as lines:
                findings = tuple(decode_finding(json.loads(line)) for line in lines)
            return Analysis(findings, summary["analyzers"], summary["failed"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LayerDamaged(
                f"The findings of this snapshot are damaged ({type(error).__name__}); index the repository again."
            ) from error


def encode_finding(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values."""
    symbol = finding.symbol
    return {
        "severity": finding.severity.name.lower(),
        "category": finding.category.name.lower(),
        "tool": finding.tool,
        "rule": finding.rule,
        "message": finding.message,
        "path": finding.path,
        "start_line": finding.start_line,
        "end_line": finding.end_line,
        "symbol": symbol
        and {
            "kind": int(symbol.kind),
            "qualified_name": symbol.qualified_name,
            "start_line": symbol.start_line,
            "end_line": symbol.end_line,
        },
        "imported": finding.imported,
    }


def decode_finding(plain: dict[str, Any]) -> Finding:
    """Return the finding that `encode_finding` encoded."""
    symbol = plain["symbol"]
    return Finding(
        tool=plain["tool"],
        rule=plain["rule"],
        severity=Severity[plain["severity"].upper()],
        category=Category[plain["category"].upper()],
        message=plain["message"],
        path=plain["path"],
        start_line=plain["start_line"],
        end_line=plain["end_line"],
        symbol=CodeSymbol(**symbol | {"kind": SymbolKind(symbol["kind"])}) if symbol else None,
        imported=plain["imported"],
    )


def _summary(analysis: Analysis) -> dict[str, Any]:
    return {
        "analyzers": dict(analysis.analyzers),
        "failed": dict(analysis.failed),
        "tools": dict(sorted(Counter(each.tool for each in analysis.findings).items())),
    }
