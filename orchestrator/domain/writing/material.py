"""The material of one answer: labelled evidence, grouped by the kind of question that it can answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import fsum, log
from typing import TYPE_CHECKING

from common.core.contract.evidence import BasisKind, GapOutcome
from common.core.words.terms import count_terms
from orchestrator.domain.evidence.names import is_called, is_received, is_spelled, is_test_path
from orchestrator.domain.evidence.piece import ContextSource, EvidenceKind
from orchestrator.domain.loop.references import why_asked
from orchestrator.domain.questions.following import meant
from orchestrator.domain.writing import prose

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from common.core.contract.understanding import Understanding
    from orchestrator.domain.evidence.piece import GapResult
    from orchestrator.domain.questions.question import Classification
    from orchestrator.domain.writing.pieces import Piece

_TERMS = 3
"""Least number of shared terms for a share above 0: fewer are shared by chance."""
_ASKED = 2.0
"""Weight of a term that names what is asked about, relative to the question's other terms."""


@dataclass(frozen=True)
class Material:
    """
    Everything that an answer is written from.

    Args:
        question: The question.
        classification: Its understanding and anchors.
        pieces: All evidence in order of supply.
        results: Outcomes of the gaps.
    """

    question: str
    classification: Classification
    pieces: tuple[Piece, ...]
    results: tuple[GapResult, ...]

    @property
    def understanding(self) -> Understanding:
        """Return the understanding of the question."""
        return self.classification.understanding

    @cached_property
    def meant(self) -> tuple[str, ...]:
        """Return the referents of a follow-up question: what the previous answer was about."""
        return meant(self.question, self.classification.anchors)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Return the terms of what the question asks about."""
        return self.understanding.terms(self.question)

    @cached_property
    def weights(self) -> Mapping[str, float]:
        """
        Return the weight of each term of the question: the rarer it is in the source shown, the higher.

        Inverse document frequency over lines (Sparck Jones 1972): the logarithm of lines per line with the term.
        """
        lines = [line for each in self.of(EvidenceKind.SOURCE) for line in each.evidence.text.splitlines()]
        held = Counter(term for line in lines for term in count_terms(line))
        said = {**dict.fromkeys(count_terms(self.question), 1.0), **dict.fromkeys(self.terms, _ASKED)}
        return {term: share * log((1 + len(lines)) / (1 + held[term])) for term, share in said.items()}

    def share(self, text: str) -> float:
        """Return the share of the question's weight that a text has; 0.0 if it shares less than three terms."""
        shared = count_terms(text).keys() & self.weights.keys()
        total = fsum(self.weights.values())
        return fsum(map(self.weights.__getitem__, shared)) / total if len(shared) >= _TERMS and total else 0.0

    def of(self, *kinds: EvidenceKind) -> tuple[Piece, ...]:
        """Return the pieces of some kinds, in order of supply."""
        return tuple(each for each in self.pieces if each.evidence.kind in kinds)

    @cached_property
    def lists(self) -> tuple[Piece, ...]:
        """Return the lists of users of a thing."""
        return tuple(each for each in self.pieces if each.evidence.users and each.evidence.users.name)

    @cached_property
    def flows(self) -> tuple[Piece, ...]:
        """Return the call trees; the root of a tree is its first mention."""
        drawn = (each for each in self.of(EvidenceKind.FLOW) if each.evidence.users is None)
        return tuple(each for each in drawn if each.evidence.mentions)

    @cached_property
    def routes(self) -> tuple[Piece, ...]:
        """Return the pieces that show the handler of the route that the question names."""
        return tuple(each for each in self.pieces if each.evidence.route and self.says(each.evidence.route.words))

    @cached_property
    def settings(self) -> tuple[Piece, ...]:
        """Return the pieces with the line that gives the requested setting its value, the likeliest first."""
        placed = (each for each in self.pieces if each.evidence.span)
        return tuple(each for each in placed if each.evidence.setting and self.says(each.evidence.setting.words))

    def says(self, words: Sequence[str]) -> bool:
        """Return whether the question or its referents have all words; session evidence may be of another question."""
        return bool(words) and all(word in self.question or word in self.meant for word in words)

    @cached_property
    def to_read(self) -> tuple[Piece, ...]:
        """
        Return the definitions and pages in the order of the packer, each definition once.

        Definitions that the question describes, according to the evidence, come first, tests last.
        """
        found: dict[object, Piece] = {}
        for each in self.pieces:
            evidence = each.evidence
            is_line = each.is_code and evidence.symbol is None and evidence.source is not ContextSource.GAPS
            if is_line or not (each.is_code or each.is_page or each.is_definition) or evidence.span is None:
                continue
            key = evidence.symbol.definition if evidence.symbol else evidence.evidence_id
            kept = found.setdefault(key, each)
            if each.is_code and not kept.is_code:
                found[key] = each  # the source of the definition that a card documents
        order = {True: 0, False: 1}
        return tuple(sorted(found.values(), key=lambda each: (order[self._is_described(each)], is_test(each))))

    def reason(self, piece: Piece) -> str:
        """Return why a piece was retrieved; "" for the reason that most pieces have, the words of the question."""
        if why := self.fetched.get(piece.evidence.evidence_id, ""):
            return why
        is_usual = piece.evidence.source is ContextSource.GAPS or piece.evidence.reason == self._usual_reason
        is_usual = is_usual or piece.evidence.based_on(BasisKind.DECIDES) is not None
        return "" if is_usual else prose.unlabelled(piece.evidence.reason)

    @cached_property
    def _usual_reason(self) -> str:
        found = Counter(each.evidence.reason for each in self.pieces)
        return found.most_common(1)[0][0] if len(found) < len(self.pieces) else ""

    @cached_property
    def fetched(self) -> Mapping[str, str]:
        """Return how the evidence refers to each piece that was fetched for a gap, by the identity of the piece."""
        return {each: why for result in self.results if (why := why_asked(result.gap)) for each in result.evidence_ids}

    def _is_described(self, piece: Piece) -> bool:
        return bool(piece.evidence.described) and piece.evidence.described in self.question

    def definitions_of(self, written: str) -> tuple[Piece, ...]:
        """
        Return the definitions with a name: only those with its exact spelling if there are any.

        A constructor is returned only if its class is not shown, a test only if no other definition has the name.
        """
        shown = [(each, each.evidence.symbol) for each in self.to_read if each.is_definition]
        for is_same in (is_spelled, is_called, is_received):
            named = [(each, symbol) for each, symbol in shown if symbol and is_same(symbol.qualified_name, written)]
            kept = [each for each, symbol in named if not symbol.owner] or [each for each, _ in named]
            kept = kept or [each for each, symbol in shown if symbol and symbol.made and is_same(symbol.made, written)]
            if kept:
                return tuple(each for each in kept if not is_test(each)) or tuple(kept)
        return ()

    def open_gaps(self) -> tuple[GapResult, ...]:
        """Return the unresolved gaps."""
        return tuple(each for each in self.results if each.outcome not in (GapOutcome.RESOLVED, GapOutcome.UNSPECIFIED))


def is_test(piece: Piece) -> bool:
    """Return whether a piece is from a test file."""
    return piece.evidence.span is not None and is_test_path(piece.evidence.span.path)
