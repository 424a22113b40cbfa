"""Resolves gaps: fetches their evidence within the cap of the pass, or returns why it cannot be found."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from common.core.contract.evidence import Gap, GapAspect, GapOutcome, GapSupply, Span
from common.core.words.terms import count_terms
from retriever.domain.evidence.budget import Budget, Ledger, gap_ledger
from retriever.domain.evidence.piece import ContextSource, Decision, Draft, Evidence, EvidenceRole
from retriever.domain.packing.lines import ShownLines
from retriever.domain.packing.packer import OVER_BUDGET, Packed, Packer, TextLimits
from retriever.domain.packing.passages import documentation_of
from retriever.domain.tasks.context import Part
from retriever.domain.tasks.gaps import Match, read_gap
from retriever.usecases.evidence.drafting import lines_draft, source_draft
from retriever.usecases.evidence.neighbours import with_neighbours
from retriever.usecases.gaps.protocol import GapTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from common.core.words.tokens import TokenCounter
    from retriever.domain.questions.question import Mode
    from retriever.ports import DecisionLog, Meter, Snapshot, SnapshotStore
    from retriever.usecases.evidence.offering import Offering
    from retriever.usecases.gaps.protocol import GapStep

_AROUND_TEXT = 400
"""Tokens of one definition around a text; who wants all of a long one asks for it by name."""
_TOLD = {
    GapSupply.PART: "shown in part, ask for lines of it to see more",
    GapSupply.BEFORE: "every line of it is shown already",
    GapSupply.NO_ROOM: "the budget has no room for it",
}


@dataclass(frozen=True, slots=True)
class GapsRequest:
    """
    What is missing, and what may be spent on it.

    Args:
        pass_number: Number of the pass that asked, from 1.
        used_tokens: What gaps of earlier passes used.
        known: Identities of evidence that is supplied already.
        shown: Lines that are supplied already.
    """

    repository: str
    snapshot_id: str
    retrieval_id: str
    gaps: tuple[Gap, ...]
    question: str
    mode: Mode
    budget: Budget
    pass_number: int = 1
    used_tokens: int = 0
    known: frozenset[str] = frozenset()
    shown: tuple[Span, ...] = ()
    off: frozenset[Part] = frozenset()


@dataclass(frozen=True, slots=True)
class GapResult:
    """
    One gap, how its search ended, and the evidence supplied for it.

    Args:
        supplied_before: Identities of what would have been supplied for it, were it not known already.
    """

    gap: Gap
    match: Match
    evidence: tuple[Evidence, ...]
    supplied_before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GapsResponse:
    """One result for each gap in the order asked, and the budget's use."""

    snapshot_id: str
    results: tuple[GapResult, ...]
    ledger: Ledger


class ResolveGaps:
    """
    Runs the row of steps for each gap.

    Args:
        steps: In order; the first that decides ends the search, and the last one always decides.
        limits: Bounds of a piece of source text.
        offering: Says which passages of what is too long a gap is about.
    """

    def __init__(
        self,
        snapshots: SnapshotStore,
        steps: Sequence[GapStep],
        counter: TokenCounter,
        log: DecisionLog,
        meter: Meter,
        limits: TextLimits,
        offering: Offering,
    ) -> None:
        self._snapshots = snapshots
        self._steps = steps
        self._counter = counter
        self._log = log
        self._meter = meter
        self._limits = limits
        self._offering = offering

    async def run(self, request: GapsRequest) -> GapsResponse:
        """Resolve gaps: search each and supply its evidence; gaps beyond the budget get an outcome alone."""
        task = GapTask(request.question, request.mode, request.off)
        ledger = gap_ledger(request.budget, pass_number=request.pass_number, used_tokens=request.used_tokens)
        shown, known = ShownLines(request.shown), set(request.known)
        results: list[GapResult] = []
        async with self._snapshots.open(request.repository, request.snapshot_id) as snapshot:
            for gap in request.gaps:
                match = await self._search(snapshot, gap, task)
                result = await asyncio.to_thread(self._filled, snapshot, gap, match, request, ledger, shown, known)
                results.append(result)
                self._meter.gap_ended(match.outcome.name.lower())
            results = await asyncio.to_thread(_with_neighbours, snapshot, results, shown)
            self._meter.tokens_supplied("gaps", ledger.used)
            await self._log.append(request.repository, request.retrieval_id, list(_decisions(results)))
            return GapsResponse(snapshot.info.snapshot_id, tuple(results), ledger)

    async def _search(self, snapshot: Snapshot, gap: Gap, task: GapTask) -> Match:
        if {Part.GAP_RESOLUTION, Part.CODE_INDEX} & task.off:
            return Match(GapOutcome.OUT_OF_COVERAGE, "symbol", "the search for gaps is turned off for this question")
        wanted = read_gap(gap)
        for step in self._steps:
            match = await step.find(snapshot, wanted, task)
            if match:
                return match
        raise AssertionError("the last step decides")

    def _filled(
        self,
        snapshot: Snapshot,
        gap: Gap,
        match: Match,
        request: GapsRequest,
        ledger: Ledger,
        shown: ShownLines,
        known: set[str],
    ) -> GapResult:
        """Supply what a match leads to, as far as gap and pass have tokens; it counts as supplied from then on."""
        cap = min(request.budget.gap, ledger.remaining(ContextSource.GAPS))
        own = Ledger(cap, {ContextSource.GAPS: cap})
        packer = Packer(own, self._counter, self._limits, shown)
        before: list[str] = []
        tested = gap.symbol if gap.aspect is GapAspect.TESTS else ""
        terms = count_terms(f"{tested} {gap.description} {gap.text} {request.question}").keys()
        for draft in _drafts(snapshot, match, request.off):
            if draft.evidence_id in known:
                before.append(draft.evidence_id)
            elif draft.has_lines:
                most = min(cap, match.most or (_AROUND_TEXT if match.focus else cap))
                packer.place_first(self._offering.offer_of(draft, snapshot, terms), most=most)
            else:
                packer.place_text(draft, most=cap)
        packed = packer.packed
        ledger.spend(ContextSource.GAPS, own.used)
        known.update(piece.evidence_id for piece in packed.evidence if not piece.lines)
        for piece in packed.evidence:
            if piece.draft.span:
                shown.add(piece.draft.span.path, piece.lines)
        return GapResult(gap, _supplied(match, packed, before, shown), packed.evidence, tuple(before))


