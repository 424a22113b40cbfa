"""Finds reasons not to count a refuted claim: names of code that the answer proposes, and lines that it cites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.contract.evidence import ClaimKind
from orchestrator.domain.evidence.lines import numbered_lines
from orchestrator.domain.grammar.names import parts_of
from orchestrator.domain.grammar.text import BlockKind, blocks, tokenize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from common.core.contract.evidence import Span
    from orchestrator.domain.answers.claims import ClaimSite
    from orchestrator.domain.evidence.piece import Evidence


@dataclass(frozen=True, slots=True)
class Grounds:
    """
    The text and evidence of an answer, to excuse claims that the index refutes.

    Args:
        text: The answer, its citations as numbers.
        places: What the numbers cite.
        evidence: All that was supplied.
        shown: Identifiers of that evidence.
    """

    text: str
    places: Mapping[int, Span]
    evidence: Sequence[Evidence]
    shown: frozenset[str]

    def has(self, site: ClaimSite) -> bool:
        """
        Return whether a refuted claim about a value or about the existence of a name may be right all the same.

        A value may be if a cited line has it beside the name. A name may be if it is of code that the answer proposes;
        if it is a path of three or more names of which the evidence shows only the last, as in examples; or if the
        lines that the sentence cites have owner and member.
        """
        if site.claim.kind is ClaimKind.VALUE:
            said = {parts_of(site.claim.subject)[-1], *_words(site.claim.object)}
            return any(said <= _words(line) for line in self._cited_lines(site))
        if site.claim.kind is not ClaimKind.EXISTS:
            return False
        parts = frozenset(parts_of(site.claim.subject))
        if not parts.isdisjoint(self._proposed() - self.shown):
            return True
        *owners, member = parts_of(site.claim.subject)
        if not owners or member not in self.shown:
            return False
        is_example = len(owners) > 1 and self.shown.isdisjoint(owners)
        return is_example or parts <= _words("\n".join(self._cited_lines(site)))

    def _proposed(self) -> frozenset[str]:
        """Return the identifiers in the answer's blocks of code."""
        code = (self.text[each.start : each.end] for each in blocks(self.text) if each.kind is BlockKind.CODE)
        return _words(" ".join(code))

    def _cited_lines(self, site: ClaimSite) -> Iterator[str]:
        cited = {int(each.text) for each in tokenize(self.text, site.start, site.end) if each.kind == "cite"}
        for place in (self.places[number] for number in cited if number in self.places):
            for piece in self.evidence:
                if piece.span is None or piece.span.path != place.path:
                    continue
                yield from (
                    line for number, line in numbered_lines(piece) if place.start_line <= number <= place.end_line
                )


def _words(text: str) -> frozenset[str]:
    """Return the runs of letters, digits, "_" and "$"."""
    return frozenset("".join(each if each.isalnum() or each in "_$" else " " for each in text).split())
