"""How likely a good answer cites a unit, or a passage of one: logistic models (scripts/train_packing.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retriever.domain.packing.passages import Passage

UNRANKED = 250
"""Rank of what the search did not rank."""


@dataclass(frozen=True, slots=True)
class Standing:
    """
    Where a unit stands for a question.

    Args:
        rank: Of its function among the ranked symbols, from 0; UNRANKED for none.
        class_rank: Of the class around it, or that it is part of.
        file_rank: Of its file among the ranked files.
        lines: How many it has.
        is_function: It is a whole function.
        is_class: It is lines of a class between its functions.
        is_test: It stands in a test.
        on_tests: The question has the term "test".
        calls: Sum over the best ranked symbols that it calls or refers to, of 1 / (1 + rank).
        called: The same of those that call it or refer to it.
    """

    rank: int
    class_rank: int
    file_rank: int
    lines: int
    is_function: bool
    is_class: bool
    is_test: bool
    on_tests: bool
    calls: float = 0.0
    called: float = 0.0

    @property
    def inputs(self) -> Mapping[str, float]:
        """Return what the model asks for, by name."""
        return {
            "rank": math.log1p(self.rank),
            "class rank": math.log1p(self.class_rank),
            "file rank": math.log1p(self.file_rank),
            "lines": math.log(self.lines),
            "function": float(self.is_function),
            "class": float(self.is_class),
            "test": float(self.is_test),
            "question on tests": float(self.on_tests),
            "test asked for": float(self.is_test and self.on_tests),
            "calls": math.log1p(self.calls),
            "called": math.log1p(self.called),
        }


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

    units: Logistic
    passages: Logistic

    def of_unit(self, standing: Standing) -> float:
        """Return how likely a good answer cites a unit, 0 to 1."""
        return self.units.probability(standing.inputs)

    def of_passages(self, passages: Sequence[Passage], unit_worth: float) -> tuple[float, ...]:
        """Return the same for each passage of a unit."""
        return tuple(self.passages.probability(inputs_of(each, unit_worth, len(passages))) for each in passages)