def _with_neighbours(snapshot: Snapshot, results: Sequence[GapResult], shown: ShownLines) -> list[GapResult]:
    return [replace(each, evidence=with_neighbours(snapshot, each.evidence, shown)) for each in results]


def _supplied(match: Match, packed: Packed, before: Sequence[str], shown: ShownLines) -> Match:
    """Return the match with how much of it is shown; its detail says so too, if that is not all."""
    if match.outcome != GapOutcome.RESOLVED or not (packed.evidence or packed.left_out or before):
        return match
    if packed.evidence:
        supply = GapSupply.WHOLE if all(_is_whole(each, shown) for each in packed.evidence) else GapSupply.PART
    else:
        is_full = any(reason == OVER_BUDGET for _, reason in packed.left_out)
        supply = GapSupply.NO_ROOM if is_full else GapSupply.BEFORE
    told = _TOLD.get(supply)
    return replace(match, supply=supply, detail=f"{match.detail}; {told}" if told else match.detail)


def _is_whole(piece: Evidence, shown: ShownLines) -> bool:
    """Return whether every line of a draft is shown by now, those of its documentation string apart."""
    draft = piece.draft
    if not (piece.truncated_lines and piece.lines and draft.span):
        return not piece.truncated_lines
    text, first = draft.text.rstrip("\n").split("\n"), draft.span.start_line
    spoken = documentation_of(text, draft.symbol.docstring if draft.symbol else "")
    body = (first + at for at in range(len(text)) if at not in spoken)
    return not shown.missing(draft.span.path, body)


def _drafts(snapshot: Snapshot, match: Match, off: frozenset[Part]) -> list[Draft]:
    if match.outcome != GapOutcome.RESOLVED:
        return []
    drafts: list[Draft] = []
    if Part.SOURCE not in off:
        drafts = [
            source_draft(snapshot, each, EvidenceRole.MATCH, match.detail, focus=match.focus, source=ContextSource.GAPS)
            for each in match.symbols
        ]
        if match.span:
            drafts.append(
                lines_draft(snapshot, match.span, EvidenceRole.MATCH, match.detail, source=ContextSource.GAPS)
            )
    if Part.CALL_GRAPH not in off:
        drafts += match.lists
    return [draft for draft in drafts if draft.text.strip()]


def _decisions(results: Sequence[GapResult]) -> Iterable[Decision]:
    for result in results:
        match = result.match
        resolved = match.outcome == GapOutcome.RESOLVED
        step = f"{match.step}: {match.outcome.name.lower()}"
        places = [(symbol.span, symbol.qualified_name) for symbol in match.symbols]
        if not places:
            places = [(match.span or Span(result.gap.path, 0, 0), result.gap.symbol)]
        for span, name in places:
            yield Decision("gaps", step, span, name, resolved, match.detail)
