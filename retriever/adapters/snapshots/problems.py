"""Remembers which layers of published snapshots could not be opened, and logs each problem once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import structlog

from retriever.domain.values import LayerProblem

if TYPE_CHECKING:
    from common.core.clock import Clock

_LOG = structlog.get_logger(__name__)


class LayerProblemNotes:
    """The layers that cannot be opened, each with its last problem; methods may be called from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._found: dict[tuple[str, str], LayerProblem] = {}

    def note(self, repository: str, layer: str, problem: str, cause: BaseException | None = None) -> None:
        """
        Record why a layer cannot be used; a problem is logged only if it differs from the layer's last one.

        Args:
            problem: For callers: what is wrong and what to do.
            cause: For the log alone.
        """
        with self._lock:
            known = self._found.get((repository, layer))
            if known is not None and known.problem == problem:
                return
            self._found[repository, layer] = LayerProblem(repository, layer, problem, self._clock.now())
        detail = {"cause": f"{type(cause).__name__}: {cause}"} if cause else {}
        _LOG.warning("layer.not_opened", repository=repository, layer=layer, problem=problem, **detail)

    def clear(self, repository: str, layer: str) -> None:
        """Forget the problem of a layer that is open."""
        with self._lock:
            self._found.pop((repository, layer), None)

    def all(self) -> tuple[LayerProblem, ...]:
        """Return the problems of all layers that cannot be used, in order of repository and layer."""
        with self._lock:
            return tuple(problem for _, problem in sorted(self._found.items()))
