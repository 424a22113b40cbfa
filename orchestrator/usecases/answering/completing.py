"""Checks an answer and completes it with citations, claims, confidence and disclaimer."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import CheckedClaim, ClaimKind, ClaimVerdict, GapOutcome
from common.core.errors import AppError, DependencyUnavailable
from common.core.runtime.concurrency import wait_for_both
from orchestrator.domain.answers.answer import Answer, LoopMetadata, SufficiencyTrace
from orchestrator.domain.answers.citations import lacks_links, resolve_citations, with_hashes
from orchestrator.domain.answers.claims import are_telling
from orchestrator.domain.answers.confidence import decide_confidence
from orchestrator.domain.answers.disclaimer import disclaimer
from orchestrator.domain.answers.events import CONTRADICTED, Completed, Warned
from orchestrator.domain.grammar.extraction import extract_claims, identifiers_of
from orchestrator.domain.loop.graph import with_relations
from orchestrator.domain.model_text.citing import HeldCitations, corrections, hold_citations, marked
from orchestrator.domain.model_text.grounds import Grounds
from orchestrator.domain.model_text.model_confidence import decide_model_confidence, model_features
from orchestrator.domain.questions.following import meant
from orchestrator.domain.questions.question import Strategy
from orchestrator.domain.questions.sessions import Shown, absences, by_use, question_key
from orchestrator.domain.writing.material import Material
from orchestrator.domain.writing.pieces import label_evidence
from orchestrator.domain.writing.writer import support_of
from orchestrator.usecases.checking import CheckedSite, check_sites

if TYPE_CHECKING:
    from collections.abc import Iterator

    from orchestrator.domain.answers.answer import Confidence
    from orchestrator.domain.answers.claims import ClaimSite
    from orchestrator.domain.answers.state import PassState
    from orchestrator.domain.evidence.piece import Citation
    from orchestrator.domain.loop.actions import Finish
    from orchestrator.ports import CodeIndex, Debts, Freshness, SessionMemories
    from orchestrator.usecases.answering.context import Answering
    from orchestrator.usecases.answering.retrieving import Retrieving


_MOST_CITED_FILES = 200
_OF_WRITER = frozenset(
    {ClaimKind.EXISTS, ClaimKind.CALLS, ClaimKind.RAISES, ClaimKind.MUTATES, ClaimKind.QUOTES, ClaimKind.VALUE}
)
"""Kinds of claims to check in text written without a model, which copies places and mentions from evidence."""


_PUT_TO_THE_MODEL = frozenset({ClaimKind.EXISTS, ClaimKind.QUOTES, ClaimKind.VALUE, ClaimKind.ABSENT})
"""
Kinds of claims whose contradiction is worth a further pass. Contradicted claims of other kinds, about relations in
code, are more often misread by the check than wrong: of nine such corrections that were judged, none was right.
"""


class Completing:
    """
    Turns the state after the loop into an answer, and stores in the session what it used.

    Args:
        freshness: Finds the cited files that changed since they were indexed; None if no indexer is configured.
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
        """
        Store what the session and the operators need of the answer, then emit the complete answer.

        If the index contradicts a model's text and a pass is left, emit a warning instead, at most once per answer.
        """
        last = answering.state.last_pass
        assert last is not None, "no loop ends before its first pass"
        if not _is_settled(answering, last):
            await self._retrieving.settle_known(answering, last.number, ())
        read = await asyncio.to_thread(_read, answering, last)
        hashed, sites = await wait_for_both(self._hashed(answering, read.citations), self._checked(answering, read))
        checked = _Checked(read.held, hashed, sites, bool(last.end.model))
        if wrong := _to_correct(answering, last, checked):
            told = f"the index contradicts sentences of pass {last.number}, and the model is asked once more:\n{wrong}"
            await answering.emit(Warned(CONTRADICTED, told))
            return
        answer = _compose(answering, last, action, checked)
        answer = replace(answer, changed_files=await self._changed(answering, hashed))
        await self._learn(answering, last)
        await answering.emit(Completed(answer))

    async def _hashed(self, answering: Answering, citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
        unhashed = tuple(dict.fromkeys(each.span for each in citations if not each.content_hash))
        try:
            return with_hashes(citations, await self._index.content_hashes(answering.pin, unhashed))
        except AppError:
            return citations

    async def _changed(self, answering: Answering, citations: tuple[Citation, ...]) -> tuple[str, ...]:
        """Return the cited files that changed since they were indexed; none if the indexer cannot tell in time."""
        paths = tuple(dict.fromkeys(each.span.path for each in citations if each.span.path))[:_MOST_CITED_FILES]
        if self._freshness is None or not paths:
            return ()
        try:
            return await self._freshness.changed(answering.pin, paths)
        except AppError:
            return ()

    async def _checked(self, answering: Answering, read: _Read) -> tuple[CheckedSite, ...]:
        try:
            return await check_sites(self._index, answering.pin, read.sites, read.grounds)
        except AppError:
            # A check that is refused, late or failed must not lose the answer.
            return tuple(CheckedSite(each, CheckedClaim(each.claim)) for each in read.sites)

    async def _learn(self, answering: Answering, last: PassState) -> None:
        state = answering.state
        # With a narrowed search, gaps that were not found need not be absent from the index.
        absent = () if answering.options.switches.narrow_search else absences(state.results)
        with suppress(DependencyUnavailable):  # statistics must not lose the answer
            await self._debts.add_debts(answering.pin.repository, absent)
        session_id = answering.record.question.session_id
        if not session_id or "sessions" in state.degraded:
            return
        cited = [each.evidence_id for each in last.end.cited]
        anchors = state.classification.anchors
        used = with_relations(by_use(answering.question, anchors, state.labelled, cited), state.judgements)
        shown = Shown(
            question_key(
                answering.question, state.classification.mode, answering.options, meant(answering.question, anchors)
            ),
            tuple(each.evidence_id for each in state.labelled),
        )
        with suppress(DependencyUnavailable):
            await self._memories.remember(session_id, answering.pin.snapshot_id, used, absent, shown)


def _is_settled(answering: Answering, last: PassState) -> bool:
    """Return whether every gap of the last pass has an outcome."""
    known = {each.gap.gap_id for each in answering.state.results}
    return all(gap.gap_id in known for gap in last.gaps)


@dataclass(frozen=True, slots=True)
class _Read:
    """Text and verified citations of an answer, the citations' places, its claims, and the grounds of its names."""

    held: HeldCitations
    citations: tuple[Citation, ...]
    sites: tuple[ClaimSite, ...]
    grounds: Grounds


@dataclass(frozen=True, slots=True)
class _Checked:
    """Text and verified citations of an answer, the citations' places, and its checked claims."""

    held: HeldCitations
    citations: tuple[Citation, ...]
    sites: tuple[CheckedSite, ...]
    by_model: bool = False

    @property
    def claims(self) -> tuple[CheckedClaim, ...]:
        return tuple(each.checked for each in self.sites)

    @property
    def told(self) -> tuple[CheckedSite, ...]:
        """The claims to show; contradictions of a model's text are left out unless they are credible together."""
        if not self.by_model or are_telling(self.claims):
            return self.sites
        return tuple(each for each in self.sites if each.checked.verdict is not ClaimVerdict.CONTRADICTED)

    @property
    def told_claims(self) -> tuple[CheckedClaim, ...]:
        return tuple(each.checked for each in self.told)

    def text(self) -> str:
        """Return the text; a model's text has marks where the index contradicts it."""
        if not self.by_model:
            return self.held.text
        return marked(self.held.text, [each.site for each in self.told], self.told_claims)


def _read(answering: Answering, last: PassState) -> _Read:
    """
    Check a model's citations against the cited evidence, and extract the claims. Run in a thread: texts may be long.

    Text written without a model needs no check of citations; only its unambiguous claims of some kinds are kept.
    """
    state = answering.state
    by_model = bool(last.end.model)
    held = (
        hold_citations(state.text, last.end.cited, state.evidence)
        if by_model
        else HeldCitations(state.text, last.end.cited)
    )
    citations = resolve_citations(
        held.cited, state.evidence, state.snapshot, url_template=answering.settings.citation_url
    )
    shown = identifiers_of(state.evidence)
    places = {each.number: each.span for each in citations}
    sites = extract_claims(held.text, shown=shown, places=places, question=answering.question)
    if not by_model:
        sites = tuple(each for each in sites if each.is_sure and each.claim.kind in _OF_WRITER)
    return _Read(held, citations, sites, Grounds(held.text, places, state.labelled, shown))


def _to_correct(answering: Answering, last: PassState, checked: _Checked) -> str:
    """Return the contradictions by the index that the model can still correct in a further pass; "" if none."""
    state = answering.state
    can_correct = (
        bool(last.end.model)
        and not state.corrected_after
        and "model" not in state.degraded
        and answering.strategy is not Strategy.SUFFICIENCY
        and state.finished_passes < answering.rules.max_passes
        and answering.situation().seconds_left > 0
    )
    grave = [each for each in checked.told if each.site.claim.kind in _PUT_TO_THE_MODEL] if can_correct else []
    return corrections(checked.held.text, [each.site for each in grave], [each.checked for each in grave])


def _confidence(answering: Answering, last: PassState, checked: _Checked) -> tuple[Confidence, str]:
    state, thresholds = answering.state, answering.settings.thresholds
    if last.end.model:
        features = model_features(checked.held, len(checked.citations), checked.told_claims)
        return decide_model_confidence(features, thresholds)
    evidence, results = label_evidence(state.told_evidence()), state.told_results()
    material = Material(answering.question, state.classification, evidence, results)
    return decide_confidence(support_of(material), len(checked.citations), checked.told_claims, thresholds)


def _compose(answering: Answering, last: PassState, action: Finish, checked: _Checked) -> Answer:
    state, record = answering.state, answering.record
    confidence, reason = _confidence(answering, last, checked)
    results, notes = state.told_results(), _notes(answering, last, checked)
    return Answer(
        answer_id=record.answer_id,
        repository=record.question.repository,
        snapshot_id=answering.pin.snapshot_id or state.snapshot.snapshot_id,
        session_id=record.question.session_id,
        question=record.question.question,
        text=checked.text(),
        citations=checked.citations,
        confidence=confidence,
        confidence_reason=reason,
        disclaimer=disclaimer(_lesser(state.degraded, last), results, checked.told_claims, action.stop_reason, notes),
        classification=state.classification,
        quality=state.quality,
        metadata=_metadata(answering, action),
        gaps=state.results,
        claims=checked.claims,
        degraded=state.degraded,
        engine=last.end.engine,
        model=last.end.model,
        sufficiency=_trace(answering),
        complete_time=answering.clock.now(),
        evidence=tuple(replace(each, text="") for each in state.evidence),
        variant=state.started.variant if state.started else "",
    )


def _lesser(degraded: tuple[str, ...], last: PassState) -> tuple[str, ...]:
    """Name the degraded parts; "model" becomes "later pass" if the text is a model's from an earlier pass."""
    return tuple("later pass" if each == "model" and last.end.model else each for each in degraded)


def _notes(answering: Answering, last: PassState, checked: _Checked) -> tuple[str, ...]:
    """Return the notes of the disclaimer: cut text or question, missing links, changed citations."""
    snapshot = answering.state.snapshot
    is_unlinked = bool(checked.citations) and lacks_links(answering.settings.citation_url, snapshot)
    links = (f"The files that were read differ from commit {snapshot.commit[:12]}, so citations have no links to it.",)
    text = ("The text ends before its end: it reached the longest that the model may write.",)
    question = ("The question was too long to be shown whole; its middle was left out.",)
    return (
        *(text if last.end.is_cut else ()),
        *(question if last.end.is_question_cut else ()),
        *(links if is_unlinked else ()),
        *_changed(checked.held),
    )


def _changed(held: HeldCitations) -> Iterator[str]:
    if held.moved:
        yield f"{held.moved} of {held.checked} citations beside names now cite the lines that show these names."
    if held.dropped:
        yield f"{held.dropped} of {held.checked} citations beside names were removed: no evidence shows these names."


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
        engine_ms=sum(each.end.milliseconds for each in state.passes),
        pass_summaries=tuple(each.summary() for each in state.passes),
        taken_up_after_ms=answering.earlier_seconds * 1000,
    )


def _trace(answering: Answering) -> SufficiencyTrace | None:
    if answering.strategy is not Strategy.SUFFICIENCY:
        return None
    state = answering.state
    return SufficiencyTrace(state.judgements, state.entities, state.triples)
