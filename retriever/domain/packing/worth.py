"""
How likely a good answer cites a unit, by boosted trees, or a passage of one, by a logistic model.

Both are fitted by scripts/train_packing.py to questions with the lines that good answers cite.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.packing.passages import Passage
    from retriever.domain.reranking.trees import Trees

UNRANKED = 250
"""Rank of unranked places."""


@dataclass(frozen=True, slots=True)
class Standing:
    """
    Where a unit stands for a question.

    Args:
        rank: Of its function or class among the ranked symbols, from 0; UNRANKED for none.
        score: The search's score of that, as a share of the best one; 0 for none.
        class_rank: Of the class around a function.
        file_rank: Of its file among the ranked files.
        lines: How many it has.
        is_function: It is a whole function.
        is_class: It is lines of a class between its functions.
        is_test: It stands in a test.
        on_tests: The question has the term "test".
        named: Share of the question's terms that its qualified name has.
        members: Sum of 1 / (1 + rank) over the ranked symbols of its class.
        ranked_in_file: How many of the first ranked symbols are of its file.
        calls: Sum of 1 / (1 + rank) over the first ranked symbols that it calls or refers to.
        called: The same of those that call it or refer to it.
    """

    rank: int
    score: float
    class_rank: int
    file_rank: int
    lines: int
    is_function: bool
    is_class: bool
    is_test: bool
    on_tests: bool
    named: float
    members: float
    ranked_in_file: int
    calls: float
    called: float

    @property
    def inputs(self) -> tuple[float, ...]:
        """Return what trees ask for, in the order of the fields; ranks as ln(1 + rank), lines as ln(lines)."""
        ranks = (math.log1p(self.rank), self.score, math.log1p(self.class_rank), math.log1p(self.file_rank))
        kinds = (float(self.is_function), float(self.is_class), float(self.is_test), float(self.on_tests))
        rest = (self.named, self.members, float(self.ranked_in_file), self.calls, self.called)
        return (*ranks, math.log(self.lines), *kinds, *rest)


def inputs_of(passage: Passage, unit_worth: float, count: int) -> Mapping[str, float]:
    """
    Return what the model of passages asks for, by name.

    Args:
        unit_worth: Of the whole unit, 0 to 1.
        count: Passages of the unit.
    """
    return {
        "unit": math.log(max(unit_worth, 1e-9)),
        "overlap": passage.overlap,
        "documentation": passage.documentation,
        "count": math.log(count),
    }


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model: weights by name of the input, and a bias."""

    weights: Mapping[str, float]
    bias: float

    def probability(self, inputs: Mapping[str, float]) -> float:
        """Return 1 / (1 + e^-(bias + weights · inputs))."""
        total = self.bias + math.fsum(weight * inputs[name] for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, total))))


@dataclass(frozen=True, slots=True)
class WorthModel:
    """What units and their passages are worth."""

    units: Trees
    passages: Logistic

    def of_units(self, standings: Sequence[Standing]) -> list[float]:
        """Return how likely a good answer cites each unit, 0 to 1."""
        if not standings:
            return []
        odds = self.units.score(np.array([each.inputs for each in standings]))
        likely: list[float] = (1.0 / (1.0 + np.exp(-odds))).tolist()
        return likely

    def of_passages(self, passages: Sequence[Passage], unit_worth: float) -> tuple[float, ...]:
        """Return the same for each passage of a unit."""
        return tuple(self.passages.probability(inputs_of(each, unit_worth, len(passages))) for each in passages)
