"""Access to the server of shared counts, which replicas can do without for a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import structlog

from common.core.errors import DependencyUnavailable
from common.core.runtime.breaker import BreakerPolicy, Dependency

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from common.core.clock import Clock

T = TypeVar("T")

_POLICY = BreakerPolicy(failures=1, open_seconds=5.0)
_log = structlog.get_logger(__name__)


class Sharing:
    """
    Calls an optional server; after a failure it gets no request for five seconds, so that no call waits for it.

    Args:
        clock: Measures the five seconds.
        counted: What the server counts, for the log events when it fails and when it answers again.
    """

    def __init__(self, clock: Clock, counted: str) -> None:
        self._server = Dependency(f"the store of {counted}", _POLICY, clock)
        self._counted = counted
        self._is_away = False

    async def ask(self, work: Callable[[], Awaitable[T]]) -> T | None:
        """Return what `work` returns, None while the server does not answer; other errors of `work` are raised."""
        try:
            found = await self._server.ask(work)
        except DependencyUnavailable as error:
            if not self._is_away:
                self._is_away = True
                counted = {"what": self._counted, "counted_by": "each replica"}
                _log.warning("access.degraded", **counted, problem=error.message)
            return None
        if self._is_away:
            self._is_away = False
            _log.info("access.shared_again", what=self._counted)
        return found
