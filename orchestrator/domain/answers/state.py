"""The state of an answer: a fold over its events, so that it can be rebuilt from them at any time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from common.core.contract.evidence import Gap, GapOutcome, LineRange, Span
from common.core.contract.usage import TokenUsage
from orchestrator.domain.answers import phases
from orchestrator.domain.answers.answer import Judgement, PassSummary
from orchestrator.domain.answers.events import (
    CONTRADICTED,
    Classified,
    Completed,
    EvidenceSupplied,
    GapResolved,
    GapsFound,
    Judged,
    PassFinished,
    PassStarted,
    RetrievalProgress,
    Started,
    TextDelta,
    Unknown,
    Warned,
)
from orchestrator.domain.answers.phases import Phase
from orchestrator.domain.evidence.gaps import gap_key, is_given_a_value, shown_lines
from orchestrator.domain.evidence.lines import without_lines
from orchestrator.domain.evidence.piece import (
    BudgetUse,
    ContextSource,
    Evidence,
    EvidenceKind,
    GapResult,
    SearchQuality,
    SnapshotInfo,
    Triple,
)
from orchestrator.domain.questions.question import Classification

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from orchestrator.domain.answers.answer import Answer
    from orchestrator.domain.answers.events import Event

_DEGRADED = "degraded_"


@dataclass(frozen=True, slots=True)
class PassState:
    """Text and gaps of one pass; `new_evidence` counts pieces that are new in it, `end` is empty until it ends."""

    number: int
    end: PassFinished
    new_evidence: int = 0
    text: str = ""
    gaps: tuple[Gap, ...] = ()
    finished: bool = False

    def summary(self) -> PassSummary:
        """Return the pass in numbers."""
        return PassSummary(self.number, self.new_evidence, len(self.gaps), self.end.usage, self.end.milliseconds)


@dataclass(frozen=True, slots=True)
class AnswerState:
    """
    An answer after some of its events. Tuples are in order of first event.

    `corrected_after` is the pass whose contradicted sentences the next pass shows to the model; 0 for none.
    `sub_classification` is that of the last sub-question; None for none.
    """

    phase: Phase = Phase.NEW
    started: Started | None = None
    classification: Classification = field(default_factory=Classification)
    snapshot: SnapshotInfo = field(default_factory=SnapshotInfo)
    quality: SearchQuality = field(default_factory=SearchQuality)
    budget_use: tuple[BudgetUse, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    from_session: int = 0
    retrievals: int = 0
    passes: tuple[PassState, ...] = ()
    results: tuple[GapResult, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    sub_classification: Classification | None = None
    entities: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    warnings: tuple[Warned, ...] = ()
    corrected_after: int = 0
    classification_ms: float = 0.0
    retrieval_ms: float = 0.0
    answer: Answer | None = None

    @property
    def last_pass(self) -> PassState | None:
        """Return the pass that was begun last."""
        return self.passes[-1] if self.passes else None

    @property
    def finished_passes(self) -> int:
        """Return the number of finished calls of the engine."""
        return sum(each.finished for each in self.passes)

    @property
    def last_whole(self) -> PassState | None:
        """Return the last finished pass in which a model wrote a text."""
        return next((each for each in reversed(self.passes) if each.end.model and each.text.strip()), None)

    @property
    def cited(self) -> frozenset[str]:
        """Return the identities of the evidence that the last whole answer cites."""
        return frozenset(each.evidence_id for each in self.last_whole.end.cited) if self.last_whole else frozenset()

    @property
    def text(self) -> str:
        """Return the text of the last pass: it replaces those before."""
        return self.passes[-1].text if self.passes else ""

    @property
    def degraded(self) -> tuple[str, ...]:
        """Return the names of the degraded parts."""
        names = (each.code.removeprefix(_DEGRADED) for each in self.warnings if each.code.startswith(_DEGRADED))
        return tuple(dict.fromkeys(names))

    @property
    def evidence_ids(self) -> tuple[str, ...]:
        """Return the identities of all evidence supplied."""
        return tuple(each.evidence_id for each in self.evidence)

    @property
    def needed(self) -> tuple[Evidence, ...]:
        """Return the labelled evidence without the pieces and lines that a pass has dropped."""
        ends = self._dropping
        if not ends:
            return self.labelled
        return tuple(left for each in self.labelled if (left := _without_dropped(each, ends)) is not None)

    @property
    def dropped(self) -> tuple[Span, ...]:
        """Return the places of pieces that a pass has dropped as a whole, in order of supply."""
        needed = {each.evidence_id for each in self.needed}
        return tuple(each.span for each in self.labelled if each.span and each.evidence_id not in needed)

    @property
    def whole_ids(self) -> tuple[str, ...]:
        """Return the identities of evidence of which nothing was dropped, so that it need not be supplied again."""
        ends = self._dropping
        return tuple(each.evidence_id for each in self.labelled if _without_dropped(each, ends) is each)

    @property
    def labelled(self) -> tuple[Evidence, ...]:
        """Return the evidence that a text can cite: all but outlines."""
        if any(each.kind is EvidenceKind.OUTLINE for each in self.evidence):
            return tuple(each for each in self.evidence if each.kind is not EvidenceKind.OUTLINE)
        return self.evidence

    @property
    def outlines(self) -> tuple[Evidence, ...]:
        """Return the outlines; () once a pass has finished, as only the first pass sees them."""
        if self.finished_passes:
            return ()
        return tuple(each for each in self.evidence if each.kind is EvidenceKind.OUTLINE)

    @property
    def _dropping(self) -> tuple[PassFinished, ...]:
        return tuple(each.end for each in self.passes if each.end.unneeded or each.end.unneeded_lines)

    @property
    def gap_tokens(self) -> int:
        """Return the tokens of evidence fetched for gaps, without dropped evidence, whose tokens are free again."""
        return sum(each.tokens for each in self.needed if each.source is ContextSource.GAPS)

    @property
    def worked_ms(self) -> float:
        """Return the duration of all finished steps in milliseconds, including those that earlier processes ran."""
        return self.classification_ms + self.retrieval_ms + sum(each.end.milliseconds for each in self.passes)

    @property
    def usage(self) -> TokenUsage:
        """Return the tokens of all model calls."""
        return sum((each.end.usage for each in self.passes), TokenUsage())

    @property
    def corrections(self) -> str:
        """Return the contradictions of the last pass for the model; "" if there are none to correct."""
        told = [each.message for each in self.warnings if each.code == CONTRADICTED]
        return told[-1] if told and self.corrected_after == self.finished_passes else ""

    def told_evidence(self) -> tuple[Evidence, ...]:
        """Return the evidence that passes could be shown, without that fetched after the last pass."""
        is_late = self.phase is Phase.SUPPLIED
        return tuple(each for each in self.evidence if not is_late or each.pass_number <= len(self.passes))

    def told_results(self) -> tuple[GapResult, ...]:
        """
        Return the outcomes of gaps as far as passes could be shown the evidence.

        A resolved gap counts as open if its evidence was fetched after the last pass, or if none of its lines is shown
        because the budget had no room. An absent name counts as resolved if a shown line gives it a value.
        """
        shown = self.told_evidence()
        ids = {each.evidence_id for each in shown}
        symbols = {(each.symbol.path, each.symbol.qualified_name) for each in shown if each.symbol}
        lines = shown_lines(shown)

        def is_shown(result: GapResult) -> bool:
            found = {(each.path, each.qualified_name) for each in result.candidates}
            is_supplied = not ids.isdisjoint(result.evidence_ids) or not symbols.isdisjoint(found)
            return is_supplied or any(each.overlaps(place) for place in _places(result) for each in lines)

        def told(result: GapResult) -> GapResult:
            if result.outcome is GapOutcome.RESOLVED and not is_shown(result):
                return replace(result, outcome=GapOutcome.UNSPECIFIED)
            is_set = result.outcome is GapOutcome.ABSENT and is_given_a_value(result.gap, shown)
            return replace(result, outcome=GapOutcome.RESOLVED) if is_set else result

        return tuple(map(told, self.results))

    def unfindable(self) -> frozenset[str]:
        """Return the keys of gaps whose search ended without resolving them."""
        return frozenset(gap_key(each.gap) for each in self.results if each.outcome not in _NOT_IN_VAIN)


def _without_dropped(evidence: Evidence, ends: Iterable[PassFinished]) -> Evidence | None:
    ends = [each for each in ends if evidence.pass_number <= each.pass_number]
    if any(evidence.evidence_id in each.unneeded for each in ends):
        return None
    cuts = [cut for each in ends for cut in each.unneeded_lines if cut.evidence_id == evidence.evidence_id]
    return without_lines(evidence, [LineRange(cut.start_line, cut.end_line) for cut in cuts]) if cuts else evidence


def _places(result: GapResult) -> tuple[Span, ...]:
    """Return the places of a gap: its candidates, its occurrence, and the lines that it asks for."""
    gap, occurrence = result.gap, result.occurrence
    asked = (Span(gap.path, gap.start_line, gap.end_line or gap.start_line),) if gap.path and gap.start_line else ()
    placed = (occurrence.place,) if occurrence and occurrence.place else ()
    return (*(each.span for each in result.candidates), *placed, *asked)


_NOT_IN_VAIN = frozenset({GapOutcome.RESOLVED, GapOutcome.UNSPECIFIED})


def fold(events: Iterable[Event]) -> AnswerState:
    """Return the state after events, from the first on. Raises IllegalTransition for an impossible order."""
    return reduce(apply, events, AnswerState())


def apply(state: AnswerState, event: Event) -> AnswerState:
    """Return the state after one more event. Raises IllegalTransition if the phase does not allow it."""
    return _changed(state, event, phases.advance(state.phase, event))


def _changed(state: AnswerState, event: Event, phase: Phase) -> AnswerState:  # noqa: C901 (one case for each event)
    match event:
        case Started():
            snapshot = replace(state.snapshot, snapshot_id=event.snapshot_id)
            return replace(state, phase=phase, started=event, snapshot=snapshot)
        case Classified():
            found, took = event.classification, event.milliseconds
            return replace(state, phase=phase, classification=found, classification_ms=took)
        case EvidenceSupplied():
            return _supplied(state, event, phase)
        case PassStarted():
            return replace(state, phase=phase, passes=_with_pass_begun(state, event))
        case TextDelta():
            return _in_pass(state, phase, lambda each: replace(each, text=each.text + event.text))
        case GapsFound():
            return _in_pass(state, phase, lambda each: replace(each, gaps=event.gaps))
        case PassFinished():
            return _in_pass(state, phase, lambda each: replace(each, end=event, finished=True))
        case GapResolved():
            # A repeated request is one gap, in any spelling and from any pass.
            results = {gap_key(each.gap): each for each in (*state.results, event.result)}
            return replace(state, phase=phase, results=tuple(results.values()))
        case Judged():
            return _judged(state, event, phase)
        case Warned():
            corrected = state.finished_passes if event.code == CONTRADICTED else state.corrected_after
            return replace(state, phase=phase, warnings=(*state.warnings, event), corrected_after=corrected)
        case Completed():
            return replace(state, phase=phase, answer=event.answer)
        case RetrievalProgress() | Unknown():
            return state if phase is state.phase else replace(state, phase=phase)


def _supplied(state: AnswerState, event: EvidenceSupplied, phase: Phase) -> AnswerState:
    again = {each.evidence_id for each in event.evidence}.intersection(state.evidence_ids)
    before = tuple(each for each in state.evidence if each.evidence_id not in again) if again else state.evidence
    return replace(
        state,
        phase=phase,
        evidence=before + event.evidence,
        from_session=state.from_session + event.from_session,
        retrievals=state.retrievals + 1,
        snapshot=event.snapshot or state.snapshot,
        quality=_joined(state.quality, event.quality) if event.quality else state.quality,
        budget_use=_summed(state.budget_use, event.budget_use),
        retrieval_ms=state.retrieval_ms + event.milliseconds,
    )


def _with_pass_begun(state: AnswerState, event: PassStarted) -> tuple[PassState, ...]:
    # In the sufficiency strategy, the one pass is the first to see the evidence of all retrievals, hence ">=".
    new = sum(each.pass_number >= event.pass_number for each in state.evidence)
    return (*state.passes[: event.pass_number - 1], PassState(event.pass_number, PassFinished(event.pass_number), new))


def _judged(state: AnswerState, event: Judged, phase: Phase) -> AnswerState:
    return replace(
        state,
        phase=phase,
        judgements=(*state.judgements, event.judgement),
        sub_classification=event.classification,
        entities=tuple(dict.fromkeys((*state.entities, *event.entities))),
        triples=tuple(dict.fromkeys((*state.triples, *event.triples))),
    )


def _in_pass(state: AnswerState, phase: Phase, change: Callable[[PassState], PassState]) -> AnswerState:
    return replace(state, phase=phase, passes=(*state.passes[:-1], change(state.passes[-1])))


def _joined(before: SearchQuality, after: SearchQuality) -> SearchQuality:
    return SearchQuality(
        tuple(dict.fromkeys(before.ran + after.ran)),
        tuple(dict.fromkeys(before.skipped + after.skipped)),
        before.found + after.found,
        before.used + after.used,
    )


def _summed(before: tuple[BudgetUse, ...], after: tuple[BudgetUse, ...]) -> tuple[BudgetUse, ...]:
    uses = {each.source: each for each in before}
    for each in after:
        so_far = uses.get(each.source, BudgetUse(each.source, 0, 0))
        limit, used = so_far.limit_tokens + each.limit_tokens, so_far.used_tokens + each.used_tokens
        uses[each.source] = BudgetUse(each.source, limit, used)
    return tuple(uses.values())
