"""Offers source to the packer: what stages drafted, and the units of the files that the search ranks first."""

from __future__ import annotations

from dataclasses import replace
from heapq import nsmallest
from typing import TYPE_CHECKING

import numpy as np

from common.core.contract.evidence import Span
from common.core.words.terms import count_terms
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.packing.packer import Offer
from retriever.domain.packing.passages import WHOLE, Parts, Passage, documentation_of, split
from retriever.domain.packing.standing import INPUTS, NEAR, FileUnits, Standings
from retriever.domain.packing.units import Unit, units_of
from retriever.domain.values import EdgeKind, SymbolKind
from retriever.usecases.evidence.drafting import unit_draft
from retriever.usecases.evidence.scope_cache import ScopeCache

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from retriever.domain.packing.worth import WorthModel
    from retriever.domain.questions.question import Ranking
    from retriever.domain.ranking.corpus import Floats
    from retriever.domain.tasks.context import Candidate, Context
    from retriever.ports import Snapshot

_FILES = 12
"""Ranked files whose units are offered, in addition to those of the first ranked symbols."""
_SYMBOLS = 25
_KEPT_FILES, _KEPT_PARTS = 256, 1024
_LAST, _CLOSE = 500, 0.1
"""Candidates of one role are worth within five percent of each other, in the order in which stages found them."""
_AROUND = 3
"""Lines of a module that are shown before and after those in focus."""
_EDGES = (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES)
_WORTH_OF_SITE = 0.9
"""What a place is worth where a stack frame, a message or an exception type of the question surely leads."""
_WORTH_OF_ROLE: Mapping[EvidenceRole, float] = {
    EvidenceRole.ENTRY: 0.25,
    EvidenceRole.MATCH: 0.1,
    EvidenceRole.MUTATOR: 0.1,
    EvidenceRole.CALLER: 0.1,
    EvidenceRole.SAMPLE: 0.05,
    EvidenceRole.BRANCH: 0.03,
    EvidenceRole.TERMINAL: 0.02,
    EvidenceRole.STEP: 0.02,
}
"""Least worth of a stage's candidate: about the share of such candidates that good answers cite."""


class Offering:
    """
    Offers source of snapshots; what is the same for every question is kept for the files used last.

    Args:
        model: Says what source is worth for an answer.
    """

    def __init__(self, model: WorthModel) -> None:
        self._model = model
        self._files: ScopeCache[FileUnits] = ScopeCache(_KEPT_FILES)
        self._parts: ScopeCache[Parts] = ScopeCache(_KEPT_PARTS)

    def offer_of(self, draft: Draft, snapshot: Snapshot, terms: Set[str], worth: float = 1.0) -> Offer:
        """Offer a draft of source, with the passages by which it can be shown in part where it does not fit whole."""
        span, symbol = draft.span, draft.symbol
        if span is None:
            raise ValueError(f"source without a place: {draft.title}")
        scope = f"{span.path}:{span.start_line}-{span.end_line} {symbol.id if symbol else ''}"
        passages = self._parts.get(snapshot, scope, lambda *_: _parts_of(snapshot, draft)).passages(
            span.start_line, terms
        )
        focus = {span.start_line + position for position in draft.focus}
        worths = tuple(
            own if focus.isdisjoint(passage.lines) else worth
            for passage, own in zip(passages, self._model.of_passages(passages, worth), strict=True)
        )
        return Offer(draft, worth, passages, worths)

    def first_of(self, drafts: Iterable[Draft], snapshot: Snapshot, text: str) -> list[Draft | Offer]:
        """Offer those of the drafts that are source; the others are returned as they are."""
        terms = count_terms(text).keys()
        return [self.offer_of(each, snapshot, terms) if each.has_lines else each for each in drafts]

    def rows_of(self, snapshot: Snapshot, text: str, ranking: Ranking) -> tuple[list[Unit], Floats]:
        """Return the units of the files that the search ranks first, and a row of inputs for each."""
        near = [each.symbol.id for each in ranking.symbols[:NEAR]]
        pairs = snapshot.graph.pairs(near, _EDGES).tolist() if near else ()
        standings = Standings.of(text, ranking, ((int(source), int(target)) for source, target, _ in pairs))
        files = [each.file.path for each in ranking.files[:_FILES]]
        units: list[Unit] = []
        tables = [np.zeros((0, len(INPUTS)))]
        for path in dict.fromkeys((*files, *(each.symbol.path for each in ranking.symbols[:_SYMBOLS]))):
            file = self._files.get(snapshot, path, _file_units)
            rows, shown = standings.rows(file)
            units += [unit for unit, is_shown in zip(file.units, shown.tolist(), strict=True) if is_shown]
            tables.append(rows[shown])
        return units, np.concatenate(tables)

    def offers_of(self, snapshot: Snapshot, text: str, context: Context, *, most: int) -> list[Offer]:
        """
        Offer the units that are worth most, and the candidates of stages; best first, ties by path, then line.

        Args:
            most: Units that are offered.
        """
        terms = count_terms(text).keys()
        ranked = context.with_tests
        units, rows = self.rows_of(snapshot, text, ranked)
        best = ranked.symbols[0].score if ranked.symbols else 0.0
        scores = (rows[:, INPUTS.index("score")] * best).tolist()
        worths = self._model.of_units(rows).tolist()
        candidates = {each.symbol.id: (each, _worth_of(each, at)) for at, each in enumerate(context.candidates)}
        rated: list[tuple[float, Unit, float, Candidate | None]] = []
        for unit, worth, score in zip(units, worths, scores, strict=True):
            found = candidates.pop(unit.owner.id, None) if unit.owner and unit.is_function else None
            rated.append((max(worth, found[1]), unit, score, found[0]) if found else (worth, unit, score, None))
        rated += [(least, lines, each.score, each) for each, least in candidates.values() if (lines := _unit_of(each))]
        rated = nsmallest(most, rated, key=lambda each: (-each[0], each[1].span.path, each[1].span.start_line))
        return [
            _whole(draft, worth) if unit.lines <= WHOLE else self.offer_of(draft, snapshot, terms, worth)
            for worth, unit, score, candidate in rated
            if (draft := _draft(snapshot, unit, score, candidate)).text.strip()
        ]


