"""Classifies a question: forced by the caller, decided by a model, or by rules whenever a model does not answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from classifier.domain.scope import find_scope
from classifier.domain.values import Classification, Engine, Mode, Verdict
from classifier.usecases.analyze import LONG_CHARS, analyze_off_loop
from common.core.contract.understanding import Comprehension
from common.core.errors import ModelUnavailable

if TYPE_CHECKING:
    from classifier.domain.reading.understand import Reader
    from classifier.ports import Meter, ModeEngine
    from common.core.clock import Clock
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding

FORCED_REASON = "The caller named the mode."


@dataclass(frozen=True, slots=True)
class Question:
    """
    What is asked of the classifier.

    Args:
        forced_mode: Taken as it is; None leaves it to the engine.
        engine: RULES or MODEL; None means the configured one.
    """

    text: str
    forced_mode: Mode | None = None
    engine: Engine | None = None


class Classify:
    """
    Names the mode, scope, anchors and meaning of a question.

    Args:
        reader: Reads what a question means, where the model did not.
        rules: Always there.
        model: None where no model is configured; asking for it then gives the rules.
        preferred: The engine for questions that do not name one.
        model_seconds: A model that takes longer is given up; the rules decide.
    """

    def __init__(
        self,
        *,
        reader: Reader,
        rules: ModeEngine,
        model: ModeEngine | None,
        preferred: Engine,
        model_seconds: float,
        meter: Meter,
        clock: Clock,
    ) -> None:
        self._reader = reader
        self._rules = rules
        self._model = model
        self._preferred = preferred
        self._model_seconds = model_seconds
        self._meter = meter
        self._clock = clock

    async def run(self, question: Question) -> Classification:
        """Classify; never fails for want of a model."""
        started = self._clock.monotonic()
        analysis = await analyze_off_loop(question.text)
        understanding = await self._understand(question.text)
        verdict, engine = await self._decide(question, analysis.anchors, understanding)
        self._meter.classified(verdict.mode, engine, self._clock.monotonic() - started)
        if verdict.parts:
            understanding = replace(understanding, parts=verdict.parts, comprehension=Comprehension.FULL)
        return Classification(verdict, engine, analysis.anchors, analysis.task_type, understanding)

    async def _understand(self, text: str) -> Understanding:
        return await asyncio.to_thread(self._reader.read, text) if len(text) > LONG_CHARS else self._reader.read(text)

    async def _decide(
        self, question: Question, anchors: Anchors, understanding: Understanding
    ) -> tuple[Verdict, Engine]:
        if question.forced_mode is not None:
            scope = find_scope(question.text)
            return Verdict(question.forced_mode, 1.0, FORCED_REASON, scope), Engine.FORCED
        wanted = question.engine or self._preferred
        if wanted is Engine.MODEL and self._model is not None:
            try:
                async with asyncio.timeout(self._model_seconds):
                    return await self._model.decide(question.text, anchors, understanding), Engine.MODEL
            except (ModelUnavailable, TimeoutError):
                self._meter.fell_back()
        return await self._rules.decide(question.text, anchors, understanding), Engine.RULES
