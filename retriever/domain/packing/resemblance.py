"""What the text of the first units has in common with a question: a row of inputs for each, for the second trees."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from common.core.words.terms import count_terms, terms
from retriever.domain.packing.windows import ReadLines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from retriever.domain.packing.units import Unit
    from retriever.domain.ranking.corpus import Floats

TEXT_INPUTS = (
    "window",  # share of the question in the best window of its lines
    "window of part",  # the same, of the part of the question that the unit has most of
    "body",  # share of the question that its lines have
    "around",  # share of the question that its name and path have
    "rare",  # as the body with name and path, terms counting the more, the fewer of the read units have them
    "pairs",  # its neighbouring terms that the question has as neighbours too, per 1 + ln(1 + its terms)
    "documentation",  # share of its lines
    "terms",  # different terms of the question
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    The words of a question.

    Args:
        terms: In order, each as often as it occurs.
        weights: Of each term that the index has, by rarity; 1 in all.
        parts: What each part of the question asks, with the weights of its terms.
    """

    terms: tuple[str, ...]
    weights: Mapping[str, float]
    parts: tuple[tuple[str, Mapping[str, float]], ...]

    @classmethod
    def of(cls, question: str, parts: Sequence[str], rarity: Mapping[str, float]) -> Wanted:
        """
        Read a question.

        Args:
            rarity: Of the terms that the index has.
        """
        return cls(
            tuple(terms(question)),
            _shares(rarity, count_terms(question).keys()),
            tuple((part, _shares(rarity, count_terms(part).keys())) for part in parts),
        )


@dataclass(frozen=True, slots=True)
class Focus:
    """
    The part of a question that a unit has most of.

    Args:
        weights: Of the terms of the part; 1 in all.
        at: Position of the first line of its best window for that part.
        share: Of the part, that the window has.
    """

    part: str
    weights: Mapping[str, float]
    at: int
    share: float


@dataclass(frozen=True, slots=True)
class _Read:
    """One unit: its lines, all its terms in order, and the terms of its name and path."""

    lines: ReadLines
    terms: Sequence[str]
    named: AbstractSet[str]


def resemble(wanted: Wanted, units: Sequence[Unit], texts: Sequence[str]) -> tuple[Floats, list[Focus]]:
    """Return the inputs of units, a row of TEXT_INPUTS for each, and where each has most of a part."""
    read = [_read(unit, text) for unit, text in zip(units, texts, strict=True)]
    asked = frozenset(wanted.terms)
    held = Counter(term for each in read for term in asked.intersection(each.terms))
    rare = _shares({term: math.log(1 + len(read) / count) for term, count in held.items()}, asked)
    pairs = frozenset(pairwise(wanted.terms))
    rows = np.zeros((len(read), len(TEXT_INPUTS)))
    focuses: list[Focus] = []
    for at, each in enumerate(read):
        body = frozenset(each.terms)
        windows = [(*part, each.lines.window(part[1])) for part in wanted.parts]
        part, weights, window = max(windows, key=lambda found: found[2].share)
        shared = sum(pair in pairs for pair in pairwise(each.terms))
        rows[at] = (
            each.lines.window(wanted.weights).share,
            window.share,
            _covered(wanted.weights, body),
            _covered(wanted.weights, each.named),
            _covered(rare, body | each.lines.around),
            shared / (1 + math.log1p(len(each.terms))),
            each.lines.documented,
            len(asked),
        )
        focuses.append(Focus(part, weights, window.at, window.share))
    return rows, focuses


def _read(unit: Unit, text: str) -> _Read:
    name, documentation = (unit.owner.qualified_name, unit.owner.docstring) if unit.owner else ("", "")
    named = count_terms(f"{name} {unit.span.path}").keys()
    return _Read(ReadLines.of(text.split("\n"), documentation, named), terms(text), named)


def _shares(worth: Mapping[str, float], among: AbstractSet[str]) -> Mapping[str, float]:
    kept = {term: worth[term] for term in worth if term in among}
    total = math.fsum(kept.values())
    return {term: value / total for term, value in kept.items()}


def _covered(weights: Mapping[str, float], has: AbstractSet[str]) -> float:
    return math.fsum(weights[term] for term in weights if term in has)
