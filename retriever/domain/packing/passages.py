"""Splits a long definition into passages, and measures how much of a question's terms each has."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from common.core.words.terms import count_terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

WHOLE = 60
"""A definition of at most this many lines is shown whole or not at all."""
_LEAST, _MOST = 8, 20
"""Lines of a passage; the last one may have fewer."""
_TAIL = 5
"""Fewer lines at the end join the passage before them: to leave them out would save nothing."""
_INDENT = 4
"""Columns by which a line may be indented deeper than the shallowest one and still begin a passage."""
_QUOTES = "\"'/*# "
"""Characters around the lines of documentation that are no part of it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """
    Consecutive lines of a longer text.

    Args:
        start_line: Of the file.
        end_line: Of the file, inclusive.
        overlap: Weight of the question's terms in it, relative to the passage with the highest weight, 0 to 1.
        documentation: Share of its lines that are documentation, 0 to 1.
    """

    start_line: int
    end_line: int
    overlap: float
    documentation: float

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.start_line, self.end_line + 1)


def documentation_of(text: Sequence[str], documentation: str) -> range:
    """
    Return the positions, from 0, of the lines within a definition that are its documentation string.

    They are found by their text, whatever the language writes around them; empty where the documentation stands
    outside of the definition, as comments above it do.
    """
    spoken = {line.strip(_QUOTES) for line in documentation.splitlines() if line.strip(_QUOTES)}
    first = next((at for at, line in enumerate(text) if spoken and line.strip(_QUOTES) in spoken), len(text))
    end = first
    while end < len(text) and (not text[end].strip(_QUOTES) or text[end].strip(_QUOTES) in spoken):
        end += 1
    while end > first and not text[end - 1].strip():  # a blank line behind it belongs to the body
        end -= 1
    return range(first, end)


@dataclass(frozen=True, slots=True)
class Parts:
    """
    The parts of a definition; they do not depend on a question.

    Args:
        places: Positions in the text, each with its end excluded.
        terms: Of each part, as `count_terms` makes them.
        documentation: Share of the lines of each that are documentation, 0 to 1.
    """

    places: tuple[tuple[int, int], ...]
    terms: tuple[frozenset[str], ...]
    documentation: tuple[float, ...]

    @classmethod
    def of(cls, text: Sequence[str], places: Sequence[tuple[int, int]], documentation: range) -> Parts:
        """
        Read the parts of a text.

        Args:
            text: Lines without line feeds.
            documentation: Positions of the lines of the documentation string.
        """
        terms = (frozenset(count_terms("\n".join(text[start:end]))) for start, end in places)
        shares = (sum(at in documentation for at in range(start, end)) / (end - start) for start, end in places)
        return cls(tuple(places), tuple(terms), tuple(shares))

    def passages(self, first: int, asked: Set[str]) -> tuple[Passage, ...]:
        """
        Return the parts as passages, compared with a question.

        A term weighs ln(1 + parts / parts that have it).

        Args:
            first: Number of the first line of the text.
            asked: Terms of the question.
        """
        held = [asked & each for each in self.terms]
        weights = _weights(held)
        overlaps = [math.fsum(weights[term] for term in sorted(each)) for each in held]
        most = max(overlaps, default=0.0)
        return tuple(
            Passage(first + start, first + end - 1, overlap / most if most else 0.0, share)
            for (start, end), overlap, share in zip(self.places, overlaps, self.documentation, strict=True)
        )


def _weights(held: Sequence[Iterable[str]]) -> Mapping[str, float]:
    counts: dict[str, int] = {}
    for terms in held:
        for term in terms:
            counts[term] = counts.get(term, 0) + 1
    return {term: math.log(1 + len(held) / count) for term, count in counts.items()}


def split(text: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Split the lines of a function where nesting is shallow, ends excluded; the first part has the declaration."""
    depths = [depth_of(line) for line in text]
    shallow = min((each for each in depths[1:] if each is not None), default=0) + _INDENT
    parts: list[tuple[int, int]] = []
    start = 0
    for at in range(1, len(text)):
        depth, size = depths[at], at - start
        begins = depth is not None and depth <= shallow and text[at].lstrip()[:1] not in ")]}"
        if (size >= _LEAST and begins) or size >= _MOST:
            parts.append((start, at))
            start = at
    if parts and len(text) - start < _TAIL:
        start = parts.pop()[0]
    return (*parts, (start, len(text)))


def depth_of(line: str) -> int | None:
    """Return the columns of indentation; None for a blank line."""
    bare = line.lstrip()
    return len(line) - len(bare) if bare else None
