"""Metrics of answers by variant, engine and model, to compare a variant with the standard configuration."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from orchestrator.adapters.engines.model_engine import MODEL_ENGINES
from orchestrator.domain.answers.answer import Confidence
from orchestrator.settings import STANDARD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from common.model.config import RoleModel
    from common.observability.metrics import Metrics
    from orchestrator.domain.answers.answer import Answer

_RATINGS = tuple("12345")
_CONFIDENCES = tuple(each.name.lower() for each in Confidence)
_TOKEN_KINDS = ("input", "output", "cache_read", "cache_write")
_EVIDENCE, _NONE = "evidence", "none"


class AnswerGroups:
    """
    Counts ratings, confidence, tokens and cost by variant, engine and model.

    Args:
        metrics: Metrics of the process.
        models: Answering model of each variant; None where no model answers. A reported name that begins with the name
            of one of these models is counted as that model.
        engine: Name of the engine that asks these models.
    """

    def __init__(self, metrics: Metrics, models: Mapping[str, RoleModel | None], engine: str) -> None:
        self._models = models
        self._names = tuple(each.model for each in models.values() if each)
        self.values = {
            "variant": tuple(models),
            "engine": (*MODEL_ENGINES, _EVIDENCE, _NONE),
            "model": (_NONE, *self._names),
        }
        self._confidence = metrics.counter(
            "answer_confidence",
            "Answers by how far their evidence carries them.",
            {"confidence": _CONFIDENCES, **self.values},
        )
        self._rating = metrics.counter(
            "answer_rating", "Answers by their first rating.", {"rating": _RATINGS, **self.values}
        )
        self._tokens = metrics.counter("answer_tokens", "Tokens of models.", {"kind": _TOKEN_KINDS, **self.values})
        self._cost = metrics.counter("answer_cost_usd", "Price of what models wrote, in US dollars.", self.values)
        for variant, model in models.items():
            self._begin(self.labels(variant, _EVIDENCE, ""))
            if model:
                self._begin(self.labels(variant, engine, model.model))

    def labels(self, variant: str, engine: str, model: str) -> dict[str, str]:
        """Return the labels of a group; "" means the standard variant, an unknown engine or an unknown model."""
        named = next((each for each in self._names if model.startswith(each)), model)
        return {"variant": variant or STANDARD, "engine": engine or _NONE, "model": named or _NONE}

    def of(self, answer: Answer | None) -> dict[str, str]:
        """Return the labels of an answer; None means an answer without known variant, engine and model."""
        return self.labels(answer.variant, answer.engine, answer.model) if answer else self.labels("", "", "")

    def rated(self, rating: int, answer: Answer | None) -> None:
        """Count the first rating of an answer."""
        self._rating.add(1, rating=str(rating), **self.of(answer))

    def completed(self, answer: Answer) -> None:
        """Count confidence, tokens and cost of a completed answer."""
        group, usage = self.of(answer), answer.metadata.usage
        self._confidence.add(1, confidence=answer.confidence.name.lower(), **group)
        for kind, tokens in zip(_TOKEN_KINDS, astuple(usage), strict=True):
            self._tokens.add(tokens, kind=kind, **group)
        model = self._models.get(group["variant"])
        self._cost.add(model.cost_usd(usage) if model and answer.model else 0.0, **group)

    def _begin(self, group: dict[str, str]) -> None:
        """Create the time series of a group with value 0, so that rates start at zero."""
        for rating in _RATINGS:
            self._rating.add(0, rating=rating, **group)
        for confidence in _CONFIDENCES:
            self._confidence.add(0, confidence=confidence, **group)
