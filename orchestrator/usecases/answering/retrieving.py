"""Gathers evidence: first for the whole question, then for gaps and sub-questions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from common.core.errors import AppError, DependencyUnavailable
from orchestrator.domain.answers.events import EvidenceSupplied, GapResolved, RetrievalProgress, Warned
from orchestrator.domain.answers.orders import GapOrder, Retrieved, RetrieveOrder
from orchestrator.domain.evidence.gaps import as_ranked, gap_key, shown_lines
from orchestrator.domain.evidence.piece import ContextSource, GapResult
from orchestrator.domain.questions.following import meant, names_nothing
from orchestrator.domain.questions.sessions import SessionMemory, question_key, recall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.core.contract.evidence import Gap
    from orchestrator.domain.evidence.piece import Evidence
    from orchestrator.domain.loop.actions import FetchGaps, RetrieveMore
    from orchestrator.domain.questions.question import Budget
    from orchestrator.ports import Retriever, SessionMemories
    from orchestrator.usecases.answering.context import Answering

_LAYER_STEPS = frozenset({"vectors", "findings"})


class Retrieving:
    """Asks the retriever, except for evidence that the session has and for gaps known to be absent."""

    def __init__(self, retriever: Retriever, memories: SessionMemories) -> None:
        self._retriever = retriever
        self._memories = memories

    async def pin(self, answering: Answering) -> None:
        """Fix the snapshot for the whole answer."""
        known = answering.state.snapshot.snapshot_id
        if known:
            answering.pin = replace(answering.pin, snapshot_id=known)
        if not answering.pin.snapshot_id:
            answering.pin = await self._retriever.pin(answering.pin)
        answering.memory = await self._load_memory(answering)

    async def retrieve_first(self, answering: Answering) -> None:
        """Emit the first evidence: that of the session, then what the retriever finds."""
        began = answering.clock.monotonic()
        if names_nothing(answering.question, answering.state.classification):
            await self._emit_found(answering, Retrieved(), (), began, pass_number=1)
            return
        budget = answering.budget
        recalled, tokens_left, shown_before = _recalled(answering, budget.initial_tokens)
        # Evidence of the session is in the endpoint's prompt cache: no need to shorten it, or to list further names.
        is_to_ask = answering.may_ask_for_more and not recalled
        tokens_left = round(tokens_left * answering.settings.asking_share) if is_to_ask else tokens_left
        order = RetrieveOrder(
            answering.pin,
            answering.question,
            answering.state.classification,
            replace(budget, initial_tokens=max(1, tokens_left)),
            answering.options.switches,
            tuple(each.evidence_id for each in recalled),
            shown=shown_lines(recalled),
            with_outline=is_to_ask,
        )
        found = await self._retriever.retrieve(order)
        await self._emit_found(answering, found, recalled, began, pass_number=1, shown_before=shown_before)

    async def retrieve_more(self, answering: Answering, action: RetrieveMore) -> None:
        """Emit the evidence for a sub-question of the sufficiency strategy; if that fails, keep what was found."""
        began = answering.clock.monotonic()
        budget = answering.budget
        step = budget.after_pass_tokens[min(action.iteration - 2, len(budget.after_pass_tokens) - 1)]
        order = RetrieveOrder(
            answering.pin,
            action.sub_question,
            answering.state.sub_classification or answering.state.classification,
            replace(budget, initial_tokens=max(1, min(step, budget.pass_tokens, action.tokens))),
            answering.options.switches,
            answering.state.evidence_ids,
            action.iteration,
            shown_lines(answering.state.evidence),
        )
        try:
            found = await self._retriever.retrieve(order)
        except AppError as error:
            await _warn(answering, error)
            await answering.emit(EvidenceSupplied(action.iteration, milliseconds=_since(answering, began)))
            return
        as_gaps = tuple(each.for_pass(action.iteration, ContextSource.GAPS) for each in found.evidence)
        await self._emit_found(answering, replace(found, evidence=as_gaps), (), began, pass_number=action.iteration)

    async def fetch_gaps(self, answering: Answering, action: FetchGaps) -> None:
        """Emit an outcome for each gap of the pass, and the new evidence; if that fails, the written answer is kept."""
        began = answering.clock.monotonic()
        await self.settle_known(answering, action.pass_number, action.gaps)
        shown = answering.shown()
        known = frozenset(each.evidence_id for each in shown).intersection(answering.state.whole_ids)
        order = GapOrder(
            answering.pin,
            action.gaps,
            answering.state.classification.mode,
            answering.question,
            action.pass_number,
            _gap_budget(answering, action.tokens),
            answering.state.gap_tokens,
            tuple(each.evidence_id for each in shown if each.evidence_id in known),
            answering.options.switches,
            shown_lines(shown),
        )
        try:
            fetched = await self._retriever.resolve(order)
        except AppError as error:
            await _warn(answering, error)
            for gap in action.gaps:
                await answering.emit(GapResolved(action.pass_number, GapResult(gap, detail=error.message)))
            await answering.emit(EvidenceSupplied(action.pass_number + 1, milliseconds=_since(answering, began)))
            return
        for result in fetched.results:
            await answering.emit(GapResolved(action.pass_number, result))
        fresh = tuple(
            each.for_pass(action.pass_number + 1, ContextSource.GAPS)
            for each in as_ranked(fetched.evidence, answering.state.evidence)
            if each.evidence_id not in known
        )
        milliseconds = _since(answering, began)
        await answering.emit(_progress(action.pass_number + 1, "gaps", fresh, milliseconds))
        await answering.emit(
            EvidenceSupplied(action.pass_number + 1, fresh, budget_use=fetched.budget_use, milliseconds=milliseconds)
        )

    async def settle_known(self, answering: Answering, pass_number: int, searched: Sequence[Gap]) -> None:
        """Emit an outcome for the gaps of the pass that are not searched: known already, or no time left."""
        last = answering.state.last_pass
        earlier = {gap_key(each.gap): each for each in answering.state.results}
        for gap in last.gaps if last else ():
            if gap in searched:
                continue
            known = earlier.get(gap_key(gap)) or answering.remembered(gap_key(gap))
            result = replace(known, gap=gap) if known else GapResult(gap, detail="not searched for: the loop had ended")
            await answering.emit(GapResolved(pass_number, result))

    async def _emit_found(
        self,
        answering: Answering,
        found: Retrieved,
        recalled: Sequence[Evidence],
        began: float,
        *,
        pass_number: int,
        shown_before: int = 0,
    ) -> None:
        known = {*answering.state.evidence_ids, *(each.evidence_id for each in recalled)}
        fresh = tuple(each.for_pass(pass_number) for each in found.evidence if each.evidence_id not in known)
        for stage in found.timings:
            await answering.emit(_progress(pass_number, stage.stage, (*recalled, *fresh), stage.milliseconds))
        for name, problem in _missing_layers(answering, found.quality.skipped).items():
            await answering.emit(Warned(f"degraded_{name}", f"{problem}; the rest of the search answered"))
        await answering.emit(
            EvidenceSupplied(
                pass_number,
                (*recalled, *fresh),
                from_session=len(recalled),
                snapshot=found.snapshot,
                quality=found.quality,
                budget_use=found.budget_use,
                milliseconds=_since(answering, began),
                shown_before=shown_before,
            )
        )

    async def _load_memory(self, answering: Answering) -> SessionMemory:
        session_id = answering.record.question.session_id
        if not session_id:
            return SessionMemory()
        try:
            return await self._memories.load(session_id, answering.pin.snapshot_id)
        except DependencyUnavailable as error:
            text = f"{error.message}; this answer knows nothing of earlier questions"
            await answering.emit(Warned("degraded_sessions", text, error.message))
            return SessionMemory()


async def _warn(answering: Answering, error: AppError) -> None:
    await answering.emit(Warned("degraded_gaps", f"{error.message}; what was missing stays so", error.message))


def _since(answering: Answering, began: float) -> float:
    return (answering.clock.monotonic() - began) * 1000


def _recalled(answering: Answering, max_tokens: int) -> tuple[tuple[Evidence, ...], int, int]:
    """
    Return the session's evidence for the question, the tokens for new evidence, and how many pieces were shown before.

    For a question asked before, with the same snapshot, that is all evidence shown then; if all of it fits, nothing new
    is retrieved. For any other question it is the relevant evidence, and none counts as shown before.
    """
    classification, memory = answering.state.classification, answering.memory
    unnamed = meant(answering.question, classification.anchors)
    key = question_key(answering.question, classification.mode, answering.options, unnamed)
    same = memory.shown_for(key, max_tokens=max_tokens)
    if same:
        shown = len(memory.shown[key])
        return same, 0 if len(same) == shown else max_tokens - sum(each.tokens for each in same), shown
    share = int(max_tokens * answering.settings.recalled_share)
    wanted = classification.understanding.terms(answering.question)
    found = recall(memory.evidence, wanted, classification.anchors, max_tokens=share)
    return found, max_tokens - sum(each.tokens for each in found), 0


def _gap_budget(answering: Answering, tokens_left: int) -> Budget:
    """Return the budget of a fetch: the gaps' limit, reduced to what the total budget has left."""
    budget = answering.budget
    total = min(budget.gap_total_tokens, answering.state.gap_tokens + tokens_left)
    return replace(budget, gap_total_tokens=max(1, total))


def _progress(pass_number: int, stage: str, evidence: Sequence[Evidence], milliseconds: float) -> RetrievalProgress:
    return RetrievalProgress(pass_number, stage, len(evidence), sum(each.tokens for each in evidence), milliseconds)


def _missing_layers(answering: Answering, skipped: Sequence[str]) -> dict[str, str]:
    """Return the search layers that should have run but did not, each with the first problem reported."""
    switched_off = {"vectors"} if answering.options.switches.without_vectors else set()
    expected = _LAYER_STEPS - {*switched_off, *answering.state.degraded}
    problems: dict[str, str] = {}
    for problem in skipped:
        name = problem.partition(":")[0].strip()
        if name in expected:
            problems.setdefault(name, problem)
    return problems
