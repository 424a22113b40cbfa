"""Finds references in shown source to definitions that are not shown: the gaps of the evidence-only engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind, Gap
from common.core.contract.understanding import Intent, MentionKind, Relation, SlotKind
from common.core.words.terms import count_terms, words
from orchestrator.domain.evidence.names import is_of_another_type, is_test_path, last_part
from orchestrator.domain.evidence.piece import EvidenceKind, SymbolKind
from orchestrator.domain.questions.question import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from orchestrator.domain.evidence.piece import Evidence, SymbolRef
    from orchestrator.domain.questions.question import Classification

# Least number of terms that a definition must share with the question to be requested: in later passes, and in the
# first pass for analytical questions.
_LATER_PASS_OVERLAP = 2
_ANALYTICAL_OVERLAP = 1
_DECLARING = (".h", ".hh", ".hpp", ".hxx", ".pyi", ".d.ts")
"""Endings of files with declarations: once the definition is shown, its declaration adds nothing."""
_ONLY_DOCUMENTED = "`{}` is only documented"
_NOT_SHOWN = "and its definition is not shown"


@dataclass(frozen=True, slots=True)
class Reference:
    """An edge of the code graph: `source` names `target` at `line` of its file."""

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

    A name that the question itself mentions and the evidence lacks comes first. References are ranked by the
    terms that they share with the question and by how early their source is in the evidence, if that shows the name.
    Later passes request only definitions that share terms with the question, so that the loop ends.

    Args:
        evidence: All that was supplied, best first.
        references: Edges of the symbols in it.
        question: The question.
        classification: Its mode, understanding and anchors.
        pass_number: Pass that asks, from 1.
        limit: Gaps at most.
    """
    shown = _shown_names(evidence)
    wanted = classification.understanding.terms(question)
    ranked = [
        *_referred(evidence, references, wanted, classification.mode),
        *_documented(evidence, wanted, classification.anchors.symbols),
    ]
    ranked.sort(key=lambda each: (-each.score, each.symbol.path, each.symbol.start_line))
    least = _ANALYTICAL_OVERLAP if classification.mode is Mode.ANALYTICAL else 0
    if pass_number > 1:
        least = _LATER_PASS_OVERLAP
    wished = [each for each in ranked if each.overlap >= least and each.symbol.definition not in shown.symbols]
    named = [*_unseen_anchors(question, classification, shown), *_unseen_places(evidence, classification)]
    first = named if pass_number == 1 else []
    gaps: dict[tuple[str, str], Gap] = {}
    for gap in (*first, *(each.as_gap() for each in wished)):
        gaps.setdefault((gap.symbol, gap.path), gap)
    return tuple(gaps.values())[:limit]


def why_asked(gap: Gap) -> str:
    """Return how the evidence refers to the subject of a gap; "" if unknown."""
    why = gap.description.removesuffix(f", {_NOT_SHOWN}")
    return why if why != gap.description else ""


@dataclass(frozen=True, slots=True)
class _Wish:
    """A symbol whose definition would help, with its relevance and the reason for the request."""

    score: float
    overlap: int
    symbol: SymbolRef
    why: str

    def as_gap(self) -> Gap:
        return Gap(description=f"{self.why}, {_NOT_SHOWN}", symbol=self.symbol.qualified_name, path=self.symbol.path)


@dataclass(frozen=True, slots=True)
class _Shown:
    symbols: frozenset[tuple[str, str]]
    names: frozenset[str]

    def has(self, written: str) -> bool:
        """Return whether a shown definition may be the named one; a member of another type with that name is not."""
        last = last_part(written).casefold()
        borne = [each for each in self.names if last_part(each).casefold() == last]
        return any(not is_of_another_type(each, written) for each in borne)


