"""Dependencies between modules around a scope, and a cache for what depends on snapshot and scope alone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from retriever.domain.structure import Dependency, grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    from retriever.ports import Snapshot

T = TypeVar("T")

_KEPT = 32
_DEPTHS = (1, 2, 3)
_SEVERAL = 3


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Dependencies between files, and the same summed by module."""

    files: tuple[Dependency, ...]
    modules: tuple[Dependency, ...]


class ScopeCache(Generic[T]):
    """Keeps what was worked out for a scope of a snapshot, the latest answers only; for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], T] = OrderedDict()

    def get(self, snapshot: Snapshot, scope: str, make: Callable[[Snapshot, str], T]) -> T:
        """Return what `make` gives for this snapshot and scope; it must depend on nothing else."""
        key = (snapshot.info.core_digest, scope)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make(snapshot, scope)
            self._kept.move_to_end(key)
            found = self._kept[key]
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return found


def dependencies_around(snapshot: Snapshot, scope: str) -> Dependencies:
    """Return the dependencies of the whole repository, with modules at the depth that suits the scope."""
    files = _between_files(snapshot, scope)
    return Dependencies(files, _between_modules(files, scope))


def _between_files(snapshot: Snapshot, scope: str) -> tuple[Dependency, ...]:
    """Tests use everything, so they only count where the scope is one of them."""
    tests = {file.path for file in snapshot.files.all() if file.is_test and not (scope and file.path.startswith(scope))}
    found = snapshot.structure.dependencies()
    return tuple(each for each in found if each.path not in tests and each.depends_on not in tests)


def _between_modules(files: tuple[Dependency, ...], scope: str) -> tuple[Dependency, ...]:
    """Sum at the depth at which the scope falls into several modules."""
    found: tuple[Dependency, ...] = ()
    for depth in _DEPTHS:
        found = grouped(files, scope, depth)
        if len({each.path for each in found if each.path.startswith(scope)}) >= _SEVERAL:
            break
    return found
