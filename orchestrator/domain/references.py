"""What shown source refers to and nobody has shown: how the evidence-only engine notices that something is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.terms import count_terms
from orchestrator.domain.evidence import EvidenceKind, Gap, SymbolKind
from orchestrator.domain.question import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence import Evidence, SymbolRef
    from orchestrator.domain.question import Classification

_NO_SYMBOL_TEXT = re.compile(r"\b(?:tests?|conftest)\b|(?:^|/)test_", re.IGNORECASE)
_LATER_PASS_OVERLAP = 2


@dataclass(frozen=True, slots=True)
class Reference:
    """An edge of the code graph: `source` names `target` at `line` of its file; `raised` if it raises it."""

    source: SymbolRef
    target: SymbolRef
    line: int = 0
    relation: str = "calls"


def missing_definitions(
    evidence: Sequence[Evidence],
    references: Sequence[Reference],
    question: str,
    classification: Classification,
    *,
    pass_number: int,
    limit: int = 3,
) -> tuple[Gap, ...]:
    """
    Name the definitions that the evidence refers to and does not show, most relevant first.

    A name that the question itself mentions and the evidence lacks comes first. A reference counts by the terms that
    it shares with the question, by how early its source stands in the evidence, and by whether that source shows the
    line. In later passes only what shares terms with the question is asked for, so that the loop comes to an end.

    Args:
        evidence: All that was supplied, best first.
        references: Edges of the symbols in it.
        question: The question.
        classification: Its mode and anchors.
        pass_number: Pass that asks, from 1.
        limit: Gaps at most.
    """
    shown = _shown_names(evidence)
    gaps = list(_unseen_anchors(classification, shown)) if pass_number == 1 else []
    wanted = set(count_terms(question))
    ranked = sorted(
        _candidates(evidence, references, wanted, classification.mode),
        key=lambda pair: (-pair[0], pair[1].target.path, pair[1].target.start_line),
    )
    minimum = 0.0 if pass_number == 1 else _LATER_PASS_OVERLAP
    for score, reference in ranked:
        if score > minimum and (reference.target.path, reference.target.qualified_name) not in shown.symbols:
            gaps.append(_gap(reference))
    return tuple({(gap.symbol, gap.path): gap for gap in reversed(gaps)}.values())[::-1][:limit]


@dataclass(frozen=True, slots=True)
class _Shown:
    symbols: frozenset[tuple[str, str]]
    names: frozenset[str]


def _shown_names(evidence: Sequence[Evidence]) -> _Shown:
    whole = [each.symbol for each in evidence if each.symbol and each.kind is EvidenceKind.SOURCE]
    named = [each.symbol for each in evidence if each.symbol]
    mentions = [mention for each in evidence for mention in each.mentions]
    return _Shown(
        frozenset((each.path, each.qualified_name) for each in whole),
        frozenset(each.name.casefold() for each in (*named, *mentions)),
    )


def _unseen_anchors(classification: Classification, shown: _Shown) -> Iterator[Gap]:
    for name in classification.anchors.symbols:
        last = name.rpartition(".")[2].removesuffix("()")
        if last and last.casefold() not in shown.names:
            yield Gap(description=f"the question names {name}, which the evidence does not show", symbol=name)


def _candidates(
    evidence: Sequence[Evidence], references: Sequence[Reference], wanted: set[str], mode: Mode
) -> Iterator[tuple[float, Reference]]:
    place = {
        (each.symbol.path, each.symbol.qualified_name): (rank, each)
        for rank, each in reversed(tuple(enumerate(evidence)))
        if each.symbol and each.kind is EvidenceKind.SOURCE
    }
    for reference in references:
        found = place.get((reference.source.path, reference.source.qualified_name))
        if found is None or _is_noise(reference.target):
            continue
        rank, source = found
        if not re.search(rf"\b{re.escape(reference.target.name or reference.target.qualified_name)}\b", source.text):
            continue
        overlap = len(wanted & set(count_terms(reference.target.qualified_name)))
        bonus = 0.5 if reference.relation == "raises" and mode is Mode.DIAGNOSTIC else 0.0
        yield 2.0 * overlap + bonus + 1.0 / (1 + rank), reference


def _is_noise(target: SymbolRef) -> bool:
    return target.kind is SymbolKind.MODULE or not target.qualified_name or bool(_NO_SYMBOL_TEXT.search(target.path))


def _gap(reference: Reference) -> Gap:
    source, target = reference.source.qualified_name, reference.target.qualified_name
    line = f" at line {reference.line}" if reference.line else ""
    return Gap(
        description=f"`{source}` {reference.relation} `{target}`{line}, and its definition is not shown",
        symbol=target,
        path=reference.target.path,
    )
