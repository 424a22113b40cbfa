"""The audit log: a line for each denied call, and for each allowed one that changes something; for all on request."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import structlog

from common.rpc import callers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from common.observability.metrics import Metrics

_log = structlog.get_logger(__name__)


class Why(Enum):
    """Reason for the denial of a call."""

    NO_CREDENTIAL = "no_credential"
    BAD_CREDENTIAL = "bad_credential"
    ROLE = "role"
    REPOSITORY = "repository"
    QUOTA = "quota"


@dataclass(slots=True)
class _Judged:
    """The call that is being served: its method, and which decisions are still to be logged, each once."""

    method: str
    owes_allowed: bool
    owes_denied: bool = True


_judged: ContextVar[_Judged | None] = ContextVar("cgrag_judged", default=None)


class Trail:
    """
    Logs decisions, never with texts of requests or credentials; each line has the request id of its call.

    Args:
        metrics: Registry of the metric that counts denials.
        methods: Names of all methods that are served here.
        reads: Whether allowed calls that change nothing are logged as well.
    """

    def __init__(self, metrics: Metrics, methods: Iterable[str], *, reads: bool = False) -> None:
        self._reads = reads
        self._denied = metrics.counter("authz_denied", "Calls that were denied, by method.", {"method": tuple(methods)})

    def begin(self, method: str, *, changes: bool) -> None:
        """Record the call that this task serves."""
        _judged.set(_Judged(method, changes or self._reads))

    def allowed(self, repository: str = "") -> None:
        """Log once that the call was allowed, if it changes something or `reads` is set."""
        judged = _judged.get()
        if judged is not None and judged.owes_allowed:
            judged.owes_allowed = False
            self._line("allowed", judged.method, repository, "")

    def denied(self, why: Why, repository: str = "") -> None:
        """Log and count once that the call was denied."""
        judged = _judged.get()
        if judged is not None and judged.owes_denied:
            judged.owes_allowed = judged.owes_denied = False
            self._denied.add(method=judged.method)
            self._line("denied", judged.method, repository, why.value)

    def _line(self, decision: str, method: str, repository: str, reason: str) -> None:
        log = _log.info if decision == "allowed" else _log.warning
        log(
            "audit.decision",
            decision=decision,
            caller=callers.current_caller().name,
            method=method,
            repository=repository if callers.is_plain_id(repository) else "",
            reason=reason,
        )
