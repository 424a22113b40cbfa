"""What happens while an answer is made: one line for each thing worth knowing, and what is going on just now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cgrag.type.v1 import evidence_pb2
from rich.text import Text

from cgrag_client.render import words
from cgrag_client.render.clean import cleaned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from cgrag.orchestrator.v1 import orchestrator_pb2

    from cgrag_client.render.links import Links

EVIDENCE_SHOWN = 4
TAIL_LINES = 6

_OUTCOME_STYLES = {
    evidence_pb2.GAP_OUTCOME_RESOLVED: ("✓", "green"),
    evidence_pb2.GAP_OUTCOME_AMBIGUOUS: ("?", "yellow"),
    evidence_pb2.GAP_OUTCOME_EXTERNAL: ("↗", "blue"),
}


class AnswerProgress:
    """
    Turns the events of one answer into lines of text.

    Attributes:
        activity: The current activity, for example "searching".
    """

    def __init__(self, links: Links) -> None:
        self._links = links
        self._pass_shown = 0
        self._stages: list[orchestrator_pb2.RetrievalProgress] = []
        self._partial = ""
        self.activity = "asking"
        self._handlers: dict[str, Callable[[Any], Iterator[Text]]] = {
            "started": self._started,
            "classified": self._classified,
            "retrieval_progress": self._retrieved,
            "evidence": self._supplied,
            "pass_started": self._pass_started,
            "text_delta": self._text,
            "pass_finished": self._pass_finished,
            "gaps_found": self._gaps_found,
            "gap_resolved": self._gap_resolved,
            "warning": self._warning,
        }

    @property
    def tail(self) -> str:
        """The last lines of the partial answer of the running pass."""
        return "\n".join(self._partial.strip().splitlines()[-TAIL_LINES:])

    def lines(self, event: orchestrator_pb2.AnswerEvent) -> Iterator[Text]:
        """Record one event; yield the lines to print for it, possibly none."""
        kind = event.WhichOneof("event")
        handler = self._handlers.get(kind or "")
        if kind != "retrieval_progress":
            yield from self._finished_stages()
        if handler is not None:
            yield from handler(cleaned(getattr(event, str(kind))))

    def _started(self, started: orchestrator_pb2.Started) -> Iterator[Text]:
        self.activity = "classifying"
        yield Text.assemble(
            (started.repository, "bold"),
            (f" @ {started.snapshot_id[:12]}" if started.snapshot_id else "", "dim"),
            f"  engine {started.engine}, at most {words.count(started.max_passes, 'pass', 'passes')}",
        )

    def _classified(self, classified: orchestrator_pb2.Classified) -> Iterator[Text]:
        self.activity = "searching"
        classification = classified.classification
        line = Text.assemble(
            (words.mode(classification.mode), "bold magenta"),
            f"  {words.MODE_HINTS.get(classification.mode, '')}",
            (f"  ({words.engine(classification.engine)}, {classification.confidence:.2f})", "dim"),
        )
        if classification.scope:
            line.append(f"  in {classification.scope}", "cyan")
        yield line
        if classification.reasoning:
            yield Text(f"  {classification.reasoning}", style="dim")

    def _pass(self, pass_number: int) -> Iterator[Text]:
        if pass_number > self._pass_shown:
            self._pass_shown = pass_number
            yield Text(f"Pass {pass_number}", style="bold")

    def _pass_started(self, started: orchestrator_pb2.PassStarted) -> Iterator[Text]:
        self._partial = ""
        self.activity = f"writing, pass {started.pass_number}"
        yield from self._pass(started.pass_number)

    def _text(self, delta: orchestrator_pb2.TextDelta) -> Iterator[Text]:
        self._partial += delta.text
        yield from ()

    def _warning(self, warning: orchestrator_pb2.Warning) -> Iterator[Text]:
        yield Text(f"  ! {warning.message}", style="yellow")

    def _retrieved(self, progress: orchestrator_pb2.RetrievalProgress) -> Iterator[Text]:
        yield from self._pass(progress.pass_number)
        self._stages.append(progress)
        self.activity = f"searching, {progress.stage} is done"

    def _finished_stages(self) -> Iterator[Text]:
        if self._stages:
            names = " → ".join(each.stage for each in self._stages)
            took = words.milliseconds(sum(each.milliseconds for each in self._stages))
            self._stages.clear()
            yield Text.assemble(("  ✓ ", "green"), names, (f"  {took}", "dim"))

    def _supplied(self, supplied: orchestrator_pb2.EvidenceSupplied) -> Iterator[Text]:
        yield from self._pass(supplied.pass_number)
        cached = f", {supplied.from_session} from the session" if supplied.from_session else ""
        tokens = sum(each.tokens for each in supplied.evidence)
        found = words.count(len(supplied.evidence), "piece")
        yield Text.assemble(("  ▸ ", "cyan"), f"{found} of evidence, {words.number(tokens)} tokens{cached}")
        for each in supplied.evidence[:EVIDENCE_SHOWN]:
            yield self._evidence(each)
        hidden = len(supplied.evidence) - EVIDENCE_SHOWN
        if hidden > 0:
            yield Text(f"      and {hidden} more", style="dim")

    def _evidence(self, evidence: evidence_pb2.Evidence) -> Text:
        name = evidence.symbol.qualified_name or evidence.title
        line = Text("      ")
        if evidence.span.path:
            line.append_text(self._links.place(evidence.span)).append("  ")
        line.append(name)
        at = f"{evidence.span.path}:{evidence.span.start_line}"
        # A reason that only repeats the place or the name is not shown.
        if evidence.reason and at not in evidence.reason and evidence.reason not in name:
            line.append(f"  {evidence.reason}", "dim")
        return line

    def _pass_finished(self, finished: orchestrator_pb2.PassFinished) -> Iterator[Text]:
        self.activity = "looking for what is missing"
        usage = finished.usage
        sent = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
        tokens = f"{words.number(sent)} tokens in, {words.number(usage.output_tokens)} out  " if sent else ""
        took = words.milliseconds(finished.milliseconds)
        yield Text.assemble(("  ✎ ", "magenta"), f"answer of pass {finished.pass_number}", (f"  {tokens}{took}", "dim"))

    def _gaps_found(self, found: orchestrator_pb2.GapsFound) -> Iterator[Text]:
        self.activity = "fetching what is missing"
        names = ", ".join(words.wanted(gap) for gap in found.gaps)
        yield Text.assemble(("  ? ", "yellow"), f"{words.count(len(found.gaps), 'gap')}: ", (names, "yellow"))

    def _gap_resolved(self, resolved: orchestrator_pb2.GapResolved) -> Iterator[Text]:
        result = resolved.result
        mark, style = _OUTCOME_STYLES.get(result.outcome, ("✗", "red"))
        gap = result.gap
        line = Text.assemble(
            (f"    {mark} ", style),
            words.wanted(gap),
            (f"  {words.outcome(result.outcome)}", style),
        )
        if result.outcome == evidence_pb2.GAP_OUTCOME_RESOLVED and result.candidates:
            line.append(f"  {words.symbol_place(result.candidates[0])}", "cyan")
        elif result.detail:
            line.append(f"  {result.detail}", "dim")
        yield line
