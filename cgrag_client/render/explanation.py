"""Writes how a question would be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cgrag.orchestrator.v1 import orchestrator_pb2

    from cgrag_client.render.links import Links

EVIDENCE_SHOWN = 12


def explanation(response: orchestrator_pb2.ExplainResponse, links: Links) -> Iterator[Text]:
    """Lay out a dry run: mode, plan, anchors, coverage, what to expect, and the first evidence."""
    response = cleaned(response)
    classification = response.classification
    yield Text.assemble(
        ("Mode        ", "bold"),
        (words.mode(classification.mode), "magenta"),
        f"  {words.MODE_HINTS.get(classification.mode, '')}",
        (f"  ({words.engine(classification.engine)}, {classification.confidence:.2f})", "dim"),
    )
    if classification.reasoning:
        yield _row("Because", classification.reasoning)
    yield _row("Scope", classification.scope or "the whole repository")
    yield _row("Plan", " → ".join(response.plan))
    yield _row("Found", ", ".join(response.anchors_found) or "no anchor of the question is in the index")
    if response.anchors_missing:
        yield _row("Not found", ", ".join(response.anchors_missing))
    yield _row("Coverage", f"{response.coverage:.0%} of the code files have symbols")
    yield _row(
        "Expect",
        f"{words.count(response.expected_passes, 'pass', 'passes')}, "
        f"{words.number(response.expected_evidence_tokens)} tokens of evidence in the first",
    )
    yield _row("Evidence", words.count(len(response.evidence), "piece"))
    for each in response.evidence[:EVIDENCE_SHOWN]:
        name = each.symbol.qualified_name or each.title
        line = Text("  ")
        if each.span.path:
            line.append_text(links.place(each.span)).append("  ")
        yield line.append(name).append(f"  {each.reason}", "dim")
    hidden = len(response.evidence) - EVIDENCE_SHOWN
    if hidden > 0:
        yield Text(f"  and {hidden} more", style="dim")


def _row(label: str, text: str) -> Text:
    return Text.assemble((f"{label:<12}", "bold"), text)
