"""Classifies a question: the caller forces the mode, or a model decides, or the rules if no model answers."""

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
    A question to be classified.

    Args:
        forced_mode: Mode that is returned unchanged; None lets the engine decide.
        engine: RULES or MODEL; None means the configured one.
    """

    text: str
    forced_mode: Mode | None = None
    engine: Engine | None = None


class Classify:
    """
    Determines the mode, scope, anchors and understanding of a question.

    Args:
        reader: Reads the understanding of a question; parts that a model read replace those of the reader.
        rules: The engine that decides if no model does.
        model: The model's engine; None if no model is configured: then the rules decide even if MODEL is requested.
        preferred: The engine for questions that do not name one.
        model_seconds: Time after which a model's call is cancelled, and the rules decide.
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
        """Classify a question; if the model is unavailable, the rules decide."""
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