def _file_units(snapshot: Snapshot, path: str) -> FileUnits:
    file = snapshot.files.at(path)
    if file is None or not file.parsed:
        return FileUnits.of(path, (), (), is_test=False)
    text = snapshot.files.text(path).split("\n")
    return FileUnits.of(path, snapshot.symbols.in_file(path), text, is_test=file.is_test)


def _parts_of(snapshot: Snapshot, draft: Draft) -> Parts:
    text = draft.text.rstrip("\n").split("\n")
    symbol = draft.symbol
    is_outer = symbol is not None and symbol.kind in (SymbolKind.CLASS, SymbolKind.MODULE) and symbol.span == draft.span
    places = _members(snapshot, draft, text) if is_outer else split(text)
    return Parts.of(text, places, documentation_of(text, symbol.docstring if symbol else ""))


def _whole(draft: Draft, worth: float) -> Offer:
    """Offer a draft that is so short that it is shown whole or not at all."""
    assert draft.span
    return Offer(draft, worth, (Passage(draft.span.start_line, draft.span.end_line, 1.0, 0.0),), (worth,))


def _members(snapshot: Snapshot, draft: Draft, text: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Part a class or module at its functions; a long function is parted too."""
    assert draft.span
    first, last = draft.span.start_line, draft.span.end_line
    parts: list[tuple[int, int]] = []
    lines = snapshot.files.text(draft.span.path).split("\n")[:last]
    for unit in units_of(draft.span.path, snapshot.symbols.in_file(draft.span.path), lines):
        start, end = max(unit.span.start_line, first) - first, unit.span.end_line - first + 1
        if start >= end:
            continue
        inner = split(text[start:end]) if end - start > WHOLE else ((0, end - start),)
        parts += [(start + from_, start + to) for from_, to in inner]
    return tuple(parts) or ((0, len(text)),)


def _unit_of(candidate: Candidate) -> Unit | None:
    """Return the lines of a candidate; of a module only those in focus, with their context."""
    symbol, focus = candidate.symbol, candidate.focus
    if symbol.kind != SymbolKind.MODULE:
        return Unit(symbol, symbol.span)
    if not focus or max(focus) - min(focus) > WHOLE:
        return None
    first, last = max(symbol.start_line, min(focus) - _AROUND), min(symbol.end_line, max(focus) + _AROUND)
    return Unit(None, Span(symbol.path, first, last))


def _worth_of(candidate: Candidate, position: int) -> float:
    """Return what a candidate is worth at least; of equals the one that a stage found first is worth more."""
    worth = _WORTH_OF_ROLE.get(candidate.role, 0.0)
    if candidate.role == EvidenceRole.ERROR_SITE:
        worth = _WORTH_OF_SITE * candidate.score if candidate.basis else 0.0
    return worth * (1 - min(position, _LAST) / (2 * _LAST) * _CLOSE)


def _draft(snapshot: Snapshot, unit: Unit, score: float, candidate: Candidate | None) -> Draft:
    draft = unit_draft(snapshot, unit, score=score)
    if candidate is None:
        return draft
    focus = tuple(line - unit.span.start_line for line in candidate.focus if line in _lines(unit))
    return replace(
        draft,
        role=candidate.role,
        reason=candidate.reason,
        basis=candidate.basis,
        focus=focus,
        score=candidate.score if candidate.basis else max(score, candidate.score),
    )


def _lines(unit: Unit) -> range:
    return range(unit.span.start_line, unit.span.end_line + 1)
