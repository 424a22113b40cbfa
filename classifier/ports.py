"""What the classifier needs from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from classifier.domain.values import Engine, Mode, Verdict
    from common.core.contract.question import Anchors
    from common.core.contract.understanding import Understanding


class ModeEngine(Protocol):
    """Decides the mode of a question."""

    @property
    def kind(self) -> Engine:
        """Return the kind of this engine."""
        ...

    async def decide(self, question: str, anchors: Anchors, understanding: Understanding) -> Verdict:
        """Return a verdict on a question. Raises ModelUnavailable."""
        ...


class Meter(Protocol):
    """Counts classifications for metrics."""

    def classified(self, mode: Mode, engine: Engine, seconds: float) -> None:
        """Count one classification with the time that it took."""
        ...

    def fell_back(self) -> None:
        """Count one question that the rules decided because the model did not."""
        ...
