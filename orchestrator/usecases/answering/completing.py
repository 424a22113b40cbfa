"""Checks an answer and completes it: citations, claims, confidence, what its reader must know."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.concurrency import wait_for_both
from common.core.errors import AppError, DependencyUnavailable
from orchestrator.domain.answer import Answer, LoopMetadata, SufficiencyTrace
from orchestrator.domain.citations import resolve_citations, with_hashes
from orchestrator.domain.claims import CheckedClaim, extract_claims
from orchestrator.domain.confidence import grounds, judge_confidence
from orchestrator.domain.disclaimer import disclaimer
from orchestrator.domain.events import Completed
from orchestrator.domain.evidence import GapOutcome
from orchestrator.domain.following import meant
from orchestrator.domain.question import Strategy
from orchestrator.domain.sessions import Shown, absences, by_use, question_key

if TYPE_CHECKING:
    from orchestrator.domain.actions import Finish
    from orchestrator.domain.evidence import Citation
    from orchestrator.domain.state import PassState
    from orchestrator.ports import CodeIndex, Debts, Freshness, SessionMemories
    from orchestrator.usecases.answering.context import Answering
    from orchestrator.usecases.answering.retrieving import Retrieving


_MOST_CITED_FILES = 200


class Completing:
    """
    Turns the state after the loop into an answer, and lets the session learn from it.

    Args:
        freshness: Tells which cited files changed; None where nobody knows their folder.
    """

    def __init__(
        self,
        index: CodeIndex,
        retrieving: Retrieving,
        memories: SessionMemories,
        debts: Debts,
        freshness: Freshness | None = None,
    ) -> None:
        self._freshness = freshness
        self._index = index
        self._retrieving = retrieving
        self._memories = memories
        self._debts = debts

    async def complete(self, answering: Answering, action: Finish) -> None:
        """Emit the whole answer, after everything that is to be kept is kept."""
        last = answering.state.last_pass
        assert last is not None, "no loop ends before its first pass"
        if not _is_settled(answering, last):
            await self._retrieving.settle_known(answering, last.number, ())
        citations, claims = await wait_for_both(self._citations(answering, last), self._checked_claims(answering))
        answer = _compose(answering, last, action, citations, claims)
        answer = replace(answer, changed_files=await self._changed(answering, citations))
        await self._learn(answering, last)
        await answering.emit(Completed(answer))

    async def _citations(self, answering: Answering, last: PassState) -> tuple[Citation, ...]:
        state = answering.state
        citations = resolve_citations(
            last.cited, state.evidence, state.snapshot, url_template=answering.settings.citation_url
        )
        unhashed = tuple(dict.fromkeys(each.span for each in citations if not each.content_hash))
        try:
            return with_hashes(citations, await self._index.content_hashes(answering.pin, unhashed))
        except AppError:
            return citations

    async def _changed(self, answering: Answering, citations: tuple[Citation, ...]) -> tuple[str, ...]:
        """Return the cited files that changed since they were indexed, as far as that can be told soon."""
        paths = tuple(dict.fromkeys(each.span.path for each in citations if each.span.path))[:_MOST_CITED_FILES]
        if self._freshness is None or not paths:
            return ()
        try:
            return await self._freshness.changed(answering.pin, paths)
        except AppError:
            return ()

    async def _checked_claims(self, answering: Answering) -> tuple[CheckedClaim, ...]:
        shown = "\n".join(f"{each.text}\n{each.documentation}" for each in answering.state.evidence)
        claims = extract_claims(answering.state.text, shown=shown)
        if not claims:
            return ()
        try:
            return await self._index.check(answering.pin, claims)
        except AppError:
            # Whoever checks may be busy, or late, or not understand what a model wrote: no reason to lose the answer.
            return tuple(CheckedClaim(each) for each in claims)

    async def _learn(self, answering: Answering, last: PassState) -> None:
        state = answering.state
        # What was turned off for this question says nothing of what is there.
        absent = () if answering.options.switches.narrow_search else absences(state.results)
        with suppress(DependencyUnavailable):  # what operators count is no reason to lose the answer
            await self._debts.add_debts(answering.pin.repository, absent)
        session_id = answering.record.question.session_id
        if not session_id or "sessions" in state.degraded:
            return
        cited = [each.evidence_id for each in last.cited]
        anchors = state.classification.anchors
        used = by_use(answering.question, anchors, state.evidence, cited)
        shown = Shown(
            question_key(
                answering.question, state.classification.mode, answering.options, meant(answering.question, anchors)
            ),
            tuple(each.evidence_id for each in state.evidence),
        )
        with suppress(DependencyUnavailable):
            await self._memories.remember(session_id, answering.pin.snapshot_id, used, absent, shown)


def _is_settled(answering: Answering, last: PassState) -> bool:
    """Tell whether every gap of the last pass has an outcome."""
    known = {each.gap.gap_id for each in answering.state.results}
    return all(gap.gap_id in known for gap in last.gaps)


def _compose(
    answering: Answering,
    last: PassState,
    action: Finish,
    citations: tuple[Citation, ...],
    claims: tuple[CheckedClaim, ...],
) -> Answer:
    state, record = answering.state, answering.record
    anchors = state.classification.anchors
    results = state.told_results()
    facts = grounds(answering.question, anchors, state.text, state.evidence, citations, results, claims)
    confidence, reason = judge_confidence(facts, answering.settings.thresholds)
    return Answer(
        answer_id=record.answer_id,
        repository=record.question.repository,
        snapshot_id=answering.pin.snapshot_id or state.snapshot.snapshot_id,
        session_id=record.question.session_id,
        question=record.question.question,
        text=state.text,
        citations=citations,
        confidence=confidence,
        confidence_reason=reason,
        disclaimer=disclaimer(state.degraded, results, claims, action.stop_reason, _cuts(last)),
        classification=state.classification,
        quality=state.quality,
        metadata=_metadata(answering, action),
        gaps=state.results,
        claims=claims,
        degraded=state.degraded,
        engine=last.engine,
        model=last.model,
        sufficiency=_trace(answering),
        complete_time=answering.clock.now(),
        evidence=tuple(replace(each, text="") for each in state.evidence),
    )


def _cuts(last: PassState) -> tuple[str, ...]:
    text = ("The text ends before its end: it reached the longest that the model may write.",)
    question = ("The question was too long to be shown whole; its middle was left out.",)
    return (*(text if last.is_cut else ()), *(question if last.is_question_cut else ()))


def _metadata(answering: Answering, action: Finish) -> LoopMetadata:
    state = answering.state
    resolved = sum(each.outcome is GapOutcome.RESOLVED for each in state.told_results())
    return LoopMetadata(
        passes=state.finished_passes,
        gaps_identified=len(state.results),
        gaps_resolved=resolved,
        gaps_unresolved=len(state.results) - resolved,
        stop_reason=action.stop_reason,
        cache_used=state.from_session > 0,
        usage=state.usage,
        context_use=state.budget_use,
        total_ms=(answering.earlier_seconds + answering.elapsed) * 1000,
        classification_ms=state.classification_ms,
        retrieval_ms=state.retrieval_ms,
        engine_ms=sum(each.milliseconds for each in state.passes),
        pass_summaries=tuple(each.summary() for each in state.passes),
        taken_up_after_ms=answering.earlier_seconds * 1000,
    )


def _trace(answering: Answering) -> SufficiencyTrace | None:
    if answering.strategy is not Strategy.SUFFICIENCY:
        return None
    state = answering.state
    return SufficiencyTrace(state.judgements, state.entities, state.triples)
