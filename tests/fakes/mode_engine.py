"""A mode engine that says what it was told to, and remembers what it was asked."""

from __future__ import annotations

import asyncio

from classifier.domain.values import Engine, Mode, Verdict
from common.core.contract.question import Anchors
from common.core.contract.understanding import Understanding

FAKE_VERDICT = Verdict(Mode.ANALYTICAL, 0.8, "Because the test says so.", "")


class FakeEngine:
    """Answers with one verdict, an error, or never."""

    def __init__(
        self,
        kind: Engine = Engine.MODEL,
        *,
        verdict: Verdict = FAKE_VERDICT,
        error: Exception | None = None,
        hangs: bool = False,
    ) -> None:
        self.kind = kind
        self.asked: list[str] = []
        self._verdict = verdict
        self._error = error
        self._hangs = hangs

    async def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Do as told."""
        self.asked.append(question)
        if self._hangs:
            await asyncio.Event().wait()
        if self._error is not None:
            raise self._error
        return self._verdict


class FakeMeter:
    """Remembers what was counted."""

    def __init__(self) -> None:
        self.classifications: list[tuple[Mode, Engine]] = []
        self.fallbacks = 0

    def classified(self, mode: Mode, engine: Engine, seconds: float) -> None:
        """Remember one classification."""
        self.classifications.append((mode, engine))

    def fell_back(self) -> None:
        """Remember one fallback."""
        self.fallbacks += 1
