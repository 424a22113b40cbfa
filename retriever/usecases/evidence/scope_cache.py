"""A cache for results that depend only on a snapshot and a scope within it."""

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
    """A result once it is computed, and the lock that is held while computing it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[T] = []


class ScopeCache(Generic[T]):
    """
    A thread-safe LRU cache of results, each for one scope of a snapshot.

    Threads that need the same result wait while one computes it; threads that need other results do not wait.

    Args:
        kept: Most results to keep.
    """

    def __init__(self, kept: int = _KEPT) -> None:
        self._most = kept
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, str], _Kept[T]] = OrderedDict()

    def get(self, snapshot: Snapshot, scope: str, make: Callable[[Snapshot, str], T]) -> T:
        """Return the result of `make`, which may depend only on the scope, the snapshot's core and precise edges."""
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
