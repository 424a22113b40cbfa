"""Fetches exactly what is missing, within the cap of the pass, or says why it cannot be found."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retriever.domain.budget import Budget, Ledger, gap_ledger
from retriever.domain.context import Part
from retriever.domain.evidence import ContextSource, Decision, Draft, Evidence, EvidenceKind, EvidenceRole
from retriever.domain.gaps import Gap, GapOutcome, Match, read_gap
from retriever.domain.packing import OVER_BUDGET, SUPPLIED, Packed, TextLimits, pack
from retriever.domain.values import EdgeKind, FactKind, Span, Symbol, SymbolKind
from retriever.usecases.drafting import lines_draft, source_draft, title_of
from retriever.usecases.gaps.protocol import GapTask
from retriever.usecases.naming import symbols_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from common.core.tokens import TokenCounter
    from retriever.domain.question import Mode
    from retriever.ports import DecisionLog, Meter, Snapshot, SnapshotStore
    from retriever.usecases.gaps.protocol import GapStep

_NEIGHBOURS = 8


@dataclass(frozen=True, slots=True)
class GapsRequest:
    """
    What is missing, and what may be spent on it.

    Args:
        pass_number: Number of the pass that asked, from 1.
        used_tokens: What gaps of earlier passes used.
        known: Identities of evidence that is supplied already.
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
    """

    def __init__(
        self,
        snapshots: SnapshotStore,
        steps: Sequence[GapStep],
        counter: TokenCounter,
        log: DecisionLog,
        meter: Meter,
        limits: TextLimits,
    ) -> None:
        self._snapshots = snapshots
        self._steps = steps
        self._counter = counter
        self._log = log
        self._meter = meter
        self._limits = limits

    async def run(self, request: GapsRequest) -> GapsResponse:
        """Resolve every gap; gaps beyond the budget still get their outcome, without evidence."""
        task = GapTask(request.question, request.mode, request.off)
        ledger = gap_ledger(request.budget, pass_number=request.pass_number, used_tokens=request.used_tokens)
        known = set(request.known)
        results: list[GapResult] = []
        async with self._snapshots.open(request.repository, request.snapshot_id) as snapshot:
            for gap in request.gaps:
                match = await self._search(snapshot, gap, task)
                drafts = await asyncio.to_thread(_drafts, snapshot, match, request.off)
                packed = await asyncio.to_thread(self._fill, drafts, ledger, request.budget.gap, known)
                known.update(piece.evidence_id for piece in packed.evidence)
                before = tuple(draft.evidence_id for draft, reason in packed.left_out if reason == SUPPLIED)
                results.append(GapResult(gap, _told(match, packed), packed.evidence, before))
                self._meter.gap_ended(match.outcome.name.lower())
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

    def _fill(self, drafts: Sequence[Draft], ledger: Ledger, cap: int, known: set[str]) -> Packed:
        own_cap = min(cap, ledger.remaining(ContextSource.GAPS))
        own = Ledger(own_cap, {ContextSource.GAPS: own_cap})
        packed = pack(drafts, own, self._counter, self._limits, known=known)
        ledger.spend(ContextSource.GAPS, own.used)
        return packed


def _told(match: Match, packed: Packed) -> Match:
    """Say in the detail why nothing is supplied for a match, if so."""
    if match.outcome != GapOutcome.RESOLVED or packed.evidence or not packed.left_out:
        return match
    before = all(reason != OVER_BUDGET for _, reason in packed.left_out)
    return replace(match, detail=f"{match.detail}; " + (SUPPLIED if before else "the budget has no room for it"))


def _drafts(snapshot: Snapshot, match: Match, off: frozenset[Part]) -> list[Draft]:
    if match.outcome != GapOutcome.RESOLVED:
        return []
    drafts: list[Draft] = []
    if Part.SOURCE not in off:
        drafts = [_source(snapshot, symbol, match.detail) for symbol in match.symbols]
        if match.span:
            drafts.append(
                lines_draft(snapshot, match.span, EvidenceRole.MATCH, match.detail, source=ContextSource.GAPS)
            )
    if Part.CALL_GRAPH not in off:
        drafts += [_neighbourhood(snapshot, symbol) for symbol in match.symbols[:1]]
    return [draft for draft in drafts if draft.text.strip()]


def _source(snapshot: Snapshot, symbol: Symbol, reason: str) -> Draft:
    return source_draft(snapshot, symbol, EvidenceRole.MATCH, reason, source=ContextSource.GAPS)


def _neighbourhood(snapshot: Snapshot, symbol: Symbol) -> Draft:
    """Draft what is one edge away, by declaration: enough to ask for it, or to cite it."""
    out = snapshot.graph.outgoing((symbol.id,), (EdgeKind.CALL, EdgeKind.INHERITS))
    back = snapshot.graph.incoming((symbol.id,), (EdgeKind.CALL, EdgeKind.INHERITS))
    groups: dict[str, list[int | None]] = {
        "calls": [edge.target_id for edge in out if edge.kind == EdgeKind.CALL],
        "inherits from": [edge.target_id for edge in out if edge.kind == EdgeKind.INHERITS],
        "is called by": [edge.source_id for edge in back if edge.kind == EdgeKind.CALL],
        "is inherited by": [edge.source_id for edge in back if edge.kind == EdgeKind.INHERITS],
    }
    lines: list[str] = []
    mentions: list[Symbol] = []
    for verb, ids in groups.items():
        near = [each for each in symbols_by_id(snapshot, ids).values() if not each.is_test][:_NEIGHBOURS]
        if near:
            lines += [f"{verb}:", *(f"- {_declared(each)}" for each in near)]
            mentions += near
    values = dict.fromkeys(fact.value for fact in snapshot.facts.of((symbol.id,), (FactKind.RAISES, FactKind.MUTATES)))
    if values:
        lines.append(f"raises or changes: {', '.join(list(values)[:_NEIGHBOURS])}")
    title = f"Around {title_of(symbol)}"
    return Draft(
        kind=EvidenceKind.FLOW,
        source=ContextSource.GAPS,
        role=EvidenceRole.NEIGHBOURHOOD,
        title=title,
        text="\n".join([title, *lines]) + "\n" if lines else "",
        reason=f"one edge from {symbol.qualified_name or symbol.module}",
        mentions=tuple(dict.fromkeys(mentions)),
    )


def _declared(symbol: Symbol) -> str:
    shown = symbol.dotted if symbol.kind == SymbolKind.MODULE else f"{symbol.qualified_name}: {symbol.signature}"
    return f"{shown} ({symbol.path}:{symbol.start_line})"


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
