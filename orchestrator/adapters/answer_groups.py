"""Metrics of answers by what wrote them, so that a model on trial can be compared with the others."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING

from common.model.values import Usage
from orchestrator.domain.answers.answer import Confidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from common.model.config import RoleModel
    from common.observability.metrics import Metrics
    from orchestrator.domain.answers.answer import Answer

_RATINGS = tuple("12345")
_CONFIDENCES = tuple(each.name.lower() for each in Confidence)
_TOKEN_KINDS = ("input", "output", "cache_read", "cache_write")
_MODEL_ENGINE, _EVIDENCE, _NONE = "anthropic", "evidence", "none"


class AnswerGroups:
    """
    Counts ratings, confidence, tokens and cost by engine and model.

    Args:
        metrics: Of the process.
        models: Those of the settings; what another name begins with one of theirs is that model.
    """

    def __init__(self, metrics: Metrics, models: Sequence[RoleModel]) -> None:
        self._models = tuple(models)
        self.values = {"engine": (_MODEL_ENGINE, _EVIDENCE, _NONE), "model": (_NONE, *(each.model for each in models))}
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
        for engine, model in ((_EVIDENCE, ""), *((_MODEL_ENGINE, each.model) for each in models)):
            self._begin(self.labels(engine, model))

    def labels(self, engine: str, model: str) -> dict[str, str]:
        """Return the labels of a group; "" is an engine or a model that is not known, or none."""
        named = next((each.model for each in self._models if model.startswith(each.model)), model)
        return {"engine": engine or _NONE, "model": named or _NONE}

    def rated(self, rating: int, engine: str, model: str) -> None:
        """Count the first rating of an answer."""
        self._rating.add(1, rating=str(rating), **self.labels(engine, model))

    def completed(self, answer: Answer) -> None:
        """Count a whole answer."""
        group, usage = self.labels(answer.engine, answer.model), answer.metadata.usage
        self._confidence.add(1, confidence=answer.confidence.name.lower(), **group)
        used = Usage(usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        for kind, tokens in zip(_TOKEN_KINDS, astuple(used), strict=True):
            self._tokens.add(tokens, kind=kind, **group)
        price = next((each.cost_usd(used) for each in self._models if each.model == group["model"]), 0.0)
        self._cost.add(price, **group)

    def _begin(self, group: dict[str, str]) -> None:
        """Make the series of a group exist before they count, so that rates start at zero."""
        for rating in _RATINGS:
            self._rating.add(0, rating=rating, **group)
        for confidence in _CONFIDENCES:
            self._confidence.add(0, confidence=confidence, **group)
