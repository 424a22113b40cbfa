"""Reports what an answer was waiting for when its caller's deadline passed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from common.core.errors import DeadlineExceeded
from orchestrator.domain.answers.events import NumberedEvent, PassFinished, PassStarted

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from common.rpc.client.deadlines import HasDeadline
    from orchestrator.domain.answers.events import Heartbeat

_ENDS = (asyncio.CancelledError, GeneratorExit)
"""Exceptions that end a call when gRPC enforces its deadline; a client that disconnects causes the same ones."""


class DeadlineObserver(Protocol):
    """Counts calls whose deadline passed."""

    def deadline_passed(self, *, engine_runs: bool) -> None:
        """Count one such call; `engine_runs` if it was waiting for the engine that writes answers, such as a model."""
        ...


class DeadlineWatch:
    """
    Follows the events of one call: a context manager that reports if the call's deadline passed within it.

    Args:
        context: Servicer context of the call.
    """

    __slots__ = ("_context", "_engine_runs", "_observer")

    def __init__(self, context: HasDeadline, observer: DeadlineObserver) -> None:
        self._context = context
        self._observer = observer
        self._engine_runs = False

    def follow(self, sent: NumberedEvent | Heartbeat) -> None:
        """Record an event that is about to be sent."""
        if isinstance(sent, NumberedEvent) and isinstance(sent.event, PassStarted | PassFinished):
            self._engine_runs = isinstance(sent.event, PassStarted)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        expired = isinstance(error, _ENDS) and self._context.time_remaining() == 0
        if expired or isinstance(error, DeadlineExceeded):
            self._observer.deadline_passed(engine_runs=self._engine_runs)
