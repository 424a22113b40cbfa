"""What analyzers and scanners found in a part of the code."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from retriever.domain.evidence.piece import ContextSource, Draft, EvidenceKind, EvidenceRole
from retriever.domain.tasks.context import Context, Part, Task
from retriever.usecases.stages.structure.modules import is_of_one_thing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retriever.domain.values import Finding, Symbol
    from retriever.ports import Findings, Judge, Snapshot

_LISTED = 30
_MENTIONED = 10
"""Most findings whose symbols are mentioned, so that they can be cited."""


class FindingsOfScope:
    """Lists what analyzers found in the scope, by severity and category."""

    name = "findings"
    needs = frozenset({Part.CODE_INDEX})

    async def run(self, context: Context, snapshot: Snapshot, task: Task, _judge: Judge) -> Context:
        """Draft one list; without the layer there is nothing to list."""
        if is_of_one_thing(context, task):
            return context
        if snapshot.findings is None:
            return context
        drafts = await asyncio.to_thread(_drafts, snapshot, snapshot.findings, context.scope)
        return context.with_drafts(drafts).with_step("findings")


def _drafts(snapshot: Snapshot, findings: Findings, scope: str) -> list[Draft]:
    found = findings.under(scope, _LISTED)
    if not found:
        return []
    tally = findings.tally(scope)
    counts = ", ".join(f"{count} {severity.name.lower()} {category}" for (severity, category), count in tally.items())
    lines = [f"{sum(tally.values())} findings: {counts}", *map(_line, found)]
    return [
        Draft(
            kind=EvidenceKind.FINDING,
            source=ContextSource.ISSUES,
            role=EvidenceRole.FINDINGS,
            title=f"Findings in {scope or 'the repository'}",
            text="\n".join(lines) + "\n",
            reason="findings of analyzers, gravest first",
            mentions=_mentions(snapshot, found[:_MENTIONED]),
        )
    ]


def _line(finding: Finding) -> str:
    """Return a finding with its place: the symbol around it, which can be cited, else its line."""
    path, line = finding.span.path, finding.span.start_line
    place = f"line {line} of {finding.symbol} ({path}:{finding.symbol_line})" if finding.symbol else f"{path}:{line}"
    severity = finding.severity.name.lower()
    return f"- {severity} {finding.category}: {finding.message} [{finding.tool} {finding.rule}], {place}"


def _mentions(snapshot: Snapshot, found: Sequence[Finding]) -> tuple[Symbol, ...]:
    """Return the symbols that hold findings, each once."""
    mentioned: dict[int, Symbol] = {}
    for finding in found:
        for symbol in snapshot.symbols.in_file(finding.span.path) if finding.symbol else ():
            if (symbol.qualified_name, symbol.start_line) == (finding.symbol, finding.symbol_line):
                mentioned[symbol.id] = symbol
    return tuple(mentioned.values())
