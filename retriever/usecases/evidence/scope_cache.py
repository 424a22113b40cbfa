"""A cache for what depends on a part of a snapshot alone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from common.core.runtime.concurrency import detached_from_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from retriever.ports import Snapshot

T = TypeVar("T")

_KEPT = 32


class _Kept(Generic[T]):
    """What was worked out once, and the lock of whoever does it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[T] = []


class ScopeCache(Generic[T]):
    """
    Keeps what was worked out for a scope of a snapshot, the latest answers only; for many threads.

    Who asks for the same waits for it, who asks for something else does not.

    Args:
        kept: Answers that are kept.
    """

    def __init__(self, kept: int = _KEPT) -> None:
        self._most = kept
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, str], _Kept[T]] = OrderedDict()

    def get(self, snapshot: Snapshot, scope: str, make: Callable[[Snapshot, str], T]) -> T:
        """Return what `make` gives for this scope of the core and its edges; it must depend on nothing else."""
        key = (snapshot.info.core_digest, snapshot.info.precise_digest, scope)
        with self._lock:
            kept = self._kept.setdefault(key, _Kept())
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        with kept.lock, detached_from_call():
            if not kept.made:
                kept.made.append(make(snapshot, scope))
            return kept.made[0]