def _shown_names(evidence: Sequence[Evidence]) -> _Shown:
    whole = [each.symbol for each in evidence if each.symbol and each.kind is EvidenceKind.SOURCE]
    named = [each.symbol for each in evidence if each.symbol]
    mentions = [mention for each in evidence for mention in each.mentions]
    return _Shown(
        frozenset(each.definition for each in whole),
        frozenset(each.qualified_name or each.name for each in (*named, *mentions)),
    )


def _unseen_anchors(question: str, classification: Classification, shown: _Shown) -> Iterator[Gap]:
    """Yield names of the question that no evidence shows; a name in a message is searched with the message."""
    rest = question
    for message in classification.anchors.error_messages:
        rest = rest.replace(message, " ")
    for name in classification.anchors.symbols:
        is_message = name in question and name not in rest
        if last_part(name) and not is_message and not shown.has(name):
            yield Gap(description=f"the question names {name}, which the evidence does not show", symbol=name)


def _unseen_places(evidence: Sequence[Evidence], classification: Classification) -> Iterator[Gap]:
    """Yield the paths that the question asks about, if no evidence lists what a place holds."""
    understanding = classification.understanding
    asked = {text for part in understanding.of(Intent.PLACE) for text in part.texts(SlotKind.SUBJECT)}
    if not any(each.users and each.users.relation is Relation.HOLDS for each in evidence):
        for path in filter(asked.__contains__, understanding.named(MentionKind.PATH)):
            yield Gap(description=f"the question names {path}, which the evidence does not show", path=path)


def _referred(
    evidence: Sequence[Evidence], references: Sequence[Reference], wanted: frozenset[str], mode: Mode
) -> Iterator[_Wish]:
    """Yield symbols that the shown source calls, extends or raises."""
    place = {
        each.symbol.definition: (rank, each)
        for rank, each in reversed(tuple(enumerate(evidence)))
        if each.symbol and each.kind is EvidenceKind.SOURCE
    }
    shown_words = {rank: frozenset(words(each.text)) for rank, each in place.values()}
    for reference in references:
        rank, source = place.get(reference.source.definition, (0, None))
        target = reference.target
        if source is None or _is_noise(target) or _is_noise(reference.source):
            continue
        if target.name not in shown_words[rank]:
            continue
        overlap = len(wanted & set(count_terms(target.qualified_name)))
        raised = source.based_on(BasisKind.RAISES)
        relation = "raises" if raised and raised.name == target.name else reference.relation
        bonus = 0.5 if relation == "raises" and mode is Mode.DIAGNOSTIC else 0.0
        line = f" at line {reference.line}" if reference.line else ""
        why = f"`{reference.source.qualified_name}` {relation} `{target.qualified_name}`{line}"
        yield _Wish(2.0 * overlap + bonus + 1.0 / (1 + rank), overlap, target, why)


def _documented(evidence: Sequence[Evidence], wanted: frozenset[str], anchors: Sequence[str]) -> Iterator[_Wish]:
    """Yield symbols that the question is about, and of which the evidence shows only the documentation."""
    mentioned = {name.rpartition(".")[2].removesuffix("()").casefold() for name in anchors}
    defined = {each.symbol.qualified_name for each in evidence if each.symbol and each.kind is EvidenceKind.SOURCE}
    for rank, each in enumerate(evidence):
        symbol = each.symbol
        if symbol is None or each.kind is not EvidenceKind.DOC or _is_noise(symbol):
            continue
        if symbol.path.endswith(_DECLARING) and symbol.qualified_name in defined:
            continue
        overlap = len(wanted & set(count_terms(symbol.name)))
        if symbol.name.casefold() in mentioned:
            overlap += 2
        if overlap:
            why = _ONLY_DOCUMENTED.format(symbol.qualified_name)
            yield _Wish(2.0 * overlap + 1.0 / (1 + rank), overlap, symbol, why)


def _is_noise(symbol: SymbolRef) -> bool:
    return symbol.kind is SymbolKind.MODULE or not symbol.qualified_name or is_test_path(symbol.path)
