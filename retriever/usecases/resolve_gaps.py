"""Resolves gaps: fetches their evidence within the cap of the pass, or returns why it cannot be found."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from common.core.contract.evidence import Gap, GapAspect, GapOutcome, Span
from common.core.words.terms import count_terms
from retriever.domain.evidence.budget import Budget, Ledger, gap_ledger
from retriever.domain.evidence.piece import ContextSource, Decision
from retriever.domain.packing.lines import ShownLines
from retriever.domain.packing.packer import Packer, TextLimits
from retriever.domain.tasks.context import Part
from retriever.domain.tasks.gaps import Match, read_gap
from retriever.usecases.evidence.neighbours import with_neighbours
from retriever.usecases.gaps.filling import Filling, GapResult
from retriever.usecases.gaps.protocol import GapTask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from common.core.words.tokens import TokenCounter
    from retriever.domain.questions.question import Mode
    from retriever.ports import DecisionLog, Meter, Snapshot, SnapshotStore
    from retriever.usecases.evidence.offering import Offering
    from retriever.usecases.gaps.protocol import GapStep


@dataclass(frozen=True, slots=True)
class GapsRequest:
    """
    What is missing, and what may be spent on it.

    Args:
        pass_number: Number of the answering pass that asks, from 1.
        used_tokens: Tokens used by gaps of earlier passes.
        known: Identities of evidence that was supplied already.
        shown: Lines that were supplied already.
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
class GapsResponse:
    """One result for each gap in the order of the request, and the use of the budget."""

    snapshot_id: str
    results: tuple[GapResult, ...]
    ledger: Ledger


class ResolveGaps:
    """
    Runs the row of steps for each gap.

    Args:
        steps: In order; the first that decides ends the search, and the last one always decides.
        limits: Bounds of a piece of source text.
        offering: Chooses the passages of long source that fit a gap.
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
        async with self._snapshots.open(request.repository, request.snapshot_id) as snapshot:
            matches = [await self._search(snapshot, gap, task) for gap in request.gaps]
            results = await asyncio.to_thread(self._supplied, snapshot, request, matches, ledger)
            for each in matches:
                self._meter.gap_ended(each.outcome.name.lower())
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

    def _supplied(
        self, snapshot: Snapshot, request: GapsRequest, matches: Sequence[Match], ledger: Ledger
    ) -> list[GapResult]:
        """Supply the evidence of the matches: first what each gap asks for, then the code around that."""
        shown, known = ShownLines(request.shown), set(request.known)
        fillings: list[Filling] = []
        for gap, match in zip(request.gaps, matches, strict=True):
            cap = min(request.budget.gap, ledger.remaining(ContextSource.GAPS))
            own = Ledger(cap, {ContextSource.GAPS: cap})
            filling = Filling(gap, match, Packer(own, self._counter, self._limits, shown), own, ledger, shown, known)
            tested = gap.symbol if gap.aspect is GapAspect.TESTS else ""
            terms = count_terms(f"{tested} {gap.description} {gap.text} {request.question}").keys()
            filling.place(snapshot, request.off, partial(self._offering.offer_of, snapshot=snapshot, terms=terms))
            fillings.append(filling)
        placed = (each.evidence_id for filling in fillings for each in filling.packer.packed.evidence)
        identities = {*request.known, *placed}
        for filling in fillings:
            filling.widen(snapshot, identities)
        return [
            replace(each, evidence=with_neighbours(snapshot, each.evidence, shown))
            for each in (filling.result() for filling in fillings)
        ]


def _decisions(results: Sequence[GapResult]) -> Iterable[Decision]:
    for result in results:
        match = result.match
        resolved = match.outcome == GapOutcome.RESOLVED
        step = f"{match.step}: {match.outcome.name.lower()}"
        places = [(symbol.span, symbol.qualified_name) for symbol in match.symbols]
        if not places:
            spans = (Span(each.path, each.lines[0], each.lines[-1]) for each in match.places)
            places = [(match.span or next(spans, Span(result.gap.path, 0, 0)), result.gap.symbol)]
        for span, name in places:
            yield Decision("gaps", step, span, name, resolved, match.detail)
