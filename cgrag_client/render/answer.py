"""Writes a finished answer: for a terminal, and plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cgrag.orchestrator.v1 import orchestrator_pb2
from cgrag.retriever.v1 import retriever_pb2
from cgrag.type.v1 import evidence_pb2
from rich.console import Group
from rich.markdown import Markdown
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from cgrag_client.render.links import Links

_MOST_CHANGED = 5
_CONFIDENCE_STYLES = {
    orchestrator_pb2.CONFIDENCE_HIGH: "bold green",
    orchestrator_pb2.CONFIDENCE_MEDIUM: "bold yellow",
    orchestrator_pb2.CONFIDENCE_LOW: "bold red",
}


def rich_answer(answer: orchestrator_pb2.Answer, links: Links) -> RenderableType:
    """Lay an answer out for a terminal: text, clickable citations, confidence, what stayed open, numbers."""
    answer = cleaned(answer)
    parts: list[RenderableType] = [Rule(style="dim"), Markdown(answer.text, hyperlinks=True), Text()]
    if answer.citations:
        parts += [Text("Citations", style="bold"), _citations(answer, links), Text()]
    style = _CONFIDENCE_STYLES.get(answer.confidence, "bold")
    parts.append(
        Text.assemble("Confidence ", (words.confidence(answer.confidence), style), _reason(answer.confidence_reason))
    )
    if answer.disclaimer:
        parts.append(Text(f"Note: {answer.disclaimer}", style="yellow"))
    if told := changed_note(answer):
        parts.append(Text(told, style="yellow"))
    parts += [Text(f"  ✗ {line}", style="dim") for line in open_gaps(answer)]
    parts += [Text(line, style="dim") for line in footer(answer)]
    return Group(*parts)


def plain_answer(answer: orchestrator_pb2.Answer) -> str:
    """Write an answer as markdown without control codes, for files and pipes."""
    answer = cleaned(answer)
    return _blocks(answer, answer.citations, footer(answer))


def answer_for_agents(answer: orchestrator_pb2.Answer) -> str:
    """Write an answer for a coding agent, which pays per token: no place is repeated, and statistics are left out."""
    answer = cleaned(answer)
    untold = [each for each in answer.citations if words.place(each.span) not in answer.text]
    degraded = f"; degraded: {', '.join(answer.degraded)}" if answer.degraded else ""
    return _blocks(answer, untold, (f"[session {answer.session_id}{degraded}]",))


def _blocks(answer: orchestrator_pb2.Answer, citations: Sequence[evidence_pb2.Citation], ending: Sequence[str]) -> str:
    blocks = [answer.text.rstrip()]
    if citations:
        blocks.append("## Citations\n" + "\n".join(_plain_citation(each) for each in citations))
    blocks.append(f"Confidence: {words.confidence(answer.confidence)}{_reason(answer.confidence_reason)}")
    if answer.disclaimer:
        blocks.append(f"Note: {answer.disclaimer}")
    if told := changed_note(answer):
        blocks.append(told)
    unresolved = list(open_gaps(answer))
    if unresolved:
        blocks.append("Not found:\n" + "\n".join(f"- {line}" for line in unresolved))
    blocks.append("\n".join(ending))
    return "\n\n".join(blocks) + "\n"


def changed_note(answer: orchestrator_pb2.Answer) -> str:
    """Return a note that lists the cited files that changed since they were indexed; "" if none is known."""
    if not answer.changed_files:
        return ""
    shown = ", ".join(answer.changed_files[:_MOST_CHANGED])
    left = len(answer.changed_files) - _MOST_CHANGED
    more = f" and {left} more" if left > 0 else ""
    return f"Changed since indexed: {shown}{more}. `cgrag index` brings the index up to date."


def open_gaps(answer: orchestrator_pb2.Answer) -> Iterator[str]:
    """Say what stayed unresolved and why, one line each."""
    for result in answer.gaps:
        if result.outcome != evidence_pb2.GAP_OUTCOME_RESOLVED:
            yield f"{words.wanted(result.gap)} is {words.outcome(result.outcome)}{_reason(result.detail)}"


def footer(answer: orchestrator_pb2.Answer) -> tuple[str, ...]:
    """Write the statistics of the answer (passes, gaps, tokens, times), and the ids that later commands need."""
    loop = answer.metadata
    used = sum(use.used_tokens for use in loop.context_use)
    times = (
        f"{words.milliseconds(loop.total_ms)} (classify {words.milliseconds(loop.classification_ms)}, "
        f"retrieve {words.milliseconds(loop.retrieval_ms)}, write {words.milliseconds(loop.engine_ms)})"
    )
    if loop.taken_up_after_ms:
        times += f", taken up again after {words.milliseconds(loop.taken_up_after_ms)}"
    gaps = f"{words.count(loop.gaps_identified, 'gap')}, {loop.gaps_resolved} resolved"
    model = f" {answer.model}" if answer.model else ""
    degraded = f" · degraded: {', '.join(answer.degraded)}" if answer.degraded else ""
    return (
        f"{words.count(loop.passes, 'pass', 'passes')} · {gaps} · {words.number(used)} tokens of evidence · {times}",
        f"stopped because {words.stop_reason(loop.stop_reason)} · engine {answer.engine}{model}{degraded}",
        f"answer {answer.answer_id} · session {answer.session_id}",
    )


def _citations(answer: orchestrator_pb2.Answer, links: Links) -> Table:
    table = Table.grid(padding=(0, 2))
    for overflow in ("fold", "fold", "ellipsis", "ellipsis"):
        table.add_column(overflow=overflow)
    for each in answer.citations:
        table.add_row(
            Text(f"[{each.number}]", style="bold"),
            links.citation(each),
            Text(each.symbol.qualified_name or each.title),
            Text(f"pass {each.pass_number}" if each.pass_number else "", style="dim"),
        )
    return table


def _plain_citation(citation: evidence_pb2.Citation) -> str:
    name = citation.symbol.qualified_name or citation.title
    return f"- [{citation.number}] {words.place(citation.span)} {name}".rstrip()


def resolved_citation(
    citation: evidence_pb2.Citation, now: retriever_pb2.ResolveCitationResponse, links: Links
) -> Text:
    """Write what became of a citation, and where it leads now."""
    citation, now = cleaned(citation), cleaned(now)
    line = Text.assemble((f"[{citation.number}] ", "bold"), f"{words.citation_state(now.state):8} ")
    line.append(links.citation(citation))
    if now.state != retriever_pb2.CITATION_STATE_SAME and now.HasField("span"):
        line.append(" → ").append(links.place(now.span))
    return line.append(f"  {citation.symbol.qualified_name or citation.title}", "dim")


def _reason(text: str) -> str:
    return f": {text}" if text else ""
