"""Gathers the first evidence for a question by the strategy of its mode, within its budget."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Span
from common.core.contract.understanding import NOT_READ
from retriever.domain.evidence.budget import Budget, Ledger, initial_ledger
from retriever.domain.evidence.piece import ContextSource, EvidenceRole
from retriever.domain.packing.lines import ShownLines
from retriever.domain.packing.packer import Offer, Packed, Packer, TextLimits
from retriever.domain.packing.priority import in_order
from retriever.domain.questions.question import Mode, RankedFile, RankedSymbol
from retriever.domain.tasks.context import Context, Part, StageTime, Task, WalkLimits, decide, nothing_found
from retriever.domain.views.pages import by_units, prose_paths, with_prose
from retriever.usecases.evidence.drafting import outline_draft
from retriever.usecases.evidence.neighbours import with_neighbours
from retriever.usecases.evidence.rating import Sought
from retriever.usecases.locating.naming import lists_of_changes
from retriever.usecases.locating.scoping import checked_scope

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding
    from common.core.words.tokens import TokenCounter
    from retriever.domain.evidence.piece import Decision, Draft, Evidence
    from retriever.domain.values import SnapshotInfo
    from retriever.ports import DecisionLog, Meter, Snapshot, SnapshotStore
    from retriever.usecases.evidence.offering import Offering
    from retriever.usecases.stages.runner import StageRunner
    from retriever.usecases.stages.table import Strategies

_MAX_FILES = 100
_SHOWS_SOURCE = frozenset({Part.SOURCE, Part.CODE_INDEX})
_FLOW_TOKENS = 400
"""Most tokens of one call tree; a larger one shows only its first levels."""
_OUTLINE_TOKENS, _NAMED = 500, 30
"""Tokens of the budget that are reserved for an outline, and additional units offered for it."""
_LEAST_TO_ASK = 40
"""Least tokens of a definition shown to a caller that can ask for more: answers cited a sixteenth of 157 smaller."""
_UNITS = 40
_TOKENS_OF_UNIT = 40
"""Number of offered units: at least `_UNITS`, or one per this many tokens of the budget."""


@dataclass(frozen=True, slots=True)
class Question:
    """
    A question with what the classifier made of it.

    Args:
        scope: Part of the codebase as the question names it; it is checked against the existing paths.
        known: Identities of evidence that the session has supplied already.
        shown: Lines that the session has supplied already.
        ranking_only: Return only the ranking, without evidence.
        with_outline: Also name definitions that the budget has no room for.
        understanding: Intents and slots of the question; they add stages to those of its mode.
    """

    repository: str
    snapshot_id: str
    retrieval_id: str
    text: str
    mode: Mode
    anchors: Anchors
    scope: str
    budget: Budget
    off: frozenset[Part] = frozenset()
    known: frozenset[str] = frozenset()
    shown: tuple[Span, ...] = ()
    ranking_only: bool = False
    with_outline: bool = False
    understanding: Understanding = NOT_READ


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The result for a question; `found` counts the drafts before the budget was applied."""

    snapshot: SnapshotInfo
    scope: str
    evidence: tuple[Evidence, ...]
    ledger: Ledger
    ran: tuple[str, ...]
    skipped: tuple[str, ...]
    found: int
    times: tuple[StageTime, ...]
    files: tuple[RankedFile, ...]
    symbols: tuple[RankedSymbol, ...]


