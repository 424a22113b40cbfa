"""Offers source to the packer: drafts of the stages, and units of the files that the search ranks first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from common.core.contract.evidence import Basis, BasisKind, Span
from common.core.words.terms import count_terms
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.packing.packer import Offer
from retriever.domain.packing.passages import WHOLE, Parts, Passage, documentation_of, split
from retriever.domain.packing.units import Unit, units_of
from retriever.domain.packing.windows import LINES
from retriever.domain.tasks.context import Candidate
from retriever.domain.values import SymbolKind
from retriever.usecases.evidence.drafting import unit_draft
from retriever.usecases.evidence.rating import Rating
from retriever.usecases.evidence.scope_cache import ScopeCache
from retriever.usecases.evidence.statements import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from retriever.domain.packing.pairing import CrossEncoder
    from retriever.domain.packing.worth import WorthModel
    from retriever.ports import Snapshot
    from retriever.usecases.evidence.rating import Rated, Ratings, Sought

_KEPT_PARTS = 1024
_LEADING = 3
"""For each part of the question: how many units state as their basis that they match this part best."""
_TOLD = 12
"""How many of the units with the highest worth also get the sentence of their documentation that fits best."""
_LAST, _CLOSE = 500, 0.1
"""From the first candidate to the 500th, worth falls by five percent: candidates of one role keep their order."""
_DECIDES = "its lines share most with the question"
_AROUND = 3
"""Lines of a module that are shown before and after its lines in focus."""
_WORTH_OF_SITE = 0.95
"""Worth, at score 1, of an error site that a frame, message or exception type of the question proves."""
_WORTH_OF_ROLE: Mapping[EvidenceRole, float] = {
    EvidenceRole.ENTRY: 0.25,
    EvidenceRole.MATCH: 0.1,
    EvidenceRole.CALLER: 0.1,
    EvidenceRole.SAMPLE: 0.05,
}
"""Least worth of a stage's candidate: about the share of such candidates that good answers cite."""


