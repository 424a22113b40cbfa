"""Compares the text of the best units with a question: a row of inputs for each, for the trees `WorthModel.read`."""

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
    "window",  # share of the question's terms, by weight, in the best window of its lines
    "window of part",  # the same for the part of the question that the unit shares most with
    "body",  # share of the question's terms in all its lines
    "around",  # share of the question's terms in its name and path
    "rare",  # the same in lines, name and path; a term weighs more, the fewer of these units have it
    "pairs",  # pairs of adjacent terms that are adjacent in the question too, over 1 + ln(1 + its terms)
    "documentation",  # share of its lines that are documentation
    "terms",  # number of different terms of the question
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """
    The words of a question.

    Args:
        terms: In order, each as often as it occurs.
        weights: Weight of each term that the index has, by rarity; their sum is 1.
        parts: Text of each part of the question, with the weights of its terms.
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
    The part of a question that a unit shares most with.

    Args:
        weights: Weights of the terms of the part; their sum is 1.
        at: Position of the first line of its best window for that part.
        share: Weight of the part's terms in that window (`Window.share`).
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
    """Return a row of TEXT_INPUTS for each unit, and the part of the question that each shares most with."""
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
