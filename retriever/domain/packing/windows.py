"""Finds the few lines of a definition that share most with a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms
from retriever.domain.packing.passages import documentation_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

LINES = 6
"""Lines of a window: one branch with its condition and the comment above it."""
_MOST_LINES = 2000
_OF_LINES, _DENSE = 0.3, 0.3
"""Additional weights of a term in the window itself rather than around it, and of its repetition there."""


@dataclass(frozen=True, slots=True)
class Window:
    """
    Consecutive lines of a definition.

    Args:
        at: Position of the first line, from 0.
        share: Weight of the terms in or around the window; terms in the window itself, and repeated ones, add to it.
    """

    at: int
    share: float


@dataclass(frozen=True, slots=True)
class ReadLines:
    """
    The lines of a definition as terms.

    Args:
        terms: Of each line; none for the declaration and the documentation.
        around: Terms of the documentation, and of name and place of the definition.
        documented: Share of the lines that are documentation.
    """

    terms: tuple[AbstractSet[str], ...]
    around: AbstractSet[str]
    documented: float

    @classmethod
    def of(cls, text: Sequence[str], documentation: str, around: AbstractSet[str]) -> ReadLines:
        """
        Read a definition.

        Args:
            text: Lines without line feeds.
            documentation: Its documentation string.
            around: Terms that its name and place have.
        """
        lines = text[:_MOST_LINES]
        spoken = documentation_of(lines, documentation)
        read = (
            frozenset[str]() if at in spoken or (not at and len(lines) > 1) else count_terms(line).keys()
            for at, line in enumerate(lines)
        )
        return cls(tuple(read), around | count_terms(documentation).keys(), len(spoken) / len(lines))

    def window(self, weights: Mapping[str, float]) -> Window:
        """
        Return the window with most of the terms of a question; neither declaration nor documentation count as lines.

        Args:
            weights: Of each term; 1 in all.
        """
        told = [weights.keys() & each for each in self.terms]
        known = weights.keys() & self.around
        own = [sum(weights[term] for term in each) for each in told]

        def rated(at: int) -> float:
            said = frozenset[str]().union(*told[at : at + LINES])
            shared = sum(weights[term] for term in said | known) + _OF_LINES * sum(weights[term] for term in said)
            return shared + _DENSE * sum(own[at : at + LINES]) / LINES

        best = max(range(max(1, len(told) - LINES + 1)), key=lambda at: (rated(at), -at))
        return Window(best, rated(best))