class Offering:
    """
    Offers source of snapshots; caches what does not depend on the question, for the files used last.

    Args:
        model: Estimates the worth of source: the probability that a good answer cites it.
        encoder: Reads the best source beside the question; None where the trees alone decide.
    """

    def __init__(self, model: WorthModel, encoder: CrossEncoder | None = None) -> None:
        self._model = model
        self._rating = Rating(model, encoder)
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
        """Turn drafts of source into offers; return all other drafts as they are."""
        terms = count_terms(text).keys()
        return [self.offer_of(each, snapshot, terms) if each.has_lines else each for each in drafts]

    def ordered_paths(self, snapshot: Snapshot, sought: Sought) -> tuple[str, ...]:
        """Return the paths of the rated files, ordered by their best unit."""
        return tuple(dict.fromkeys(each.unit.span.path for each in self._rating.of(snapshot, sought).units))

    def offers_of(
        self, snapshot: Snapshot, sought: Sought, candidates: Sequence[Candidate], *, most: int
    ) -> list[Offer]:
        """
        Offer the best of the rated units and the stages' candidates; highest worth first, ties by path, then line.

        The units that match a part of the question best state this as their basis.

        Args:
            most: Most units to offer.
        """
        terms = count_terms(sought.text).keys()
        waiting = {each.symbol.id: (each, _worth_of(each, at)) for at, each in enumerate(candidates)}
        ratings = self._rating.of(snapshot, sought)
        rated = ratings.units
        deciding = _deciding(ratings)
        told = _told(snapshot, rated)
        found: list[_Ranked] = []
        for each in rated:
            owner = each.unit.owner
            own, least = (waiting.pop(owner.id, None) if owner and each.unit.is_function else None) or (None, 0.0)
            own = own if own and own.basis else deciding.get(each.unit, own)
            found.append(_Ranked(max(each.worth, least), each.unit, each.score, own))
        found += [
            _Ranked(least, lines, each.score, each) for each, least in waiting.values() if (lines := _unit_of(each))
        ]
        found = nsmallest(most, found, key=lambda each: (-each.worth, each.unit.span.path, each.unit.span.start_line))
        drafts = ((each, _draft(snapshot, each, told)) for each in found)
        return [
            _whole(draft, each.worth) if each.unit.lines <= WHOLE else self.offer_of(draft, snapshot, terms, each.worth)
            for each, draft in drafts
            if draft.text.strip()
        ]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A unit to offer, with the candidate of a stage for the same lines, if any."""

    worth: float
    unit: Unit
    score: float
    candidate: Candidate | None


def _deciding(ratings: Ratings) -> Mapping[Unit, Candidate]:
    """Make candidates of the units with the highest worth for each part of the question, their best lines in focus."""
    by_part: dict[str, list[tuple[Unit, Candidate]]] = {}
    for each in ratings.units:
        owner, focus = each.unit.owner, each.focus
        if owner and focus:
            found = by_part.setdefault(focus.part, [])
            first = each.unit.span.start_line + focus.at
            lines = tuple(range(first, min(first + LINES, each.unit.span.end_line + 1)))
            certainty = 0.0 if found else ratings.certainty[focus.part]
            basis = Basis(BasisKind.DECIDES, text=focus.part, line=first, certainty=certainty)
            candidate = Candidate(owner, EvidenceRole.MATCH, "lines", _DECIDES, each.worth, lines, basis)
            found.append((each.unit, candidate))
    return dict(each for found in by_part.values() for each in found[:_LEADING])


def _told(snapshot: Snapshot, rated: Sequence[Rated]) -> Mapping[int, str]:
    first = ((each.unit.owner, each.focus) for each in rated[:_TOLD])
    return statements(snapshot, [(owner, focus.weights) for owner, focus in first if owner and focus])


def _parts_of(snapshot: Snapshot, draft: Draft) -> Parts:
    text = draft.text.rstrip("\n").split("\n")
    symbol = draft.symbol
    is_outer = symbol is not None and symbol.kind in (SymbolKind.CLASS, SymbolKind.MODULE) and symbol.span == draft.span
    places = _members(snapshot, draft, text) if is_outer else split(text)
    return Parts.of(text, places, documentation_of(text, symbol.docstring if symbol else ""))


def _whole(draft: Draft, worth: float) -> Offer:
    """Offer a short draft as a single passage: it is shown whole or not at all."""
    assert draft.span
    return Offer(draft, worth, (Passage(draft.span.start_line, draft.span.end_line, 1.0, 0.0),), (worth,))


def _members(snapshot: Snapshot, draft: Draft, text: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Split a class or module at its functions; split long functions further."""
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
    """Return a candidate's lines; of a module those in focus with context, or None if there are none or too many."""
    symbol, focus = candidate.symbol, candidate.focus
    if symbol.kind != SymbolKind.MODULE:
        return Unit(symbol, symbol.span)
    if not focus or max(focus) - min(focus) > WHOLE:
        return None
    first, last = max(symbol.start_line, min(focus) - _AROUND), min(symbol.end_line, max(focus) + _AROUND)
    return Unit(None, Span(symbol.path, first, last))


def _worth_of(candidate: Candidate, position: int) -> float:
    """Return the least worth of a candidate; at the same role, earlier candidates are worth slightly more."""
    worth = _WORTH_OF_ROLE.get(candidate.role, 0.0)
    if candidate.role == EvidenceRole.ERROR_SITE:
        worth = _WORTH_OF_SITE * candidate.score if candidate.basis else 0.0
    return worth * (1 - min(position, _LAST) / (2 * _LAST) * _CLOSE)


def _draft(snapshot: Snapshot, ranked: _Ranked, told: Mapping[int, str]) -> Draft:
    unit, candidate = ranked.unit, ranked.candidate
    draft = unit_draft(snapshot, unit, score=ranked.score)
    if unit.owner and unit.owner.id in told:
        draft = replace(draft, documentation=told[unit.owner.id])
    if candidate is None:
        return draft
    focus = tuple(line - unit.span.start_line for line in candidate.focus if line in _lines(unit))
    return replace(
        draft,
        role=candidate.role,
        reason=candidate.reason,
        basis=candidate.basis,
        focus=focus,
        score=candidate.score if candidate.basis else max(ranked.score, candidate.score),
    )


def _lines(unit: Unit) -> range:
    return range(unit.span.start_line, unit.span.end_line + 1)
