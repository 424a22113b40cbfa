"""Offers source to the packer: what stages drafted, and the units of the files that the search ranks first."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from retriever.domain.evidence.piece import Draft, EvidenceRole
from retriever.domain.packing.packer import Offer
from retriever.domain.packing.passages import WHOLE, Passage, documentation_of, passages_of, split
from retriever.domain.packing.units import Unit, units_of
from retriever.domain.packing.worth import UNRANKED, Standing, WorthModel
from retriever.domain.values import EdgeKind, Span, SymbolKind
from retriever.usecases.evidence.drafting import unit_draft

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from retriever.domain.questions.question import Ranking
    from retriever.domain.tasks.context import Candidate, Context
    from retriever.ports import Snapshot

_FILES = 12
"""Ranked files whose units are offered, in addition to those of the first ranked symbols."""
_SYMBOLS = 25
_OF_CLASSES, _OF_FILES = 30, 10
"""Ranked symbols that count for their classes, and for their files."""
_NEAR = 12
"""Ranked symbols whose callers and callees are worth more."""
_LAST, _CLOSE = 500, 0.1
"""Candidates of one role are worth within five percent of each other, in the order in which stages found them."""
_AROUND = 3
"""Lines of a module that are shown before and after those in focus."""
_EDGES = (EdgeKind.CALL, EdgeKind.INHERITS, EdgeKind.REFERENCES)
_ON_TESTS = "test"
"""Term of a question about tests."""
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


def offer_of(draft: Draft, snapshot: Snapshot, terms: Set[str], model: WorthModel, worth: float = 1.0) -> Offer:
    """Offer a draft of source, with the passages by which it can be shown in part where it does not fit whole."""
    text = draft.text.rstrip("\n").split("\n")
    symbol = draft.symbol
    first = draft.span.start_line if draft.span else 1
    if symbol is not None and symbol.kind in (SymbolKind.CLASS, SymbolKind.MODULE) and symbol.span == draft.span:
        parts = _members(snapshot, draft, text)
    else:
        parts = split(text)
    spoken = documentation_of(text, symbol.docstring if symbol else "")
    passages = passages_of(text, first, parts, terms, spoken)
    focus = {first + position for position in draft.focus}
    worths = tuple(
        own if focus.isdisjoint(passage.lines) else worth
        for passage, own in zip(passages, model.of_passages(passages, worth), strict=True)
    )
    return Offer(draft, worth, passages, worths)


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


@lru_cache(maxsize=1 << 14)
def _terms_of(name: str) -> frozenset[str]:
    return frozenset(count_terms(name))


@dataclass(frozen=True, slots=True)
class _Question:
    """What the units of all files are compared with."""

    ranks: Mapping[int, int]
    scores: Mapping[int, float]
    hidden: Set[int]
    class_ranks: Mapping[tuple[str, str], int]
    file_ranks: Mapping[str, int]
    members: Mapping[tuple[str, str], float]
    in_file: Mapping[str, int]
    calls: Mapping[int, float]
    called: Mapping[int, float]
    terms: Set[str]

    @classmethod
    def of(cls, text: str, ranking: Ranking, snapshot: Snapshot) -> _Question:
        calls, called = _near_edges(ranking, snapshot)
        members: dict[tuple[str, str], float] = defaultdict(float)
        for rank, each in enumerate(ranking.symbols[:_OF_CLASSES]):
            members[each.symbol.path, each.symbol.qualified_name.rpartition(".")[0]] += 1.0 / (1 + rank)
        best = ranking.symbols[0].score if ranking.symbols else 0.0
        return cls(
            ranks={each.symbol.id: rank for rank, each in enumerate(ranking.symbols)},
            scores={each.symbol.id: each.score / best if best else 0.0 for each in ranking.symbols},
            hidden=frozenset(other for each in ranking.symbols for other in each.others),
            class_ranks={each.symbol.definition: rank for rank, each in enumerate(ranking.symbols)},
            file_ranks={each.file.path: rank for rank, each in enumerate(ranking.files)},
            members=members,
            in_file=Counter(each.symbol.path for each in ranking.symbols[:_OF_FILES]),
            calls=calls,
            called=called,
            terms=count_terms(text).keys(),
        )

    def standing(self, unit: Unit, *, is_test: bool) -> Standing:
        owner, path = unit.owner, unit.span.path
        key, name = (owner.id, owner.qualified_name) if owner else (-1, "")
        around = (path, name.rpartition(".")[0] if unit.is_function else name)
        return Standing(
            rank=self.ranks.get(key, UNRANKED),
            score=self.scores.get(key, 0.0),
            class_rank=self.class_ranks.get(around, UNRANKED) if unit.is_function and around[1] else UNRANKED,
            file_rank=self.file_ranks.get(path, UNRANKED),
            lines=unit.lines,
            is_function=unit.is_function,
            is_class=owner is not None and not unit.is_function,
            is_test=is_test,
            on_tests=_ON_TESTS in self.terms,
            named=len(self.terms & _terms_of(name)) / max(1, len(self.terms)),
            members=self.members.get(around, 0.0) if around[1] else 0.0,
            ranked_in_file=self.in_file.get(path, 0),
            calls=self.calls.get(key, 0.0),
            called=self.called.get(key, 0.0),
        )


def _near_edges(ranking: Ranking, snapshot: Snapshot) -> tuple[Mapping[int, float], Mapping[int, float]]:
    """Sum up 1 / (1 + rank) of the first ranked symbols, for what calls or refers to them, and for what they do."""
    near = {each.symbol.id: 1.0 / (1 + rank) for rank, each in enumerate(ranking.symbols[:_NEAR])}
    calls: dict[int, float] = defaultdict(float)
    called: dict[int, float] = defaultdict(float)
    for source, target, _ in snapshot.graph.pairs(list(near), _EDGES).tolist() if near else ():
        calls[int(source)] += near.get(int(target), 0.0)
        called[int(target)] += near.get(int(source), 0.0)
    return calls, called


def standings_of(snapshot: Snapshot, text: str, ranking: Ranking) -> list[tuple[Unit, Standing]]:
    """Return the units of the files that the search ranks first, each with its standing."""
    question = _Question.of(text, ranking, snapshot)
    files = [each.file.path for each in ranking.files[:_FILES]]
    paths = dict.fromkeys((*files, *(each.symbol.path for each in ranking.symbols[:_SYMBOLS])))
    found: list[tuple[Unit, Standing]] = []
    for path in paths:
        file = snapshot.files.at(path)
        if file is None or not file.parsed:
            continue
        for unit in units_of(path, snapshot.symbols.in_file(path), snapshot.files.text(path).split("\n")):
            owner = unit.owner
            if unit.is_function and owner is not None and owner.id in question.hidden:
                continue  # an overload: the definition that is ranked is shown
            is_test = file.is_test or (owner is not None and owner.is_test)
            found.append((unit, question.standing(unit, is_test=is_test)))
    return found


def offers_of(snapshot: Snapshot, text: str, context: Context, model: WorthModel, *, most: int) -> list[Offer]:
    """
    Offer the units that are worth most, and the candidates of stages; best first, ties by path, then line.

    Args:
        most: Units that are offered.
    """
    terms = count_terms(text).keys()
    roles = {each.symbol.id: each for each in context.candidates}
    least = {each.symbol.id: _worth_of(each, at) for at, each in enumerate(context.candidates)}
    rated: list[tuple[float, Unit, float, Candidate | None]] = []
    ranked = context.with_tests
    best = ranked.symbols[0].score if ranked.symbols else 0.0
    standings = standings_of(snapshot, text, ranked)
    worths = model.of_units([standing for _, standing in standings])
    for (unit, standing), worth in zip(standings, worths, strict=True):
        candidate = roles.pop(unit.owner.id, None) if unit.owner and unit.is_function else None
        score = standing.score * best
        if candidate:
            worth = max(worth, least[candidate.symbol.id])
        rated.append((worth, unit, score, candidate))
    rated += [(least[key], lines, each.score, each) for key, each in roles.items() if (lines := _unit_of(each))]
    rated.sort(key=lambda each: (-each[0], each[1].span.path, each[1].span.start_line))
    return [
        _whole(draft, worth) if unit.lines <= WHOLE else offer_of(draft, snapshot, terms, model, worth)
        for worth, unit, score, candidate in islice(rated, most)
        if (draft := _draft(snapshot, unit, score, candidate)).text.strip()
    ]


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


def first_of(drafts: Iterable[Draft], snapshot: Snapshot, text: str, model: WorthModel) -> list[Draft | Offer]:
    """Offer those of the drafts that are source; the others are returned as they are."""
    terms = count_terms(text).keys()
    return [offer_of(each, snapshot, terms, model) if each.has_lines else each for each in drafts]