class Retrieve:
    """
    Runs the stages of a mode and packs what they drafted.

    Args:
        strategies: Stages of each mode and intent.
        walk: Limits of graph walks and message look-ups.
        text: Limits of one piece of source text.
        offering: Offers source to the packer by its worth for an answer.
    """

    def __init__(
        self,
        snapshots: SnapshotStore,
        strategies: Strategies,
        runner: StageRunner,
        counter: TokenCounter,
        log: DecisionLog,
        meter: Meter,
        walk: WalkLimits,
        text: TextLimits,
        offering: Offering,
    ) -> None:
        self._snapshots = snapshots
        self._strategies = strategies
        self._runner = runner
        self._counter = counter
        self._log = log
        self._meter = meter
        self._walk = walk
        self._text = text
        self._offering = offering

    async def run(self, question: Question) -> Retrieval:
        """Return the evidence in order of importance, within the budget."""
        mode = Mode.HYBRID if Part.MODE_ROUTING in question.off else question.mode
        ledger = initial_ledger(question.budget, mode)
        async with self._snapshots.open(question.repository, question.snapshot_id) as snapshot:
            # Only an analytical question is limited to the part of the project it names; the code that answers
            # another question may be outside of the part that it names.
            named = question.scope if mode == Mode.ANALYTICAL else ""
            scope = await asyncio.to_thread(checked_scope, snapshot, named)
            task = Task(question.text, mode, question.anchors, scope, question.off, self._walk, question.understanding)
            context, times = await self._runner.run(self._strategies.of(task), snapshot, task)
            off = sorted(part.value for part in _SHOWS_SOURCE & question.off)
            context = (
                context.without_step(f"source: {', '.join(off)} turned off") if off else context.with_step("source")
            )
            packed = Packed((), ())
            if not question.ranking_only:
                packed = await asyncio.to_thread(self._pack, question, snapshot, context, ledger)
            await self._record(question, context, packed)
            files = context.ranking.files
            if question.ranking_only:
                files = await asyncio.to_thread(self._all_files, question, snapshot, context)
            return _retrieval(snapshot, context, packed, ledger, times, files)

    def _pack(self, question: Question, snapshot: Snapshot, context: Context, ledger: Ledger) -> Packed:
        """
        Pack drafts that answer by themselves first, then pages and metrics within their shares, then source.

        The response lists source before pages and metrics: answers rely on source.
        """
        drafts = in_order(
            filter(_is_for_answers, context.drafts) if question.with_outline else context.drafts, question.known
        )
        least = _LEAST_TO_ASK if question.with_outline else 0
        packer = Packer(ledger, self._counter, self._text, ShownLines(question.shown), least=least)
        for each in self._offering.first_of(drafts.first, snapshot, question.text):
            if isinstance(each, Offer):
                packer.place_first(each)
            else:
                packer.place_text(each)
        for position, draft in enumerate(drafts.last):
            alike = sum(each.source == draft.source for each in drafts.last[position:])
            share = ledger.remaining(draft.source) // alike
            packer.place_text(draft, most=_FLOW_TOKENS if draft.role == EvidenceRole.FLOW else share)
        if _SHOWS_SOURCE.isdisjoint(question.off):
            ledger.open_up(ContextSource.CODE)
            most = max(_UNITS, ledger.remaining(ContextSource.CODE) // _TOKENS_OF_UNIT)
            most += _NAMED if question.with_outline else 0
            offers = self._offering.offers_of(snapshot, _sought(question, context), context.candidates, most=most)
            reserved = ledger.set_aside(_OUTLINE_TOKENS) if question.with_outline else 0
            packer.place_best([each for each in offers if each.draft.evidence_id not in question.known])
            ledger.release(reserved)
            outline = outline_draft(packer.packed.left_out) if reserved else None
            if outline:
                packer.place_text(outline, most=reserved)
        packed, shown = packer.packed, ShownLines(question.shown)
        for piece in packed.evidence:
            if piece.draft.span:
                shown.add(piece.draft.span.path, piece.lines)
        packed = replace(packed, evidence=with_neighbours(snapshot, packed.evidence, shown))
        return _arranged(packed, drafts.last, question.known)

    def _all_files(self, question: Question, snapshot: Snapshot, context: Context) -> tuple[RankedFile, ...]:
        """Rank code files, also by their best units, together with prose files: either may contain the answer."""
        paths = prose_paths(context.ranking.documents, question.text, lists_of_changes(snapshot))
        prose = [file for file in map(snapshot.files.at, paths) if file]
        units = self._offering.ordered_paths(snapshot, _sought(question, context)) if context.ranking.files else ()
        return with_prose(by_units(context.ranking.files, units), prose)[:_MAX_FILES]

    async def _record(self, question: Question, context: Context, packed: Packed) -> None:
        decisions = (*context.decisions, *_budget_decisions(packed)) or (nothing_found("search"),)
        await self._log.append(question.repository, question.retrieval_id, decisions)
        for source in dict.fromkeys(piece.source for piece in packed.evidence):
            tokens = sum(piece.tokens for piece in packed.evidence if piece.source == source)
            self._meter.tokens_supplied(source.name.lower(), tokens)


def _is_for_answers(draft: Draft) -> bool:
    """
    Return whether a model that can ask for more may need a draft: in 72 answers such models used no call tree and
    no page without a place.
    """
    return draft.role != EvidenceRole.FLOW and (draft.role != EvidenceRole.DOCUMENT or draft.span is not None)


def _sought(question: Question, context: Context) -> Sought:
    parts = [each.asked(question.text) for each in question.understanding.parts if each.is_likely]
    return Sought(question.text, tuple(dict.fromkeys(parts)) or (question.text,), context.with_tests, context.ranking)


def _arranged(packed: Packed, last: Sequence[Draft], known: Collection[str]) -> Packed:
    """Move pages and metrics behind the source, and leave out evidence whose identity the caller knows."""
    behind = {each.evidence_id for each in last}
    fresh = [each for each in packed.evidence if each.evidence_id not in known]
    return replace(packed, evidence=tuple(sorted(fresh, key=lambda each: each.evidence_id in behind)))


def _budget_decisions(packed: Packed) -> list[Decision]:
    shown = [_budgeted(each.draft, _size(each), included=True) for each in packed.evidence]
    return shown + [_budgeted(draft, reason, included=False) for draft, reason in packed.left_out]


def _budgeted(draft: Draft, reason: str, *, included: bool) -> Decision:
    name = draft.symbol.qualified_name if draft.symbol else ""
    place = draft.span or Span("", 0, 0)
    return decide("budget", draft.role.value, place, reason, name=name, score=draft.score, included=included)


def _size(piece: Evidence) -> str:
    return f"{piece.tokens} tokens" + (f", {piece.truncated_lines} lines cut" if piece.truncated_lines else "")


def _retrieval(
    snapshot: Snapshot,
    context: Context,
    packed: Packed,
    ledger: Ledger,
    times: tuple[StageTime, ...],
    files: tuple[RankedFile, ...],
) -> Retrieval:
    ranked = {each.symbol.definition: each for each in context.ranking.symbols}
    for each in context.candidates:
        ranked.setdefault(each.symbol.definition, RankedSymbol(each.symbol, 0.0, (each.step,)))
    return Retrieval(
        snapshot=snapshot.info,
        scope=context.scope,
        evidence=packed.evidence,
        ledger=ledger,
        ran=tuple(dict.fromkeys(context.ran)),
        skipped=tuple(dict.fromkeys(context.skipped)),
        found=len(context.drafts),
        times=times,
        files=files,
        symbols=tuple(ranked.values()),
    )
